"""The request that all pages look at: a turn, and where that took several calls of the
model, one of them."""

from collections.abc import Sequence

from memviz.core.text.wording import request_name
from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn
from memviz.metrics.requests.request_places import (
    Place,
    find_place_of_record,
    is_marked,
)

TURN_KEY = "compare-turn"
CALL_KEY = "compare-call"
PAGE_CHOICE_KEY = "compare-turn-of-page"
READ_KEY = "compare-request-is-read"


def choose_request(
    turn: int | None, call: int | None = None, *, by_page: bool = False
) -> None:
    """Look at a request: call number ``call`` (from 1) of a turn, without it the last one.

    Without a turn, the page that is drawn next chooses the request. ``by_page`` marks
    such a choice; all others are the visitor's.
    """
    set_widget(TURN_KEY, turn)
    set_widget(PAGE_CHOICE_KEY, turn if by_page else None)
    # The call is kept with its turn: a widget may choose another turn without a call.
    has_call = turn is not None and call is not None
    set_widget(CALL_KEY, (turn, call) if has_call else None)


def select(turn: int, index: int | None = None, call: int | None = None) -> None:
    """Look at a request, and at the setting of this colour ``index``, on all pages."""
    choose_request(turn, call)
    if index is not None:
        compare_state().looked_at = index


def look_at_chosen(key: str, indices: tuple[int, ...]) -> None:
    """Look at the setting that a control holds by its number among settings of these colour ``indices``."""
    number = widget_value(key)
    if number is not None:
        compare_state().looked_at = indices[number]


def is_read() -> bool:
    """Return true if the panel is open that shows the selected request in full.

    It opens with a click on a request, and with a link that names one.
    """
    if widget_value(READ_KEY) is None:
        set_widget(READ_KEY, not is_page_choice())
    return bool(widget_value(READ_KEY))


def open_request() -> None:
    """Open the panel of the selected request."""
    set_widget(READ_KEY, True)


def close_request() -> None:
    """Close the panel of the selected request."""
    set_widget(READ_KEY, False)


def follow_link() -> None:
    """Open the panel if what is shown next names a request, else close it."""
    set_widget(READ_KEY, None)


def chosen_turn() -> int | None:
    """Return the turn that was chosen, ``None`` as long as none was."""
    turn = widget_value(TURN_KEY)
    return None if turn is None else int(turn)


def is_page_choice() -> bool:
    """Return true as long as the visitor has chosen no request, so that a page does."""
    return chosen_turn() is None or widget_value(PAGE_CHOICE_KEY) == chosen_turn()


def chosen_call() -> int | None:
    """Return the call that was chosen of that turn, ``None`` for its last one."""
    turn, call = widget_value(CALL_KEY) or (None, None)
    return call if turn == chosen_turn() else None


def name_in_full(run: Run, turn: int, call: int | None = None) -> str:
    """Return the name of a request for a heading: "turn 3", or "turn 3, call 2 of 5" where
    the turn took several calls."""
    calls = max(1, len(find_numbers_of_turn(run, turn)))
    name = request_name(turn, min(call or calls, calls), calls)
    return name if calls == 1 else _("{name} of {calls:,}", name=name, calls=calls)


def turns_shown(settings: Sequence[SettingRun]) -> tuple[int, ...]:
    """Return the turns in which at least one of the settings made a request, in order."""
    turns = [setting.run.columns.turns.tolist() for setting in settings]
    return tuple(sorted(set().union(*turns)))


def selected_turn(settings: Sequence[SettingRun], run: Run) -> int:
    """Return the turn of the selected request; 0 where nothing was requested yet.

    Where none of the turns shown is selected, a request of ``run``, the run of one of the
    settings, is selected first: see :func:`_first_place`.
    """
    turns = turns_shown(settings)
    if not turns:
        return 0
    turn = chosen_turn()
    if turn is None or turn not in turns:
        turn, call = _first_place(run) or Place(turns[-1])
        choose_request(turn, call, by_page=True)
    elif chosen_call() is not None:
        # The last call of a turn is chosen without its number, as in a link to it.
        choose_request(turn, selected_call(run, turn))
    return turn


def selected_call(run: Run, turn: int) -> int | None:
    """Return the selected call of a turn of ``run``; ``None`` where it is the last one."""
    call = chosen_call()
    if call is None or call >= len(find_numbers_of_turn(run, turn)):
        return None
    return call


def _first_place(run: Run) -> Place | None:
    """Return the request that a page shows before anybody chose one.

    It is the second request that a compaction changed, for its summary replaced another
    one. If only one was changed it is that one; ``None`` if none was.
    """
    changed = [
        number
        for number, compactions in run.requests.compactions()
        if any(map(is_marked, compactions))
    ]
    if not changed:
        return None
    number = changed[:2][-1]
    return find_place_of_record(run, run.requests[number])
