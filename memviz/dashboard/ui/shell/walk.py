"""The walk: the pictures of Compare and of Facts that a speaker presents one after the other."""

from collections.abc import Sequence
from typing import NamedTuple

from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.presenting import note_picture, presents, take_steps
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.views import (
    COMPARE_VIEW,
    FACTS_VIEW,
    View,
    ask_view,
    shown_view,
    turn_to,
)

STAGE_KEY = "compare-stage"
"""The key of the switch that shows the stage on Compare."""
STAGED = "on"
"""The value of that switch while the stage is shown."""


class Picture(NamedTuple):
    """A picture of the walk: one view of a page."""

    page: str
    """The file below ``pages/``."""
    key: str
    """The key of the switch between the views of that page."""
    view: str
    title: str
    is_staged: bool = False
    """The stage stands in place of the charts of Compare."""


WALK = (
    Picture("compare", COMPARE_VIEW, "tokens", noop("What does each strategy send?")),
    Picture(
        "compare",
        COMPARE_VIEW,
        "tokens",
        noop("What happens at each request?"),
        is_staged=True,
    ),
    Picture(
        "compare", COMPARE_VIEW, "dollars", noop("What does it cost, turn by turn?")
    ),
    Picture(
        "compare", COMPARE_VIEW, "memory_map", noop("What became of every message?")
    ),
    Picture(
        "facts", FACTS_VIEW, "kept", noop("How much does each setting still know?")
    ),
    Picture(
        "facts", FACTS_VIEW, "lives", noop("Which facts could the model still know?")
    ),
)


def follow_steps(key: str, views: Sequence[View]) -> None:
    """Show the picture that the speaker asked for, if any: another view, or a view of another page."""
    steps = take_steps()
    if not steps or not presents():
        return
    number = _number_in_walk(key, shown_view(key, views).id) + steps
    last = len(WALK) - 1
    picture = WALK[min(last, max(0, number))]
    set_widget(STAGE_KEY, STAGED if picture.is_staged else None)
    if picture.key == key:
        ask_view(key, picture.view)
    else:
        turn_to(picture.page, picture.key, picture.view)


def present_view(key: str, view: View) -> str:
    """Note which picture of the walk a view is, and return its title."""
    number = _number_in_walk(key, view.id)
    if number < 0 or not presents():
        note_picture(view.question)
        return view.question
    titles = [*(_(picture.title) for picture in WALK), ""]
    note_picture(titles[number], number, len(WALK), titles[number + 1])
    return titles[number]


def _number_in_walk(key: str, view: str) -> int:
    """Return the number of a view in the walk, from 0; -1 where it is not in it. The stage is one picture, whichever
    view of Compare it stands in."""
    is_staged = key == COMPARE_VIEW and widget_value(STAGE_KEY) == STAGED
    for number, picture in enumerate(WALK):
        if picture.key == key and picture.is_staged == is_staged:
            if is_staged or picture.view == view:
                return number
    return -1
