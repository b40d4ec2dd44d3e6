"""A result that was asked for comes into view: below the fold a click would seem to have done nothing."""

from __future__ import annotations

import streamlit as st

from memviz.dashboard.ui.shell.state import set_widget, widget_value

_JS = """
const shown = {};
const LOWEST = 0.6; // of the window's height: a result that begins above this is seen
const WAITS_MS = [50, 400]; // what the result is made of may arrive a little later
export default function ({ parentElement, data }) {
    if (shown[data.name] === data.times) return;
    shown[data.name] = data.times;
    const own = (parentElement.getRootNode().host ?? parentElement).closest(".stElementContainer");
    for (const wait of WAITS_MS) {
        setTimeout(() => {
            const first = own?.nextElementSibling; // this element itself takes no room, and so has no place
            if (first?.getBoundingClientRect().top > LOWEST * innerHeight) first.scrollIntoView({ block: "center" });
        }, wait);
    }
}
"""
_in_view = st.components.v2.component("memviz_in_view", html="<span></span>", js=_JS)


def result_is_new(name: str) -> None:
    """The result of this ``name`` has just been asked for: where it begins is brought into view."""
    set_widget(_key(name), (widget_value(_key(name)) or 0) + 1)


def result_begins(name: str) -> None:
    """Here the result of this ``name`` begins. To be called wherever it is drawn."""
    times = widget_value(_key(name))
    if times:
        _in_view(data={"name": name, "times": times}, key=f"in-view-{name}")


def _key(name: str) -> str:
    return f"{name}-asked-times"
