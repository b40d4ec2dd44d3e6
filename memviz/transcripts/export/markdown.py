"""Writing a conversation as Markdown: good to read where Markdown is shown, and exact when it is imported again."""

from __future__ import annotations

import re

from memviz.core.conversation import Message, ToolCall, clean_text
from memviz.transcripts.base import Transcript
from memviz.transcripts.code_fences import left_open
from memviz.transcripts.markers import marked, marker

MAX_SHOWN_CHARS = 200
_SIGNS = re.compile(r"([\\`*_\[\]<>#|~&!$])")


def to_markdown(transcript: Transcript) -> str:
    """The conversation with a name in bold above every message, and markers that nobody sees.

    Imported again, title, description, language, system prompt and messages are as they were, but for ``meta``.
    """
    about = {
        key: getattr(transcript, key) for key in ("title", "description", "language")
    }
    parts = [f"{marker(about)}\n# {_plain(transcript.title)}\n\n"]
    if transcript.system_prompt is not None:
        parts.append(
            _part(
                {"system_prompt": True}, "**System prompt:**", transcript.system_prompt
            )
        )
    for message in transcript.messages:
        info = {
            key: value
            for key, value in message.to_request().items()
            if key != "content"
        }
        parts.append(_part(info, _shown(message), message.content))
    return clean_text("".join(parts) + marker({"end": len(transcript.messages)}) + "\n")


def _part(info: dict[str, object], shown: str, content: str) -> str:
    """A content with its marker. A code block that is open at its end is closed, so that what follows is shown."""
    fence = left_open(content)
    return (
        marked({**info, "closed": fence}, shown, f"{content}\n{fence}")
        if fence
        else marked(info, shown, content)
    )


def _shown(message: Message) -> str:
    name = f" ({_plain(message.name)})" if message.name else ""
    calls = "".join(f" calls {_code(call)}" for call in message.tool_calls)
    return f"**{message.role.capitalize()}{name}:**{calls}"


def _plain(text: str) -> str:
    return _SIGNS.sub(r"\\\1", " ".join(text.split())[:MAX_SHOWN_CHARS])


def _code(call: ToolCall) -> str:
    text = " ".join(f"{call.name}({call.arguments})".split())[:MAX_SHOWN_CHARS]
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"
