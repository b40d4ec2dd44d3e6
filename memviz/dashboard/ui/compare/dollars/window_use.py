"""How close every request comes to the model's context window, and when the full buffer passes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from memviz.dashboard.charts.cost.request_lines import (
    largest_request,
    window_fits,
    window_use,
)
from memviz.dashboard.charts.cost.setting_cost import SettingCost, requests_finding
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.ui.compare.dollars.prices import window_tokens
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.health.growth import unbounded_part
from memviz.metrics.requests.limits import forecast_words, overflow_name
from memviz.tuning.pricing_assumptions import PricingAssumptions

SMALLEST_SHARE = 0.001


def against_the_window(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> None:
    """The picture, and a sentence on when there is no room any more."""
    window, model = (
        window_tokens(assumptions),
        assumptions.main.model if assumptions.main else "the model",
    )
    st.plotly_chart(
        window_use(costs, window),
        key="costs-window",
        config=CONFIG,
        alt=requests_finding(costs),
    )
    if window is None:
        st.caption(f"How many tokens {plain(model)} takes in one request is unknown.")
        return
    st.caption(
        " ".join(plain(sentence) for sentence in window_words(costs, window, model))
    )


def window_words(
    costs: Sequence[SettingCost], window: int, model: str
) -> Iterator[str]:
    """What the picture means, in plain text."""
    largest = largest_request(costs)
    if not window_fits(costs, window):
        yield (
            f"Not drawn, because far above every request: {model} takes {window:,} tokens. "
            f"The largest request here has {largest:,}, {_share_words(largest / window)} of that."
        )
    for one in costs:
        sent = one.cost.traffic
        passed, forecast = overflow_name(sent, window), forecast_words(sent, window)
        if passed is not None:
            yield f"{one.label}: from {passed} on a request is larger than the window, and would be refused."
        elif forecast and unbounded_part(one.setting.run.strategy) == "history":
            yield f"{one.label} passes {window:,} tokens {forecast}."


def _share_words(share: float) -> str:
    return f"{share:.1%}" if share >= SMALLEST_SHARE else "less than 0.1%"
