"""Reads the sessions of the Codex CLI ("rollouts"): files of one row a line.

A row wraps an item of the Responses API (``{"type": "response_item", "payload": {...}}``) or,
in older files, is the item itself. :class:`Rollout` collects the rows of one session as entries
(``codex_entries``), drops the turns that the user took back, and gives what is left to the
reader of Responses items. Sessions that are still growing are read by ``growing``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.document import Document, PlacedValue, Reader, mismatch_error
from memviz.transcripts.readers.json_access import (
    count_at,
    first_under,
    list_at,
    object_at,
    objects_at,
    text_at,
)
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.readers.openai.codex_entries import (
    ALL_COMPACTIONS,
    Compaction,
    Entry,
    drop_repetitions,
    is_encrypted_compaction,
    is_summary,
    split_message,
    texts_of_message,
    write_compaction,
)
from memviz.transcripts.readers.openai.response_items import (
    ItemReader,
    is_item,
)
from memviz.transcripts.times import moment, time_text

ROW_TYPES = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)
SETTINGS_ROWS = frozenset({"world_state", "token_usage_record"})
"""Rows that repeat in another form what other rows hold: the context of the CLI, which also
stands in messages, and sums of tokens, of which ``token_count`` says those in use."""
NO_ITEMS = frozenset({"ghost_snapshot", "other", "compaction_trigger"})
EVENT_ROLES = {"user_message": "user", "agent_message": "assistant"}
TAKEN_BACK = noop("turns that the user took back were left out: {turns}")
UNKNOWN_ROWS = noop("rows of the type {type}, which is not known, were left out")
EXPECTED = noop("rows with a type and a payload")


class Codex(Reader):
    """One session of the Codex CLI. Context that the CLI sends becomes system messages."""

    name = "codex"
    title = noop("Codex CLI session")

    def recognise(self, document: Document) -> bool:
        """Return true for rows with a type and a payload, and for bare items behind a row
        that describes the session."""
        heads = document.heads
        if any(map(_is_row, heads)) or _find_old_items(document.object):
            return True
        return any(map(_is_description, heads[:2])) and any(map(is_item, heads[:20]))

    def conversations(self, document: Document) -> Sequence[list[PlacedValue]]:
        """Return the rows of the session, which is one conversation."""
        items = _find_old_items(document.object)
        if items:
            return [[(document.object["session"], ""), *add_places(items)]]
        if not any(_is_row(row) or is_item(row) for row in document.heads):
            raise mismatch_error(EXPECTED, document)
        return [document.lines]

    def read(self, piece: list[PlacedValue], builder: TranscriptBuilder) -> Transcript:
        """Return the turns that were not taken back, with compactions as events."""
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
    """Return whether a row describes the session (its id, time and instructions)."""
    if row.get("record_type") == "state":
        return True
    is_given = isinstance(row.get("id"), str) and isinstance(row.get("timestamp"), str)
    is_item = "type" in row or "role" in row
    return is_given and not is_item and ("instructions" in row or "git" in row)


def _find_old_items(value: Mapping[str, Any]) -> list[Any]:
    """Return the items of a session as the first versions wrote it: one JSON object."""
    is_old = "id" in object_at(value, "session")
    has_items = is_old and any(map(is_item, objects_at(value, "items")))
    return list_at(value, "items") if has_items else []


@dataclass(eq=False)
class Rollout:
    """Collects the rows of one session in order. :meth:`write_to` then adds its messages
    and compactions to a transcript."""

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
        """The instructions before the first message, without those that a message repeats."""
        base = first_under(self.metadata, "base_instructions", "base_instructions.text")
        instructions = text_at(self.metadata, "instructions")
        items_of_cli = [entry.item for entry in self._entries if entry.is_by_cli]
        if any(
            instructions in "\n".join(texts_of_message(item)) for item in items_of_cli
        ):
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
            self._note_compaction(
                row, place, is_encrypted=is_encrypted_compaction(item)
            )
        elif kind != "message":
            if kind not in NO_ITEMS:
                self._entries.append(Entry(dated, place))
        elif is_summary(item):
            self._note_compaction(row, place, texts_of_message(item)[0])
        else:
            self._entries += split_message(dated, place, is_screen_copy=False)

    def _add_compacted(
        self, payload: Mapping[str, Any], row: Mapping[str, Any], place: str
    ) -> None:
        """Add a compaction. If the file was rewritten at it, the earlier messages that Codex
        kept stand nowhere else than in this row."""
        history = objects_at(payload, "replacement_history")
        summaries = [item for item in history if is_summary(item)]
        kept_count = None
        if history and not any(entry.is_talk for entry in self._entries):
            for item in history:
                is_compaction = text_at(item, "type") in ALL_COMPACTIONS
                if not is_compaction and item not in summaries:
                    self._add_item(item, row, place)
            # The row lists the context behind older messages; the session began with it.
            self._entries.sort(key=lambda entry: entry.is_talk)
            kept_count = sum(entry.is_talk for entry in self._entries)
        text = text_at(payload, "message")
        if not text and summaries:
            text = texts_of_message(summaries[0])[0]
        is_encrypted = any(map(is_encrypted_compaction, history))
        self._note_compaction(
            row, place, text, is_encrypted=is_encrypted, kept=kept_count
        )

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
            self._entries += split_message(message, place, is_screen_copy=True)
        elif kind == "context_compacted":
            self._note_compaction(row, place)
        elif kind == "thread_rolled_back":
            self._take_back(count_at(event, "num_turns") or 0)
        elif kind == "thread_name_updated":
            self.title = text_at(event, "thread_name") or self.title
        elif kind == "token_count":
            self._note_tokens(
                count_at(event, "info", "last_token_usage", "total_tokens")
            )

    def _note_compaction(
        self,
        row: Mapping[str, Any],
        place: str,
        text: str = "",
        *,
        is_encrypted: bool = False,
        kept: int | None = None,
    ) -> None:
        """Add a compaction, or complete the newest one: Codex writes several rows about the
        same compaction, one behind the other."""
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

    def _note_tokens(self, total: int | None) -> None:
        last = self._last_compaction()
        if total is not None and last is not None:
            last.tokens_after = total
        elif total is not None:
            self._tokens = total

    def _take_back(self, turns: int) -> None:
        """Drop the newest ``turns`` turns, which the user took back."""
        starts: list[int] = []
        screen_starts: list[int] = []
        for index, entry in enumerate(self._entries):
            if entry.is_user_message:
                (screen_starts if entry.is_screen_copy else starts).append(index)
        # Only a file without messages has its turns from the events of the screen.
        turn_starts = starts or screen_starts
        if turns and turn_starts:
            dropped = turn_starts[-turns:]
            self._taken_back += len(dropped)
            del self._entries[dropped[0] :]

    def write_to(self, builder: TranscriptBuilder) -> None:
        """Add the messages and the compactions to a transcript.

        The messages as the screen showed them are only used if the file has no others.
        """
        if self._taken_back:
            builder.note(Said(TAKEN_BACK, turns=self._taken_back))
        for kind, place in self._unknown:
            builder.note(Said(UNKNOWN_ROWS, type=repr(kind[:40])), place)
        waiting: list[PlacedValue] = []
        for entry in drop_repetitions(self._entries):
            if isinstance(entry.item, Compaction):
                ItemReader(builder).add_all(waiting)
                waiting = []
                write_compaction(entry.item, entry.place, builder)
            else:
                waiting.append((entry.item, entry.place))
        ItemReader(builder).add_all(waiting)


def _event_content(event: Mapping[str, Any]) -> list[str]:
    images = [*list_at(event, "images"), *list_at(event, "local_images")]
    text = text_at(event, "message")
    texts = [text] if text or not images else []
    return texts + [stand_in("image")] * len(images)
