"""Survival by age and the table of categories: by hand, and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Log, Message
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.retention import retention
from memviz.metrics.retention.survival import make_category_table, measure_survival
from memviz.transcripts.base import Probe
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.random_probes import probed_runs
from tests.metrics.retention.stated_facts import BUDGET, CODE, run_of

EARLY = Probe("Budget at first?", ("3,000 euros",), (0,), "number")
LATE = Probe("Answer?", ("good",), (5,), "number")


def test_survival_counts_those_that_were_seen_at_an_age() -> None:
    run = run_of("window", window_size=3)
    found = measure_survival(retention(run, [EARLY, CODE, BUDGET, LATE]), run.log)
    # EARLY is of turn 1, CODE of 2, BUDGET of 3, LATE of 3 too, but told by the assistant, so first asked of at age 1
    assert found.observed.tolist() == [3, 4, 4, 2, 1]
    assert found.retained.tolist() == [3, 4, 0, 0, 0]
    assert found.share.tolist() == [1, 1, 0, 0, 0]
    assert found.half_life == 2


def test_half_of_them_is_half_life_and_more_is_none() -> None:
    run = run_of("summary", "The code is qx7r4m.", "Nothing.", buffer_size=2)
    kept = retention(run, [EARLY, CODE, BUDGET])
    assert measure_survival(kept, run.log).share.tolist() == [1, 1, 1 / 3, 0, 0]
    assert measure_survival(kept, run.log, [1]).share.tolist() == [1, 1, 1, 0]
    assert measure_survival(kept, run.log, [1]).half_life == 3
    assert measure_survival(kept, run.log, [0, 1]).half_life == 2, "one of two"
    buffer = run_of("buffer")
    assert measure_survival(retention(buffer, [EARLY]), buffer.log).half_life is None


def test_an_age_that_nobody_was_seen_at_has_no_share() -> None:
    run = run_of("buffer")
    found = measure_survival(retention(run, [LATE]), run.log)
    assert found.observed.tolist() == [0, 1, 1]
    np.testing.assert_equal(found.share, [np.nan, 1, 1])
    nothing = measure_survival(retention(run, []), run.log)
    assert nothing.observed.tolist() == []
    assert nothing.half_life is None


def test_the_table_has_a_row_a_category_and_one_for_all() -> None:
    run = run_of("window", window_size=3)
    never = Probe("?", ("x",), (77,), "name")
    rows = {
        row.category: row
        for row in make_category_table(
            retention(run, [EARLY, BUDGET, CODE, never]), run.log
        )
    }
    assert list(rows) == ["single fact", "updated fact", "number", "name", None]
    assert rows["number"][1:] == (1, 1, 0, 2 / 5, 2, 0, 0, 0, 0)
    assert rows["updated fact"][1:] == (1, 1, 0, 2 / 3, 2, 0, 0, 0, 1)
    assert rows["name"][1:] == (1, 0, 0, None, None, 0, 0, 0, 0)
    assert rows[None].probes == 4
    assert rows[None].born == 3
    assert rows[None].mean_share == pytest.approx((1 + 1 + 2 / 3 + 1 / 3 + 0) / 5)


def test_the_table_counts_new_and_stale_values() -> None:
    buffer = run_of("buffer")
    row = make_category_table(retention(buffer, [BUDGET]), buffer.log)[0]
    assert (row.new_only, row.both, row.stale_only, row.neither) == (0, 1, 0, 0)
    summary = run_of("summary", "Budget 3000.", "Budget 3000 still.", buffer_size=2)
    row = make_category_table(retention(summary, [BUDGET]), summary.log)[0]
    assert (row.new_only, row.both, row.stale_only, row.neither) == (0, 0, 1, 0)
    window = run_of("window", window_size=5)
    row = make_category_table(retention(window, [BUDGET]), window.log)[0]
    assert (row.new_only, row.both, row.stale_only, row.neither) == (1, 0, 0, 0)


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_survival_is_that_of_plain_counting(id: str, data: st.DataObject) -> None:
    run, probes = data.draw(probed_runs(id))
    kept = retention(run, probes)
    observed: dict[int, int] = {}
    retained: dict[int, int] = {}
    log = Log([Message.of(message) for message in run.log])
    for n, probe in enumerate(probes):
        last = max(probe.evidence, default=-1)
        holding = [
            number
            for number, record in enumerate(run.requests)
            if record.log_length > last
        ]
        is_new = (
            bool(holding) and run.requests[holding[0]].turn == log.turn_number(last)
            if last >= 0
            else False
        )
        birth = (
            holding[0] - (not is_new or log[last].role == "assistant") if holding else 0
        )
        for number, state in enumerate(kept.states[:, n]):
            if state != Knowledge.NOT_BORN:
                age = number - birth
                observed[age] = observed.get(age, 0) + 1
                retained[age] = retained.get(age, 0) + Knowledge(state).is_known
    found = measure_survival(kept, run.log)
    assert found.observed.tolist() == [
        observed.get(age, 0) for age in range(max(observed, default=-1) + 1)
    ]
    assert found.retained.tolist() == [
        retained.get(age, 0) for age in range(max(observed, default=-1) + 1)
    ]
    halves = [age for age in sorted(observed) if retained[age] / observed[age] <= 0.5]
    assert found.half_life == (halves[0] if halves else None)
