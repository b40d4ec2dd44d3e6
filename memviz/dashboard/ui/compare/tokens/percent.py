"""Tokens as percent: of the context window of the model whose prices count, or of the largest request."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.dashboard.charts.requests.window_share import Window
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.compare.dollars.prices import window_tokens
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import widget_value

PERCENT_KEY, OF_WINDOW, OF_LARGEST = "compare-percent-of", "window", "largest"


def choose_percent() -> None:
    """Whether the chart counts in percent; a second click is back at tokens. The window is that of the model whose
    prices count under Dollars, and is offered only if it is known. Of which model and how large it is, the axis says:
    here it would take a row of its own."""
    names = {OF_WINDOW: "% of the window"} if window_tokens(prices_in_force()) else {}
    names[OF_LARGEST] = "% of the largest"
    linked("percent-of", PERCENT_KEY, list(names))
    st.pills(
        "Percent of",
        list(names),
        key=PERCENT_KEY,
        label_visibility="collapsed",
        format_func=names.__getitem__,
    )


def chosen_window(settings: Sequence[SettingRun]) -> Window | None:
    """What tokens are given as percent of; ``None``: they are given as tokens."""
    match widget_value(PERCENT_KEY):
        case "window":
            prices = prices_in_force()
            size = window_tokens(prices)
            return (
                Window(size, f"{prices.main.model}'s window")
                if size and prices.main
                else None
            )
        case "largest":
            largest = max(one.run.columns.largest for one in settings)
            return Window(largest, "the largest request") if largest else None
        case _:
            return None
