"""What a sweep sums up: every number is that of its cells, and prices change money alone."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from memviz.tuning.cell import Cell, CellIndex
from memviz.tuning.constraints import Over
from memviz.tuning.measures import MEASURES
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep
from tests.tables import for_each
from tests.tuning.random_sweeps import (
    FACTS,
    SETTINGS,
    TERMS,
    UNPRICED,
    cell,
    priced_at,
    sweep_of,
    sweeps,
)

OVER: st.SearchStrategy[Over] = st.sampled_from(["median", "worst"])
MONEY = ["usd", "uncached_usd", "main_usd", "summarizer_usd", "usd_per_fact"]
FACT_MEASURES = ("retention", "rule_retention", "final_retention")


def usd_of(one: Cell) -> float:
    """10 and 20 US dollars a million tokens, 1 and 2 for the summarizer."""
    sent, calls = one.traffic, one.traffic
    return 1e-6 * (
        10 * int(sent.input_tokens.sum())
        + 20 * int(sent.output_tokens.sum())
        + int(calls.summarizer_input_tokens.sum())
        + 2 * int(calls.summarizer_output_tokens.sum())
    )


@given(sweeps())
def test_a_frame_has_one_row_a_cell_with_its_numbers(sweep: Sweep) -> None:
    frame = sweep.frame()
    assert len(frame) == len(sweep.cells)
    for (place, one), row in zip(
        sorted(sweep.cells.items()), frame.to_dict("records"), strict=True
    ):
        assert (row["setting"], row["conversation"]) == (
            place.setting,
            sweep.subjects[place.subject],
        )
        assert row["label"] == sweep.settings[place.setting].code_label
        assert row["error"] == one.error
        if one.error:
            assert all(np.isnan(row[name]) for name in MEASURES if name != "seconds"), (
                "nothing is not zero"
            )
            continue
        sent = one.traffic.input_tokens.tolist()
        summarizer = sum(one.traffic.summarizer_input_tokens) + sum(
            one.traffic.summarizer_output_tokens
        )
        assert (row["sent_tokens"], row["peak_tokens"], row["requests"]) == (
            sum(sent),
            max(sent),
            len(sent),
        )
        assert row["all_tokens"] == sum(sent) + summarizer
        assert row["mean_tokens"] == pytest.approx(sum(sent) / len(sent))
        assert row["peak_turn"] == 1 + sent.index(max(sent))
        if sweep.assumptions is TERMS:
            assert row["usd"] == pytest.approx(usd_of(one))
            assert row["main_usd"] + row["summarizer_usd"] == pytest.approx(row["usd"])
        else:
            assert np.isnan(row["usd"])
        if one.facts:
            kept = sum(one.retained) / FACTS / len(sent)
            assert row["retention"] == pytest.approx(kept)
            assert row["final_retention"] == one.retained[-1] / FACTS
            expected = row["usd"] / (kept * FACTS) if kept else np.nan
            assert row["usd_per_fact"] == pytest.approx(expected, nan_ok=True)
        else:
            assert np.isnan(row["retention"])


@given(sweeps(), OVER)
def test_by_setting_sums_up_the_conversations_that_were_measured(
    sweep: Sweep, over: Over
) -> None:
    table, frame = sweep.by_setting(over), sweep.frame()
    compared = [sweep.subjects[number] for number in sweep.compared_conversations]
    frame = frame[frame["conversation"].isin(compared)]
    ran = frame[frame["error"] == ""]
    assert table["setting"].tolist() == sorted(ran["setting"].unique())
    for row in table.to_dict("records"):
        cells = ran[ran["setting"] == row["setting"]]
        assert row["conversations"] == len(cells)
        assert (
            row["failed"]
            == ((frame["setting"] == row["setting"]) & (frame["error"] != "")).sum()
        )
        assert row["facts"] == cells["facts"].sum()
        for name, measure in MEASURES.items():
            if name in ("mean_tokens", "hit_rate", "usd_per_fact"):
                continue
            values = (
                cells.loc[cells[name].notna(), name]
                if name in FACT_MEASURES
                else cells[name]
            )
            unknown = not len(values) or values.isna().any()
            of_one = (
                median if over == "median" else {"max": max, "min": min}[measure.worst]
            )
            how = sum if measure.is_added else of_one
            expected = np.nan if unknown else how(values.tolist())
            assert row[name] == pytest.approx(expected, nan_ok=True), name
        requests = sum(cells["requests"])
        assert row["mean_tokens"] == pytest.approx(sum(cells["sent_tokens"]) / requests)
        read = sum(
            share * sent
            for share, sent in zip(cells["hit_rate"], cells["sent_tokens"], strict=True)
        )
        assert row["hit_rate"] == pytest.approx(read / row["sent_tokens"])
        asked = cells[cells["retention"].notna()]
        retained = sum(
            share * facts
            for share, facts in zip(asked["retention"], asked["facts"], strict=True)
        )
        per_fact = sum(asked["usd"]) / retained if retained else np.nan
        assert row["usd_per_fact"] == pytest.approx(per_fact, nan_ok=True)
        for name in ("usd", "all_tokens"):
            ends = (row[f"{name}_least"], row[f"{name}_most"], row[f"{name}_mean"])
            values = cells[name].tolist()
            assert ends == pytest.approx(
                (min(values), max(values), sum(values) / len(values)), nan_ok=True
            )


def test_a_sweep_that_was_ended_early_compares_conversations_that_all_settings_have() -> (
    None
):
    rows = [
        [cell(0, [200], [4]), cell(1, [100], [4]), cell(2, [300], [4])],
        [cell(0, [200], [4]), cell(1, [100], [4]), cell(2, [300], [4])],
        [None, cell(1, [100], [4]), None],
    ]
    sweep = sweep_of(*rows)
    assert sweep.compared_conversations == (0, 1)
    assert sweep.by_setting()["conversations"].tolist() == [2, 2, 2]
    assert sweep.by_setting()["sent_tokens"].tolist() == [400, 200, 600]
    best = sweep.best()
    assert best.row is not None
    assert best.row["setting"] == 1, (
        "one that was measured over more conversations is not dearer for that"
    )
    apart = sweep_of(
        [cell(0, [200], [4]), None, cell(2, [300], [4])],
        [None, cell(1, [100], [4]), None],
    )
    assert apart.compared_conversations == (0,)
    assert apart.by_setting()["setting"].tolist() == [0, 2], (
        "the other one is compared with nothing"
    )


@given(sweeps())
def test_the_worst_is_never_better_than_the_median(sweep: Sweep) -> None:
    middle, worst = sweep.by_setting("median"), sweep.by_setting("worst")
    for name, measure in MEASURES.items():
        known = middle[name].notna()
        assert (worst[name].notna() == known).all()
        sign = 1 if measure.worst == "max" else -1
        assert (sign * worst[name][known] >= sign * middle[name][known] - 1e-12).all()


def test_only_shares_are_worse_when_they_are_less() -> None:
    assert {name for name, measure in MEASURES.items() if measure.worst == "min"} == {
        "hit_rate",
        "retention",
        "rule_retention",
        "final_retention",
    }


@given(sweeps(), OVER)
def test_the_front_is_what_nothing_comparable_beats(sweep: Sweep, over: Over) -> None:
    table, cost = sweep.by_setting(over), sweep.cost_measure
    rows = [
        row
        for row in table.to_dict("records")
        if not row["failed"] and row["retention"] == row["retention"]
    ]

    def is_beaten(row: dict[str, float]) -> bool:
        return any(
            other[cost] <= row[cost]
            and other["retention"] >= row["retention"]
            and (other[cost] < row[cost] or other["retention"] > row["retention"])
            for other in rows
        )

    expected = {row["setting"] for row in rows if not is_beaten(row)}
    assert set(table.loc[table["front"], "setting"]) == expected
    front = sweep.pareto(over)
    assert set(front["setting"]) == expected
    assert front[cost].is_monotonic_increasing
    assert front["retention"].is_monotonic_increasing, "what costs more keeps more"


@given(sweeps(), st.floats(0.1, 100), st.floats(0.1, 100))
def test_other_prices_change_money_alone(
    sweep: Sweep, chat: float, summarizer: float
) -> None:
    again = sweep.priced(
        PricingAssumptions(priced_at(chat, chat), priced_at(summarizer, summarizer))
    )
    assert_frame_equal(
        again.frame().drop(columns=MONEY), sweep.frame().drop(columns=MONEY)
    )
    assert again.cells is sweep.cells
    for row, (_, one) in zip(
        again.frame().to_dict("records"), sorted(sweep.cells.items()), strict=True
    ):
        if not one.error:
            tokens = int(
                one.traffic.input_tokens.sum() + one.traffic.output_tokens.sum()
            )
            assert row["main_usd"] == pytest.approx(chat * tokens / 1e6)
    assert_frame_equal(again.priced(sweep.assumptions).frame(), sweep.frame())


@given(sweeps())
def test_cost_is_money_only_where_every_price_is_known(sweep: Sweep) -> None:
    ran = [one for one in sweep.cells.values() if not one.error]
    assert sweep.cost_measure == (
        "usd" if ran and sweep.assumptions is TERMS else "all_tokens"
    )


def test_one_unknown_price_makes_tokens_the_cost() -> None:
    assumptions = PricingAssumptions(
        priced_at(10), None
    )  # the summarizer's price is unknown, and only one setting needs it
    sweep = sweep_of(
        [cell(0, [100], [4]), cell(1, [100], [4], summarizer=50)],
        assumptions=assumptions,
    )
    assert sweep.frame()["usd"].notna().tolist() == [True, False]
    assert sweep.cost_measure == "all_tokens"


def test_a_conversation_without_facts_does_not_hide_what_the_others_keep() -> None:
    sweep = sweep_of(
        [cell(0, [100], [2]), cell(1, [100], [4])], [cell(0, [100]), cell(1, [100])]
    )
    assert sweep.by_setting()["retention"].tolist() == [0.5, 1.0]
    assert sweep.by_setting()["facts"].tolist() == [FACTS, FACTS]
    assert sweep.by_setting()["front"].tolist() == [False, True]


def test_what_failed_somewhere_beats_nothing() -> None:
    sweep = sweep_of(
        [cell(0, [100], [4]), cell(1, [200], [4])],
        [cell(0, [], error="no room"), cell(1, [300], [4])],
    )
    table = sweep.by_setting()
    assert table[["conversations", "failed", "front"]].to_numpy().tolist() == [
        [1, 1, False],
        [2, 0, True],
    ]


@for_each("one", [None, cell(0, [], error="no room")])
def test_nothing_measured_gives_empty_tables(one: Cell | None) -> None:
    sweep = sweep_of([one])
    for table in (sweep.by_setting(), sweep.by_setting("worst"), sweep.pareto()):
        assert len(table) == 0
        assert {
            "setting",
            "label",
            "usd",
            "retention",
            "conversations",
            "failed",
            "front",
        } <= set(table.columns)


def test_a_frame_is_the_callers_own() -> None:
    sweep = sweep_of([cell(0, [100], [2])])
    own = sweep.frame()
    own["usd"] = 0.0
    assert sweep.frame()["usd"].iloc[0] == pytest.approx(
        usd_of(sweep.cells[CellIndex(0, 0)])
    )


def test_a_setting_has_its_parameters_and_no_others() -> None:
    sweep = sweep_of(
        [cell(number, [100], [2]) for number in range(len(SETTINGS))],
        assumptions=UNPRICED,
    )
    table = sweep.by_setting()
    assert table["window_size"].tolist()[:3] == [2, 4, 8]
    assert table["window_size"].isna().tolist() == [False] * 3 + [True] * 3
    assert table["max_tokens"].dropna().tolist() == [100, 200]
