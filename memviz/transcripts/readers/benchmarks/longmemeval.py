"""LongMemEval: sessions of a user with an assistant, and one question about them."""

import re
from datetime import datetime
from typing import Any

from memviz.core.translation import _, noop
from memviz.transcripts.base import UNTITLED, Probe
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.benchmarks import make_probe, read_answers
from memviz.transcripts.readers.json_access import (
    first_text,
    id_text,
    list_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import RowReader, add_places, require_list
from memviz.transcripts.readers.role_lists import make_chat_item
from memviz.transcripts.times import meta_with_time, moment

_DATE = re.compile(
    r"([0-9]{4})/([0-9]{2})/([0-9]{2})(?: \([A-Za-z]+\))?(?: ([0-9]{2}:[0-9]{2}))?"
)
NO_LIST = Refusal(noop("a list of turns was expected, found {kind}."))
ABSTENTION = "_abs"
"""How the ids of questions end that ask for what was never said."""

Session = tuple[int, Any, datetime | None]
"""Index in the file, turns, and when it was held if the file says so."""
NEVER_SAID = noop("a question about what was never said (abstention) was left out")
NO_ANSWER = noop("a question without an answer was left out")


class LongMemEval(RowReader):
    """Items with ``haystack_sessions`` and a question."""

    name = "longmemeval"
    title = noop("LongMemEval items")
    expected = noop("items with haystack_sessions")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether an item has a list called haystack_sessions."""
        return isinstance(row.get("haystack_sessions"), list)

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add all sessions by date, or in the order of the file if a date is missing, with the question."""
        sessions = require_list(
            row, "haystack_sessions", "an item with haystack_sessions", place
        )
        dates = [_read_date(date) for date in list_at(row, "haystack_dates")]
        dated = _sort_by_date(sessions, dates)
        evidence = []
        for session in dated:
            evidence += _add_session(session, builder)
        question_date = first_text(row, "question_date")
        return {
            "title": first_text(row, "question_id") or UNTITLED,
            "description": f"The question is asked on {question_date}."
            if question_date
            else "",
            "held_at": next((date for _, _, date in dated if date), None),
            "probes": _read_probes(row, evidence, builder),
        }


def _sort_by_date(sessions: list[Any], dates: list[datetime | None]) -> list[Session]:
    dates = dates if len(dates) == len(sessions) else [None] * len(sessions)
    dated = list(zip(range(len(sessions)), sessions, dates, strict=True))
    if all(dates):
        dated.sort(key=lambda session: session[2])  # type: ignore[arg-type, return-value]  # every one has a date
    return dated


def _read_date(value: object) -> datetime | None:
    """Return when a session was held. The times have no zone: like everywhere in memviz they are taken for UTC."""
    match = _DATE.fullmatch(id_text(value).strip())
    if not match:
        return moment(value)
    return moment(f"{match[1]}-{match[2]}-{match[3]}T{match[4] or '00:00'}")


def _add_session(session: Session, builder: TranscriptBuilder) -> list[int]:
    """Add the turns of a session; returns the log positions of those that hold evidence."""
    number, turns, date = session
    if not isinstance(turns, list):
        raise NO_LIST.error(f"session {number}", kind=_(kind_of(turns)))
    meta = meta_with_time(date.isoformat() if date else None)
    evidence = []
    for turn, place in add_places(turns, f"session {number}, index"):
        role = known_role(value_at(turn, "role"))
        content = value_at(turn, "content")
        # Nearly every turn is a plain text, and a file has a million of them.
        if role in ("user", "assistant") and isinstance(content, str):
            position: int | None = builder.add_text(role, content, place, meta=meta)
        else:
            message = make_chat_item(turn, **meta) if isinstance(turn, dict) else turn
            position = builder.add_json(message, place)
        if position is not None and turn.get("has_answer") is True:
            evidence.append(position)
    return evidence


def _read_probes(
    item: dict[str, Any], evidence: list[int], builder: TranscriptBuilder
) -> tuple[Probe, ...]:
    if first_text(item, "question_id").endswith(ABSTENTION):
        builder.note(NEVER_SAID)
        return ()
    probe = make_probe(
        item.get("question"),
        read_answers(item.get("answer")),
        evidence,
        item.get("question_type"),
    )
    if probe is None:
        builder.note(NO_ANSWER)
    return (probe,) if probe else ()
