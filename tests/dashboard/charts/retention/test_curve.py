"""The main chart of retention: every share on it is the metric's own, and nothing on it is markup."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ModelError
from memviz.dashboard.charts.palette import (
    FAILURE_COLOR,
    PART_COLORS,
    setting_color,
    setting_dash,
)
from memviz.dashboard.charts.retention.curve import MOST_LARGE, Bounds, retention_curve
from memviz.dashboard.charts.retention.result import Measure, RetentionResult
from memviz.dashboard.words.compactions import simplify_twofold_limit
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.retention import measure_ceiling
from tests.dashboard.charts.facts import (
    CODE,
    FACTS,
    kept,
    kept_of_markup,
    run_with_facts,
)
from tests.dashboard.charts.runs import MARKUP, places_of
from tests.dashboard.charts.tags import unescaped_tags
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.random_probes import probed_runs

OWN_TAGS = re.compile(r"</?(b|i)>|<br>")


def lines_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.showlegend is None]


def marks_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_each_line_has_the_look_of_its_setting() -> None:
    run = run_with_facts("buffer")
    figure = retention_curve(
        [kept(run, index=3, label="three"), kept(run, index=1, label="one")]
    )
    assert [
        (setting.line.color, setting.line.dash, setting.name)
        for setting in lines_of(figure)
    ] == [
        (setting_color(3), setting_dash(3), "three"),
        (setting_color(1), setting_dash(1), "one"),
    ]


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_shares_are_those_of_the_facts_stated_so_far(
    id: str, data: st.DataObject
) -> None:
    run, probes = data.draw(probed_runs(id))
    one, measure = kept(run, probes), data.draw(st.sampled_from(Measure))
    (setting,) = lines_of(retention_curve([one], measure=measure))
    assert setting.x.tolist() == places_of(run)
    for row, share in enumerate(setting.y):
        states = one.retention.states[row]
        known = np.isin(states, [state for state in Knowledge if state.is_known])
        held = {
            Measure.RETAINED: known,
            Measure.CONTAINED: one.retention.contained[row],
            Measure.EVIDENCE: one.retention.evidence[row],
        }[measure]
        born = int((states != Knowledge.NOT_BORN).sum())
        assert (
            np.isnan(share) if not born else share == pytest.approx(held.sum() / born)
        )


def test_tooltips_are_sentences_with_the_numbers() -> None:
    (setting,) = lines_of(retention_curve([kept(run_with_facts())]))
    told = [OWN_TAGS.sub("|", text).split("||")[-1] for text in setting.text]
    assert (
        told[0]
        == "turn 1: 1 of 1 fact known: 1 word for word, 0 in the summary; 0 lost"
    )
    assert (
        told[2]
        == "turn 3: 3 of 3 facts known: 1 word for word, 2 in the summary; 0 lost"
    )
    assert (
        told[3]
        == "turn 4: 2 of 3 facts known: 0 word for word, 2 in the summary; 1 lost"
    )


def test_tooltips_of_the_other_measures_say_what_they_count() -> None:
    one = kept(run_with_facts())
    texts = lines_of(retention_curve([one], measure=Measure.CONTAINED))[0].text
    assert texts[3].endswith("of 2 of them an answer is contained (67%)")
    texts = lines_of(retention_curve([one], measure=Measure.EVIDENCE))[0].text
    assert texts[2].endswith("of 1 of them all messages that state it are sent (33%)")


def test_a_summarization_is_marked_where_it_took_effect_with_the_facts_it_cost() -> (
    None
):
    one = kept(run_with_facts())
    figure = retention_curve([one])
    (marks,) = marks_of(figure)
    (setting,) = lines_of(figure)
    by_turn = {record.turn: record for record in one.run.turns if record.compactions}
    assert [x for x in marks.x if x == int(x)] == list(by_turn)
    shares = dict(zip(setting.x, setting.y, strict=True))
    assert all(
        y == shares[x] for x, y in zip(marks.x, marks.y, strict=True) if x in by_turn
    )
    assert set(marks.marker.symbol) == {"diamond"}
    assert set(marks.marker.color) == {PART_COLORS["summary"]}
    told = {
        x: text
        for x, text in zip(marks.x, marks.text, strict=True)
        if "lost here" in text
    }
    assert "1 fact lost here:</b> Odete" in told[4]
    assert "2 facts lost here:</b> 3,600 euros, QX7R4M" in told[5]
    assert simplify_twofold_limit(one.run.compactions[0].reason) in unescape(
        marks.text[0]
    )


def test_more_facts_than_three_are_a_number() -> None:
    names = ("Ada", "Bea", "Cleo", "Dora", "Eva")
    said = [
        " ".join(f"Name {name}." for name in names),
        "Hi.",
        "Next?",
        "Yes.",
        "Next?",
    ]
    messages = [
        Message(("user", "assistant")[n % 2], text) for n, text in enumerate(said)
    ]
    run = memviz.replay(
        messages,
        memviz.strategy("summary", buffer_size=1),
        counter="chars4",
        model=memviz.ScriptedModel(["Nothing."] * 9),
    )
    probes = tuple(memviz.Probe("?", (name,), (0,), "name") for name in names)
    assert any(
        "5 facts lost here:</b> Ada, Bea, Cleo and 2 more" in t
        for t in marks_of(retention_curve([kept(run, probes)]))[0].text
    )


def test_a_failed_summarization_is_a_red_cross() -> None:
    run = run_with_facts(script=[ModelError("off"), "Odete.", "All."])
    marks = marks_of(retention_curve([kept(run)]))[0].marker
    assert marks.symbol[0] == "x"
    assert marks.color[0] == FAILURE_COLOR
    assert "x" not in marks.symbol[1:]


def test_marks_are_small_where_there_are_many() -> None:
    few = marks_of(retention_curve([kept(run_with_facts(buffer_size=3))]))
    many = marks_of(retention_curve([kept(run_with_facts("summary_only"))]))
    assert len(many[0].x) > 3
    assert many[0].marker.size < 8
    assert not few or few[0].marker.size > 8
    assert MOST_LARGE < 100


def test_bounds_are_thin_lines_and_no_words_stand_on_them() -> None:
    one = kept(run_with_facts("window", window_size=1))
    top = measure_ceiling(one.run, FACTS)
    low, high = np.array([0.0] * 7), np.array([0, 0, 0, 0, 0, 0, 0.25])
    figure = retention_curve(
        [one], Bounds(one.retention.turns, top.share(top.retained), (low, high))
    )
    names = {trace.name: trace for trace in figure.data}
    np.testing.assert_array_equal(names["All messages sent"].y, [1.0] * 7)
    np.testing.assert_array_equal(names["Found by chance"].y, high)
    assert names["Found by chance"].fill == "tonexty"
    assert names["All messages sent"].showlegend
    assert names["Found by chance"].showlegend
    assert figure.layout.showlegend, "with one setting too"
    assert not retention_curve([one]).layout.showlegend
    assert not figure.layout.annotations  # the lines of settings run there


def test_points_say_which_setting_turn_and_summarization_they_are() -> None:
    one = kept(run_with_facts())
    figure = retention_curve([kept(run_with_facts("window", window_size=1)), one])
    assert list(map(tuple, lines_of(figure)[1].customdata)) == [
        (1, turn, -1) for turn in one.retention.turns
    ]
    (marks,) = marks_of(figure)
    for place, turn, number in marks.customdata:
        assert place == 1
        record = next((record for record in one.run.turns if record.turn == turn), None)
        assert record is not None
        changed = any(
            compaction is one.run.compactions[number]
            for compaction in record.compactions
        )
        assert changed or turn == one.run.turns[-1].turn


def test_a_single_turn_is_a_point_one_can_see() -> None:
    run = memviz.replay(
        [Message("user", "Odete"), Message("assistant", "Yes.")],
        memviz.strategy("buffer"),
        counter="chars4",
    )
    one = kept(run, (memviz.Probe("?", ("Odete",), (0,), "name"),))
    (setting,) = lines_of(retention_curve([one]))
    assert setting.y.tolist() == [1.0]
    assert setting.marker.opacity == 1
    assert lines_of(retention_curve([kept(run_with_facts())]))[0].marker.opacity == 0


def test_nothing_to_draw_is_no_error() -> None:
    assert not retention_curve([]).data
    one = kept(run_with_facts(), ())
    assert all(np.isnan(lines_of(retention_curve([one]))[0].y))
    assert not marks_of(retention_curve([one]))


def test_the_point_of_a_mark_is_smaller_than_that_of_the_line_below_it() -> None:
    """Plotly shows the tooltip of the smaller one."""
    figure = retention_curve([kept(run_with_facts(buffer_size=3), (CODE,))])
    assert marks_of(figure)
    assert all(
        mark.marker.size < setting.marker.size
        for mark in marks_of(figure)
        for setting in lines_of(figure)
    )


def test_nothing_is_markup() -> None:
    one: RetentionResult = kept_of_markup()
    figure = retention_curve([one, one])
    assert any(
        "&lt;script&gt;" in text for trace in figure.data for text in trace.text or ()
    )
    for trace in figure.data:
        assert not unescaped_tags(trace.text)
        assert MARKUP not in (trace.name or "")
        assert not unescaped_tags(trace.name)
