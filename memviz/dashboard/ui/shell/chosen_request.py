"""Which request all pages look at: a turn and, where that took several calls of the model, one of them."""

from __future__ import annotations

from memviz.dashboard.ui.shell.state import set_widget, widget_value

TURN_KEY, CALL_KEY, PAGE_CHOICE_KEY = (
    "compare-turn",
    "compare-call",
    "compare-turn-of-page",
)


def choose_request(
    turn: int | None, call: int | None = None, *, by_page: bool = False
) -> None:
    """Look at call number ``call`` (from 1) of a turn, ``None`` for its last one. Without a turn, the page that is
    drawn next chooses the request. ``by_page``: it is such a choice, not the visitor's."""
    set_widget(TURN_KEY, turn)
    set_widget(PAGE_CHOICE_KEY, turn if by_page else None)
    # With its turn: it counts for no other one, which a widget or a test may choose by the turn alone.
    set_widget(CALL_KEY, None if turn is None or call is None else (turn, call))


def chosen_turn() -> int | None:
    """The turn that was chosen, ``None`` as long as none was."""
    turn = widget_value(TURN_KEY)
    return None if turn is None else int(turn)


def is_page_choice() -> bool:
    """Whether the request is one that a page chose, as long as the visitor has chosen none."""
    return chosen_turn() is None or widget_value(PAGE_CHOICE_KEY) == chosen_turn()


def chosen_call() -> int | None:
    """The call that was chosen of that turn, ``None`` for its last one."""
    turn, call = widget_value(CALL_KEY) or (None, None)
    return call if turn == chosen_turn() else None
