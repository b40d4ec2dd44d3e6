"""The rows of a Codex rollout on their way to items: turns that were taken back are dropped, compactions are events.

A message is somebody's, or the CLI's in the name of the user or of the developer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memviz.core.text.wording import counted
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, stand_in
from memviz.transcripts.readers.json_access import (
    count_at,
    list_at,
    objects_at,
    text_at,
)
from memviz.transcripts.readers.openai.response_items import (
    COMPACTIONS,
    UNREADABLE,
    ItemReader,
)
from memviz.transcripts.times import time_text

CONTEXT = re.compile(
    r"\s*(<(user_instructions|environment_context|instructions|recommended_plugins|app-context|skill)>"
    r"|# AGENTS\.md instructions\b)",
    re.IGNORECASE,
)
"""What the CLI sends in the user's role before the user speaks, and with every call from then on."""
NOTICE = re.compile(
    r"\s*(<(turn_aborted|user_shell_command|subagent_notification|goal_context|codex_internal_context|context_window)>"
    r"|<hook_prompt\b|Warning: (The maximum number of unified exec|apply_patch was requested via)"
    r"|</?image\b[^>]*>\s*\Z)",
    re.IGNORECASE,
)
"""What the CLI reports in the user's role when something happens."""
INSTRUCTED = re.compile(r"\s*<[a-z_-]+( instructions)?>", re.IGNORECASE)
"""What the CLI sends in the developer's role begins with a tag; what else is there was set up by somebody."""
HANDED_ON = "Another language model started to solve this problem"
"""How a summary starts that the CLI hands to the model as words of the user."""
BY_CLI = "sent by the CLI"
"""Key of a message that nobody said: the CLI sends it with every call."""


class Parts(NamedTuple):
    """What a message holds: the ``context`` that the CLI sends with every call, and what was ``said``."""

    context: dict[str, Any] | None
    said: dict[str, Any] | None


def parts_of(item: Mapping[str, Any]) -> Parts:
    """The message in its two parts, each ``None`` where there is nothing of it. Notices of the CLI are left out."""
    role = known_role(item.get("role")) or ""
    pattern = {"user": CONTEXT, "system": INSTRUCTED}.get(role)
    content = item.get("content")
    contents = content if isinstance(content, list) else [content]
    context = [part for part in contents if pattern and pattern.match(part_text(part))]
    spoken = [
        part for part in contents if part not in context and not _is_notice(role, part)
    ]
    return Parts(
        {**item, "role": "developer", "content": context, BY_CLI: True}
        if context
        else None,
        {**item, "content": spoken if isinstance(content, list) else content}
        if spoken or not contents
        else None,
    )


def first_text(item: Mapping[str, Any]) -> str:
    """The text of the first part of a message; empty where it has none."""
    content = item.get("content")
    return part_text(content[0] if isinstance(content, list) and content else content)


def part_text(part: object) -> str:
    """The text of one part of a message; empty where it has none."""
    return part if isinstance(part, str) else text_at(part, "text")


def all_text(item: Mapping[str, Any]) -> str:
    """The texts of all parts of a message."""
    content = item.get("content")
    return "\n".join(
        map(part_text, content if isinstance(content, list) else [content])
    )


def _is_notice(role: str, part: object) -> bool:
    return role == "user" and NOTICE.match(part_text(part)) is not None


ROW_TYPES = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)
SETTINGS_ROWS = frozenset({"world_state"})
"""Rows that keep the state of the program, from which it makes the context that stands in messages as well."""
NO_ITEMS = frozenset({"ghost_snapshot", "other", "compaction_trigger"})
ALL_COMPACTIONS = COMPACTIONS | {"context_compaction"}
SHOWN = "shown by the CLI"
"""Key of an entry that repeats, for the screen, what was sent or answered."""


@dataclass(slots=True)
class Compaction:
    """One compaction: its summary, if that can be read, and the program's own token counts.

    ``kept`` is how many messages of a file that was rewritten then are left from before; ``None`` if it was not.
    """

    place: str
    time: str
    tokens_before: int | None
    tokens_after: int | None = None
    text: str = ""
    is_encrypted: bool = False
    kept: int | None = None


class Rollout:
    """Collects the rows of one session in order; :meth:`write_to` adds the messages that they are to a transcript."""

    def __init__(self) -> None:
        self.metadata: Mapping[str, Any] = {}
        self.title = ""
        self._entries: list[
            tuple[str, Any]
        ] = []  # items and compactions by their places
        self._tokens: int | None = None
        self._taken_back = 0  # turns
        self._unknown: list[tuple[str, str]] = []  # types of rows, with their places

    @property
    def system_prompt(self) -> str:
        """The instructions that the model got before everything else, without those that a message repeats."""
        base = text_at(self.metadata, "base_instructions") or text_at(
            self.metadata, "base_instructions", "text"
        )
        own = text_at(self.metadata, "instructions")
        if any(own in all_text(item) for _, item in self._entries if _is_by_cli(item)):
            own = ""
        return "\n\n".join(text for text in (base, own) if text)

    def add(self, row: object, place: str) -> None:
        """Add the next row."""
        if not isinstance(row, dict):
            self._entries.append((place, row))
            return
        kind = text_at(row, "type")
        payload = row.get("payload")
        if kind in ROW_TYPES and isinstance(payload, dict):
            self._add_wrapped(kind, payload, row, place)
        elif kind == "response_item":
            self._entries.append((place, payload if "payload" in row else None))
        elif kind and "payload" in row:
            if kind not in SETTINGS_ROWS:
                self._unknown.append((kind, place))
        elif "payload" in row or "record_type" in row:
            return
        elif "role" in row or (kind and kind not in ROW_TYPES):
            self._add_item({"type": "message", **row}, row, place)
        elif not self.metadata and "type" not in row:
            self.metadata = row

    def _add_wrapped(
        self, kind: str, payload: dict[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        if kind == "session_meta":
            self.metadata = self.metadata or {
                "timestamp": row.get("timestamp"),
                **payload,
            }
        elif kind == "response_item":
            self._add_item(payload, row, place)
        elif kind == "compacted":
            self._add_compacted(payload, row, place)
        elif kind == "event_msg":
            self._add_event(payload, row, place)

    def _add_item(
        self, item: Mapping[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        kind = text_at(item, "type")
        entry = {"created_at": row.get("timestamp"), **item}
        if kind in ALL_COMPACTIONS:
            self._compact(row, place, is_encrypted=_is_encrypted(item))
        elif kind != "message":
            if kind not in NO_ITEMS:
                self._entries.append((place, entry))
        elif _is_summary(item):
            self._compact(row, place, first_text(item))
        else:
            context, said = parts_of(entry)
            self._entries += [
                (place, part) for part in (context, said) if part is not None
            ]

    def _add_compacted(
        self, payload: Mapping[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        """Add a compaction. Where the file was rewritten then, what it keeps of the talk before is only here."""
        history = objects_at(payload, "replacement_history")
        kept = None
        if history and not any(_is_talk(item) for _, item in self._entries):
            for item in history:
                if text_at(item, "type") not in ALL_COMPACTIONS and not _is_summary(
                    item
                ):
                    self._add_item(item, row, place)
            # The CLI sends its context again behind older messages; here it comes first, as it did at first.
            self._entries.sort(key=lambda entry: _is_talk(entry[1]))
            kept = sum(_is_talk(item) for _, item in self._entries)
        summaries = [first_text(item) for item in history if _is_summary(item)]
        text = text_at(payload, "message") or next(iter(summaries), "")
        self._compact(
            row, place, text, is_encrypted=any(map(_is_encrypted, history)), kept=kept
        )

    def _add_event(
        self, event: Mapping[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        kind = event.get("type")
        role = {"user_message": "user", "agent_message": "assistant"}.get(str(kind))
        if role:
            entry = {
                "type": "message",
                "role": role,
                "content": _event_content(event),
                SHOWN: True,
            }
            said = parts_of({"created_at": row.get("timestamp"), **entry}).said
            if said is not None:
                self._entries.append((place, said))
        elif kind == "context_compacted":
            self._compact(row, place)
        elif kind == "thread_rolled_back":
            self._take_back(event.get("num_turns"))
        elif kind == "thread_name_updated":
            self.title = text_at(event, "thread_name") or self.title
        elif kind == "token_count":
            self._count(event.get("info"))

    def _compact(
        self,
        row: Mapping[str, Any],
        place: str,
        text: str = "",
        *,
        is_encrypted: bool = False,
        kept: int | None = None,
    ) -> None:
        """Add a compaction. Several rows one after the other are about the same one."""
        last = self._compaction_at_end()
        if last is None:
            last = Compaction(place, time_text(row.get("timestamp")), self._tokens)
            self._entries.append((place, last))
            self._tokens = None
        last.text = last.text or text
        last.is_encrypted = last.is_encrypted or is_encrypted
        last.kept = kept if last.kept is None else last.kept

    def _compaction_at_end(self) -> Compaction | None:
        end = self._entries[-1][1] if self._entries else None
        return end if isinstance(end, Compaction) else None

    def _count(self, info: object) -> None:
        total = count_at(info, "last_token_usage", "total_tokens")
        if total is not None:
            last = self._compaction_at_end()
            if last is not None:
                last.tokens_after = total
            else:
                self._tokens = total

    def _take_back(self, turns: object) -> None:
        """Drop so many turns from the end."""
        users = [
            (n, item) for n, (_, item) in enumerate(self._entries) if _is_asked(item)
        ]
        asked = [n for n, item in users if SHOWN not in item] or [n for n, _ in users]
        if (
            isinstance(turns, int)
            and not isinstance(turns, bool)
            and turns > 0
            and asked
        ):
            first = asked[max(0, len(asked) - turns)]
            self._taken_back += sum(n >= first for n in asked)
            del self._entries[first:]

    def write_to(self, builder: TranscriptBuilder) -> None:
        """Add the messages and the compactions to a transcript.

        The messages as the screen showed them are only used if the file has no others.
        """
        if self._taken_back:
            builder.note(
                f"turns that the user took back were left out: {self._taken_back}"
            )
        for kind, place in self._unknown:
            builder.note(
                f"rows of the type {kind[:40]!r}, which is not known, were left out",
                place,
            )
        waiting = list[tuple[Any, str]]()
        for place, item in _used(self._entries):
            if isinstance(item, Compaction):
                ItemReader(builder).add_all(waiting)
                waiting = []
                _write_compaction(item, builder)
            else:
                waiting.append((item, place))
        ItemReader(builder).add_all(waiting)


def _used(entries: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The entries that are no repetition: of a message for the screen, or of context that is sent already."""
    is_all_shown = all(
        SHOWN in item
        for _, item in entries
        if _is_message(item) and not _is_by_cli(item)
    )
    used = list[tuple[str, Any]]()
    sent = set[str]()
    for place, item in entries:
        if _is_by_cli(item):
            if all_text(item) in sent:
                continue
            sent.add(all_text(item))
        if not isinstance(item, dict) or SHOWN not in item or is_all_shown:
            used.append((place, item))
    return used


def _write_compaction(made: Compaction, builder: TranscriptBuilder) -> None:
    if made.kept is not None:
        left = (
            f"{counted(made.kept, 'message')} that it kept"
            if made.kept
            else "the context that it sends"
        )
        builder.note(
            f"Codex rewrote the file when it compacted: what was said before is gone, but for {left}",
            made.place,
        )
    if made.is_encrypted and not made.text:
        builder.note(UNREADABLE, made.place)
    builder.add_event(
        "compaction",
        made.text,
        tokens_before=made.tokens_before,
        tokens_after=made.tokens_after,
        time=made.time,
    )


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == "message"


def _is_by_cli(item: object) -> bool:
    return isinstance(item, dict) and BY_CLI in item


def _is_asked(item: Any) -> bool:
    return _is_message(item) and bool(item.get("role") == "user")


def _is_talk(item: object) -> bool:
    """Return whether an entry is anything that somebody said or did."""
    return not isinstance(item, Compaction) and not _is_by_cli(item)


def _is_summary(item: Mapping[str, Any]) -> bool:
    return item.get("role") == "user" and first_text(item).startswith(HANDED_ON)


def _is_encrypted(item: Mapping[str, Any]) -> bool:
    return text_at(item, "type") in ALL_COMPACTIONS and bool(
        text_at(item, "encrypted_content")
    )


def _event_content(event: Mapping[str, Any]) -> list[Any]:
    count = len(list_at(event, "images")) + len(list_at(event, "local_images"))
    text = text_at(event, "message")
    return [*([text] if text or not count else []), *[stand_in("image")] * count]
