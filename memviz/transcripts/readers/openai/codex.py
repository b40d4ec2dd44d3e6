"""Rollouts of the Codex CLI: what was sent and answered, wrapped in rows or, in older files, bare.

On their way to items turns that were taken back are dropped, and compactions become events. A message is somebody's,
or the CLI's in the name of the user or of the developer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, stand_in
from memviz.transcripts.document import Document, Placed, Reader, mismatch
from memviz.transcripts.readers.json_access import (
    as_list,
    count_at,
    first_under,
    list_at,
    object_at,
    objects_at,
    text_at,
)
from memviz.transcripts.readers.json_rows import with_places
from memviz.transcripts.readers.openai.response_items import (
    COMPACTIONS,
    UNREADABLE,
    ItemReader,
    is_item,
)
from memviz.transcripts.times import moment, time_text

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
CONTEXTS = {"user": CONTEXT, "system": INSTRUCTED}
HANDED_ON = "Another language model started to solve this problem"
"""How a summary starts that the CLI hands to the model as words of the user."""
ROW_TYPES = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)
SETTINGS_ROWS = frozenset({"world_state", "token_usage_record"})
"""Rows that keep the state of the program: that from which it makes the context that stands in messages as well, and
the tokens of a turn and of the session so far, of which rows of the type token_count say those in use."""
NO_ITEMS = frozenset({"ghost_snapshot", "other", "compaction_trigger"})
ALL_COMPACTIONS = COMPACTIONS | {"context_compaction"}
EVENT_ROLES = {"user_message": "user", "agent_message": "assistant"}
TAKEN_BACK = noop("turns that the user took back were left out: {turns}")
UNKNOWN_ROWS = noop("rows of the type {type}, which is not known, were left out")
REWRITTEN = noop(
    "Codex rewrote the file when it compacted: what was said before is gone, but for {left}"
)
EXPECTED = noop("rows with a type and a payload")


class Codex(Reader):
    """One session of the Codex CLI, with the context that the CLI sends with every call as system messages."""

    name = "codex"
    title = noop("Codex CLI session")

    def recognise(self, document: Document) -> bool:
        """Rows with a type and a payload; or bare items after a row that describes the session."""
        heads = document.heads
        if any(map(_is_row, heads)) or _old_items(document.object):
            return True
        return any(map(_is_description, heads[:2])) and any(map(is_item, heads[:20]))

    def conversations(self, document: Document) -> Sequence[list[Placed]]:
        """One conversation: the session."""
        items = _old_items(document.object)
        if items:
            return [[(document.object["session"], ""), *with_places(items)]]
        if not any(_is_row(row) or is_item(row) for row in document.heads):
            raise mismatch(EXPECTED, document)
        return [document.lines]

    def read(self, piece: list[Placed], builder: TranscriptBuilder) -> Transcript:
        """The turns that were not taken back; compactions are events."""
        rollout = Rollout()
        for row, place in piece:
            rollout.add(row, place)
        rollout.write_to(builder)
        return builder.build(
            title=rollout.title,
            system_prompt=rollout.system_prompt or None,
            held_at=moment(rollout.metadata.get("timestamp")),
        )


def _is_row(row: Mapping[str, Any]) -> bool:
    return text_at(row, "type") in ROW_TYPES and isinstance(row.get("payload"), dict)


def _is_description(row: Mapping[str, Any]) -> bool:
    """Return whether a row has the session's id, time and instructions, or its state."""
    if row.get("record_type") == "state":
        return True
    is_given = isinstance(row.get("id"), str) and isinstance(row.get("timestamp"), str)
    is_item = "type" in row or "role" in row
    return is_given and not is_item and ("instructions" in row or "git" in row)


def _old_items(value: Mapping[str, Any]) -> list[Any]:
    """The items of a session of the first versions, which was one object."""
    is_old = "id" in object_at(value, "session")
    has_items = is_old and any(map(is_item, objects_at(value, "items")))
    return list_at(value, "items") if has_items else []


@dataclass(slots=True)
class Compaction:
    """One compaction: its summary, if that can be read, and the program's own token counts."""

    time: str
    tokens_before: int | None
    tokens_after: int | None = None
    text: str = ""
    is_encrypted: bool = False
    kept: int | None = None
    """The messages of a file that was rewritten then which are left from before; ``None`` if it was not."""


class Entry(NamedTuple):
    """An item, or a compaction, with its place."""

    item: Any
    place: str
    is_by_cli: bool = False
    """Nobody said it: the CLI sends it with every call."""
    is_shown: bool = False
    """It repeats, for the screen, what was sent or answered."""

    @property
    def is_talk(self) -> bool:
        """Return whether it is anything that somebody said or did."""
        return not self.is_by_cli and not isinstance(self.item, Compaction)

    @property
    def is_message(self) -> bool:
        """Return whether somebody said it."""
        is_message = isinstance(self.item, dict) and self.item.get("type") == "message"
        return is_message and not self.is_by_cli

    @property
    def is_asked(self) -> bool:
        """Return whether the user said it."""
        return self.is_message and bool(self.item.get("role") == "user")


def _texts_of(item: Mapping[str, Any]) -> list[str]:
    """The texts of the parts of a message, empty for parts without one."""
    parts = as_list(item.get("content"))
    return [part if isinstance(part, str) else text_at(part, "text") for part in parts]


def _split_message(item: Mapping[str, Any], place: str, is_shown: bool) -> list[Entry]:
    """Return the context that the CLI sends in a message, and what was said in it. Its notices are left out."""
    role = known_role(item.get("role")) or ""
    pattern = CONTEXTS.get(role)
    content = item.get("content")
    parts = as_list(content)
    context = []
    user_parts = []
    for part, text in zip(parts, _texts_of(item), strict=True):
        if pattern and pattern.match(text):
            context.append(part)
        elif role != "user" or not NOTICE.match(text):
            user_parts.append(part)
    entries = []
    if context and not is_shown:
        context_item = {**item, "role": "developer", "content": context}
        entries.append(Entry(context_item, place, is_by_cli=True))
    if user_parts or not parts:
        words = user_parts if isinstance(content, list) else content
        entries.append(Entry({**item, "content": words}, place, is_shown=is_shown))
    return entries


@dataclass(eq=False)
class Rollout:
    """Collects the rows of one session in order; :meth:`write_to` adds the messages that they are to a transcript."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    _entries: list[Entry] = field(default_factory=list)
    _tokens: int | None = None
    _taken_back: int = 0
    """How many turns the user took back."""
    _unknown: list[tuple[str, str]] = field(default_factory=list)
    """Types of rows, with their places."""

    @property
    def system_prompt(self) -> str:
        """The instructions that the model got before everything else, without those that a message repeats."""
        base = first_under(self.metadata, "base_instructions", "base_instructions.text")
        instructions = text_at(self.metadata, "instructions")
        items_of_cli = [entry.item for entry in self._entries if entry.is_by_cli]
        if any(instructions in "\n".join(_texts_of(item)) for item in items_of_cli):
            instructions = ""
        return "\n\n".join(filter(None, (base, instructions)))

    def add(self, row: object, place: str) -> None:
        """Add the next row."""
        if not isinstance(row, dict):
            self._entries.append(Entry(row, place))
            return
        kind = text_at(row, "type")
        payload = row.get("payload")
        if _is_row(row):
            self._add_wrapped(kind, row["payload"], row, place)
        elif kind == "response_item":
            self._entries.append(Entry(payload, place))
        elif "payload" in row or "record_type" in row:
            if kind and kind not in SETTINGS_ROWS and "payload" in row:
                self._unknown.append((kind, place))
        elif "role" in row or (kind and kind not in ROW_TYPES):
            self._add_item({"type": "message", **row}, row, place)
        elif not self.metadata and "type" not in row:
            self.metadata = row

    def _add_wrapped(
        self, kind: str, payload: dict[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        if kind == "session_meta":
            described = {"timestamp": row.get("timestamp"), **payload}
            self.metadata = self.metadata or described
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
        dated = {"created_at": row.get("timestamp"), **item}
        if kind in ALL_COMPACTIONS:
            self._compact(row, place, is_encrypted=_is_encrypted(item))
        elif kind != "message":
            if kind not in NO_ITEMS:
                self._entries.append(Entry(dated, place))
        elif _is_summary(item):
            self._compact(row, place, _texts_of(item)[0])
        else:
            self._entries += _split_message(dated, place, is_shown=False)

    def _add_compacted(
        self, payload: Mapping[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        """Add a compaction. Where the file was rewritten then, what it keeps of the talk before is only here."""
        history = objects_at(payload, "replacement_history")
        summaries = [item for item in history if _is_summary(item)]
        kept_count = None
        if history and not any(entry.is_talk for entry in self._entries):
            for item in history:
                is_compaction = text_at(item, "type") in ALL_COMPACTIONS
                if not is_compaction and item not in summaries:
                    self._add_item(item, row, place)
            # The CLI sends its context again behind older messages; here it comes first, as it did at first.
            self._entries.sort(key=lambda entry: entry.is_talk)
            kept_count = sum(entry.is_talk for entry in self._entries)
        text = text_at(payload, "message")
        if not text and summaries:
            text = _texts_of(summaries[0])[0]
        is_encrypted = any(map(_is_encrypted, history))
        self._compact(row, place, text, is_encrypted=is_encrypted, kept=kept_count)

    def _add_event(
        self, event: Mapping[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        kind = text_at(event, "type")
        if kind in EVENT_ROLES:
            message = {
                "created_at": row.get("timestamp"),
                "type": "message",
                "role": EVENT_ROLES[kind],
                "content": _event_content(event),
            }
            self._entries += _split_message(message, place, is_shown=True)
        elif kind == "context_compacted":
            self._compact(row, place)
        elif kind == "thread_rolled_back":
            self._take_back(count_at(event, "num_turns") or 0)
        elif kind == "thread_name_updated":
            self.title = text_at(event, "thread_name") or self.title
        elif kind == "token_count":
            self._count(count_at(event, "info", "last_token_usage", "total_tokens"))

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
        last = self._last_compaction()
        if last is None:
            last = Compaction(time_text(row.get("timestamp")), self._tokens)
            self._entries.append(Entry(last, place))
            self._tokens = None
        last.text = last.text or text
        last.is_encrypted = last.is_encrypted or is_encrypted
        last.kept = kept if last.kept is None else last.kept

    def _last_compaction(self) -> Compaction | None:
        """Return the compaction that the entries end with."""
        end = self._entries[-1].item if self._entries else None
        return end if isinstance(end, Compaction) else None

    def _count(self, total: int | None) -> None:
        last = self._last_compaction()
        if total is not None and last is not None:
            last.tokens_after = total
        elif total is not None:
            self._tokens = total

    def _take_back(self, turns: int) -> None:
        """Drop this number of turns from the end."""
        users = [n for n, entry in enumerate(self._entries) if entry.is_asked]
        prompts = [n for n in users if not self._entries[n].is_shown] or users
        if turns and prompts:
            first = prompts[max(0, len(prompts) - turns)]
            self._taken_back += sum(n >= first for n in prompts)
            del self._entries[first:]

    def write_to(self, builder: TranscriptBuilder) -> None:
        """Add the messages and the compactions to a transcript.

        The messages as the screen showed them are only used if the file has no others.
        """
        if self._taken_back:
            builder.note(Said(TAKEN_BACK, turns=self._taken_back))
        for kind, place in self._unknown:
            builder.note(Said(UNKNOWN_ROWS, type=repr(kind[:40])), place)
        waiting: list[Placed] = []
        for entry in _used(self._entries):
            if isinstance(entry.item, Compaction):
                ItemReader(builder).add_all(waiting)
                waiting = []
                _write_compaction(entry.item, entry.place, builder)
            else:
                waiting.append((entry.item, entry.place))
        ItemReader(builder).add_all(waiting)


def _used(entries: Sequence[Entry]) -> list[Entry]:
    """The entries that are no repetition: of a message for the screen, or of context that is sent already."""
    is_all_shown = all(entry.is_shown for entry in entries if entry.is_message)
    used = []
    texts_of_cli = set()
    for entry in entries:
        if entry.is_by_cli:
            text = "\n".join(_texts_of(entry.item))
            if text in texts_of_cli:
                continue
            texts_of_cli.add(text)
        if is_all_shown or not entry.is_shown:
            used.append(entry)
    return used


def _write_compaction(
    compaction: Compaction, place: str, builder: TranscriptBuilder
) -> None:
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


def _is_summary(item: Mapping[str, Any]) -> bool:
    is_user = item.get("role") == "user"
    return is_user and "".join(_texts_of(item)[:1]).startswith(HANDED_ON)


def _is_encrypted(item: Mapping[str, Any]) -> bool:
    is_compaction = text_at(item, "type") in ALL_COMPACTIONS
    return is_compaction and bool(text_at(item, "encrypted_content"))


def _event_content(event: Mapping[str, Any]) -> list[str]:
    images = [*list_at(event, "images"), *list_at(event, "local_images")]
    text = text_at(event, "message")
    texts = [text] if text or not images else []
    return texts + [stand_in("image")] * len(images)
