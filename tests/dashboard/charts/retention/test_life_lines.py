"""The lives of facts as rows: every cell is the metric's own, and a death stands on the summarization behind it."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.charts.palette import PART_COLORS, SUMMARIZATION_LINE
from memviz.dashboard.charts.retention.compaction_strip import MOST_LINES, STRIP
from memviz.dashboard.charts.retention.life_lines import draw_life_lines, sort_by_birth
from memviz.dashboard.charts.retention.result import (
    KNOWLEDGE_COLORS,
    KNOWLEDGE_TITLES,
    RetentionResult,
    fact_label,
)
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import LifeLine
from tests.dashboard.charts.facts import kept, kept_of_markup, run_with_facts
from tests.dashboard.charts.runs import places_of
from tests.dashboard.charts.tags import unescaped_tags
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.random_probes import probed_runs


def named(figure: go.Figure, name: str) -> go.Scatter:
    return next(
        (trace for trace in figure.data if trace.name == name), go.Scatter(x=[], y=[])
    )


def drawn(one: RetentionResult, selected: int | None = None) -> go.Figure:
    return draw_life_lines(one, sort_by_birth(one.lives), selected)


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_the_bars_are_the_states(id: str, data: st.DataObject) -> None:
    run, probes = data.draw(probed_runs(id))
    one = kept(run, probes)
    states = np.full((len(run.requests), len(probes)), Knowledge.NOT_BORN)
    for state, title in KNOWLEDGE_TITLES.items():
        bars = named(drawn(one), title)
        if not len(bars.x):
            continue
        assert bars.marker.color == KNOWLEDGE_COLORS[state]
        for probe, base, width in zip(bars.customdata, bars.base, bars.x, strict=True):
            places = np.array(places_of(run))
            inside = (places > base) & (places < base + width)
            states[inside, probe] = state
    np.testing.assert_array_equal(states, one.retention.states)


def test_rows_are_in_the_order_of_birth() -> None:
    def life(probe: int, born: int | None) -> LifeLine:
        return LifeLine(probe, born, None if born is None else born + 1)

    ordered = sort_by_birth([life(0, 9), life(1, 2), life(2, None), life(3, 2)])
    assert [one.probe for one in ordered] == [2, 1, 3, 0]


def test_the_birth_is_marked_at_its_turn() -> None:
    births = named(drawn(kept(run_with_facts("buffer"))), "stated")
    assert list(births.customdata) == [2, 1, 0]
    assert list(births.x) == [0.5, 1.5, 2.5]
    assert list(births.y) == [0, 1, 2]
    assert "stated in message 5 (turn 3)" in births.text[2]


def test_a_death_stands_on_the_summarization_that_took_the_fact() -> None:
    one = kept(run_with_facts())
    figure = drawn(one)
    deaths, strip = named(figure, "lost"), named(figure, "summarizations")
    assert set(strip.y) == {STRIP}
    assert all(
        probe == -1 and one.run.compactions[number].written
        for probe, number in strip.customdata
    )
    found = {
        (probe, int(x + 0.5)): (color, text, number)
        for (probe, number), x, color, text in zip(
            deaths.customdata, deaths.x, deaths.marker.color, deaths.text, strict=True
        )
    }
    assert set(found) == set(one.losses) == {(2, 4), (0, 5), (1, 5), (1, 7)}
    for (probe, turn), (color, text, number) in found.items():
        assert number == one.losses[probe, turn]
        assert color == SUMMARIZATION_LINE
        assert turn - 0.5 in strip.x
        taken = one.run.compactions[number].summarized
        assert f"messages {taken.start + 1} to {taken.stop}" in text
        assert any(
            one.run.compactions[number] is c
            for c in one.run.turns[turn - 1].compactions
        )


def test_what_falls_out_of_a_window_is_another_mark() -> None:
    one = kept(run_with_facts("window", window_size=2))
    deaths = named(drawn(one), "lost")
    assert len(deaths.x) > 2
    assert set(deaths.marker.color) == {PART_COLORS["system"]}
    assert all("no longer sent" in text for text in deaths.text)
    assert not len(named(drawn(one), "summarizations").x)


def test_lines_down_the_rows_are_those_of_the_selected_fact_where_there_are_many() -> (
    None
):
    few = kept(run_with_facts(buffer_size=3))
    assert 0 < len(few.run.compactions) <= len(few.run.turns) / 2
    shown = [x for x in named(drawn(few), "summarization lines").x if x is not None]
    marks = named(drawn(few), "summarizations")
    assert sorted(set(shown)) == sorted(set(marks.x))
    many = kept(run_with_facts())
    assert MOST_LINES > 7
    assert not len(named(drawn(many), "summarization lines").x)
    assert set(named(drawn(many, 1), "summarization lines").x) - {None} == {4.5, 6.5}


def test_the_selected_row_is_bold_and_marked() -> None:
    layout = drawn(kept(run_with_facts("buffer")), 1).layout
    assert [text.startswith("<b>") for text in layout.yaxis.ticktext[1:]] == [
        False,
        True,
        False,
    ]
    assert [(shape.y0, shape.y1) for shape in layout.shapes] == [(0.5, 1.5)]
    assert not drawn(kept(run_with_facts("buffer"))).layout.shapes


def test_the_chosen_summarization_has_a_line_down_the_rows() -> None:
    one = kept(run_with_facts())
    figure = draw_life_lines(one, sort_by_birth(one.lives), event=1)
    record = next(
        r
        for r in one.run.turns
        if any(c is one.run.compactions[1] for c in r.compactions)
    )
    assert list(named(figure, "chosen line").x) == [record.turn - 0.5] * 2
    assert not len(named(drawn(one), "chosen line").x)


def test_names_leave_a_phone_room_for_the_lives() -> None:
    layout = drawn(kept(run_with_facts("buffer"))).layout
    assert layout.margin.l <= 0.35 * 390
    assert layout.yaxis.ticktext[1] == "Odete"  # the question is in the tooltip


def test_labels_fit() -> None:
    assert fact_label(("3,600",), "What is  it?", 40) == "3,600 · What is it?"
    assert fact_label(("<b>",), "x" * 90, 10) == "&lt;b&gt; · xxx…"
    assert fact_label((), "Why?", 10) == "? · Why?"
    assert fact_label(("芝麻",), "我家的猫叫什么名字", 16) == "芝麻 · 我家的猫…"


def test_nothing_is_markup() -> None:
    figure = drawn(kept_of_markup(), 0)
    assert not unescaped_tags(list(figure.layout.yaxis.ticktext))
    for trace in figure.data:
        assert not unescaped_tags(trace.text)
        assert not unescaped_tags(trace.hovertext)


def test_no_facts_are_no_error() -> None:
    assert not drawn(kept(run_with_facts("buffer"), ())).data


def test_the_label_of_a_fact_is_made_once_for_its_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = kept(run_with_facts())
    labelled = []

    def label(answers: tuple[str, ...], question: str, chars: int) -> str:
        labelled.append(question)
        return fact_label(answers, question, chars)

    monkeypatch.setattr(
        "memviz.dashboard.charts.retention.life_lines.fact_label", label
    )
    drawn(one)
    questions = [question for question in labelled if question]
    spans = sum(len(life.spans) for life in one.lives)
    assert len(questions) == len(one.lives) < spans
