"""MemoryCraft: benchmarks of memory in one shape, with sessions, turns and questions about them."""

from typing import Any, NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.base import UNTITLED, Probe
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, stand_in
from memviz.transcripts.readers.benchmarks import make_probe, read_answers
from memviz.transcripts.readers.json_access import (
    first_text,
    id_text,
    join_lines,
    list_at,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import RowReader, add_places, place_inside
from memviz.transcripts.times import meta_with_time, moment, parse_first_moment

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
Positions = dict[str, list[int]]
"""The log positions of the messages that an id stands for, that of a turn or of a session."""


class MemoryCraft(RowReader):
    """Records with ``sessions`` of ``turns`` and a list ``qa``."""

    name = "memorycraft"
    title = noop("MemoryCraft records")
    expected = noop("records with sessions, turns and qa")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return true for a record with questions, and with sessions of which at least one has turns."""
        sessions = objects_at(row, "sessions")
        has_turns = any(isinstance(session.get("turns"), list) for session in sessions)
        return has_turns and isinstance(row.get("qa"), list)

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the turns of all sessions in order; returns the title, the date and the questions about them."""
        positions_of_sessions: Positions = {}
        positions_of_turns: Positions = {}
        repeated_ids: set[str] = set()
        sessions = list_at(row, "sessions")
        first_speaker = _find_first_speaker(sessions)
        for session, session_place in add_places(sessions, "session"):
            turns = _add_session(
                session, place_inside(place, session_place), first_speaker, builder
            )
            positions_in_session: Positions = {}
            for turn in turns:
                positions_in_session.setdefault(turn.id, []).append(turn.position)
            # Ids of turns may begin anew in each session, and name no message then.
            repeated_ids |= positions_in_session.keys() & positions_of_turns.keys()
            positions_of_turns |= positions_in_session
            # A question that names a session means the turns that answer it, where they are marked.
            answering = [turn for turn in turns if turn.has_answer] or turns
            session_id = id_text(value_at(session, "session_id"))
            positions_of_sessions.setdefault(session_id, []).extend(
                turn.position for turn in answering
            )
        for id in repeated_ids:
            del positions_of_turns[id]
        positions = positions_of_turns | positions_of_sessions
        positions.pop("", None)
        times = [value_at(session, "timestamp") for session in sessions]
        return {
            "title": first_text(row, "uid") or UNTITLED,
            "description": first_text(row, "source", "memory_type"),
            "held_at": parse_first_moment(times),
            "probes": _read_probes(row, positions, builder),
        }


def _find_first_speaker(sessions: list[Any]) -> str:
    """Return the name of the first speaker; empty where nobody speaks. Of two people the first is the user."""
    for session in sessions:
        for turn in objects_at(session, "turns"):
            return text_at(turn, "speaker")
    return ""


class AddedTurn(NamedTuple):
    """A turn that was added to the log as one message."""

    id: str
    position: int
    has_answer: bool
    """True where the file marks it as the answer to a question."""


def _add_session(
    session: object, place: str, first_speaker: str, builder: TranscriptBuilder
) -> list[AddedTurn]:
    """Add the turns of a session that have content, and return them."""
    added = []
    time = value_at(session, "timestamp")
    meta = meta_with_time(time if moment(time) else None)
    turns = add_places(list_at(session, "turns"), place_inside(place, "turn"))
    for turn, turn_place in turns:
        text = _text_of(turn)
        if not text:
            builder.leave_out(turn_place, NO_CONTENT)
            continue
        name = text_at(turn, "speaker")
        role = known_role(value_at(turn, "role")) or known_role(name)
        if role is None:
            role = "user" if name == first_speaker else "assistant"
        is_name = bool(name) and known_role(name) is None
        position = builder.add_text(
            role, text, turn_place, name=name if is_name else None, meta=meta
        )
        id = id_text(value_at(turn, "turn_id"))
        has_answer = value_at(turn, "metadata", "has_answer") is True
        added.append(AddedTurn(id, position, has_answer))
    return added


def _text_of(turn: object) -> str:
    """Return the text of a turn, and below it the caption of its image: ``Look!`` and ``[image: a red bike]``."""
    texts = [text_at(turn, "content")]
    caption = text_at(turn, "metadata", "blip_caption")
    if caption:
        texts.append(stand_in("image", caption))
    return join_lines(texts)


def _read_probes(
    row: dict[str, Any], positions: Positions, builder: TranscriptBuilder
) -> tuple[Probe, ...]:
    """Return the questions of a record that have an answer, each with the positions of its evidence."""
    probes = []
    evidence_left = MAX_EVIDENCE
    for value, place in add_places(list_at(row, "qa"), "question"):
        item = object_at(value)
        if item.get("abstention"):
            builder.note(NEVER_SAID, place)
            continue
        ids = dict.fromkeys(map(id_text, list_at(item, "evidence")))
        known_ids = [id for id in ids if id in positions]
        count = sum(len(positions[id]) for id in known_ids)
        is_too_much = count > evidence_left
        evidence: list[int] = []
        if not is_too_much:
            evidence_left -= count
            for id in known_ids:
                evidence += positions[id]
        answers = read_answers(item.get("answer"))
        category = item.get("question_type")
        probe = make_probe(item.get("question"), answers, evidence, category)
        if probe is None:
            builder.note(NO_ANSWER, place)
            continue
        if len(known_ids) < len(ids):
            builder.note(UNKNOWN_EVIDENCE, place)
        if is_too_much:
            builder.note(Said(TOO_MUCH_EVIDENCE, most=MAX_EVIDENCE), place)
        probes.append(probe)
    return tuple(probes)
