"""The fate map: cells, points and words are the run's own, and nothing on it is markup."""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given

import memviz
from memviz import Message, ModelError, Recall, Run
from memviz.core.context import Fate
from memviz.dashboard.charts.memory_map.fate_map import (
    LARGE,
    draw_fate_map,
    size_beside_others,
)
from memviz.dashboard.charts.memory_map.map_marks import map_marks
from memviz.dashboard.charts.palette import (
    FAILURE_COLOR,
    STEP_COLORS,
    STEP_TITLES,
    SUMMARIZATION_LINE,
    SettingRun,
    setting_color,
)
from memviz.dashboard.words.compactions import request_words, simplify_twofold_limit
from memviz.metrics.memory_map.fate_grid import MAX_COLUMNS, MAX_ROWS, View, build_grid
from memviz.metrics.memory_map.fate_map import build_fate_map, list_summary_versions
from memviz.metrics.memory_map.stretches import STEPS
from memviz.metrics.requests.request_axis import make_axis
from tests.dashboard.charts.runs import MARKUP, run_of, run_of_markup
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk
from tests.metrics.memory_map.codes import codes_of
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

OWN_TAGS = re.compile(r"</?(b|i)>|<br>|<span style=\"color:#\d{6}\">|</span>")


def whole(run: Run) -> View:
    return View(range(1, int(make_axis([run]).lasts[-1]) + 1), range(len(run.log)))


def chart(run: Run, view: View | None = None, label: str = "A setting") -> go.Figure:
    return draw_fate_map(SettingRun(run, label, 2), view or whole(run))


def points_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.xaxis == "x2"]


def marks_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.name == "summarizations"]


def lines_of(figure: go.Figure) -> list[go.Scatter]:
    return [
        trace
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "lines"
    ]


def tooltips(figure: go.Figure) -> dict[tuple[float, float], str]:
    """What each cell says when pointed at, by x and y, as Plotly fills the template in."""
    names = {"x": figure.layout.xaxis2.labelalias, "y": figure.layout.yaxis2.labelalias}
    out = {}
    for trace in points_of(figure):
        for n, (x, y) in enumerate(
            zip(trace.x.tolist(), trace.y.tolist(), strict=True)
        ):
            values: dict[str, Any] = {
                axis: names[axis][f"{at:.1f}"] for axis, at in (("x", x), ("y", y))
            }
            if trace.customdata is not None:
                values |= {"customdata": trace.customdata[n]}
                values |= {
                    f"customdata[{i}]": part
                    for i, part in enumerate(np.atleast_1d(trace.customdata[n]))
                }
            template = trace.hovertemplate.removesuffix("<extra></extra>")
            out[x, y] = re.sub(
                r"%\{(.*?)\}",
                lambda found, values=values: str(values[found[1]]),
                template,
            )
    return out


@given(messages=conversations(), plan=outcomes)
@for_each("id", REPRESENTATIVES)
def test_every_cell_is_the_runs_own(
    id: str, messages: list[Message], plan: list[str]
) -> None:
    run = memviz.replay(
        messages,
        small(id),
        model=summarizer(plan),
        counter="chars4",
        recalls={2: Recall(turns=[1])},
    )
    figure, map_marks = (
        chart(run),
        build_fate_map(run).places - 1,
    )  # a turn that nobody answered has no request, but a place
    fates, codes = (
        np.zeros((len(whole(run).requests), len(messages)), np.uint8) for _ in range(2)
    )
    fates[map_marks], codes[map_marks] = run.fates(), codes_of(run)
    cells = figure.data[0]
    assert cells.z.tolist() == codes.T.tolist()
    assert (cells.x0, cells.dx, cells.y0, cells.dy) == (1, 1, 1, 1)
    clickable = {
        (x, y): trace.name
        for trace in points_of(figure)
        for x, y in zip(trace.x, trace.y, strict=True)
    }
    there = {
        (r + 1, p + 1)
        for r in range(len(fates))
        for p in range(len(messages))
        if fates[r, p] != Fate.NOT_YET
    }
    assert set(clickable) == there, "every cell can be pointed at, and nothing else"
    assert all(
        name == STEP_TITLES[codes[x - 1, y - 1]] for (x, y), name in clickable.items()
    )


@given(messages=conversations(max_messages=12), plan=outcomes)
@for_each("id", REPRESENTATIVES)
def test_every_tooltip_tells_the_truth(
    id: str, messages: list[Message], plan: list[str]
) -> None:
    run = memviz.replay(
        messages,
        small(id),
        model=summarizer(plan),
        counter="chars4",
        recalls={2: Recall(turns=[1])},
    )
    told, fates, generations = tooltips(chart(run)), run.fates(), run.generations()
    map_marks = build_fate_map(run).places.tolist()
    for request, record in enumerate(run.requests):
        versions = list_summary_versions(run, request)
        for position in np.flatnonzero(fates[request] != Fate.NOT_YET).tolist():
            text = OWN_TAGS.sub(
                "", told[map_marks[request], position + 1].replace("<br>", "\n")
            )
            message, fate = run.log[position], Fate(fates[request, position])
            head = f"message {position + 1} ({message.role}, turn {run.log.turn_number(position)})\n"
            assert text.startswith(head)
            assert (
                f"at the request of {record.name}: {record.total_tokens:,} tokens sent,\n"
                in text
            )
            often = generations[request, position]
            assert {
                Fate.VERBATIM: "\nword for word\n",
                Fate.DROPPED: "\ndropped\n",
                Fate.RECALLED: "\nrecalled\n",
                Fate.CLEARED: "\nsent as a placeholder\n",
                Fate.SHORTENED: "\nshortened\n",
                Fate.SUMMARIZED: f"\nreplaced by a summary (version {versions[position]}),\n"
                f"summarized {'once' if often == 1 else f'{often} times'}\n",
            }[fate] in text
            assert text.endswith(" dropped")
            for kind, words in (
                (Fate.VERBATIM, "word for word"),
                (Fate.CLEARED, "sent as a placeholder"),
                (Fate.SUMMARIZED, "replaced by a summary"),
                (Fate.DROPPED, "dropped"),
            ):
                count = int((fates[request] == kind).sum())
                assert (f"{count} {words}" in text.partition("tokens sent,")[2]) is (
                    bool(count) or kind in (Fate.VERBATIM, Fate.DROPPED)
                )


def test_one_row_says_the_first_words_of_its_message() -> None:
    said = [
        Message("user", "Short  and\nplain."),
        Message("assistant", "long " * 40),
        Message("user", ""),
    ]
    run = memviz.replay(
        [*said, Message("user", " ")], memviz.strategy("buffer"), counter="chars4"
    )
    rows = [
        unescape(words.partition("<br>")[2])
        for words in chart(run).layout.yaxis2.labelalias.values()
    ]
    assert rows[0] == "<i>Short and plain.</i>"
    assert rows[1] == f"<i>{('long ' * 40)[:43]}…</i>"
    assert rows[2] == rows[3] == "<i>no text</i>"


def test_colours_are_those_of_the_palette_and_empty_cells_have_none() -> None:
    cells = chart(run_of()).data[0]
    scale, steps = cells.colorscale, len(STEPS)
    for code, color in enumerate(STEP_COLORS):
        at = (code - cells.zmin) / (cells.zmax - cells.zmin)
        below, above = [
            pair for pair in pairwise(scale) if pair[0][0] <= at < pair[1][0]
        ][-1]
        assert below[1] == above[1] == color
        assert below[0] < at < above[0]
    assert (cells.zmin, cells.zmax, steps) == (
        -0.5,
        len(STEP_COLORS) - 0.5,
        len(STEP_COLORS),
    )
    assert STEP_COLORS[0].endswith(",0)")


def test_points_are_never_drawn() -> None:
    figure = chart(run_of())
    assert len(points_of(figure)) > 2
    for trace in points_of(figure):
        assert (
            trace.marker.opacity
            == trace.selected.marker.opacity
            == trace.unselected.marker.opacity
            == 0
        )
        assert trace.marker.maxdisplayed == 1


def test_a_narrow_map_has_few_numbers_side_by_side_and_one_for_its_first_message() -> (
    None
):
    view, size = (
        View(range(1, 12), range(40)),
        size_beside_others(["one", "other", "third"]),
    )
    layout = draw_fate_map(
        SettingRun(run_of("buffer", messages=40), "one", 0), view, size
    ).layout
    assert size.most_ticks is not None
    assert 11 // layout.xaxis.dtick <= size.most_ticks + 1
    assert layout.xaxis.tickangle == 0
    assert layout.yaxis.title.text == "message"
    assert [(note.text, note.y) for note in layout.annotations if note.yref == "y"] == [
        ("1", 1)
    ]


def test_axes_run_from_the_oldest_message_on_top_and_are_shared_by_a_view() -> None:
    view = View(range(1, 9), range(12))
    layouts = [chart(run_of(id), view).layout for id in ("buffer", "summary")]
    for layout in layouts:
        assert (layout.xaxis.title.text, layout.yaxis.title.text) == (
            "request of turn",
            "message",
        )
        assert layout.xaxis.range == (0.5, 8.5)
        assert layout.yaxis.range[0] == 12.5 > 0.5 > layout.yaxis.range[1]
        assert (layout.xaxis2.matches, layout.yaxis2.matches) == ("x", "y")
    assert layouts[0].height == layouts[1].height


@for_each(("messages", "pixels"), [(2, 18), (22, 18), (40, 10), (92, 4), (160, 2)])
def test_rows_have_a_whole_number_of_pixels(messages: int, pixels: int) -> None:
    layout = chart(run_of("buffer", messages=messages)).layout
    plotted = layout.height - layout.margin.t - layout.margin.b
    assert plotted / (layout.yaxis.range[0] - layout.yaxis.range[1]) == pytest.approx(
        pixels
    )


def test_few_cells_stand_apart_and_can_be_clicked_anywhere() -> None:
    few, many = chart(run_of("buffer")), chart(run_of("buffer", messages=202))
    assert (few.data[0].xgap, few.data[0].ygap, few.layout.hoverdistance) == (1, 1, 83)
    assert (many.data[0].xgap, many.data[0].ygap, many.layout.hoverdistance) == (
        0,
        0,
        20,
    )


def test_a_setting_is_named_in_its_colour() -> None:
    title = chart(run_of("buffer"), label="Full buffer").layout.annotations[0].text
    assert setting_color(2) in title
    assert OWN_TAGS.sub("", title) == "■ Full buffer"


@pytest.fixture(scope="module")
def long_run() -> Run:
    return memviz.replay(
        talk(300),
        memviz.strategy("summary", buffer_size=3),
        model=Digest(),
        counter="chars4",
    )


class TestLongRuns:
    @pytest.fixture
    def run(self, long_run: Run) -> Run:
        return long_run

    def test_have_cells_of_several(self, run: Run) -> None:
        figure, cells = chart(run), build_grid(build_fate_map(run), whole(run))
        assert figure.data[0].z.shape == cells.codes.shape
        assert cells.codes.shape[0] <= MAX_ROWS
        assert cells.codes.shape[1] <= MAX_COLUMNS
        assert (figure.data[0].x0, figure.data[0].dx) == (2, 3)
        assert (figure.data[0].y0, figure.data[0].dy) == (2.5, 4)

    def test_say_so_in_the_tooltip(self, run: Run) -> None:
        told = tooltips(chart(run))
        counts = build_fate_map(run).counts[299]
        tokens = run.turns[299].total_tokens
        assert OWN_TAGS.sub("", told[299.0, 10.5].replace("<br>", "\n")) == (
            "messages 9 to 12 (turns 5 to 6)\nsummarized 8 times or more (100 % of this cell)\n"
            f"at the request of turns 298 to 300, with turn 300:\n{tokens:,} tokens sent,\n"
            f"{counts[Fate.VERBATIM]} word for word, {counts[Fate.SUMMARIZED]} replaced by a summary,\n0 dropped"
        )

    def test_a_part_of_them_is_shown_in_full(self, run: Run) -> None:
        figure = chart(run, View(range(201, 241), range(400, 480)))
        assert figure.data[0].z.tolist() == codes_of(run)[200:240, 400:480].T.tolist()
        assert (figure.data[0].x0, figure.data[0].y0) == (201, 401)
        assert "message 401" in tooltips(figure)[240, 401]

    def test_are_small(self, run: Run) -> None:
        assert len(chart(run).to_json()) < 300_000


class TestMarks:
    def test_stand_before_the_request_that_each_summarization_changed(self) -> None:
        run = run_of(messages=40, buffer_size=4)
        figure = chart(run)
        (marks,) = marks_of(figure)
        changed = [record.turn for record in run.turns for _ in record.compactions]
        assert list(marks.x) == [turn - 0.5 for turn in changed]
        assert set(marks.marker.symbol) == {"diamond"}
        for tooltip, compaction in zip(marks.text, run.compactions, strict=True):
            text = " ".join(OWN_TAGS.sub(" ", unescape(tooltip)).split())
            assert (
                f"{request_words(compaction, run)}, after message {compaction.after_message + 1}"
                in text
            )
            assert simplify_twofold_limit(compaction.reason) in text
            assert (
                max(
                    map(
                        len,
                        unescape(OWN_TAGS.sub("", tooltip.replace("<br>", "\n"))).split(
                            "\n"
                        ),
                    )
                )
                <= 46
            )
        (setting,) = lines_of(figure)
        assert setting.line.color == SUMMARIZATION_LINE
        assert list(setting.x)[:2] == [changed[0] - 0.5] * 2
        assert setting.y[1] == run.compactions[0].after_message + 1.5

    def test_one_after_the_last_request_stands_behind_it(self) -> None:
        run = run_of("summary", messages=10, buffer_size=3)
        late = [
            c
            for c in run.compactions
            if c not in [d for record in run.turns for d in record.compactions]
        ]
        behind = [
            mark
            for mark in map_marks(run, build_grid(build_fate_map(run), whole(run)))
            if mark.x == run.turns[-1].turn + 0.5
        ]
        assert [mark.compactions for mark in behind] == ([tuple(late)] if late else [])
        run = run_of("summary_only", messages=4)
        assert map_marks(run, build_grid(build_fate_map(run), whole(run)))[-1].x == 2.5

    def test_failures_are_red_crosses(self) -> None:
        run = run_of(
            messages=60,
            buffer_size=6,
            script=["One.", *[ModelError("down")] * 3, *["More."] * 20],
        )
        figure = chart(run)
        (marks,) = marks_of(figure)
        found = map_marks(run, build_grid(build_fate_map(run), whole(run)))
        failed = [
            any(compaction.error for compaction in mark.compactions) for mark in found
        ]
        assert 0 < sum(failed) < len(failed)
        assert [symbol == "x" for symbol in marks.marker.symbol] == failed
        assert [color == FAILURE_COLOR for color in marks.marker.color] == failed
        assert {setting.line.color for setting in lines_of(figure)} == {
            SUMMARIZATION_LINE,
            FAILURE_COLOR,
        }
        assert any(
            "Summarizing messages " in text and " failed" in text and "down" in text
            for text in marks.text
        )

    def test_of_every_turn_have_no_lines(self) -> None:
        figure = chart(run_of("summary_only"))
        assert len(marks_of(figure)[0].x) == 6
        assert lines_of(figure) == []

    def test_of_one_column_are_one_mark(self) -> None:
        run = memviz.replay(
            talk(300), memviz.strategy("summary_only"), model=Digest(), counter="chars4"
        )
        (marks,) = marks_of(chart(run))
        assert len(marks.x) == 101
        assert marks.text[50].endswith("and 1 more")

    def test_outside_the_view_are_not_drawn(self) -> None:
        run = run_of("summary_only", messages=20)
        (marks,) = marks_of(chart(run, View(range(4, 7), range(20))))
        assert list(marks.x) == [3.5, 4.5, 5.5, 6.5]

    def test_what_is_dropped_without_a_summarizer_has_none(self) -> None:
        said = [Message(("user", "assistant")[n % 2], "word " * 20) for n in range(12)]
        run = memviz.replay(
            said, small("chat_summary_buffer"), model=None, counter="chars4"
        )
        assert run.compactions
        assert marks_of(chart(run)) == []


def test_nothing_of_a_message_becomes_markup() -> None:
    run = run_of_markup()
    figure = chart(run, label=MARKUP)
    texts = [
        *tooltips(figure).values(),
        *marks_of(figure)[0].text,
        figure.layout.annotations[0].text,
    ]
    for text in texts:
        left = OWN_TAGS.sub("", text)
        assert "<" not in left.replace("<extra>", "")
        assert "&quot;" not in left, "Plotly would write it out"
    assert any("&lt;script&gt;" in text for text in texts)


def test_a_turn_without_a_request_and_a_missing_message_have_no_words() -> None:
    figure = chart(run_of("buffer", messages=4), View(range(1, 5), range(6)))
    assert list(figure.layout.xaxis2.labelalias) == ["1.0", "2.0"]
    assert list(figure.layout.yaxis2.labelalias) == ["1.0", "2.0", "3.0", "4.0"]


def test_titles_of_many_words_are_cut_into_two_lines() -> None:
    title = OWN_TAGS.sub(
        "",
        chart(run_of("buffer"), label="word " * 40)
        .layout.annotations[0]
        .text.replace("<br>", "\n"),
    )
    assert max(len(setting) for setting in title.split("\n")) <= LARGE.line_chars + 2
    assert title.count("\n") == 1
    assert title.endswith("…")


class TestSizes:
    def test_a_single_map_is_as_wide_as_the_page(self) -> None:
        assert size_beside_others(["Full buffer"]).line_chars == LARGE.line_chars

    def test_names_beside_each_other_have_the_same_room(self) -> None:
        labels = [
            "Full buffer",
            "Sliding window · 10 messages",
            "Summary buffer · 1,500 tokens",
        ]
        size = size_beside_others(labels)
        figures = [
            draw_fate_map(
                SettingRun(run_of("buffer"), label, 0), whole(run_of("buffer")), size
            )
            for label in labels
        ]
        assert [
            figure.layout.annotations[0].text.count("<br>") for figure in figures
        ] == [0, 1, 1]
        assert len({figure.layout.margin.t for figure in figures}) == 1
        assert size_beside_others(["Full buffer"] * 3).top_pixels < size.top_pixels

    @for_each(("settings", "pixels"), [(3, 390), (6, 300)])
    def test_two_rows_of_maps_are_as_high_as_a_screen(
        self, settings: int, pixels: int
    ) -> None:
        run = run_of("buffer", messages=92)
        size = size_beside_others(["Sliding window · 10 messages"] * settings)
        assert (
            draw_fate_map(
                SettingRun(run, "Sliding window · 10 messages", 0), whole(run), size
            ).layout.height
            <= pixels
        )


def test_the_pending_request_is_a_hollow_column_behind_all_others() -> None:
    rule = memviz.strategy("chat_summary_buffer", token_limit=40)
    said = [*talk(6), Message("user", "And what was it that I asked you first of all?")]
    run, answered = (
        memviz.replay(said, rule),
        memviz.replay([*said, Message("assistant", "That.")], rule),
    )
    view = View(range(1, 7), range(len(said)))
    figure, same = (
        chart(run, view),
        chart(memviz.replay(said[:-1], rule), View(range(1, 7), range(len(said)))),
    )
    codes = codes_of(answered)[6, : len(said)]
    outlines = [shape for shape in figure.layout.shapes if shape.name == "pending"]
    drawn = [
        STEP_COLORS.index(one.line.color)
        for one in outlines
        for _ in np.arange(one.y0, one.y1)
    ]
    assert drawn == codes.tolist()
    assert len(set(drawn)) > 1
    assert [(one.x0 + one.x1) / 2 for one in outlines] == [pytest.approx(7)] * len(
        outlines
    )
    assert {one.fillcolor for one in outlines} == {"rgba(0,0,0,0)"}
    [point] = [trace for trace in figure.data if trace.name == "pending"]
    assert point.marker.symbol == "circle-open"
    assert run.pending is not None
    assert (
        f"turn 7, pending: it would send {run.pending.total_tokens:,} tokens"
        in point.text[0]
    )
    assert figure.layout.xaxis.range[1] == 7.5
    assert [trace for trace in same.data if trace.name == "pending"] == []
    assert [
        trace.to_plotly_json()["z"].tolist()
        for trace in figure.data
        if trace.type == "heatmap"
    ] == [
        trace.to_plotly_json()["z"].tolist()
        for trace in same.data
        if trace.type == "heatmap"
    ]
    assert not [
        trace
        for trace in chart(run, View(range(1, 4), range(8))).data
        if trace.name == "pending"
    ]


def test_a_question_that_nobody_answered_is_a_map_of_one_hollow_column() -> None:
    run = memviz.replay([Message("user", "Anybody there?")], memviz.strategy("buffer"))
    figure = chart(run)
    assert [
        trace.name
        for trace in figure.data
        if trace.type == "scatter" and trace.text is not None
    ][-1] == "pending"
    assert [shape.name for shape in figure.layout.shapes] == ["pending"]
