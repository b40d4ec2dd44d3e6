"""The life of each probe: by hand, and against plain walks over the requests."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import ModelError, Recall, Run
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import LifeLine, Span, life_lines
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.naive_retention import STATES, cell, holds, said
from tests.metrics.random_probes import probed_runs
from tests.metrics.retention.stated_facts import BUDGET, CODE, run_of

V, R, S, L = Knowledge.VERBATIM, Knowledge.RECALLED, Knowledge.SUMMARY, Knowledge.LOST


def at(state: Knowledge, first: int, last: int) -> Span:
    """A span of a run with one request a turn."""
    return Span(state, first, last, 1, 1, first, last)


def line_of(run: Run, probe: Probe) -> LifeLine:
    (line,) = life_lines(run, retention(run, [probe]))
    return line


def test_from_verbatim_over_a_summary_to_loss_by_a_later_compaction() -> None:
    run = run_of("summary", "The code is qx7r4m.", "Nothing.", buffer_size=2)
    line = line_of(run, CODE)
    assert line == LifeLine(0, 2, 2, 3, 5, 1, (at(V, 2, 2), at(S, 3, 4), at(L, 5, 5)))
    assert run.compactions[1].summary == "Nothing."


def test_what_leaves_a_window_is_lost_by_no_compaction_and_a_recall_revives_it() -> (
    None
):
    line = line_of(
        run_of("window", window_size=3, recalls={5: Recall(messages=[2])}), CODE
    )
    assert (line.lost_turn, line.lost_by, line.summarized_turn) == (4, None, None)
    assert line.spans == (at(V, 2, 3), at(L, 4, 4), at(R, 5, 5))


def test_a_failed_compaction_took_nothing() -> None:
    run = run_of("summary", ModelError("off"), *["Nothing."] * 9, buffer_size=1)
    line = line_of(run, CODE)
    failed = [
        number for number, compaction in enumerate(run.compactions) if compaction.error
    ]
    assert failed == [0]
    assert line.lost_by is not None
    assert line.lost_by not in failed


def test_of_two_compactions_that_took_it_before_one_request_the_last_one_did() -> None:
    said = [
        ("user", "The code is QX7R4M."),
        *[("assistant", text) for text in ("a", "b", "QX7R4M, yes.", "c", "d", "e")],
    ]
    run = run_of(
        "summary",
        *["Nothing."] * 9,
        buffer_size=1,
        said=[*said, ("user", "Bye."), ("assistant", "Bye.")],
    )
    assert [compaction.summarized for compaction in run.compactions] == [
        range(2),
        range(2, 4),
        range(4, 6),
        range(6, 8),
    ]
    line = line_of(run, Probe("Code?", ("QX7R4M",), (0,), "single fact"))
    assert (line.lost_turn, line.lost_by) == (2, 1)


def test_the_summary_of_a_turn_that_leaves_a_fact_out_takes_it() -> None:
    run = run_of("summary_only", "Talk.", "No code.", "Budget 3,600.", "Talk.", "Bye.")
    line = line_of(run, CODE)
    assert (line.lost_turn, line.lost_by) == (3, 1)
    assert line_of(run, BUDGET).lost_turn is None


def test_a_fact_dropped_without_a_summarizer_is_lost_by_the_compaction_that_dropped_it() -> (
    None
):
    run = run_of("chat_summary_buffer", token_limit=12)
    assert run.compactions
    assert all(compaction.summary is None for compaction in run.compactions)
    line = line_of(run, CODE)
    taken = run.compactions[line.lost_by or 0]
    assert 2 in taken.summarized
    assert line.lost_turn == taken.turn


def test_probes_never_born_have_no_life_and_one_born_at_the_end_no_spans() -> None:
    run = run_of("buffer", said=[("user", "Hi"), ("assistant", "The code is 4711.")])
    never, last = (
        Probe("?", ("x",), (9,), "name"),
        Probe("?", ("4711",), (1,), "number"),
    )
    free = Probe("?", ("Hi",), (), "name")
    lines = life_lines(run, retention(run, [never, last, free]))
    assert [line.probe for line in lines] == [1, 2]
    assert lines[0] == LifeLine(1, 1, 1)
    assert lines[1] == LifeLine(2, None, None, spans=(at(V, 1, 1),))
    assert life_lines(run, retention(run, [])) == ()


def naive_cause(run: Run, row: int, probe: Probe) -> int | None:
    """The last compaction before a request that took in what held the probe and whose summary does not."""
    first = sum(len(record.compactions) for record in run.requests[:row])
    cause = None
    for number, compaction in enumerate(run.requests[row].compactions, start=first):
        took = any(
            holds(said(run.log[p]), probe)[0] or p in probe.evidence
            for p in compaction.summarized
        )
        if compaction.replaces is not None:
            took = took or holds(run.summaries[compaction.replaces - 1].text, probe)[0]
        if (
            compaction.error is None
            and took
            and not holds(compaction.summary or "", probe)[0]
        ):
            cause = number
    return cause


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_every_life_is_that_of_a_plain_walk(id: str, data: st.DataObject) -> None:
    run, probes = data.draw(probed_runs(id))
    lines = {
        line.probe: line
        for line in life_lines(run, retention(run, probes), ProbeTexts(run.log, probes))
    }
    for number, probe in enumerate(probes):
        if not all(0 <= position < len(run.log) for position in probe.evidence):
            assert number not in lines
            continue
        states = [
            (cell(run, record, probe).state, row)
            for row, record in enumerate(run.requests)
        ]
        runs_of = [
            (state, [row for _, row in group])
            for state, group in groupby(states, key=lambda pair: pair[0])
        ]
        ends = [
            (state, run.requests[rows[0]], run.requests[rows[-1]])
            for state, rows in runs_of
            if state != "NOT_BORN"
        ]
        line = lines[number]
        spans = [
            (state, first.turn, last.turn, first.call, last.call)
            for state, first, last in ends
        ]
        assert [(STATES[span.state], *span[1:5]) for span in line.spans] == spans
        lost = next((row for state, row in states if state == "LOST"), None)
        assert line.lost_turn == (None if lost is None else run.requests[lost].turn)
        assert line.lost_by == (None if lost is None else naive_cause(run, lost, probe))
        in_summary = next(
            (run.requests[row].turn for state, row in states if state == "SUMMARY"),
            None,
        )
        assert line.summarized_turn == in_summary
