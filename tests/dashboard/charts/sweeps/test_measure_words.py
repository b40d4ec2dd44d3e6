"""Every measure of a sweep has words, and no number is written as one that it is not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.charts.sweeps.axes import (
    LOG_FROM,
    MOST_TICKS,
    counts_by_ratio,
    measure_axis,
)
from memviz.dashboard.charts.sweeps.measure_words import (
    UNKNOWN,
    WORDS,
    inline,
    shown_value,
)
from memviz.tuning.measures import MEASURES
from tests.tables import for_each

MONEY = sorted(name for name in MEASURES if "usd" in name)
SHARES = ["final_retention", "hit_rate", "retention", "rule_retention"]


def test_every_measure_has_a_title_a_unit_and_a_sentence() -> None:
    assert set(WORDS) == set(MEASURES)
    assert len({words.title for words in WORDS.values()}) == len(WORDS)
    for words in WORDS.values():
        assert words.unit
        assert words.help.endswith(".")
        assert words.help.count(".") == 1
        assert not re.search("[<>&]", words.title + words.unit + words.help)


def test_the_better_end_is_the_other_one_of_the_worst() -> None:
    assert {name for name, words in WORDS.items() if not words.less_is_better} == set(
        SHARES
    )


def test_units() -> None:
    assert [name for name, words in WORDS.items() if words.is_money] == [
        "usd",
        "uncached_usd",
        "main_usd",
        "summarizer_usd",
        "usd_per_fact",
    ]
    assert sorted(name for name, words in WORDS.items() if words.is_share) == SHARES
    assert all(
        ("token" in words.unit) == name.endswith("_tokens")
        for name, words in WORDS.items()
    )
    assert (WORDS["usd"].axis_title, WORDS["peak_tokens"].axis_title) == (
        "Cost (US dollars)",
        "Largest request (tokens)",
    )
    assert WORDS["sent_tokens"].axis_title == "Tokens sent", (
        "the title says the unit already"
    )


@for_each(
    ("measure", "value", "text"),
    [
        ("usd", 0.0, "$0.00"),
        ("usd", 0.000123, "$0.00012"),
        ("usd", 1234.5, "$1,234.50"),
        ("usd", np.nan, UNKNOWN),
        ("usd_per_fact", np.inf, UNKNOWN),
        ("retention", 0.912, "91%"),
        ("retention", 0.9996, "99.96%"),
        ("retention", 1.0, "100%"),
        ("retention", 1 - 1e-16, "100%"),
        ("hit_rate", 0.004, "0.4%"),
        ("peak_tokens", 1234567.0, "1,234,567"),
        ("summarizations", 2.5, "2.5"),
        ("summarizations", 1000.0, "1,000"),
        ("seconds", 0.0, "0 s"),
        ("seconds", 0.0123, "0.012 s"),
        ("seconds", 3.21, "3.2 s"),
        ("seconds", 75.4, "75 s"),
    ],
)
def test_numbers(measure: str, value: float, text: str) -> None:
    assert shown_value(measure, value) == text


@given(st.sampled_from(MONEY + SHARES), st.floats(1e-5, 0.99999))
def test_what_is_something_is_never_written_as_nothing_or_all(
    measure: str, value: float
) -> None:
    number = float(shown_value(measure, value).strip("$%"))
    assert 0 < number < 100


def test_a_title_within_a_sentence() -> None:
    assert inline("Cost per fact kept") == "cost per fact kept"


@for_each(
    ("values", "by_ratio"),
    [
        ([1, LOG_FROM], False),
        ([1, LOG_FROM + 1], True),
        ([0, 100], False),
        ([-1, 100], False),
        ([], False),
        ([np.nan], False),
        ([1, np.nan, 21], True),
        ([5], False),
    ],
)
def test_an_axis_counts_by_ratio_from_a_factor_of_twenty_on(
    values: list[float], by_ratio: bool
) -> None:
    assert counts_by_ratio(np.array(values, dtype=float)) is by_ratio
    assert measure_axis("usd", np.array(values, dtype=float))["type"] == (
        "log" if by_ratio else "linear"
    )
    assert (
        measure_axis("retention", np.array(values, dtype=float))["type"] == "linear"
    ), "a share never does"


@given(st.lists(st.floats(1e-6, 1e7), min_size=1, max_size=8), st.floats(1e-6, 1e7))
def test_an_axis_holds_all_values_and_thresholds_and_few_ticks(
    values: list[float], threshold: float
) -> None:
    axis = measure_axis("all_tokens", np.array(values), (threshold,))
    low, high = (10.0**end if axis["type"] == "log" else end for end in axis["range"])
    assert low < min(*values, threshold)
    assert max(*values, threshold) < high
    if axis["type"] == "log":
        assert 1 <= len(axis["tickvals"]) <= MOST_TICKS
        assert all(low <= tick <= high for tick in axis["tickvals"])
        assert axis["ticktext"] == [
            shown_value("all_tokens", tick) for tick in axis["tickvals"]
        ]


def test_money_at_an_axis_is_in_cents_unless_that_hides_the_steps() -> None:
    dear, cheap = (
        measure_axis("usd", np.array(values))
        for values in ([0.1, 0.9], [0.0001, 0.0009])
    )
    assert (dear["tickprefix"], dear["tickformat"]) == ("$", ",.2f")
    assert cheap["tickprefix"] == "$"
    assert "tickformat" not in cheap


def test_equal_values_stand_in_the_middle() -> None:
    for measure, value in (("usd", 0.5), ("retention", 0.5), ("peak_tokens", 1000.0)):
        low, high = measure_axis(measure, np.array([value, value]))["range"]
        assert (low + high) / 2 == pytest.approx(value)
        assert high - low >= 0.1 * value
