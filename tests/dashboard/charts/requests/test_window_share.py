"""Tokens of requests as percent of a context window: at the axis and in tooltips, with the picture as it is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.token_axis import (
    MOST_TICKS,
    Window,
    percent_text,
    percent_ticks,
)
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from tests.dashboard.charts.runs import run_of
from tests.tables import for_each


@for_each(
    ("percent", "text"),
    [
        (0, "0%"),
        (0.25, "0.25%"),
        (0.0031, "0.0031%"),
        (1, "1%"),
        (12.5, "12.5%"),
        (33.333, "33.3%"),
        (100, "100%"),
        (1500, "1,500%"),
    ],
)
def test_shares_have_few_digits(percent: float, text: str) -> None:
    assert percent_text(percent) == text


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_ticks_are_round_shares_that_reach_the_largest_request(
    window_tokens: int, largest_tokens: int
) -> None:
    ticks = percent_ticks(Window(window_tokens, "a window"), largest_tokens)
    values = ticks["tickvals"]
    assert values[0] == 0
    assert values[MOST_TICKS] >= largest_tokens * (1 - 1e-9), (
        "no more than six steps to reach it"
    )
    assert values[1] > 0
    assert len(set(ticks["ticktext"])) == len(ticks["ticktext"]), (
        "no two ticks say the same"
    )


def test_the_chart_has_percent_at_its_axis_and_in_its_tooltips_and_the_same_lines() -> (
    None
):
    settings = [
        SettingRun(run_of("buffer"), "Buffer", 0),
        SettingRun(run_of(), "Summary", 1),
    ]
    plain, percent = (
        tokens_per_turn(settings),
        tokens_per_turn(settings, window=Window(1000, "a small window")),
    )
    for one, other in zip(plain.data, percent.data, strict=True):
        np.testing.assert_array_equal(one.y, other.y)
    assert percent.layout.yaxis.title.text == "% of a small window (1,000)"
    assert plain.layout.yaxis.title.text == "tokens sent"
    assert plain.layout.yaxis.tickvals is None
    largest = settings[0].run.requests[-1]
    assert (
        f"{largest.total_tokens / 10:.1f}".removesuffix(".0") + "% of a small window"
        in percent.data[0].text[-1]
    )
    assert not any("%" in text for text in plain.data[0].text)
