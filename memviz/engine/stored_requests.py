"""The requests of a stored run, made of their records.

The records of most replays hold numbers alone, and those of a long one are read all at once. All others are read one
by one.
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
from memviz.engine.columns import ROW, Made
from memviz.engine.compaction import Compaction
from memviz.engine.joined_requests import Numbers
from memviz.engine.library import remember_requests
from memviz.engine.records import RecordFields, TurnRecord
from memviz.engine.requests import Requests
from memviz.engine.stored import DamagedRecordError, NotesRole, Reading
from memviz.engine.timeline import Timeline
from memviz.strategies.library import LibraryStrategy

_FIELDS = RecordFields.__dataclass_fields__.keys()
_fields_besides_numbers = itemgetter(
    "kind", "tools", "exchange", "flags", "recalled", "facts", "thoughts"
)
_NOTHING_BESIDES_NUMBERS: tuple[object, ...] = (
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
_WHAT_IS_COUNTED = {
    "turn": "turn", "length": "message", "cursor": "message", "start": "message", "stop": "message",
    "input_start": "message", "input_stop": "message", "summary_count": "summary", "summary_start": "summary",
    "summary_stop": "summary", "first_compaction": "summarization", "compaction_stop": "summarization",
}  # fmt: skip
"""For each number that names something: the key under which ``Reading.there_are`` says how many of it there are."""
_PARTS = frozenset(ALL_PARTS)
_NOTES_ROLES = get_args(NotesRole)


class _Row(NamedTuple):
    """One request, or the pieces of one, where they are numbers alone."""

    numbers: tuple[int, ...]
    """Those of :data:`_NUMBERS`, and behind them the tokens of each of :data:`ALL_PARTS`; of pieces four."""
    notes_role: str
    """The role of the message of notes; empty where none is sent."""


def read_requests(
    values: Sequence[Any],
    space: MemorySpace,
    timeline: Timeline,
    there_are: Mapping[str, int],
    compactions: Sequence[Compaction],
) -> Requests:
    """Return the requests whose records are stored as ``values``, each with those of all ``compactions`` that changed
    it first. ``there_are`` is that of :class:`Reading`. Raises :class:`DamagedRecordError`."""
    over = Reading(space, timeline.strategy, there_are, compactions)
    if not timeline.earlier and not isinstance(timeline.strategy, LibraryStrategy):
        requests = _read_numbers(values, over)
        if requests is not None:
            return requests
    records = _read_records(values, timeline, over)
    _expect_no_gap(records, space.log)
    records, _ = timeline.assign_compactions(records, compactions)
    remember_requests(space, records)
    return Requests.of(records)


def _read_records(
    values: Sequence[Any], timeline: Timeline, over: Reading
) -> list[TurnRecord]:
    records: list[TurnRecord] = []
    for number, value in enumerate(values):
        if timeline.earlier and isinstance(value, Mapping):
            strategy = timeline.at(value.get("turn", 0)).strategy
            over = replace(over, strategy=strategy)
        records.append(TurnRecord.from_dict(value, over, "requests", number))
    return records


def _expect_no_gap(requests: Sequence[TurnRecord], log: Log) -> None:
    """Raise unless the turns are numbered from 1 on without a gap, but for those that nobody answered, and so are the
    calls of each."""
    turn = call = 0
    for record in requests:
        call = call + 1 if record.turn == turn else 1
        skipped = map(log.turn, range(turn + 1, record.turn))
        if record.turn < turn or any(map(log.requests_of, skipped)):
            raise DamagedRecordError("a turn is missing")
        turn = record.turn
        if record.call != call:
            raise DamagedRecordError(f"a request of turn {turn} is missing")


def _read_numbers(values: Sequence[Any], over: Reading) -> Requests | None:
    """Return the requests if all of them are sound and numbers alone, else ``None``: what is wrong, and with which of
    them, shows when they are read one by one."""
    rows: list[_Row] = []
    for value in values:
        row = _read_row(value)
        if row is None:
            return None
        rows.append(row)
    if not rows:
        return None
    roles = {row.notes_role for row in rows} - {""}
    numbers = [row.numbers for row in rows]
    # True and 1.0 are no numbers here, as in a record that is read by itself.
    number_types = {*map(type, chain.from_iterable(numbers))}
    if len(roles) > 1 or number_types != {int}:
        return None
    try:
        table = np.array(numbers, np.int64)
    except OverflowError:
        return None
    columns = dict(zip(_NUMBERS, table.T, strict=False))
    after_messages = [made.after_message for made in over.compactions]
    is_in_order = after_messages == sorted(after_messages)
    if table.min() < 0 or not is_in_order or not _is_sound(columns, over):
        return None
    requests = _requests_of(table, "".join(roles), over)
    # A compaction changed the first request of a log that was longer than at the compaction.
    changed = np.searchsorted(columns["length"], after_messages, side="right")
    for compaction, number in zip(over.compactions, changed.tolist(), strict=True):
        if number < len(table):
            earlier = requests.compactions_by_number.get(number, ())
            requests.compactions_by_number[number] = (*earlier, compaction)
    return requests


def _requests_of(table: Numbers, notes_role: str, over: Reading) -> Requests:
    """Return the requests of a ``table`` [requests x numbers], each row as that of :class:`_Row`."""
    requests = Requests()
    requests.made.append(Made(0, over.space, over.strategy))
    requests.summary_role = notes_role
    requests.numbers.frombytes(table[:, : len(ROW)].tobytes())
    requests.counted.frombytes(table[:, len(_NUMBERS) :].tobytes())
    requests.counted_rows.extend(range(len(table)))
    return requests


def _read_row(value: Any) -> _Row | None:
    """Return the numbers of one record, ``None`` if it holds anything besides them, or is damaged.

    ``{"turn": 2, "memory": [3, 1, 2], "pieces": [["notes", 0, 1, "message", "system"], ["messages", 2, 3]], ...}``
    holds numbers alone.
    """
    with suppress(LookupError, TypeError, ValueError, AttributeError):
        tokens = value["tokens"]
        sent = _read_pieces(value["pieces"])
        beside = _fields_besides_numbers(value)
        has_more = value.keys() != _FIELDS or not _PARTS.issuperset(tokens)
        if has_more or sent is None or beside != _NOTHING_BESIDES_NUMBERS:
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
            (*name, *memory, *sent.numbers, *written, *ends, *counted), sent.notes_role
        )
    return None


def _read_pieces(pieces: Any) -> _Row | None:
    """Return what a request sends as four numbers, ``None`` if it is more than one range of whole messages behind at
    most one message of notes.

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


def _is_sound(columns: Mapping[str, Numbers], over: Reading) -> bool:
    """Return whether the numbers of all requests name what is there, the log never gets shorter, history and input are
    one range, and turns and calls are numbered without a gap."""
    for name, what in _WHAT_IS_COUNTED.items():
        if columns[name].max() > over.there_are[what]:
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
