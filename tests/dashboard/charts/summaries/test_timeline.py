"""The time line: every event where and as large as the record says, and nothing of a text as markup."""

from __future__ import annotations

from itertools import count

import plotly.graph_objects as go

import memviz
from memviz import ModelError, ScriptedModel
from memviz.dashboard.charts.palette import FAILURE_COLOR
from memviz.dashboard.charts.summaries.timeline import summary_timeline
from memviz.dashboard.words.compactions import compaction_words
from memviz.metrics.summaries.events import list_compaction_events
from tests.dashboard.charts.runs import MARKUP, run_of, run_of_markup
from tests.engine.probes import REPRESENTATIVES, talk
from tests.tables import for_each


def named(figure: go.Figure) -> dict[str, go.Scatter]:
    return {trace.name: trace for trace in figure.data}


def test_a_mark_for_every_version_as_high_as_its_summary() -> None:
    run = run_of(messages=20)
    marks = named(summary_timeline(run))["summarized"]
    assert marks.x.tolist() == [event.place for event in list_compaction_events(run)]
    assert marks.y.tolist() == [version.tokens for version in run.summaries]
    assert list(marks.customdata) == list(range(len(run.compactions)))
    assert set(marks.x) > {float(run.compactions[0].turn)}


def test_a_failed_attempt_is_a_red_cross_at_the_size_in_force() -> None:
    run = run_of(messages=20, script=["x" * 40, ModelError("no line"), *["y" * 80] * 9])
    traces = named(summary_timeline(run))
    failed = traces["failed"]
    assert (failed.marker.symbol, failed.marker.color) == ("x", FAILURE_COLOR)
    assert (failed.y.tolist(), list(failed.customdata)) == ([10], [1])
    assert "no line" in failed.text[0]
    assert "Nothing was lost" in failed.text[0]
    assert traces["tokens in force"].y.tolist()[:3] == [10, 10, 20]


def test_tooltips_say_why_in_numbers_and_what_it_cost() -> None:
    run = run_of(messages=20)
    for text, compaction in zip(
        named(summary_timeline(run))["summarized"].text, run.compactions, strict=True
    ):
        words = compaction_words(compaction, run)
        assert words.why.replace(">", "&gt;") in text
        assert words.where in text
        assert words.result in text
        assert (
            f"{compaction.prompt_tokens:,} tokens in, {compaction.output_tokens:,} out"
            in text
        )


def test_bars_show_which_messages_each_version_stands_for() -> None:
    run = run_of(messages=20)
    traces = named(summary_timeline(run))
    old, new = traces["replaced by the summary before"], traces["newly taken in"]
    for at, version in enumerate(run.summaries):
        assert old.base[at] == version.covers.start
        assert old.base[at] + old.y[at] == new.base[at] == version.added.start
        assert new.base[at] + new.y[at] == version.covers.stop
    assert traces["messages so far"].y.tolist() == [
        record.memory.length for record in run.turns
    ]


def test_a_list_grows_entry_by_entry() -> None:
    answers = (f"Entry {'x' * 10 * n}" for n in count(1))
    run = memviz.replay(
        talk(4),
        memviz.strategy("summary_only"),
        model=ScriptedModel(answers),
        counter="chars4",
    )
    traces = named(summary_timeline(run))
    tops = [run.space.summaries.tokens(0, n) for n in range(1, 5)]
    assert traces["summarized"].y.tolist() == tops
    assert [y for y in traces["entries"].y.tolist() if y == y] == [
        top for top in tops for _ in "ab"
    ]
    assert traces["tokens of each entry"].y.tolist() == [
        version.tokens for version in run.summaries
    ]


def test_the_open_event_is_marked_in_both_rows() -> None:
    run = run_of(messages=20)
    event = list_compaction_events(run)[2]
    shapes = summary_timeline(run, 2).layout.shapes
    assert [(shape.x0, shape.x1, shape.yref) for shape in shapes] == [
        (event.place, event.place, "y domain"),
        (event.place, event.place, "y2 domain"),
    ]
    assert not summary_timeline(run).layout.shapes


@for_each(("number", "side"), [(0, "left"), (-1, "right")])
def test_the_line_of_the_open_event_has_a_name_beside_it(
    number: int, side: str
) -> None:
    run = run_of(messages=20)
    event = list_compaction_events(run)[number]
    selected = len(run.compactions) + number if number < 0 else number
    (name,) = [
        one
        for one in summary_timeline(run, selected).layout.annotations
        if one.text == "selected"
    ]
    assert (name.x, name.xanchor) == (event.place, side)


@for_each("id", REPRESENTATIVES)
def test_every_kind_can_be_drawn(id: str) -> None:
    run = run_of(id)
    marks = [
        trace
        for trace in summary_timeline(run).data
        if trace.type == "scatter" and trace.mode == "markers"
    ]
    assert sum(len(trace.x) for trace in marks) == len(run.compactions)


def test_nothing_of_a_text_is_markup() -> None:
    texts = [
        text
        for trace in summary_timeline(run_of_markup()).data
        for text in trace.text or ()
    ]
    assert any("&lt;script&gt;" in text for text in texts)
    assert not any(
        piece in text
        for text in texts
        for piece in ("<script>", "<b>fat", "<a ", MARKUP)
    )
