"""The views of a page: the switch between them, the help beside the title, and what is scrolled to after a click."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.ui.shell.elements import draw_scroll, segments
from memviz.dashboard.ui.shell.language import choose_language
from memviz.dashboard.ui.shell.linked import linked_parts
from memviz.dashboard.ui.shell.presenting import view_named, view_part
from memviz.dashboard.ui.shell.state import set_widget, widget_value

PANEL_PIXELS = 380
COMPARE_VIEW = "compare-view"
FACTS_VIEW = "facts-view"
GUIDE_VIEW = "guide-view"
SWITCHES = {"compare": COMPARE_VIEW, "facts": FACTS_VIEW}
"""The keys of the switches between the views of a page, by its file below ``pages/``."""
TURNED_KEY = "views-turned"


class Lost(NamedTuple):
    """Three sentences for somebody who is lost on a page."""

    look: str
    """What to look at first."""
    touch: str
    """What to try."""
    answers: str
    """The question that the page answers."""


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


class View(NamedTuple):
    """One way to see a page."""

    id: str
    """Its name in addresses."""
    name: str
    """Its name on the switch."""
    question: str
    """The title of the page while the view is shown."""
    sentence: str
    """How the view answers the question."""
    lost: Lost
    choose: Callable[[], object] | None = None
    """Draws, beside the sentence, what is chosen for this view alone."""


def shown_view(key: str, views: Sequence[View]) -> View:
    """Return the view that the switch of this ``key`` stands at: at first the one that the address names, or the
    first."""
    linked_parts().keys[view_part()] = key
    views_by_id = {view.id: view for view in views}
    id_asked_for = widget_value(_asked_key(key))
    if id_asked_for in views_by_id:
        set_widget(_asked_key(key), None)
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
    set_widget(_asked_key(key), view)


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


def _asked_key(key: str) -> str:
    return f"{key}-asked"


def note_new_result(name: str) -> None:
    """Note that the result of this ``name`` has just been asked for, so that its beginning is brought into view."""
    _count_up(_times_key(name))


def scroll_to_new_result(name: str) -> None:
    """Bring the result of this ``name`` into view if it was just asked for. To be called where its drawing begins."""
    times = widget_value(_times_key(name))
    if times:
        draw_scroll("result", times, f"in-view-{name}")


def _times_key(name: str) -> str:
    return f"{name}-asked-times"
