"""LoCoMo: what two people said in many sessions over months, with questions about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.json_text import describe, kind_of
from memviz.transcripts.readers.benchmarks.locomo_probes import message_key, read_probes
from memviz.transcripts.readers.json_rows import Row, most_rows, row_object, rows
from memviz.transcripts.readers.records import first_text, object_at
from memviz.transcripts.times import moment, with_time

_SESSION = re.compile(r"session_([0-9]{1,6})")
DATE_FORMATS = ("%I:%M %p on %d %B %Y", "%H:%M on %d %B %Y", "%d %B %Y")


class Locomo(Reader):
    """Samples with ``conversation``, or with the sessions at the top level."""

    name = "locomo"
    title = "LoCoMo conversations"

    def recognise(self, document: Document) -> bool:
        """Samples with a ``speaker_a`` and a list called ``session_1`` or like it."""
        return most_rows(document, lambda sample: _is_conversation(_conversation(sample)))

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation for each sample."""
        return rows(document, "samples with speaker_a and session_1")

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """All sessions of a sample in the order of their numbers, with its questions."""
        sample, place = row_object(*piece), piece[1]
        conversation = _conversation(sample)
        names = [first_text(conversation, key) for key in ("speaker_a", "speaker_b")]
        if not all(names) or _key(names[0]) == _key(names[1]):
            found = describe(sample)
            raise TranscriptError(f"a speaker_a and another speaker_b were expected, found {found}.", place=place)
        roles = {_key(name): role for name, role in zip(names, ("user", "assistant"), strict=True)}
        positions: dict[str, int] = {}
        for _, key in _sessions(conversation):
            _take_session(conversation, key, roles, positions, builder)
            _keep_summary(sample, f"{key}_summary", builder)
        return builder.build(
            title=first_text(sample, "sample_id") or UNTITLED,
            description=f"Two people talk: {names[0]} is shown as the user, {names[1]} as the assistant.",
            held_at=next((at for _, key in _sessions(conversation) if (at := _date(conversation, key))), None),
            probes=read_probes(sample.get("qa"), positions, builder),
        )


def _conversation(sample: dict[str, Any]) -> dict[str, Any]:
    inner = sample.get("conversation")
    return inner if isinstance(inner, dict) else sample


def _is_conversation(conversation: dict[str, Any]) -> bool:
    return isinstance(conversation.get("speaker_a"), str) and any(
        isinstance(conversation[key], list) for _, key in _sessions(conversation)
    )


def _sessions(conversation: dict[str, Any]) -> list[tuple[int, str]]:
    """Number and key of all sessions, by number: as texts, session 10 would come before session 2."""
    return sorted((int(found[1]), key) for key in conversation if (found := _SESSION.fullmatch(key)))


def _take_session(
    conversation: dict[str, Any], key: str, roles: dict[str, str], positions: dict[str, int], builder: TranscriptBuilder
) -> None:
    turns = conversation[key] or []
    if not isinstance(turns, list):
        raise TranscriptError(f"a list of messages was expected, found {kind_of(turns)}.", place=key)
    meta = with_time(at.isoformat() if (at := _date(conversation, key)) else None)
    for index, turn in enumerate(turns):
        place = f"{key}, index {index}"
        speaker = first_text(turn, "speaker") if isinstance(turn, dict) else ""
        role, content = roles.get(_key(speaker)), _content(turn)
        if role is None:
            shown = f"the unknown speaker {speaker[:40]!r}" if speaker else "no speaker"
            builder.leave_out(place, f"has {shown}")
        elif content is None:
            builder.leave_out(place, "has neither text nor image")
        else:
            position = builder.add_text(role, content, place, name=speaker, meta=meta or None)
            if (said := message_key(turn.get("dia_id"))) is not None:
                positions.setdefault(said, position)


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _content(turn: Any) -> str | None:
    """The text and, for images that were shared with it, what the benchmark's captions say."""
    if not isinstance(turn, dict):
        return None
    text = next((turn[key] for key in ("text", "clean_text") if isinstance(turn.get(key), str)), None)
    caption = first_text(turn, "blip_caption")
    image = [stand_in("image", caption)] if caption or turn.get("img_url") else []
    parts = [text] if text is not None and (text or not image) else []
    return "\n".join([*parts, *image]) if parts or image else None


def _date(conversation: dict[str, Any], key: str) -> datetime | None:
    """When a session was held. The times have no zone: like everywhere in memviz they are taken for UTC."""
    said = first_text(conversation, f"{key}_date_time")
    text = " ".join(said.replace(",", " ").split())[:60]
    for form in DATE_FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return moment(said)


def _keep_summary(sample: dict[str, Any], key: str, builder: TranscriptBuilder) -> None:
    text = first_text(object_at(sample, "session_summary"), key) or first_text(sample, key)
    if text:
        builder.add_event(RecordedEvent("summary", len(builder.messages), text))
