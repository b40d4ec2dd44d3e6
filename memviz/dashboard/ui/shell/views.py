"""The views of a page, the switch between them, the help beside the title, the pictures that are
presented one after the other, and what comes into view after a click."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.elements import draw_scroll, segments
from memviz.dashboard.ui.shell.language import choose_language
from memviz.dashboard.ui.shell.linked import linked_parts
from memviz.dashboard.ui.shell.presenting import (
    picture_is,
    presents,
    take_steps,
    view_named,
    view_part,
)
from memviz.dashboard.ui.shell.state import set_widget, widget_value

PANEL_PIXELS = 380


class Lost(NamedTuple):
    """Three sentences for somebody who is lost: what to ``look`` at first on this page, what to ``touch``, and what the
    page ``answers``."""

    look: str
    touch: str
    answers: str


_ICONS = Lost(":material/visibility:", ":material/touch_app:", ":material/lightbulb:")


@st.fragment
def lost_help(
    lost: Lost, offer: Callable[[], object] | None = None, key: str = "lost"
) -> None:
    """Draw the button, and behind it the other languages, the sentences and what else
    ``offer`` draws once somebody opens it. Under another ``key`` it is another panel, and
    so a closed one."""
    panel = st.popover(
        _("New here? :gray[:material/translate:]"),
        key=key,
        type="tertiary",
        width="content",
        on_change="ignore" if offer is None else "rerun",
    )
    with panel, st.container(width=PANEL_PIXELS, gap="small"):
        choose_language()
        for icon, sentence in zip(_ICONS, lost, strict=True):
            st.markdown(f"{icon} {sentence}")
        if offer is not None and panel.open:
            offer()


COMPARE_VIEW = "compare-view"
FACTS_VIEW = "facts-view"
GUIDE_VIEW = "guide-view"
SWITCHES = {"compare": COMPARE_VIEW, "facts": FACTS_VIEW}
"""The keys of the switches between the views of a page, by its file below ``pages/``."""
TURNED_KEY = "views-turned"


class View(NamedTuple):
    """One way to see a page. ``id`` stands in addresses, ``name`` on the switch; ``question`` is the title of the
    page while it is shown, and ``sentence`` says how the view answers it; ``lost`` is for who is lost there.
    ``choose``, if any, draws beside the sentence what is chosen for this view alone."""

    id: str
    name: str
    question: str
    sentence: str
    lost: Lost
    choose: Callable[[], object] | None = None


def shown_view(key: str, views: Sequence[View]) -> View:
    """The view that the switch of this ``key`` stands at: at first the one that the address names, or the first."""
    linked_parts().keys[view_part()] = key
    views_by_id = {view.id: view for view in views}
    id_asked_for = widget_value(_asked(key))
    if id_asked_for in views_by_id:
        set_widget(_asked(key), None)
        set_widget(key, id_asked_for)
    elif widget_value(key) not in views_by_id:
        named = view_named(st.query_params)
        set_widget(key, named if named in views_by_id else views[0].id)
    return views_by_id[widget_value(key)]


def choose_view(key: str, views: Sequence[View]) -> None:
    """Draw the switch between the views."""
    names = {view.id: view.name for view in views}
    segments(
        _("Seen as"),
        list(names),
        format_func=names.__getitem__,
        key=key,
        label_visibility="collapsed",
        persist_state="session",
    )


def ask_view(key: str, view: str) -> None:
    """Have the switch of this ``key`` stand at this view from the next run on: it may be drawn already, and then takes
    no value."""
    set_widget(_asked(key), view)


def turn_to(page: str, key: str, view: str) -> None:
    """Go to a view of a page, the file ``page`` below ``pages/``."""
    ask_view(key, view)
    turn_to_top()
    st.switch_page(f"pages/{page}.py")


def turn_to_top() -> None:
    """Note that what is shown next is something else: :func:`begin_at_top` shows its beginning."""
    _count_up(TURNED_KEY)


def begin_at_top() -> None:
    """Show the beginning of a page after :func:`turn_to`: a browser stays where it is when only the view changes."""
    turned = widget_value(TURNED_KEY)
    if turned:
        draw_scroll("top", turned, "at-top")


def _count_up(key: str) -> None:
    set_widget(key, (widget_value(key) or 0) + 1)


def _asked(key: str) -> str:
    return f"{key}-asked"


class Place(NamedTuple):
    """A picture of the walk: the view ``view`` of a page, by the key of its switch, and its title; on Compare with the
    charts, or ``is_staged``."""

    page: str
    key: str
    view: str
    title: str
    is_staged: bool = False


STAGE_KEY = "compare-stage"
STAGED = "on"
"""The switch of the stage on Compare, and what it stands at while the stage is shown."""

WALK = (
    Place("compare", COMPARE_VIEW, "tokens", noop("What does each strategy send?")),
    Place(
        "compare",
        COMPARE_VIEW,
        "tokens",
        noop("What happens at each request?"),
        is_staged=True,
    ),
    Place("compare", COMPARE_VIEW, "dollars", noop("What does it cost, turn by turn?")),
    Place("compare", COMPARE_VIEW, "memory_map", noop("What became of every message?")),
    Place("facts", FACTS_VIEW, "kept", noop("How much does each setting still know?")),
    Place(
        "facts", FACTS_VIEW, "lives", noop("Which facts could the model still know?")
    ),
)


def follow_steps(key: str, views: Sequence[View]) -> None:
    """Go where the speaker wants to be; on another page, where that picture is."""
    steps = take_steps()
    if not steps or not presents():
        return
    at = _at(key, shown_view(key, views).id) + steps
    to = WALK[min(len(WALK) - 1, max(0, at))]
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
    titles = [*(_(place.title) for place in WALK), ""]
    picture_is(titles[at], at, len(WALK), titles[at + 1])
    return titles[at]


def _at(key: str, view: str) -> int:
    """The place of a view in the walk, -1 where it is none of it. The stage is one picture, whatever its lanes say."""
    is_staged = key == COMPARE_VIEW and widget_value(STAGE_KEY) == STAGED
    for at, place in enumerate(WALK):
        if place.key == key and place.is_staged == is_staged:
            if is_staged or place.view == view:
                return at
    return -1


def result_is_new(name: str) -> None:
    """Note that the result of this ``name`` has just been asked for, so that its beginning is brought into view."""
    _count_up(_times_key(name))


def result_begins(name: str) -> None:
    """Bring the result of this ``name`` into view if it was just asked for. To be called where its drawing begins."""
    times = widget_value(_times_key(name))
    if times:
        draw_scroll("result", times, f"in-view-{name}")


def _times_key(name: str) -> str:
    return f"{name}-asked-times"
