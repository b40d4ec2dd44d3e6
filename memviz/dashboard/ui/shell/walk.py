"""The pictures that are presented one after the other: what the settings send, how that comes about on the stage, what
it costs, what became of every message, and which facts are still known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memviz.dashboard.ui.shell.presenting import picture_is, presents, take_steps
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.views import (
    COMPARE_VIEW,
    FACTS_VIEW,
    View,
    ask_view,
    shown_view,
    turn_to,
)


class Place(NamedTuple):
    """A picture of the walk: the view ``view`` of a page, by the key of its switch, and its title; on Compare with the
    charts, or ``is_staged``."""

    page: str
    key: str
    view: str
    title: str
    is_staged: bool = False


STAGE_KEY, STAGED = "compare-stage", "on"
"""The switch of the stage on Compare, and what it stands at while the stage is shown."""

WALK = (
    Place("compare", COMPARE_VIEW, "tokens", "What does each strategy send?"),
    Place(
        "compare",
        COMPARE_VIEW,
        "tokens",
        "What happens at each request?",
        is_staged=True,
    ),
    Place("compare", COMPARE_VIEW, "dollars", "What does it cost, turn by turn?"),
    Place("compare", COMPARE_VIEW, "memory_map", "What became of every message?"),
    Place("facts", FACTS_VIEW, "kept", "How much does each setting still know?"),
    Place("facts", FACTS_VIEW, "lives", "Which facts could the model still know?"),
)


def follow_steps(key: str, views: Sequence[View]) -> None:
    """Go where the speaker wants to be; on another page, where that picture is."""
    steps = take_steps()
    if not steps or not presents():
        return
    to = WALK[min(len(WALK) - 1, max(0, _at(key, shown_view(key, views).id) + steps))]
    set_widget(STAGE_KEY, STAGED if to.is_staged else None)
    if to.key == key:
        ask_view(key, to.view)
    else:
        turn_to(to.page, to.key, to.view)


def picture_of(key: str, view: View) -> str:
    """Say which picture of the walk this view is; returns its title."""
    at = _at(key, view.id)
    if at < 0 or not presents():
        picture_is(view.question)
        return view.question
    picture_is(
        WALK[at].title, at, len(WALK), WALK[at + 1].title if at + 1 < len(WALK) else ""
    )
    return WALK[at].title


def _at(key: str, view: str) -> int:
    """The place of a view in the walk, -1 where it is none of it. The stage is one picture, whatever its lanes say."""
    is_staged = key == COMPARE_VIEW and widget_value(STAGE_KEY) == STAGED
    return next(
        (
            at
            for at, place in enumerate(WALK)
            if place.key == key
            and place.is_staged == is_staged
            and (is_staged or place.view == view)
        ),
        -1,
    )
