"""The request that all pages look at: a turn and, where that took several calls of the model, one of them; and what was
summarized by then."""

from bisect import bisect_right
from collections.abc import Sequence

from memviz.core.text.wording import request_name
from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.engine.compaction import REDUCING, Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import numbers_of_turn

TURN_KEY = "compare-turn"
CALL_KEY = "compare-call"
PAGE_CHOICE_KEY = "compare-turn-of-page"
READ_KEY = "compare-request-is-read"


def choose_request(
    turn: int | None, call: int | None = None, *, by_page: bool = False
) -> None:
    """Look at call number ``call`` (from 1) of a turn, ``None`` for its last one. Without a turn, the page that is
    drawn next chooses the request. ``by_page``: it is such a choice, not the visitor's."""
    set_widget(TURN_KEY, turn)
    set_widget(PAGE_CHOICE_KEY, turn if by_page else None)
    # With its turn: it counts for no other one, which a widget or a test may choose by the turn alone.
    set_widget(CALL_KEY, None if turn is None or call is None else (turn, call))


def is_read() -> bool:
    """Return true if the panel is open that shows the selected request in full: from a
    click on a request on, and where a link names one."""
    opened = widget_value(READ_KEY)
    if opened is None:
        opened = not is_page_choice()
        set_widget(READ_KEY, opened)
    return bool(opened)


def read_request(opened: bool | None = True) -> None:
    """Open the panel of the selected request, or close it; ``None``: it is open if what
    is shown next names a request."""
    set_widget(READ_KEY, opened)


def chosen_turn() -> int | None:
    """Return the turn that was chosen, ``None`` as long as none was."""
    turn = widget_value(TURN_KEY)
    return None if turn is None else int(turn)


def is_page_choice() -> bool:
    """Return true if the request is one that a page chose, as long as the visitor has chosen none."""
    return chosen_turn() is None or widget_value(PAGE_CHOICE_KEY) == chosen_turn()


def chosen_call() -> int | None:
    """Return the call that was chosen of that turn, ``None`` for its last one."""
    turn, call = widget_value(CALL_KEY) or (None, None)
    return call if turn == chosen_turn() else None


def request_number(run: Run, turn: int, call: int | None = None) -> int | None:
    """Return the number (0-based) of the request that was call ``call`` (from 1) of a turn, of its last one where that
    is ``None`` or beyond; ``None`` if the turn made no request."""
    numbers = numbers_of_turn(run, turn)
    if not numbers:
        return None
    return numbers[min(call or len(numbers), len(numbers)) - 1]


def request_at(run: Run, turn: int, call: int | None = None) -> TurnRecord | None:
    """Return the record of that request."""
    number = request_number(run, turn, call)
    return None if number is None else run.requests[number]


def name_in_full(run: Run, turn: int, call: int | None = None) -> str:
    """Return the name of the request as a heading gives it: "turn 3", or "turn 3, call 2 of 5" where the turn took
    several calls. A turn without requests is named alone."""
    calls = max(1, len(numbers_of_turn(run, turn)))
    name = request_name(turn, min(call or calls, calls), calls)
    return name if calls == 1 else _("{name} of {calls:,}", name=name, calls=calls)


def turns_shown(settings: Sequence[SettingRun]) -> tuple[int, ...]:
    """Return all turns of which any of the settings made a request."""
    return tuple(
        sorted({turn for one in settings for turn in one.run.columns.turns.tolist()})
    )


def selected_turn(settings: Sequence[SettingRun], run: Run) -> int:
    """Return the turn of the selected request. As long as none is selected, or none of those shown: the first request
    of ``run``, one of theirs, whose summary took the place of another one; 0 where nothing was requested yet."""
    turns = turns_shown(settings)
    if not turns:
        return 0
    turn = chosen_turn()
    if turn is None or turn not in turns:
        turn, call = _first_request(run) or (turns[-1], None)
        choose_request(turn, call, by_page=True)
    elif chosen_call() is not None:
        # A link to the last call names the turn alone.
        choose_request(turn, selected_call(run, turn))
    return turn


def selected_call(run: Run, turn: int) -> int | None:
    """The call that is selected of a turn of ``run``, ``None`` where that is its last one, as in every turn that took
    one."""
    call = chosen_call()
    return call if call is not None and call < len(numbers_of_turn(run, turn)) else None


def is_marked(compaction: Compaction) -> bool:
    """Return true if it is one to look at: a summary was written, or messages were cleared or shortened."""
    return compaction.written is not None or compaction.kind in REDUCING


def _first_request(run: Run) -> tuple[int, int | None] | None:
    """Return the request that a page shows before anybody chose one, as its turn and its call."""
    marked = []
    for number, made in run.requests.compactions():
        if any(map(is_marked, made)):
            marked.append(number)
    if not marked:
        return None
    return _place(run, run.requests[marked[min(1, len(marked) - 1)]])


def _place(run: Run, record: TurnRecord) -> tuple[int, int | None]:
    """Return a request as its turn and its call, ``None`` for the last one."""
    is_last = record.call >= len(numbers_of_turn(run, record.turn))
    return record.turn, None if is_last else record.call


def places_changed(run: Run) -> list[tuple[int, int | None]]:
    """Return the first request that each compaction of ``run`` changed, as its turn and its call (``None`` for the last
    one); where none came any more, the last one of its setting."""
    turns = {id(compaction): turn for turn, compaction in run.unsent}
    places: list[tuple[int, int | None]] = []
    for compaction in run.compactions:
        number = run.request_number(compaction)
        if number is None:
            places.append((turns[id(compaction)], None))
        else:
            places.append(_place(run, run.requests[number]))
    return places


def event_at(
    run: Run, turn: int, chosen: int | None = None, call: int | None = None
) -> int | None:
    """Return the number of the compaction that the request of ``turn`` (its last one, or call number ``call``) rests
    on: the last one by then that wrote a summary, without one the last one at all, ``None`` if there was none.
    ``chosen`` is kept if no later request up to this one was changed by another."""
    until = _last_by(run, turn, call)
    changed = [_last_by(run, *place) for place in places_changed(run)]
    by_then = [number for number, at in enumerate(changed) if at <= until]
    by_then.sort(key=changed.__getitem__)
    if not by_then:
        return None
    if chosen in by_then and changed[chosen] == changed[by_then[-1]]:
        return chosen
    made = run.compactions
    sent = [
        number for number in by_then if run.request_number(made[number]) is not None
    ]
    sent = sent or by_then
    written = [number for number in sent if made[number].written]
    return (written or sent)[-1]


def _last_by(run: Run, turn: int, call: int | None = None) -> int:
    """Return the number of the last request up to this one, -1 where there was none."""
    number = request_number(run, turn, call)
    if number is not None:
        return number
    return bisect_right(run.requests, turn, key=lambda record: record.turn) - 1
