"""Which request all pages look at: a turn and, where that took several calls of the model, one of them."""

from __future__ import annotations

from memviz.ui.shell.state import set_widget, widget_value

TURN_KEY, CALL_KEY = "compare-turn", "compare-call"


def choose_request(turn: int | None, call: int | None = None) -> None:
    """Look at call number ``call`` (from 1) of a turn, ``None`` for its last one. Without a turn, the page that is
    drawn next chooses the request."""
    set_widget(TURN_KEY, turn)
    # With its turn: it counts for no other one, which a widget or a test may choose by the turn alone.
    set_widget(CALL_KEY, None if turn is None or call is None else (turn, call))


def chosen_turn() -> int | None:
    """The turn that was chosen, ``None`` as long as none was."""
    turn = widget_value(TURN_KEY)
    return None if turn is None else int(turn)


def chosen_call() -> int | None:
    """The call that was chosen of that turn, ``None`` for its last one."""
    turn, call = widget_value(CALL_KEY) or (None, None)
    return call if turn == chosen_turn() else None
