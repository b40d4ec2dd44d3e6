"""MemoryCraft: benchmarks of memory in one shape, with sessions, turns and questions about them."""

from collections.abc import Mapping
from typing import Any

from memviz.core.translation import Said, noop
from memviz.transcripts.base import UNTITLED, Probe
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, stand_in
from memviz.transcripts.readers.benchmarks import answer_texts, probe_of
from memviz.transcripts.readers.json_access import (
    first_text,
    id_text,
    joined,
    list_at,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import RowReader, inside, with_places
from memviz.transcripts.times import first_moment, moment, with_time

NO_ANSWER = noop("a question without an answer was left out")
NEVER_SAID = noop("a question about what was never said (abstention) was left out")
NO_CONTENT = noop("has neither text nor image")
UNKNOWN_EVIDENCE = noop(
    "evidence that names no message of the conversation was left out"
)
TOO_MUCH_EVIDENCE = noop(
    "evidence beyond {most:,} messages in all was left out of the questions"
)

MAX_EVIDENCE = 500_000
"""Positions of evidence that a record may have in all: a short question can name a long session."""
Positions = Mapping[str, list[int]]
"""The log positions of what an id stands for: a turn, or a session."""


class MemoryCraft(RowReader):
    """Records with ``sessions`` of ``turns`` and a list ``qa``."""

    name = "memorycraft"
    title = noop("MemoryCraft records")
    expected = noop("records with sessions, turns and qa")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a record has questions, and sessions of which one has turns."""
        sessions = objects_at(row, "sessions")
        has_turns = any(isinstance(one.get("turns"), list) for one in sessions)
        return has_turns and isinstance(row.get("qa"), list)

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the turns of all sessions in order, with the questions about them."""
        in_sessions: dict[str, list[int]] = {}
        turns: dict[str, list[int]] = {}
        restarted: set[str] = set()
        sessions = list_at(row, "sessions")
        first_speaker = _first_speaker(sessions)
        for session, where in with_places(sessions, "session"):
            at = inside(place, where)
            said, telling = _add_session(session, at, first_speaker, builder)
            own: dict[str, list[int]] = {}
            for id, position in said:
                own.setdefault(id, []).append(position)
            restarted |= own.keys() & turns.keys()
            turns |= own
            id = id_text(value_at(session, "session_id"))
            # A question that names a session means the turns that answer it, where they are marked.
            whole = [position for _id, position in said]
            in_sessions.setdefault(id, []).extend(telling or whole)
        # Ids of turns may begin anew in each session, and name no message then.
        unique = {id: at for id, at in turns.items() if id not in restarted}
        positions = {**unique, **in_sessions}
        positions.pop("", None)
        return {
            "title": first_text(row, "uid") or UNTITLED,
            "description": first_text(row, "source", "memory_type"),
            "held_at": first_moment(value_at(one, "timestamp") for one in sessions),
            "probes": _read_probes(row, positions, builder),
        }


def _first_speaker(sessions: list[Any]) -> str:
    """Return the name of whoever speaks first: of two people that one is the user."""
    for session in sessions:
        for turn in objects_at(session, "turns"):
            return text_at(turn, "speaker")
    return ""


def _add_session(
    session: object, place: str, first_speaker: str, builder: TranscriptBuilder
) -> tuple[list[tuple[str, int]], list[int]]:
    """Add the turns of a session; returns the id and the log position of each, and the positions of those that are
    marked as telling an answer."""
    said = []
    telling = []
    time = value_at(session, "timestamp")
    meta = with_time(time if moment(time) else None)
    for turn, at in with_places(list_at(session, "turns"), inside(place, "turn")):
        text = _text_of(turn)
        if not text:
            builder.leave_out(at, NO_CONTENT)
            continue
        name = text_at(turn, "speaker")
        role = known_role(value_at(turn, "role")) or known_role(name)
        if role is None:
            role = "user" if name == first_speaker else "assistant"
        is_name = bool(name) and known_role(name) is None
        position = builder.add_text(
            role, text, at, name=name if is_name else None, meta=meta
        )
        said.append((id_text(value_at(turn, "turn_id")), position))
        if value_at(turn, "metadata", "has_answer") is True:
            telling.append(position)
    return said, telling


def _text_of(turn: object) -> str:
    """Return the text of a turn with the caption of an image that was shown with it."""
    shown = [text_at(turn, "content")]
    caption = text_at(turn, "metadata", "blip_caption")
    if caption:
        shown.append(stand_in("image", caption))
    return joined(shown)


def _read_probes(
    row: dict[str, Any], positions: Positions, builder: TranscriptBuilder
) -> tuple[Probe, ...]:
    probes = []
    room = MAX_EVIDENCE
    for value, place in with_places(list_at(row, "qa"), "question"):
        item = object_at(value)
        if item.get("abstention"):
            builder.note(NEVER_SAID, place)
            continue
        ids = dict.fromkeys(map(id_text, list_at(item, "evidence")))
        known = [id for id in ids if id in positions]
        count = sum(len(positions[id]) for id in known)
        is_too_much = count > room
        if is_too_much:
            evidence = []
        else:
            evidence = [at for id in known for at in positions[id]]
            room -= count
        answers = answer_texts(item.get("answer"))
        category = item.get("question_type")
        probe = probe_of(item.get("question"), answers, evidence, category)
        if probe is None:
            builder.note(NO_ANSWER, place)
            continue
        if len(known) < len(ids):
            builder.note(UNKNOWN_EVIDENCE, place)
        if is_too_much:
            builder.note(Said(TOO_MUCH_EVIDENCE, most=MAX_EVIDENCE), place)
        probes.append(probe)
    return tuple(probes)
