"""Writing a conversation in a format that memviz and others read."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from memviz.core.messages import Message, ToolCall, clean_text
from memviz.core.translation import noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.chat_messages import PROMPT_NAME
from memviz.transcripts.csv_cells import COLUMNS, escape_formula, escape_label
from memviz.transcripts.markdown import (
    code_span,
    find_open_fence,
    write_marked,
    write_marker,
)


def to_csv(transcript: Transcript) -> str:
    """The messages as comma-separated values with every cell in quotation marks: position, role, name, content,
    tool_calls (JSON text) and tool_call_id. The system prompt is a first row without position.

    No cell is one that a spreadsheet takes for a formula: see :func:`escape_formula`. Imported again, all of it is
    as it was, but for the title and ``meta``. Excel wants the text encoded as "utf-8-sig".
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    if transcript.system_prompt is not None:
        writer.writerow(["", *_make_cells(Message("system", transcript.system_prompt))])
    for position, message in enumerate(transcript.messages):
        writer.writerow([position, *_make_cells(message)])
    return clean_text(out.getvalue())


def _make_cells(message: Message) -> list[str]:
    calls = [call.to_dict() for call in message.tool_calls]
    return [
        message.role,
        escape_label(message.name),
        escape_formula(message.content),
        json.dumps(calls, ensure_ascii=False) if calls else "",
        escape_label(message.tool_call_id),
    ]


# Programs that split a text into lines by themselves take these for line ends too.
_LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}


def to_openai_messages(transcript: Transcript) -> str:
    """The messages as a JSON list in the shape of the OpenAI chat API, without ``meta``.

    A system prompt is a first message with a name, by which it is told from the messages of the conversation when it
    is read again.
    """
    requests = _make_requests(transcript)
    text = json.dumps(requests, ensure_ascii=False, indent=1, allow_nan=False)
    return clean_text(text) + "\n"


def to_finetuning_row(transcript: Transcript) -> str:
    """The same messages as one row of a fine-tuning file: ``{"messages": [...]}`` on a line."""
    row = {"messages": _make_requests(transcript)}
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    return clean_text(text).translate(_LINE_ENDS) + "\n"


def _make_requests(transcript: Transcript) -> list[dict[str, Any]]:
    messages = list(transcript.messages)
    if transcript.system_prompt is not None:
        messages.insert(0, Message("system", transcript.system_prompt, PROMPT_NAME))
    return [message.to_request() for message in messages]


MAX_SHOWN_CHARS = 200
_SIGNS = re.compile(r"([\\`*_\[\]<>#|~&!$])")


def to_markdown(transcript: Transcript) -> str:
    """The conversation with a name in bold above every message, and markers that nobody sees.

    Imported again, title, description, language, system prompt and messages are as they were, but for ``meta``.
    """
    about = {
        "title": transcript.title,
        "description": transcript.description,
        "language": transcript.language,
    }
    parts = [f"{write_marker(about)}\n# {_write_plain(transcript.title)}\n\n"]
    prompt = transcript.system_prompt
    if prompt is not None:
        parts.append(_write_part({"system_prompt": True}, "**System prompt:**", prompt))
    for message in transcript.messages:
        info = message.to_request()
        del info["content"]
        parts.append(_write_part(info, _visible_text(message), message.content))
    end = write_marker({"end": len(transcript.messages)})
    return clean_text("".join(parts) + end + "\n")


def _write_part(info: dict[str, object], shown: str, content: str) -> str:
    """A content with its marker. A code block that is open at its end is closed, so that what follows is shown."""
    fence = find_open_fence(content)
    if not fence:
        return write_marked(info, shown, content)
    return write_marked({**info, "closed": fence}, shown, f"{content}\n{fence}")


def _visible_text(message: Message) -> str:
    name = f" ({_write_plain(message.name)})" if message.name else ""
    calls = "".join(
        f" calls {_write_call_as_code(call)}" for call in message.tool_calls
    )
    return f"**{message.role.capitalize()}{name}:**{calls}"


def _write_plain(text: str) -> str:
    return _SIGNS.sub(r"\\\1", " ".join(text.split())[:MAX_SHOWN_CHARS])


def _write_call_as_code(call: ToolCall) -> str:
    """Return a call as Markdown code: find(q) -> `find(q)`."""
    text = " ".join(f"{call.name}({call.arguments})".split())
    return code_span(text[:MAX_SHOWN_CHARS])


def to_json(transcript: Transcript) -> str:
    """The transcript as JSON text: title, description, language, system_prompt, messages, probes, the schemas of tools,
    and when it was held and what its program did to its memory, where that is known.

    :func:`memviz.transcripts.load_transcript` reads it back as the same transcript, but for
    ``format`` and ``warnings``, which tell how it was read. The text can be encoded as UTF-8.
    """
    document = {
        "title": transcript.title,
        "description": transcript.description,
        "language": transcript.language,
        "system_prompt": transcript.system_prompt,
        "messages": [message.to_dict() for message in transcript.messages],
        "probes": [probe.to_dict() for probe in transcript.probes],
    }
    held_at = transcript.held_at
    beside = {
        "tools": [json.loads(schema) for schema in transcript.tools],
        "held_at": held_at.isoformat() if held_at else None,
        "events": [event.to_dict() for event in transcript.events],
    }
    document |= {name: value for name, value in beside.items() if value}
    try:
        text = json.dumps(
            document, ensure_ascii=False, indent=1, default=str, allow_nan=False
        )
    except ValueError:
        # NaN or Infinity in a message's meta: no JSON reader but Python's would take it.
        finite = json.loads(
            json.dumps(document, default=str), parse_constant=lambda _: None
        )
        text = json.dumps(finite, ensure_ascii=False, indent=1)
    return clean_text(text)


class Export(NamedTuple):
    """A kind of file to save a conversation in: what users call it, how its name ends, its media type, its writer."""

    title: str
    suffix: str
    mime: str
    write: Callable[[Transcript], str]


EXPORTS = {
    "memviz": Export(
        noop("memviz (JSON, with all that is known)"),
        ".json",
        "application/json",
        to_json,
    ),
    "openai": Export(
        noop("OpenAI chat messages (JSON)"),
        ".json",
        "application/json",
        to_openai_messages,
    ),
    "finetuning": Export(
        noop("Fine-tuning row (JSON lines)"),
        ".jsonl",
        "application/jsonl",
        to_finetuning_row,
    ),
    "markdown": Export("Markdown", ".md", "text/markdown", to_markdown),
    "csv": Export(noop("Table (CSV)"), ".csv", "text/csv", to_csv),
}
"""The kinds of file that a conversation can be saved in, by name."""
