"""Sharing a view: a button that copies its address, and opening such an address."""

from __future__ import annotations

import streamlit as st

from memviz.ui.links import link_query, open_link
from memviz.ui.state import CompareState, set_widget, widget_value
from memviz.ui.text import plain
from memviz.workspace import Workspace

OPENED_KEY = "opened-link"
HELP = "Opens this conversation, these settings and this turn for anybody who can reach this server."
_HTML = '<button type="button"></button>'
_CSS = """
button {
    font: inherit; color: inherit; background: transparent; cursor: pointer; white-space: nowrap; width: 100%;
    border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
    border-radius: var(--st-button-radius, 0.5rem); padding: 0.4rem 0.75rem;
}
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
"""
# The clipboard is there on secure pages and on this machine only; elsewhere the browser copies a selection.
_JS = """
export default function ({ parentElement, data }) {
    const button = parentElement.querySelector("button");
    const address = () => location.origin + location.pathname + "?" + data.query;
    const select = (text) => {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        return done ? Promise.resolve() : Promise.reject();
    };
    button.textContent = "Copy link";
    button.title = data.help;
    button.onclick = () => {
        const copied = navigator.clipboard ? navigator.clipboard.writeText(address()) : select(address());
        copied.then(() => { button.textContent = "Copied"; }, () => { prompt("Copy this address", address()); });
        setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    };
}
"""
_copy_button = st.components.v2.component("memviz_copy_link", html=_HTML, css=_CSS, js=_JS)


def copy_link(state: CompareState, key: str, turn: int | None = None) -> None:
    """A button that puts the address of this view into the clipboard."""
    _copy_button(data={"query": link_query(state, turn), "help": HELP}, key=key)


def open_shared_view(workspace: Workspace, state: CompareState, *turn_keys: str) -> None:
    """Show what the address of the page asks for, once in a session; what it asks for in vain is said.

    ``turn_keys`` are the widgets that choose a turn.
    """
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    if not query or widget_value(OPENED_KEY) == query:
        return
    set_widget(OPENED_KEY, query)
    before = state.conversation_id
    turn, problems = open_link(state, query)
    if state.conversation_id is not None and not workspace.store.exists(state.conversation_id):
        problems.append("The conversation of the link is not on this server, or was deleted.")
        state.open(before)
    for key in turn_keys if turn is not None else ():
        set_widget(key, turn)
    for problem in problems:
        st.warning(plain(problem), icon=":material/link_off:")
