"""Reads the requests of a stored run from their JSON records, and checks that they are sound.

:mod:`memviz.engine.run_record` calls :func:`read_requests` for the ``requests`` of a run that comes from a library or a
file. The records of most replays hold numbers alone: these are checked and kept as one table, which is many times
faster than one record at a time. All others are read one by one, which also finds the record that is damaged.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, get_args

import numpy as np

from memviz.core.context import ALL_PARTS
from memviz.core.conversation import Log
from memviz.core.memory import MemorySpace
from memviz.engine.columns import ROW, Segment
from memviz.engine.compaction import Compaction
from memviz.engine.joined_requests import Numbers
from memviz.engine.library import remember_requests
from memviz.engine.records import RecordFields, TurnRecord
from memviz.engine.requests import Requests
from memviz.engine.stored import DamagedRecordError, NotesRole, Reading
from memviz.engine.timeline import Timeline
from memviz.strategies.library import LibraryStrategy

_FIELDS = RecordFields.__dataclass_fields__.keys()
_other_fields_of = itemgetter(
    "kind", "tools", "exchange", "flags", "recalled", "facts", "thoughts"
)
_NO_OTHER_FIELDS: tuple[object, ...] = (
    "answer",
    [],
    [0, 0],
    [],
    None,
    None,
    [],
)
_NUMBERS = (*ROW, "input_stop", "first_compaction", "compaction_stop")
"""The names of the numbers of one request, in the order in which they are kept."""
_COUNTED_THINGS = {
    "turn": "turn", "length": "message", "cursor": "message", "start": "message", "stop": "message",
    "input_start": "message", "input_stop": "message", "summary_count": "summary", "summary_start": "summary",
    "summary_stop": "summary", "first_compaction": "summarization", "compaction_stop": "summarization",
}  # fmt: skip
"""For each number that names something: the key of its largest value in ``Reading.counts``."""
_PARTS = frozenset(ALL_PARTS)
_NOTES_ROLES = get_args(NotesRole)


class _Row(NamedTuple):
    """One request, or the pieces of one, as numbers."""

    numbers: tuple[int, ...]
    """Of a request :data:`_NUMBERS` and the tokens of each of :data:`ALL_PARTS`. Of pieces the summaries and the
    messages: first summary, summary stop, first message, message stop."""
    notes_role: str
    """The role of the message of notes; empty if none is sent."""


def read_requests(
    values: Sequence[Any],
    space: MemorySpace,
    timeline: Timeline,
    counts: Mapping[str, int],
    compactions: Sequence[Compaction],
) -> Requests:
    """Return the requests whose records are stored as ``values``, each with the ``compactions`` whose result it was the
    first to send. ``counts`` are those of :class:`Reading`. Raises :class:`DamagedRecordError`."""
    surroundings = Reading(space, timeline.strategy, counts, compactions)
    if not timeline.earlier and not isinstance(timeline.strategy, LibraryStrategy):
        requests = _read_table(values, surroundings)
        if requests is not None:
            return requests
    records = _read_records(values, timeline, surroundings)
    _expect_no_gap(records, space.log)
    records, _ = timeline.assign_compactions(records, compactions)
    remember_requests(space, records)
    return Requests.of(records)


def _read_records(
    values: Sequence[Any], timeline: Timeline, surroundings: Reading
) -> list[TurnRecord]:
    records: list[TurnRecord] = []
    for number, value in enumerate(values):
        if timeline.earlier and isinstance(value, Mapping):
            strategy = timeline.at(value.get("turn", 0)).strategy
            surroundings = replace(surroundings, strategy=strategy)
        records.append(TurnRecord.from_dict(value, surroundings, "requests", number))
    return records


def _expect_no_gap(requests: Sequence[TurnRecord], log: Log) -> None:
    """Raise unless turns, and the calls of each turn, are numbered from 1 without a gap. Turns that nobody answered may
    be missing."""
    turn = call = 0
    for record in requests:
        call = call + 1 if record.turn == turn else 1
        skipped = map(log.turn, range(turn + 1, record.turn))
        if record.turn < turn or any(map(log.requests_of, skipped)):
            raise DamagedRecordError("a turn is missing")
        turn = record.turn
        if record.call != call:
            raise DamagedRecordError(f"a request of turn {turn} is missing")


def _read_table(values: Sequence[Any], surroundings: Reading) -> Requests | None:
    """Return the requests if all of them are sound and numbers alone, else ``None``. An error is reported when they are
    then read one by one."""
    rows = _read_rows(values)
    if not rows:
        return None
    roles = {row.notes_role for row in rows} - {""}
    try:
        table = np.array([row.numbers for row in rows], np.int64)
    except OverflowError:
        return None
    columns = dict(zip(_NUMBERS, table.T, strict=False))
    compactions = surroundings.compactions
    after_messages = [compaction.after_message for compaction in compactions]
    is_in_order = after_messages == sorted(after_messages)
    if len(roles) > 1 or table.min() < 0 or not is_in_order:
        return None
    if not _is_sound(columns, surroundings):
        return None

    # A compaction changed the first request of a log that was longer than at the compaction.
    changed = np.searchsorted(columns["length"], after_messages, side="right")
    compactions_by_number: dict[int, tuple[Compaction, ...]] = {}
    for compaction, number in zip(compactions, changed.tolist(), strict=True):
        if number < len(table):
            earlier = compactions_by_number.get(number, ())
            compactions_by_number[number] = (*earlier, compaction)
    return Requests.from_table(
        table[:, : len(ROW)],
        table[:, len(_NUMBERS) :],
        Segment(0, surroundings.space, surroundings.strategy),
        "".join(roles),
        compactions_by_number,
    )


def _read_rows(values: Sequence[Any]) -> list[_Row]:
    """Return the numbers of all records; empty if one of them is damaged or holds anything else."""
    rows: list[_Row] = []
    for value in values:
        row = _read_row(value)
        if row is None:
            return []
        rows.append(row)
    # True and 1.0 are no numbers here, as in a record that is read by itself.
    numbers = chain.from_iterable(row.numbers for row in rows)
    return rows if {*map(type, numbers)} == {int} else []


def _read_row(value: Any) -> _Row | None:
    """Return the numbers of one record, ``None`` if it holds anything besides them, or is damaged.

    ``{"turn": 2, "memory": [3, 1, 2], "pieces": [["notes", 0, 1, "message", "system"], ["messages", 2, 3]], ...}``
    holds numbers alone.
    """
    with suppress(LookupError, TypeError, ValueError, AttributeError):
        tokens = value["tokens"]
        pieces = _read_pieces(value["pieces"])
        other_fields = _other_fields_of(value)
        has_more = value.keys() != _FIELDS or not _PARTS.issuperset(tokens)
        if has_more or pieces is None or other_fields != _NO_OTHER_FIELDS:
            return None
        length, summary_count, cursor = value["memory"]
        input_start, input_stop = value["input"]
        first_compaction, compaction_stop = value["compactions"]
        name = (value["turn"], value["call"])
        memory = (length, summary_count, cursor)
        written = (input_start, value["reply_tokens"])
        ends = (input_stop, first_compaction, compaction_stop)
        counted = [tokens.get(part, 0) for part in ALL_PARTS]
        return _Row(
            (*name, *memory, *pieces.numbers, *written, *ends, *counted),
            pieces.notes_role,
        )
    return None


def _read_pieces(pieces: Any) -> _Row | None:
    """Return the pieces of a request as four numbers, ``None`` if they are more than one range of whole messages behind
    at most one message of notes.

    ``[["notes", 0, 1, "message", "system"], ["messages", 2, 3], ["messages", 3, 4]]`` is ``(0, 1, 2, 4)``.
    """
    versions = (0, 0)
    role = ""
    if pieces[0][0] == "notes":
        _name, first_version, versions_stop, place, role = pieces[0]
        versions = (first_version, versions_stop)
        pieces = pieces[1:]
        if place != "message" or role not in _NOTES_ROLES:
            return None
    start = stop = pieces[0][1]
    for name, piece_start, piece_stop in pieces:
        if name != "messages" or piece_start != stop:
            return None
        stop = piece_stop
    return _Row((*versions, start, stop), role)


def _is_sound(columns: Mapping[str, Numbers], surroundings: Reading) -> bool:
    """Return whether the numbers of all requests are possible: they name existing messages and summaries, the log never
    gets shorter, history and input are one range, and turns and calls are numbered without a gap."""
    for name, what in _COUNTED_THINGS.items():
        if columns[name].max() > surroundings.counts[what]:
            return False
    if (np.diff(columns["length"]) < 0).any():
        return False
    input_starts = columns["input_start"]
    has_input = (columns["start"] <= input_starts) & (input_starts < columns["stop"])
    if not (has_input & (columns["stop"] == columns["input_stop"])).all():
        return False
    turns_on = np.diff(columns["turn"], prepend=0)
    calls_on = np.diff(columns["call"], prepend=0)
    is_next_call = (turns_on == 0) & (calls_on == 1)
    is_next_turn = (turns_on == 1) & (columns["call"] == 1)
    return bool((is_next_call | is_next_turn).all())
