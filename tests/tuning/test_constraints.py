"""What is asked of a setting: the same rows as the recommendation chooses from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memviz.tuning.constraints import Constraints, Over
from memviz.tuning.results import Sweep
from tests.tuning.random_sweeps import cell, sweep_of, sweeps


@given(
    sweeps(),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from([None, 100, 300, 1000]),
    st.sampled_from(["median", "worst"]),
)
def test_what_is_recommended_fits_and_is_the_cheapest_that_does(
    sweep: Sweep, least: float, limit: int | None, over: Over
) -> None:
    constraints, best = Constraints(least, limit, over), sweep.best(least, limit, over)
    table = sweep.by_setting(over)
    fitting = table[constraints.fits(table)]
    assert (best.setting is None) == fitting.empty
    if best.row is not None:
        assert best.row["setting"] in set(fitting["setting"])
        assert (
            best.row[sweep.cost_measure] <= fitting[sweep.cost_measure].min() * 1.000_01
        )


def test_both_have_to_be_so() -> None:
    table = sweep_of(
        [cell(0, [100], [4]), cell(1, [100], [1]), cell(2, [300], [4])]
    ).by_setting()
    assert Constraints(0.5, 200).fits(table).tolist() == [True, False, False]
    assert Constraints(0.5).fits(table).tolist() == [True, False, True]
    assert Constraints(1.0, 300).fits(table).tolist() == [True, False, True]


def test_without_facts_tokens_decide() -> None:
    table = sweep_of([cell(0, [100]), cell(1, [300])]).by_setting()
    assert Constraints(0.9, 200).fits(table).tolist() == [True, False]


def test_what_failed_over_one_conversation_does_not_fit() -> None:
    table = sweep_of(
        [cell(0, [100], [4])], [cell(0, [], error="does not fit")]
    ).by_setting()
    assert Constraints(0.0).fits(table).tolist() == [False]


def test_a_setting_that_met_no_fact_does_not_fit_where_a_failed_one_had_some() -> None:
    sweep = sweep_of(
        [cell(0, [], error="does not fit"), cell(1, [100])],
        [cell(0, [100], [4]), cell(1, [100])],
    )
    table = sweep.by_setting()
    assert not Constraints(0.0).fits(table).any()
    assert sweep.best(0.0).setting is None
