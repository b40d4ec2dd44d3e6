"""The three views of Compare: the same settings over the same conversation, seen by what they send, what they cost and
what becomes of every message."""

from __future__ import annotations

import streamlit as st

from memviz.ui.compare.playing import choose_stage, is_staged, take_linked_stage
from memviz.ui.compare.tokens.percent import choose_percent
from memviz.ui.controls.sidebar import is_free_run
from memviz.ui.shell.terms import term
from memviz.ui.shell.views import View

TOKENS, DOLLARS, MEMORY_MAP = "tokens", "dollars", "memory_map"
_REPLAYED = f"The same conversation and replies under every {term('setting')}."
_FREE_RUN = f"A {term('free run')}: a model answers one conversation under every {term('setting')}."
_PLAYED = f"Each lane is one {term('request')}, built of its messages. Click a lane to follow it."


def compare_views() -> tuple[View, ...]:
    """The views, by where the replies come from."""
    replies = _FREE_RUN if is_free_run() else _REPLAYED
    take_linked_stage()
    played = f"{replies} {_PLAYED}" if is_staged() else ""
    return (
        View(
            TOKENS, "Tokens", "What does each strategy send?",
            played or f"{replies} Click a mark to see what changed, and why.",
            _choose_for_tokens,
        ),
        View(
            DOLLARS, "Dollars", "What does it cost, turn by turn?",
            played
            or f"The same conversation under every {term('setting')}, at a model's list prices. What its "
            f"{term('prompt cache')} saves is counted in.",
            choose_stage,
        ),
        View(
            MEMORY_MAP, "Memory map", "What became of every message?",
            played
            or f"One column a {term('request')}, one row a {term('message')}. Click a cell to read both, drag to zoom, "
            "double-click to go back.",
            choose_stage,
        ),
    )  # fmt: skip


def _choose_for_tokens() -> None:
    """The stage, or the unit of the chart."""
    with st.container(horizontal=True, gap="xsmall", width="content"):
        choose_stage()
        if not is_staged():
            choose_percent()
