"""Entries of a Codex session: the items of its rows, and the compactions between them.

``codex`` makes entries of the rows of a file. Here a message of a row is parted into what
somebody said and what the CLI added in the name of the user or of the developer; entries
that repeat others are left out; and a compaction is written as an event.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.readers.json_access import as_list, text_at
from memviz.transcripts.readers.openai.response_items import COMPACTIONS, UNREADABLE

CONTEXT = re.compile(
    r"\s*(<(user_instructions|environment_context|instructions|recommended_plugins|app-context|skill)>"
    r"|# AGENTS\.md instructions\b)",
    re.IGNORECASE,
)
"""Context that the CLI sends in the user's role, from before the first prompt on."""
NOTICE = re.compile(
    r"\s*(<(turn_aborted|user_shell_command|subagent_notification|goal_context|codex_internal_context|context_window)>"
    r"|<hook_prompt\b|Warning: (The maximum number of unified exec|apply_patch was requested via)"
    r"|</?image\b[^>]*>\s*\Z)",
    re.IGNORECASE,
)
"""Notices that the CLI sends in the user's role, such as that a turn was aborted."""
INSTRUCTED = re.compile(r"\s*<[a-z_-]+( instructions)?>", re.IGNORECASE)
"""Context that the CLI sends in the developer's role: it begins with a tag. Other texts
in that role were set up by the user."""
CONTEXTS = {"user": CONTEXT, "system": INSTRUCTED}
HANDED_ON = "Another language model started to solve this problem"
"""The first words of a summary that the CLI sends to the model in the user's role."""
ALL_COMPACTIONS = COMPACTIONS | {"context_compaction"}
REWRITTEN = noop(
    "Codex rewrote the file when it compacted: what was said before is gone, but for {left}"
)


@dataclass(slots=True)
class Compaction:
    """One compaction: its summary, if it can be read, and the token counts of Codex."""

    time: str
    tokens_before: int | None
    tokens_after: int | None = None
    text: str = ""
    is_encrypted: bool = False
    kept: int | None = None
    """Where the file was rewritten at this compaction: how many earlier messages it still
    holds. ``None`` where it was not rewritten."""


class Entry(NamedTuple):
    """An item of the Responses API, or a :class:`Compaction`, with its place in the file."""

    item: Any
    place: str
    is_by_cli: bool = False
    """The CLI sends it with every call; neither the user nor the model said it."""
    is_screen_copy: bool = False
    """An event that repeats a message for the screen."""

    @property
    def is_talk(self) -> bool:
        """Return whether the user, the model or a tool said or did it."""
        return not self.is_by_cli and not isinstance(self.item, Compaction)

    @property
    def is_message(self) -> bool:
        """Return whether it is a message of the user or of the model."""
        is_message = isinstance(self.item, dict) and self.item.get("type") == "message"
        return is_message and not self.is_by_cli

    @property
    def is_user_message(self) -> bool:
        """Return whether it is a message of the user."""
        return self.is_message and bool(self.item.get("role") == "user")


def texts_of_message(item: Mapping[str, Any]) -> list[str]:
    """Return one text for each part of a message, empty for a part without text."""
    parts = as_list(item.get("content"))
    return [part if isinstance(part, str) else text_at(part, "text") for part in parts]


def split_message(
    item: Mapping[str, Any], place: str, is_screen_copy: bool
) -> list[Entry]:
    """Split a message into the context that the CLI put into it and the user's own words.

    Each of the two is one entry, where there is any. Notices of the CLI are left out.
    """
    role = known_role(item.get("role")) or ""
    pattern = CONTEXTS.get(role)
    content = item.get("content")
    parts = as_list(content)
    context = []
    user_parts = []
    for part, text in zip(parts, texts_of_message(item), strict=True):
        if pattern and pattern.match(text):
            context.append(part)
        elif role != "user" or not NOTICE.match(text):
            user_parts.append(part)
    entries = []
    if context and not is_screen_copy:
        context_item = {**item, "role": "developer", "content": context}
        entries.append(Entry(context_item, place, is_by_cli=True))
    if user_parts or not parts:
        words = user_parts if isinstance(content, list) else content
        entries.append(
            Entry({**item, "content": words}, place, is_screen_copy=is_screen_copy)
        )
    return entries


def drop_repetitions(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries without copies: messages that an event repeats for the screen,
    and context that was sent before word for word."""
    # A file may hold the screen's events alone: then these are the messages.
    is_all_shown = all(entry.is_screen_copy for entry in entries if entry.is_message)
    kept_entries = []
    texts_of_cli = set()
    for entry in entries:
        if entry.is_by_cli:
            text = "\n".join(texts_of_message(entry.item))
            if text in texts_of_cli:
                continue
            texts_of_cli.add(text)
        if is_all_shown or not entry.is_screen_copy:
            kept_entries.append(entry)
    return kept_entries


def write_compaction(
    compaction: Compaction, place: str, builder: TranscriptBuilder
) -> None:
    """Add a compaction as an event, and notes on what of it the file does not hold."""
    if compaction.kept is not None:
        remainder = Said("the context that it sends")
        if compaction.kept == 1:
            remainder = Said("1 message that it kept")
        elif compaction.kept:
            remainder = Said("{number:,} messages that it kept", number=compaction.kept)
        builder.note(Said(REWRITTEN, left=remainder), place)
    if compaction.is_encrypted and not compaction.text:
        builder.note(UNREADABLE, place)
    builder.add_event(
        "compaction",
        compaction.text,
        tokens_before=compaction.tokens_before,
        tokens_after=compaction.tokens_after,
        time=compaction.time,
    )


def is_summary(item: Mapping[str, Any]) -> bool:
    """Return whether a message is a summary that the CLI sends in the user's name."""
    is_user = item.get("role") == "user"
    return is_user and "".join(texts_of_message(item)[:1]).startswith(HANDED_ON)


def is_encrypted_compaction(item: Mapping[str, Any]) -> bool:
    """Return whether an item is a compaction whose summary only OpenAI can read."""
    is_compaction = text_at(item, "type") in ALL_COMPACTIONS
    return is_compaction and bool(text_at(item, "encrypted_content"))
