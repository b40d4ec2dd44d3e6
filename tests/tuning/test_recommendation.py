"""What is recommended does what was asked for, nothing does so for less, and every number in the reasons is true."""

from __future__ import annotations

import re
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Transcript
from memviz.core.text.wording import dollars
from memviz.tuning.best_of_each import answer_for_strategy
from memviz.tuning.cautions import describe_idle
from memviz.tuning.cell import CellIndex
from memviz.tuning.constraints import SAME_COST, Constraints, Over, is_same_run
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import format_share
from memviz.tuning.results import Sweep
from tests.tables import for_each
from tests.tool_loops import loops
from tests.tuning.random_sweeps import UNPRICED, cell, priced_at, sweep_of, sweeps

OVER: st.SearchStrategy[Over] = st.sampled_from(["median", "worst"])
LIMITS = st.sampled_from([None, 50, 100, 250, 1000])
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0])


@given(sweeps(), SHARES, LIMITS, OVER)
def test_it_is_the_cheapest_that_does_what_is_asked_for(
    sweep: Sweep, least: float, limit: int | None, over: Over
) -> None:
    table, cost, found = (
        sweep.by_setting(over),
        sweep.cost_measure,
        sweep.best(least, limit, over),
    )
    has_facts = table["retention"].notna().any()
    does = [
        row
        for row in table.to_dict("records")
        if not row["failed"]
        and (limit is None or row["peak_tokens"] <= limit)
        and (not has_facts or row["retention"] >= least)
    ]
    assert (found.setting is None) == (not does)
    if found.setting is None or found.row is None:
        return
    assert found.setting is sweep.settings[found.row["setting"]]
    assert found.row["setting"] in {row["setting"] for row in does}
    cheapest = min(row[cost] for row in does)
    assert found.row[cost] <= cheapest * SAME_COST
    if has_facts:
        equal = [row["retention"] for row in does if row[cost] <= cheapest * SAME_COST]
        assert found.row["retention"] == max(equal), (
            "of equal cost the one that retains most"
        )
    others = [row for row in does if row["setting"] != found.row["setting"]]
    assert (found.runner_up is None) == (not others)
    if found.runner_up_row is not None:
        assert found.runner_up is sweep.settings[found.runner_up_row["setting"]]
        assert found.runner_up_row["setting"] != found.row["setting"]
        assert found.runner_up_row[cost] <= min(row[cost] for row in others) * SAME_COST


@given(sweeps(), SHARES, LIMITS, OVER)
def test_the_reasons_name_true_numbers(
    sweep: Sweep, least: float, limit: int | None, over: Over
) -> None:
    found, table = sweep.best(least, limit, over), sweep.by_setting(over)
    if found.row is None:
        return
    row, (what, why, *_) = found.row, found.reasons
    assert what.startswith(row["label"])
    assert f"sends at most {row['peak_tokens']:,.0f} tokens" in what
    price = (
        f"{row['all_tokens']:,.0f} tokens"
        if row["usd"] != row["usd"]
        else dollars(row["usd"])
    )
    assert f"costs {price}" in what
    has_facts = table["retention"].notna().any()
    kept = f"keeps {format_share(row['retention'])} of the facts"
    assert (kept in what) == bool(has_facts)
    assert ("in the worst" in what) == (row["conversations"] > 1)
    assert ("So far it was measured over" in what) == (
        row["conversations"] < len(sweep.subjects)
    )
    assert ("No facts are known" in found.sentence) == (not has_facts)
    if "the only setting" not in why:
        assert str(len(table)) in re.findall(r"\d+", why)
    if found.runner_up_row is not None:
        other = found.runner_up_row
        told = (
            f"{other['label']} did exactly the same"
            if is_same_run(row, other)
            else f"Next: {other['label']}, at "
        )
        assert told in found.sentence


@given(sweeps(), SHARES, LIMITS)
def test_where_nothing_fits_the_nearest_is_named(
    sweep: Sweep, least: float, limit: int | None
) -> None:
    found, table = sweep.best(least, limit), sweep.by_setting()
    ran = table[table["failed"] == 0]
    if found.setting is not None or not len(ran):
        assert found.nearest is None
        return
    assert found.nearest is not None
    assert found.nearest.label in found.sentence
    (row,) = table[table["label"] == found.nearest.label].to_dict("records")
    within = ran if limit is None else ran[ran["peak_tokens"] <= limit]
    if len(within):
        assert (
            row["retention"] == within["retention"].max()
            or within["retention"].isna().all()
        )
        assert row["retention"] < least or row["retention"] != row["retention"]
    else:
        assert row["peak_tokens"] == ran["peak_tokens"].min()
        assert f"the least is {row['peak_tokens']:,.0f}" in found.sentence


def test_the_sentence_of_a_small_sweep() -> None:
    sweep = sweep_of(
        [
            cell(0, [1000, 3000], [1, 2]),
            cell(1, [2000, 4000], [3, 4]),
            cell(2, [5000, 5000], [4, 4]),
        ]
    )
    assert sweep.best(0.8).sentence == (
        "Sliding window · 4 messages keeps 88% of the facts, sends at most 4,000 tokens in a request and costs "
        "$0.06. It is the cheapest of the 2 (out of 3) that keep 80% of the facts. "
        "Next: Sliding window · 8 messages, at 66.4% more, keeps 100%."
    )
    assert sweep.best(0.9, 4500).sentence == (
        "No setting keeps 90% of the facts within 4,500 tokens a request: the most is 88%, with Sliding window · "
        "4 messages. Ask for less, allow larger requests, or try larger limits."
    )
    assert (
        sweep.best(1.0).reasons[1]
        == "It is the only one of 3 settings that keeps 100% of the facts."
    )
    assert sweep.best(0.0, 100).sentence.startswith(
        "No setting stays within 100 tokens a request: the least is 3,000,"
    )


def test_what_is_missed_by_little_is_not_rounded_to_what_is_asked_for() -> None:
    found = sweep_of([cell(0, [100, 100], [3, 4])]).best(0.8752)
    assert found.sentence.startswith(
        "No setting keeps 87.52% of the facts: the most is 87.50%, with"
    )


def test_several_conversations_say_the_worst() -> None:
    sweep = sweep_of(
        [cell(0, [1000], [4])], [cell(0, [3000], [2])], [cell(0, [2000], [3])]
    )
    what = sweep.best(0.7).reasons[0]
    assert "keeps 75% of the facts (50% in the worst conversation)" in what
    assert "2,000 tokens in a request (3,000 in the worst)" in what
    assert what.endswith(
        "costs $0.06 for 3 conversations together ($0.02 each on average, from $0.01 to $0.03)."
    )
    assert sweep.best(0.7, over="worst").setting is None


@given(sweeps(errors=False), SHARES, OVER)
def test_best_is_what_a_search_by_hand_over_all_conversations_finds(
    sweep: Sweep, least: float, over: Over
) -> None:
    """The bill of every setting is added up from the requests of its cells, and the cheapest one that fits is taken."""
    facts = [
        subject
        for subject in range(len(sweep.subjects))
        if any(sweep.cells[CellIndex(0, subject)].born)
    ]
    bills, kept = [], []
    for number in range(len(sweep.settings)):
        cells = [
            sweep.cells[CellIndex(number, subject)]
            for subject in range(len(sweep.subjects))
        ]
        costs = [sweep.assumptions.cost(one.traffic).total_usd for one in cells]
        tokens = [
            one.traffic.input_tokens.sum()
            + one.traffic.summarizer_input_tokens.sum()
            + one.traffic.summarizer_output_tokens.sum()
            for one in cells
        ]
        bills.append(
            sum(tokens)
            if None in costs
            else sum(cost for cost in costs if cost is not None)
        )
        shares = [
            float(np.mean(cells[subject].retained / cells[subject].born))
            for subject in facts
        ]
        kept.append(
            (median(shares) if over == "median" else min(shares)) if shares else 1.0
        )
    fitting = [number for number, share in enumerate(kept) if share >= least - 1e-9]
    best = sweep.best(least, over=over)
    assert (best.setting is None) == (not fitting)
    if best.setting is not None:
        chosen = sweep.settings.index(best.setting)
        assert chosen in fitting
        assert bills[chosen] <= min(bills[number] for number in fitting) * SAME_COST


def test_a_setting_that_is_cheaper_in_most_conversations_and_dearer_in_all_is_not_the_cheapest() -> (
    None
):
    often_cheaper = [[cell(0, [100], [4]), cell(1, [110], [4])] for _ in range(30)]
    much_dearer = [[cell(0, [2000], [4]), cell(1, [1000], [4])] for _ in range(10)]
    best = sweep_of(*often_cheaper, *much_dearer).best()
    assert best.row is not None
    assert best.row["setting"] == 1
    assert best.row["usd_mean"] == pytest.approx(best.row["usd"] / 40)


def test_what_failed_over_one_conversation_is_not_recommended() -> None:
    rows = [
        [cell(0, [100], [4]), cell(1, [900], [4])],
        [cell(0, [], error="no room"), cell(1, [900], [4])],
    ]
    found = sweep_of(*rows).best()
    assert found.setting is not None
    assert found.setting.code_label == "Sliding window · window_size=4"
    assert (
        sweep_of(*[row[:1] for row in rows]).best().sentence
        == "Every setting failed over at least one conversation."
    )


def test_a_runner_up_beside_one_that_costs_nothing_has_its_price_named() -> None:
    sweep = sweep_of(
        [cell(0, [], [])], assumptions=PricingAssumptions(priced_at(10), priced_at(1))
    )
    assert sweep.best(0.0).setting is not None, (
        "a conversation without a request costs nothing"
    )
    free = PricingAssumptions(priced_at(0, 0), priced_at(1000, 0))
    sweep = sweep_of(
        [cell(0, [100], [4]), cell(1, [100], [4], summarizer=500)], assumptions=free
    )
    assert (
        "Next: Sliding window · 4 messages, at $0.50, keeps 100%."
        in sweep.best().sentence
    )


def test_costs_that_are_nearly_equal_are_said_so() -> None:
    sweep = sweep_of(
        [
            cell(0, [10_000_000], [4]),
            cell(1, [10_000_001], [4]),
            cell(2, [10_002_000], [4]),
        ]
    )
    assert "at the same cost, keeps 100%" in sweep.best().sentence
    assert (
        "at $100.02, keeps"
        in sweep_of([cell(0, [10_000_000], [4]), cell(1, [10_002_000], [4])])
        .best()
        .sentence
    )


def test_of_equal_cost_the_one_that_keeps_more_is_taken() -> None:
    found = sweep_of([cell(0, [100], [3]), cell(1, [100], [4])]).best(0.5)
    assert found.row is not None
    assert found.row["setting"] == 1


def test_tokens_decide_where_no_price_is_known() -> None:
    found = sweep_of(
        [cell(0, [300], [4]), cell(1, [200], [4])], assumptions=UNPRICED
    ).best()
    assert found.row is not None
    assert found.row["setting"] == 1
    assert "costs 200 tokens" in found.sentence
    assert "the one with the fewest tokens of the 2" in found.sentence


@for_each(
    ("share", "beside", "words"),
    [
        (0.9, None, "90%"),
        (0.8996, 0.9, "89.96%"),
        (0.9, 0.8996, "90.00%"),
        (1.0, None, "100%"),
        (0.9999, None, "99.99%"),
        (0.0004, None, "0.04%"),
        (0.0, None, "0%"),
        (0.9, 0.9, "90%"),
        (float("nan"), None, "an unknown share"),
    ],
)
def test_shares_are_not_rounded_to_what_they_are_not(
    share: float, beside: float | None, words: str
) -> None:
    assert format_share(share, beside) == words


@for_each(
    ("id", "parameter", "acts"),
    [
        ("clear_tool_results", "trigger_tokens", "never cleared or shortened anything"),
        ("summary_buffer", "max_token_limit", "never summarized"),
        ("window", "window_size", "left nothing out"),
    ],
)
def test_a_setting_that_never_did_anything_is_said_to_be_the_full_buffer(
    id: str, parameter: str, acts: str
) -> None:
    said = Transcript(tuple(loops(3, 4)))
    sweep = memviz.sweep([said], {id: {parameter: [5000]}}, counter="chars4")
    assert (
        f"It {acts} here, so it did what the full buffer does."
        in sweep.best(0.0).sentence
    )
    busy = memviz.sweep([said], {id: {parameter: [10]}, "buffer": {}}, counter="chars4")
    assert [len(describe_idle(busy, number)) for number in range(2)] == [0, 0]


def test_requests_that_a_provider_refuses_are_said_beside_the_recommendation() -> None:
    said = Transcript(tuple(loops(3, 4)))
    sweep = memviz.sweep(
        [said], {"token_buffer": {"max_tokens": [20, 22]}}, counter="chars4"
    )
    best = sweep.best(0.0, allow_refused=True)
    run = memviz.replay(said, best.setting, counter="chars4")
    orphaned = sum("orphaned_tool_message" in record.flags for record in run.requests)
    assert orphaned
    words = f"But {orphaned} of {len(run.requests)} requests hold a tool's result without its call"
    assert words in best.sentence
    answer = answer_for_strategy(
        sweep, "token_buffer", Constraints(0.0, None, "median", allow_refused=True)
    )
    assert answer is not None
    assert words in " ".join(answer.sentences)
    assert answer_for_strategy(sweep, "token_buffer", Constraints(0.0)) is None
    whole = memviz.sweep([said], {"buffer": {}}, counter="chars4").best(0.0)
    assert "provider refuses" not in whole.sentence
