"""The requests of a run by their place, a turn and a call in it, and the compactions that
they rest on."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from memviz.engine.compaction import REDUCING, Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn


class Place(NamedTuple):
    """The place of a request: a turn, and a call of the model in it."""

    turn: int
    call: int | None = None
    """The number of the call, from 1; ``None`` for the last call of the turn."""


def find_place_of_record(run: Run, record: TurnRecord) -> Place:
    """Return the place of a request of ``run``, without a call if it is the last one."""
    return _find_place_of_call(run, record.turn, record.call)


def _find_place_of_call(run: Run, turn: int, call: int) -> Place:
    is_last = call >= len(find_numbers_of_turn(run, turn))
    return Place(turn, None if is_last else call)


def find_request_number(run: Run, turn: int, call: int | None = None) -> int | None:
    """Return the number (0-based) of the request at a place.

    ``call`` counts from 1. Without one, or beyond the last one, the turn's last request
    is meant; ``None`` if the turn made no request.
    """
    numbers = find_numbers_of_turn(run, turn)
    if not numbers:
        return None
    last_call = len(numbers)
    return numbers[min(call or last_call, last_call) - 1]


def find_request(run: Run, turn: int, call: int | None = None) -> TurnRecord | None:
    """Return the record of the request at a place; ``None`` if the turn made none."""
    number = find_request_number(run, turn, call)
    return None if number is None else run.requests[number]


def is_marked(compaction: Compaction) -> bool:
    """Return true if a compaction is worth a look: it wrote a summary, or cleared or
    shortened messages."""
    return compaction.written is not None or compaction.kind in REDUCING


def list_changed_places(run: Run) -> list[Place]:
    """Return the place of the first request that each compaction of ``run`` changed.

    Where no request followed any more, it is the last place of the setting.
    """
    unsent_turns = {id(compaction): turn for turn, compaction in run.unsent}
    places: list[Place] = []
    for compaction in run.compactions:
        number = run.request_number(compaction)
        if number is None:
            places.append(Place(unsent_turns[id(compaction)]))
        else:
            # From the columns: a run has thousands of compactions, and a record takes long.
            turn = int(run.columns.turns[number])
            places.append(
                _find_place_of_call(run, turn, int(run.columns.calls[number]))
            )
    return places


def find_event_at(
    run: Run, turn: int, chosen: int | None = None, call: int | None = None
) -> int | None:
    """Return the number of the compaction that the request at a place rests on.

    - ``chosen``, if no later request up to this one was changed by another compaction.
    - Else the last compaction by then that wrote a summary and was sent.
    - Else the last one by then; ``None`` if there was none.
    """
    changed = [_find_last_request(run, *place) for place in list_changed_places(run)]
    numbers = _list_made_by(changed, _find_last_request(run, turn, call))
    if not numbers:
        return None
    if chosen in numbers and changed[chosen] == changed[numbers[-1]]:
        return chosen
    return _choose_preferred(run, numbers)


def _list_made_by(changed: Sequence[int], until: int) -> list[int]:
    """Return the numbers of the compactions that changed request ``until`` or an earlier
    one, in the order of these requests: ``changed`` has the request of each."""
    numbers = [number for number, request in enumerate(changed) if request <= until]
    # Sorting is stable: of several compactions before one request the later one stays the last.
    return sorted(numbers, key=lambda number: changed[number])


def _choose_preferred(run: Run, numbers: Sequence[int]) -> int:
    """Return the last of these compactions that was sent and wrote a summary, else the
    last that was sent, else the last."""
    compactions = run.compactions
    sent_numbers = []
    for number in numbers:
        if run.request_number(compactions[number]) is not None:
            sent_numbers.append(number)
    candidates = sent_numbers or numbers
    writing = [number for number in candidates if compactions[number].written]
    return (writing or candidates)[-1]


def _find_last_request(run: Run, turn: int, call: int | None = None) -> int:
    """Return the number of the request at a place, or of the last one before it; -1 where
    there is none."""
    number = find_request_number(run, turn, call)
    if number is not None:
        return number
    return bisect_right(run.requests, turn, key=lambda record: record.turn) - 1
