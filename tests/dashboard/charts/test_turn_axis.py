"""The axis of charts that go by request, in conversations whose turns take several calls of the model."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memviz.dashboard.charts.cost.curve import cost_curve
from memviz.dashboard.charts.memory_map.fate_map import draw_fate_map
from memviz.dashboard.charts.memory_map.fate_words import fates_table
from memviz.dashboard.charts.memory_map.message_life import message_life
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.composition import composition
from memviz.dashboard.charts.requests.marks_above import recorded_marks
from memviz.dashboard.charts.requests.tables import (
    parts_table,
    request_finding,
    tokens_finding,
    tokens_table,
)
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.summaries.timeline import summary_timeline
from memviz.dashboard.charts.thinning import MAX_POINTS
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, turn_partings
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import View
from memviz.metrics.requests.request_axis import RequestAxis, make_axis
from memviz.transcripts.base import RecordedEvent
from tests.dashboard.charts.costs import cost_line
from tests.dashboard.charts.loops import loop_run
from tests.dashboard.charts.runs import run_of
from tests.tables import for_each

CALLS = (1, 12, 1, 5)
TURNS = [1, *[2] * 12, 3, *[4] * 5]


@pytest.fixture(scope="module")
def run() -> Run:
    """19 requests in four turns, summarized within the second and the fourth."""
    return loop_run(CALLS)


def summarized_places(run: Run) -> list[int]:
    """The steps of the requests that summarizations changed first."""
    return [
        place
        for place, record in enumerate(run.requests, 1)
        for _ in record.compactions
    ]


class TestTokens:
    def test_each_request_is_a_point_that_says_which_it_is(self, run: Run) -> None:
        line = tokens_per_turn([SettingRun(run, "one", 0)]).data[0]
        assert line.x.tolist() == list(range(1, 20))
        assert line.y.tolist() == [record.total_tokens for record in run.requests]
        last = {1: 1, 2: 12, 3: 1, 4: 5}
        assert list(line.customdata) == [
            f"0:{one.turn}"
            if one.call == last[one.turn]
            else f"0:{one.turn}:{one.call}"
            for one in run.requests
        ]
        assert [
            f"{one.name}: <b>" in text
            for one, text in zip(run.requests, line.text, strict=True)
        ] == [True] * 19

    def test_marks_stand_at_the_request_that_was_summarized_for(self, run: Run) -> None:
        figure = tokens_per_turn([SettingRun(run, "one", 0)])
        (marks,) = [
            trace for trace in figure.data if trace.name == "one summarizations"
        ]
        within_a_turn = [place for place in summarized_places(run) if 2 < place <= 13]
        assert within_a_turn
        assert [
            place for place in marks.x.tolist() if place % 1 == 0
        ] == summarized_places(run)
        for x, after, point in zip(
            marks.x.tolist(), marks.y.tolist(), marks.customdata, strict=True
        ):
            if x % 1 == 0:
                record = run.requests[int(x) - 1]
                assert after == record.total_tokens
                assert point.split(":")[1:] in (
                    [str(record.turn), str(record.call)],
                    [str(record.turn)],
                )

    def test_a_part_of_the_turns_shows_all_of_their_calls(self, run: Run) -> None:
        axis = tokens_per_turn(
            [SettingRun(run, "one", 0)], turns=range(2, 4)
        ).layout.xaxis
        assert axis.range == (2 - 0.6, 15 - 0.2)

    def test_points_are_bounded(self) -> None:
        long = loop_run([60] * 40, "window", window_size=5)
        figure = tokens_per_turn([SettingRun(long, "one", 0)])
        assert len(long.requests) == 2_400
        assert len(figure.data[0].x) <= MAX_POINTS + 2
        assert figure.layout.shapes is not None
        assert len(figure.layout.xaxis.tickvals) <= 12

    def test_what_a_file_recorded_stands_between_two_calls(self, run: Run) -> None:
        events = [
            RecordedEvent("compaction", after_message=length)
            for length in (1, 2, 3, 4, 5, len(run.log))
        ]
        lines, _ = recorded_marks(run, events, make_axis([run]))
        # user, reply | user, call | result, call ...
        assert [line["x0"] for line in lines] == [1.5, 1.5, 2.5, 2.5, 3.5, 19.5]


class TestOtherCharts:
    def test_composition_names_each_request_where_one_points(self, run: Run) -> None:
        figure = composition(run)
        assert figure.data[0].x.tolist() == list(range(1, 20))
        assert list(figure.data[0].text) == [
            f"{one.name}: {one.total_tokens:,}" for one in run.requests
        ]
        assert not any(figure.data[0].y), "it adds nothing"

    def test_the_map_has_a_column_a_request(self, run: Run) -> None:
        figure = draw_fate_map(
            SettingRun(run, "one", 0), View(range(1, 20), range(len(run.log)))
        )
        assert len(figure.data[0].z[0]) == 19
        (marks,) = [trace for trace in figure.data if trace.name == "summarizations"]
        inside = [x + 0.5 for x in marks.x if x < 19]
        assert inside == summarized_places(run)
        assert figure.layout.xaxis2.labelalias["8.0"].startswith("turn 2, call 7: ")

    def test_the_life_of_a_message_ends_at_the_last_request(self, run: Run) -> None:
        (bars,) = message_life([SettingRun(run, "one", 0)], 0, 4).data
        assert (bars.base[0], bars.base[-1] + bars.x[-1]) == (0.5, 19.5)
        assert "turn 2, call" in bars.hovertext[0]

    def test_the_summary_changes_where_its_request_stands(self, run: Run) -> None:
        (marks,) = [
            trace for trace in summary_timeline(run).data if trace.name == "summarized"
        ]
        assert [
            place for place in marks.x.tolist() if place % 1 == 0
        ] == summarized_places(run)

    def test_costs_rise_with_every_call(self) -> None:
        rows = [(1, 2000, 0, 9), (1, 2500, 2000, 9), (2, 3000, 2500, 9)]
        line = cost_curve([cost_line(rows, ())], uncached=False).data[-1]
        assert line.x.tolist() == [1, 2, 3]
        assert list(line.customdata) == ["0:1:1", "0:1", "0:2"]
        assert [
            "turn 1, call 1 cost" in line.text[0],
            "turn 1, call 2 cost" in line.text[1],
        ] == [True, True]
        assert "<br>turn 2 cost" in line.text[2], "a turn with one call names none"


class TestTables:
    def test_a_row_is_a_request_with_its_turn_and_call(self, run: Run) -> None:
        shown = [
            SettingRun(run, "one", 0),
            SettingRun(loop_run(CALLS, "buffer"), "two", 1),
        ]
        for table in (tokens_table(shown), parts_table(run), fates_table(shown)):
            assert table["Turn"].tolist() == TURNS
            assert table["Call"].tolist() == [record.call for record in run.requests]
        assert parts_table(run)["All"].tolist() == [
            record.total_tokens for record in run.requests
        ]

    def test_without_tools_no_column_names_calls(self) -> None:
        plain = [SettingRun(run_of(), "one", 0)]
        for table in (
            tokens_table(plain),
            parts_table(plain[0].run),
            fates_table(plain),
        ):
            assert "Call" not in table

    def test_findings_are_about_requests(self, run: Run) -> None:
        assert tokens_finding([SettingRun(run, "one", 0)]).startswith(
            "Tokens sent with each call of the model: one was"
        )
        assert request_finding(run.requests[7]).startswith(
            "The request of turn 2, call 7 has "
        )


class TestTicks:
    def test_numbers_stand_at_the_last_calls_and_lines_between_turns(self) -> None:
        axis = RequestAxis.of([TURNS])
        assert axis_ticks(axis)["tickvals"] == [1, 13, 14, 19]
        assert axis_ticks(axis)["minor"]["dtick"] == 1
        assert [line["x0"] for line in turn_partings(axis)] == [1.5, 13.5, 14.5]
        assert axis_title(axis) == "turn (each step is one call of the model)"

    def test_in_few_long_turns_calls_are_numbered(self) -> None:
        ticks = axis_ticks(RequestAxis.of([[1] * 60]))
        assert ticks["ticktext"] == [
            "turn 1",
            "call 10",
            "call 20",
            "call 30",
            "call 40",
            "call 50",
            "call 60",
        ]
        assert ticks["tickvals"] == [1, 10, 20, 30, 40, 50, 60]

    @for_each("calls", [(1, 60, 1), (41, 1, 1), (1, 1, 38), (60, 2), (3, 3, 44)])
    def test_of_a_long_turn_beside_short_ones_no_two_words_run_into_each_other(
        self, calls: tuple[int, ...]
    ) -> None:
        turns = [turn for turn, number in enumerate(calls, 1) for _ in range(number)]
        ticks = axis_ticks(RequestAxis.of([turns]))
        assert min(
            after - before for before, after in pairwise(ticks["tickvals"])
        ) >= 0.15 * len(turns)
        assert f"turn {calls.index(max(calls)) + 1}" in ticks["ticktext"], (
            "the long turn is named"
        )
        assert len(ticks["tickvals"]) >= 4

    def test_numbers_do_not_run_into_each_other(self) -> None:
        axis = RequestAxis.of([[1, *[2] * 60, 3, *[4] * 7, *[5] * 12, 6, 7, *[8] * 30]])
        vals = axis_ticks(axis)["tickvals"]
        assert min(after - before for before, after in pairwise(vals)) >= 5

    def test_where_each_turn_has_one_call_all_is_as_for_turns(self) -> None:
        axis = make_axis([run_of()])
        assert (
            axis_title(axis),
            turn_partings(axis),
            "tickvals" in axis_ticks(axis),
        ) == ("turn", [], False)

    def test_ticks_of_a_part_are_of_its_turns(self) -> None:
        axis = RequestAxis.of([[turn for turn in range(1, 201) for _ in range(4)]])
        assert axis.ticks(12, range(41, 81)) == (
            [44, 48, 52, 56, 60, 64, 68, 72, 76, 80],
            [*map(str, range(11, 21))],
        )
