"""Which value of a parameter: the best one, where the curve bends, and what to try next."""

from __future__ import annotations

import re

import numpy as np
import pytest

import memviz
from memviz.transcripts.samples import sample
from memviz.tuning.best_of_each import StrategyAnswer, answer_for_strategy
from memviz.tuning.constraints import Constraints
from memviz.tuning.pareto import find_bend, find_knee
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.tables import for_each


@pytest.fixture(scope="module")
def sweep() -> memviz.Sweep:
    grid = {
        "buffer": {},
        "window": {"window_size": [4]},
        "summary": {"buffer_size": [1, 2, 3, 6, 10, 20]},
        "token_buffer": {"max_tokens": [250, 500, 1000, 2000, 4000, 8000, 13352]},
    }
    return memviz.sweep(sample("trip"), grid)


def answer(sweep: memviz.Sweep, id: str, **asked: float) -> StrategyAnswer:
    found = answer_for_strategy(sweep, id, Constraints(**asked))  # type: ignore[arg-type]
    assert found is not None
    return found


class TestKnee:
    def test_lies_where_the_curve_leaves_its_chord_most(self) -> None:
        assert find_knee([0, 1, 2, 10], [0, 8, 9, 10]) == 1
        assert find_knee([1, 2, 4, 8, 16], [0.1, 0.2, 0.8, 0.82, 0.84]) == 2
        assert find_knee([0, 1, 2, 10], [5, 9, 8, 6]) == 1, (
            "more than the last one keeps"
        )

    @for_each(
        "y",
        [
            [0, 1, 2, 3],
            [0, 0, 0, 3],
            [3, 2, 1, 0],
            [1, 1, 1, 1],
            [0, float("nan"), 2, 3],
        ],
    )
    def test_of_a_curve_that_does_not_bend_there_is_none(self, y: list[float]) -> None:
        assert find_knee([0, 1, 2, 3], y) is None

    def test_three_points_are_too_few(self) -> None:
        assert find_knee([0, 1, 10], [0, 9, 10]) is None


def test_the_best_value_is_named_in_words_with_what_it_does(
    sweep: memviz.Sweep,
) -> None:
    found = answer(sweep, "token_buffer", min_retention=0.5, max_peak_tokens=3000)
    row = sweep.by_setting().set_index("label").loc["Token buffer · 2,000 tokens"]
    assert found.best.row["setting"] == row["setting"]
    assert (
        found.headline
        == "Of the 7 values 2,000 tokens does best, but Running summary · 6 messages beats it."
    )
    assert found.sentences[0] == (
        f"It keeps {row['retention']:.0%} of the facts, costs ${row['usd']:.3f} and sends at most "
        f"{row['peak_tokens']:,.0f} tokens in a request."
    )
    assert "7 values were tried, from 250 to 13352." in found.sentences


def test_the_knee_is_that_of_the_facts_kept_for_their_cost(sweep: memviz.Sweep) -> None:
    cold = sweep.priced(PricingAssumptions.of(pause_seconds=86_400))
    found = answer(cold, "token_buffer", min_retention=0.5, max_peak_tokens=3000)
    assert found.curve["usd"].is_monotonic_increasing, (
        "without a warm cache more costs more all along"
    )
    assert found.knee == find_knee(found.curve["usd"], found.curve["retention"])
    assert found.knee is not None
    bend = next(
        sentence
        for sentence in found.sentences
        if sentence.startswith("The curve bends at ")
    )
    value = found.curve["max_tokens"].iloc[found.knee]
    assert bend.startswith(f"The curve bends at {value:,.0f} tokens, which keeps")


@for_each(
    ("costs", "kept", "row"),
    [
        ([1, 2, 4, 8, 16], [0.1, 0.5, 0.8, 0.82, 0.84], 2),
        ([1, 2, 99, 4, 16], [0.1, 0.7, 0.72, 0.74, 0.76], 1),
        ([5, 4, 3, 2, 1], [0.1, 0.5, 0.8, 0.82, 0.84], None),
        ([16, 8, 4, 2, 1], [0.84, 0.82, 0.8, 0.5, 0.1], 2),
        ([1, 2, 3, 6, 3.1], [0.1, 0.2, 0.4, 0.8, 1], None),
    ],
)
def test_a_bend_is_looked_for_only_where_more_costs_more(
    costs: list[float], kept: list[float], row: int | None
) -> None:
    assert find_bend(np.array(costs, float), np.array(kept, float)) == row


def test_a_value_that_is_cheapest_and_keeps_most_is_said_to_and_there_is_no_bend(
    sweep: memviz.Sweep,
) -> None:
    found = answer(sweep, "summary", min_retention=0.5)
    costs = found.curve["usd"].tolist()
    assert found.curve["buffer_size"].iloc[costs.index(min(costs))] == 20, (
        "fewer summaries to write, and a warm cache"
    )
    assert found.knee is None
    assert (
        "Of these values 20 messages is best in both: no other one keeps more, and none costs less."
        in (found.sentences)
    )


def test_a_value_that_another_setting_beats_in_both_is_not_recommended(
    sweep: memviz.Sweep,
) -> None:
    found = answer(sweep, "summary", min_retention=0.5)
    buffer = sweep.by_setting().set_index("label").loc["Full buffer"]
    best = found.best.row
    assert buffer["usd"] < best["usd"]
    assert buffer["retention"] > best["retention"]
    assert (
        found.headline
        == "Of the 6 values 20 messages does best, but Full buffer beats it."
    )
    assert (
        f"Full buffer keeps 100% of the facts for ${buffer['usd']:.3f}."
        in found.sentences
    )
    within = answer(sweep, "summary", min_retention=0.5, max_peak_tokens=12_000)
    assert within.beaten_by is None, (
        "the full buffer's requests are larger than what is allowed"
    )
    assert re.match(r"Take \d+ messages\.", within.headline)


def test_values_that_another_strategy_beats_are_named(sweep: memviz.Sweep) -> None:
    table = sweep.by_setting()
    for id in ("summary", "token_buffer"):
        found = answer(sweep, id, min_retention=0.0, max_peak_tokens=12_000)
        others = table[table["strategy"] != id]
        beaten = set()
        for row in found.curve.itertuples():
            as_good = others[
                (others["usd"] <= row.usd) & (others["retention"] >= row.retention)
            ]
            better = (as_good["usd"] < row.usd) | (as_good["retention"] > row.retention)
            if better.any():
                beaten.add(row.setting)
        assert set(found.beaten_values) == beaten
        assert 0 < len(beaten) < len(found.curve) or id == "summary"
        for number, winner in found.beaten_values.items():
            assert winner["strategy"] != id
            assert winner["retention"] >= table["retention"][number]
        which = "every one of these values"
        if len(beaten) < len(found.curve):
            values = [
                f"{row[found.axis.name]:.0f}"
                for row in found.curve.to_dict("records")
                if row["setting"] in beaten
            ]
            which = f"{found.axis.title} {', '.join(values[:-1])} and {values[-1]}"
        told = f"Other strategies beat {which}: they keep"
        assert told in " ".join(found.sentences)


def test_where_nothing_does_what_is_asked_the_nearest_and_the_edge_are_named(
    sweep: memviz.Sweep,
) -> None:
    found = answer(sweep, "summary", min_retention=0.95)
    assert (
        found.headline == "None of the 6 values of Buffer size keeps 95% of the facts."
    )
    assert found.sentences[0].startswith("20 messages comes nearest: it keeps ")
    assert (
        found.sentences[-1]
        == "20 messages lies at the edge of the values tried; 40 messages may do better."
    )


def test_one_value_or_no_parameter_is_no_question(sweep: memviz.Sweep) -> None:
    assert answer_for_strategy(sweep, "window", Constraints()) is None
    assert answer_for_strategy(sweep, "buffer", Constraints()) is None
    assert answer_for_strategy(sweep, "summary_buffer", Constraints()) is None


def test_a_second_parameter_stays_at_the_value_of_the_best() -> None:
    values = {"token_limit": [500, 1000, 2000], "count_initial_tokens": [False, True]}
    found = answer(
        memviz.sweep(sample("trip"), {"chat_summary_buffer": values}),
        "chat_summary_buffer",
    )
    assert found.curve["token_limit"].tolist() == [500, 1000, 2000]
    assert found.curve["count_initial_tokens"].nunique() == 1
