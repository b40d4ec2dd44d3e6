"""Costs taken apart: the parts are all of the cost, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.metrics.cost.pricing import MAIN_PARTS, SUMMARIZER_PARTS, Part, Pricing
from memviz.models.prices import TokenRates
from tests.dashboard.charts.costs import CHEAP, DEAR, GROWING, cost_line

LONG = Pricing(
    "long",
    (
        DEAR.plain,
        TokenRates(
            input_usd_per_token=6e-6,
            output_usd_per_token=22e-6,
            cache_read_usd_per_token=6e-7,
            cache_write_usd_per_token=7e-6,
            above_input_tokens=1800,
        ),
    ),
    "a list",
)


def test_tokens_and_dollars_of_each_part() -> None:
    parts = cost_line().parts
    assert parts.turns.tolist() == [1, 2, 3]
    assert {part: parts.tokens[part].tolist() for part in Part} == {
        Part.FRESH: [900, 0, 0],
        Part.CACHED: [0, 0, 1500],
        Part.WRITTEN: [0, 1500, 500],
        Part.OUTPUT: [100, 100, 100],
        Part.SUMMARIZER_INPUT: [0, 400, 0],
        Part.SUMMARIZER_OUTPUT: [0, 50, 0],
    }
    micro = {
        part: [round(float(usd) * 1e6, 6) for usd in parts.usd[part]] for part in Part
    }  # type: ignore[union-attr]
    assert micro == {
        Part.FRESH: [2700, 0, 0],
        Part.CACHED: [0, 0, 450],
        Part.WRITTEN: [0, 5625, 1875],
        Part.OUTPUT: [1500, 1500, 1500],
        Part.SUMMARIZER_INPUT: [0, 400, 0],
        Part.SUMMARIZER_OUTPUT: [0, 100, 0],
    }


def test_the_whole_input_decides_which_rates_hold_for_a_part() -> None:
    parts = cost_line(main=LONG).parts
    cached, output = parts.usd[Part.CACHED], parts.usd[Part.OUTPUT]
    assert cached is not None
    assert output is not None
    assert cached[2] == pytest.approx(1500 * 6e-7), (
        "1,500 cached tokens of a request of 2,000"
    )
    assert output.tolist() == pytest.approx([1.5e-3, 1.5e-3, 2.2e-3])


@st.composite
def requests(draw: st.DrawFn) -> list[tuple[int, int, int, int]]:
    rows, turn = [], 1
    for _ in range(draw(st.integers(1, 8))):
        turn += draw(st.integers(0, 2))
        sent = draw(st.integers(1, 4000))
        rows.append(
            (
                turn,
                sent,
                draw(st.integers(0, sent)) if rows else 0,
                draw(st.integers(0, 500)),
            )
        )
    return rows


@given(
    requests(),
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 900), st.integers(0, 90)),
        max_size=3,
    ),
)
def test_the_parts_are_all_of_it(
    rows: list[tuple[int, ...]], summaries: list[tuple[int, ...]]
) -> None:
    one = cost_line(rows, sorted(summaries), main=LONG)
    parts, frame = one.parts, one.cost.frame(by="request")
    assert parts.main_usd is not None
    assert parts.summarizer_usd is not None
    np.testing.assert_allclose(parts.main_usd, frame["main_usd"], atol=1e-15)
    np.testing.assert_allclose(
        parts.summarizer_usd, frame["summarizer_usd"], atol=1e-15
    )
    read = MAIN_PARTS[:3]
    assert parts.tokens_of(read).tolist() == frame["input_tokens"].tolist()
    assert parts.tokens_of(SUMMARIZER_PARTS).sum() == sum(
        read + written for _, read, written in summaries
    )


def test_an_unknown_rate_leaves_its_part_unknown_and_no_other() -> None:
    half = Pricing("half", (replace(DEAR.plain, output_usd_per_token=None),), "a list")
    parts = cost_line(main=half).parts
    assert parts.usd[Part.OUTPUT] is None
    assert parts.total_usd(Part.OUTPUT) is None
    assert parts.total_usd(Part.FRESH) == pytest.approx(900 * 3e-6)
    assert parts.main_usd is None
    assert parts.summarizer_usd is not None


def test_a_model_without_any_price() -> None:
    parts = cost_line(main=None, summarizer=None).parts
    assert parts.usd[Part.FRESH] is parts.usd[Part.SUMMARIZER_INPUT] is None
    assert (
        cost_line(GROWING, (), main=CHEAP, summarizer=None).parts.summarizer_usd
        is not None
    ), "it is asked nothing"
