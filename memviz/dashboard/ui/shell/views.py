"""A page that shows one thing in several ways: its views, which of them is shown, and the switch at its title."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from memviz.dashboard.ui.shell.lost import Lost
from memviz.dashboard.ui.shell.presenting import view_named, view_part
from memviz.dashboard.ui.shell.state import linked_parts, set_widget, widget_value

COMPARE_VIEW, FACTS_VIEW, GUIDE_VIEW = "compare-view", "facts-view", "guide-view"
TURNED_KEY = "views-turned"
_JS = """
let turned = 0;
export default function ({ data }) {
    if (data.turned === turned) return;
    turned = data.turned;
    document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
}
"""
_at_top = st.components.v2.component("memviz_at_top", html="<span></span>", js=_JS)


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
    known = {view.id: view for view in views}
    asked = widget_value(_asked(key))
    if asked in known:
        set_widget(_asked(key), None)
        set_widget(key, asked)
    elif widget_value(key) not in known:
        named = view_named(st.query_params)
        set_widget(key, named if named in known else views[0].id)
    return known[widget_value(key)]


def choose_view(key: str, views: Sequence[View]) -> None:
    """The switch between the views."""
    names = {view.id: view.name for view in views}
    st.segmented_control(
        "Seen as",
        list(names),
        format_func=names.__getitem__,
        key=key,
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )


def ask_view(key: str, view: str) -> None:
    """The switch of this ``key`` is to stand at this view from the next run on: it may be drawn already, and then takes
    no value."""
    set_widget(_asked(key), view)


def turn_to(page: str, key: str, view: str) -> None:
    """Go to a view of a page, the file ``page`` below ``pages/``."""
    ask_view(key, view)
    turn_to_top()
    st.switch_page(f"pages/{page}.py")


def turn_to_top() -> None:
    """What is shown next is something else: :func:`begin_at_top` shows its beginning."""
    set_widget(TURNED_KEY, (widget_value(TURNED_KEY) or 0) + 1)


def begin_at_top() -> None:
    """Show the beginning of a page after :func:`turn_to`: a browser stays where it is when only the view changes."""
    turned = widget_value(TURNED_KEY)
    if turned:
        _at_top(data={"turned": turned}, key="at-top")


def _asked(key: str) -> str:
    return f"{key}-asked"
