"""Files of the Gemini CLI: sessions as one object or as rows that also rewind them, and checkpoints of a chat."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.base import EventKind, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import ignore_note, named
from memviz.transcripts.document import (
    HEAD_ITEMS,
    Document,
    PlacedValue,
    Reader,
    mismatch_error,
)
from memviz.transcripts.readers.blocks import (
    Thought,
    add_parts,
    add_result,
    read_calls,
)
from memviz.transcripts.readers.gemini_api import (
    CLI_GREETING,
    CLI_WRAPPER,
    PARTS,
    add_contents,
    read_checkpoint,
    text_of_contents,
)
from memviz.transcripts.readers.json_access import (
    id_text,
    list_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.times import meta_with_time, moment, time_text

EARLIER_TURNS = noop(
    "it starts with a summary; what was said before that is not in the file"
)
SUMMARIES = ("<state_snapshot>", "<compressed_history>", "<compressed_chat_history>")
REWOUND = noop("messages that the user went back on were left out")
REPLACED = noop("messages that the program replaced by others were left out")
UNKNOWN_REWIND = noop("a rewind to a message that is not in the file was passed over")
GREETINGS = (CLI_GREETING, "Okay, just setting up the context for our chat.")
THANKS = "Got it. Thanks for the context!"
THANKS_FOR_SUMMARY = "Got it. Thanks for the additional context!"
THOUGHT = Thought(("subject", "description", "text"))
TYPES = {
    "gemini": "assistant",
    "user": "user",
    **dict.fromkeys(("info", "error", "warning"), "notice"),
}
COMPRESSED = re.compile(
    r"compressed (?:from )?(?:from:? )?(\d[\d,]*) to (\d[\d,]*) tokens"
)
EXPECTED = noop("a session, or a list of contents,")


class GeminiCli(Reader):
    """A session of the Gemini CLI, or a chat that its user saved."""

    name = "gemini_cli"
    title = noop("Gemini CLI session")

    def recognise(self, document: Document) -> bool:
        """An object or rows with the session's id and the hash of its project; or contents that the CLI began."""
        if _is_session(document.object) or any(map(_is_row, document.objects)):
            return True
        return read_checkpoint(document) is not None

    def conversations(self, document: Document) -> Sequence[Session | list[Any]]:
        """One conversation: the session as it was left, or the contents."""
        contents = read_checkpoint(document)
        if contents is not None:
            return [contents]
        if isinstance(document.object.get("messages"), list):
            return [Session.of_object(document.object)]
        if not any(_is_row(row) or _is_message(row) for row in document.items):
            raise mismatch_error(EXPECTED, document)
        return [Session.of_rows(document.placed)]

    def read(
        self, piece: Session | list[Any], builder: TranscriptBuilder
    ) -> Transcript:
        """The messages without the CLI's own opening words to the model; a summary becomes an event."""
        if isinstance(piece, list):
            _add_checkpoint(piece, builder)
            return builder.build()
        for note in piece.notes:
            builder.note(note)
        story = SessionStory(builder)
        for value, place in piece.messages:
            story.add(value, place)
        first = builder.events[0] if builder.events else None
        if first and first.text and not first.after_message:
            builder.note(EARLIER_TURNS)
        return builder.build(
            title=text_at(piece.metadata, "summary"),
            held_at=moment(piece.metadata.get("startTime")),
        )


def _is_session(value: dict[str, Any]) -> bool:
    messages = value.get("messages")
    if not isinstance(messages, list) or not isinstance(value.get("sessionId"), str):
        return False
    return "projectHash" in value or any(map(_is_message, messages[:HEAD_ITEMS]))


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and item.get("type") == "gemini" and "content" in item


def _is_row(row: object) -> bool:
    if not isinstance(row, dict) or "uuid" in row:
        return False
    return ("projectHash" in row and "sessionId" in row) or "$rewindTo" in row


def _add_checkpoint(contents: list[Any], builder: TranscriptBuilder) -> None:
    start = _count_opening_texts([_text_of(item) for item in contents[:2]])
    texts = [_text_of(item) for item in contents[start : start + 2]]
    length = _count_summary_texts(texts)
    if length:
        _add_summary(texts[0], builder)
        builder.note(EARLIER_TURNS)
    add_contents(add_places(contents)[start + length :], builder)


@dataclass(slots=True)
class Session:
    """A session as its file leaves it, after all rewinds and corrections: its messages, and what is known of it."""

    metadata: dict[str, Any] = field(default_factory=dict)
    messages: list[PlacedValue] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of_object(cls, found: Mapping[str, Any]) -> Session:
        """A session that was saved as one object."""
        return cls(dict(found), add_places(list_at(found, "messages")))

    @classmethod
    def of_rows(cls, rows: Sequence[PlacedValue]) -> Session:
        """A session that was saved row by row: a row with the id of an earlier one replaces it."""
        session = cls()
        order = dict[str, PlacedValue]()
        for number, (row, place) in enumerate(rows):
            if not isinstance(row, dict):
                order[f"#{number}"] = (row, place)
            elif "$rewindTo" in row:
                session._rewind(order, row["$rewindTo"])
            elif isinstance(row.get("$set"), dict):
                session._set(order, row["$set"], place)
            elif isinstance(row.get("id"), str) or "type" in row:
                order[id_text(row.get("id")) or f"#{number}"] = (row, place)
            else:
                session._set(order, row, place)
        session.messages = list(order.values())
        return session

    def _rewind(self, order: dict[str, PlacedValue], id: object) -> None:
        ids = list(order)
        if id not in ids:
            self.notes.append(UNKNOWN_REWIND)
            return
        for key in ids[ids.index(str(id)) :]:
            self.notes.append(REWOUND)
            del order[key]

    def _set(
        self, order: dict[str, PlacedValue], changes: Mapping[str, Any], place: str
    ) -> None:
        self.metadata.update(changes)
        messages = changes.get("messages")
        if not isinstance(messages, list):
            return
        placed = {
            id_text(value_at(item, "id")) or f"{place} #{n}": (item, place)
            for n, item in enumerate(messages)
        }
        if any(_is_summary(item) for item, _place in placed.values()):
            # The messages that the summary replaced stay.
            order.update(_find_missing(order, placed))
            return
        self.notes += [REPLACED] * len(_find_missing(placed, order))
        order.clear()
        order.update(placed)


def _text_of(item: object) -> str:
    """Return the text of a content or a record; parts that are no text are passed over."""
    parts = value_at(item, "parts")
    if parts is None:
        parts = value_at(item, "content")
    return text_of_contents(parts, ignore_note)


def _is_summary(item: object) -> bool:
    return (
        value_at(item, "type") == "user" and _count_summary_texts([_text_of(item)]) > 0
    )


def _find_missing(
    others: Mapping[str, PlacedValue], placed: Mapping[str, PlacedValue]
) -> dict[str, PlacedValue]:
    """Return the messages that others have neither under the same id nor with the same content."""
    contents = {_read_content(item) for item, _place in others.values()}
    return {
        id: (item, place)
        for id, (item, place) in placed.items()
        if id not in others and _read_content(item) not in contents
    }


def _read_content(item: object) -> str:
    type_and_content = [value_at(item, "type"), value_at(item, "content")]
    return json.dumps(type_and_content, ensure_ascii=False)


def _count_opening_texts(texts: Sequence[str]) -> int:
    """Return how many of the first texts are what the CLI and the model say to begin with."""
    first, second = map(str.strip, (*texts, "", "")[:2])
    if not first.removeprefix(CLI_WRAPPER).lstrip().startswith(GREETINGS):
        return 0
    return 2 if second == THANKS else 1


def _count_summary_texts(texts: Sequence[str]) -> int:
    """Return how many of these texts are a summary and the model's thanks for it."""
    first, second = map(str.strip, (*texts, "", "")[:2])
    if not first.startswith(SUMMARIES):
        return 0
    return 2 if second == THANKS_FOR_SUMMARY else 1


def _add_summary(text: str, builder: TranscriptBuilder, time: str = "") -> None:
    """Add a summary as an event: of the messages before it, or of what is not in the file."""
    kind: EventKind = "compaction" if builder.messages else "summary"
    builder.add_event(kind, text.strip(), time=time)


@dataclass(eq=False)
class SessionStory:
    """Adds the messages that the records of a session are, one after the other."""

    builder: TranscriptBuilder
    _answered: set[str] = field(default_factory=set)
    """The calls that have their results already."""
    _after_set_up: bool = False
    """What came last was part of the set-up or a summary."""

    def add(self, value: Any, place: str) -> None:
        """Add the messages that one record is."""
        role = self.builder.speaker(
            value, place, "type", called="type", role_of=named(TYPES)
        )
        if role == "assistant":
            self._add_reply(value, place)
        elif role == "user":
            self._add_prompt(value, place)
        elif role is not None:
            self._add_notice(value)

    def _add_prompt(self, value: Mapping[str, Any], place: str) -> None:
        builder = self.builder
        text = _text_of(value)
        time = value.get("timestamp")
        is_opening = not builder.messages and _count_opening_texts([text]) > 0
        is_summary = not is_opening and _count_summary_texts([text]) > 0
        if is_summary:
            _add_summary(text, builder, time_text(time))
        self._after_set_up = is_opening or is_summary
        if self._after_set_up:
            return
        content = value.get("content")
        prompt_parts = PARTS.parts(content, builder.note_at(place), "user")
        parts = [part for part in prompt_parts if part.id not in self._answered]
        if parts or not prompt_parts:
            add_parts(builder, "user", parts, place, meta=meta_with_time(time))

    def _add_reply(self, value: Mapping[str, Any], place: str) -> None:
        after_set_up = self._after_set_up
        self._after_set_up = False
        text = _text_of(value).strip()
        if after_set_up and text in (THANKS, THANKS_FOR_SUMMARY):
            return
        note = self.builder.note_at(place)
        calls = objects_at(value, "toolCalls")
        call_ids = {id_text(call.get("id")) for call in calls}
        parts = []
        for thought in objects_at(value, "thoughts"):
            parts += THOUGHT(thought, note, PARTS)
        for part in PARTS.parts(value.get("content"), note):
            if part.call is None or part.call.id not in call_ids:
                parts.append(part)
        parts += read_calls(calls, note)
        visible_parts = [part for part in parts if part.kind != "reasoning"]
        if not any(part.text or part.call for part in visible_parts):
            return
        meta = meta_with_time(value.get("timestamp"), model=text_at(value, "model"))
        add_parts(self.builder, "assistant", parts, place, meta=meta)
        for call in calls:
            self._add_result(call, place)

    def _add_result(self, call: Mapping[str, Any], place: str) -> None:
        """Add the result that a call holds, if it holds any."""
        result = call.get("result")
        display = call.get("resultDisplay")
        text = display if isinstance(display, str) else None
        if result is not None:
            text = PARTS.text(result, self.builder.note_at(place))
        if text is None:
            return
        id = call.get("id")
        time = meta_with_time(call.get("timestamp"))
        self._answered.add(id_text(id))
        add_result(self.builder, place, id, text, call.get("name"), **time)

    def _add_notice(self, value: Mapping[str, Any]) -> None:
        """Add an event for a notice that the history was compressed; other notices are no messages."""
        match = COMPRESSED.search(_text_of(value))
        if match:
            before, after = (int(n.replace(",", "")[:12]) for n in match.groups())
            self.builder.add_event(
                "compaction",
                tokens_before=before,
                tokens_after=after,
                time=time_text(value.get("timestamp")),
            )
