"""The chart of tokens per turn: every number on it is the run's own, and nothing on it is markup."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given

import memviz
from memviz import Message, ModelError
from memviz.dashboard.charts.palette import (
    FAILURE_COLOR,
    PART_COLORS,
    setting_color,
    setting_dash,
)
from memviz.dashboard.charts.requests.tokens_per_turn import (
    MAX_CLICKABLE,
    tokens_per_turn,
)
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.words.compactions import compaction_words, plain_limit
from memviz.metrics.summaries.request_sizes import request_sizes
from tests.dashboard.charts.runs import MARKUP, run_of, run_of_markup
from tests.engine.probes import IDS, small, talk
from tests.strategies.conversations import conversations, outcomes, summarizer

OWN_TAGS = re.compile(r"</?(b|i)>|<br>")  # what the chart itself writes into a tooltip


def chart(*settings: SettingRun | memviz.Run, **options: Any) -> go.Figure:
    made = [
        setting
        if isinstance(setting, SettingRun)
        else SettingRun(setting, f"setting {n}", n)
        for n, setting in enumerate(settings)
    ]
    return tokens_per_turn(made, **options)


def lines_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.showlegend is None]


def all_lines_of(figure: go.Figure) -> list[go.Scatter]:
    """The settings' lines, also those that the legend leaves out."""
    limits = limits_of(figure)
    return [
        trace
        for trace in figure.data
        if "lines" in trace.mode and trace.hoverinfo == "text" and trace not in limits
    ]


def limits_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if (trace.name or "").endswith(" limit")]


def marks_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.marker.symbol is not None]


def drops_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.hoverinfo == "skip"]


def places_of(run: memviz.Run) -> list[int]:
    """Where the requests stand, by plain counting: a step each, and one for a turn before them that has none."""
    places, turn, place = [], 0, 0
    for record in run.requests:
        place += max(1, record.turn - turn)
        turn = record.turn
        places.append(place)
    return places


class TestLines:
    @pytest.mark.parametrize("id", IDS)
    @given(messages=conversations(), plan=outcomes)
    def test_hold_the_tokens_of_every_request(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        run = memviz.replay(
            messages, small(id), model=summarizer(plan), counter="chars4"
        )
        (setting,) = lines_of(chart(run))
        assert setting.x.tolist() == places_of(run), (
            "a step a request, and one for a turn that nobody answered"
        )
        assert setting.y.tolist() == run.frame()["total_tokens"].tolist()

    def test_tooltips_say_turn_total_and_parts(self) -> None:
        run = run_of()
        for record, tooltip in zip(
            run.turns, lines_of(chart(run))[0].text, strict=True
        ):
            head, *parts = OWN_TAGS.sub("|", tooltip.replace("<br>", "\n")).split("\n")[
                1:
            ]
            assert head == f"turn {record.turn}: |{record.total_tokens:,} tokens| sent"
            assert (
                sum(int(part.partition(": ")[2].replace(",", "")) for part in parts)
                == record.total_tokens
            )
            assert len(parts) == sum(tokens > 0 for tokens in record.tokens.values())

    def test_tooltips_tell_what_is_wrong_with_a_request(self) -> None:
        tooltips = lines_of(chart(run_of("token_buffer", max_tokens=1)))[0].text
        assert all(tooltip.endswith("<br>over budget") for tooltip in tooltips)

    def test_keep_colour_and_dash_of_their_setting(self) -> None:
        run = run_of("buffer")
        settings = lines_of(
            tokens_per_turn(
                [SettingRun(run, "a", 4), SettingRun(run, "b", 1, shown=False)]
            )
        )
        assert [setting.line.color for setting in settings] == [
            setting_color(4),
            setting_color(1),
        ]
        assert [setting.line.dash for setting in settings] == [
            setting_dash(4),
            setting_dash(1),
        ]
        assert [setting.visible for setting in settings] == [True, "legendonly"]
        assert [setting.name for setting in settings] == ["a", "b"]

    def test_points_have_ids(self) -> None:
        figure = chart(run_of("buffer"), run_of("window"))
        assert [list(setting.customdata) for setting in lines_of(figure)] == [
            [f"{number}:{turn}" for turn in range(1, 7)] for number in (0, 1)
        ]
        assert all(
            "markers" in setting.mode and setting.marker.opacity == 0
            for setting in lines_of(figure)
        ), "can be clicked"

    @pytest.mark.parametrize(("turns", "mode"), [(0, "lines+markers"), (1, "lines")])
    def test_of_long_runs_have_no_markers(self, turns: int, mode: str) -> None:
        (setting,) = lines_of(
            chart(run_of("window", messages=2 * (MAX_CLICKABLE + turns)))
        )
        assert setting.mode == mode
        assert (setting.customdata is None) == (mode == "lines")
        assert len(setting.x) == MAX_CLICKABLE + turns, "every turn is drawn"


class TestTriggers:
    def test_say_reason_tokens_and_first_words(self) -> None:
        run = run_of(script=["The budget is <5 euros. " * 20] * 9)
        (marks,) = marks_of(chart(run))
        assert len(marks.text) == len(run.compactions) == 3
        for tooltip, compaction in zip(marks.text, run.compactions, strict=True):
            said = unescape(OWN_TAGS.sub("|", tooltip))
            first, last = compaction.summarized[0] + 1, compaction.summarized[-1] + 1
            assert "|setting 0||" in said
            words = compaction_words(compaction, run)
            assert (
                f"messages {first} to {last}||{words.where}|{words.why}|{words.result}|"
                in said
            )
            assert plain_limit(compaction.reason) in words.why
            assert "The budget is <5 euros. The budget" in said
            assert said.endswith("…|")

    def test_a_short_summary_is_told_whole(self) -> None:
        (marks,) = marks_of(chart(run_of(script=["Nothing new."] * 9)))
        assert all(tooltip.endswith("<i>Nothing new.</i>") for tooltip in marks.text)

    def test_stand_on_the_line_at_the_first_request_that_they_changed(self) -> None:
        run = run_of()
        figure = chart(run)
        (marks,), (drops,) = marks_of(figure), drops_of(figure)
        changed = [record for record in run.turns for _ in record.compactions]
        assert marks.x.tolist() == [record.turn for record in changed]
        assert marks.y.tolist() == [record.total_tokens for record in changed]
        assert list(marks.customdata) == [f"0:{record.turn}" for record in changed]
        assert drops.x.reshape(-1, 3)[:, 0].tolist() == marks.x.tolist()
        assert drops.y.reshape(-1, 3)[:, 1].tolist() == marks.y.tolist()
        assert drops.y.reshape(-1, 3)[:, 0].tolist() == [
            max(request_sizes(one, run)) for one in run.compactions
        ]
        assert np.isnan(drops.y.reshape(-1, 3)[:, 2]).all(), "one stroke a mark"

    def test_after_the_last_request_stands_behind_it(self) -> None:
        run = run_of(messages=8)
        assert [record.turn for record in run.turns if record.compactions] == [3]
        (marks,) = marks_of(chart(run))
        assert marks.x.tolist() == [3, 4.5]
        assert (
            marks.y.tolist()[1] == request_sizes(run.compactions[1], run).after_tokens
        )
        assert list(marks.customdata) == ["0:3", "0:4"]

    def test_that_failed_are_crosses_in_the_colour_of_failure(self) -> None:
        run = run_of(
            script=["A summary", ModelError("The line is dead."), *["Another"] * 9]
        )
        (marks,) = marks_of(chart(run))
        assert list(marks.marker.symbol)[:3] == ["diamond", "x", "diamond"]
        assert list(marks.marker.color)[:3] == [
            PART_COLORS["summary"],
            FAILURE_COLOR,
            PART_COLORS["summary"],
        ]
        assert " failed</b>" in marks.text[1]
        assert "The line is dead." in marks.text[1]
        assert FAILURE_COLOR not in list(PART_COLORS.values())

    def test_a_summary_every_turn_is_drawn_small_and_without_strokes(self) -> None:
        figure = chart(run_of("summary_only"))
        assert drops_of(figure) == []
        assert (
            marks_of(figure)[0].marker.size < marks_of(chart(run_of()))[0].marker.size
        )

    def test_belong_to_their_line(self) -> None:
        figure = tokens_per_turn(
            [SettingRun(run_of(), "a", 0), SettingRun(run_of(), "b", 1, shown=False)]
        )
        for number, shown in (("0", True), ("1", "legendonly")):
            group = [trace for trace in figure.data if trace.legendgroup == number]
            assert len(group) == 3
            assert {trace.visible for trace in group} == {shown}
        assert {trace.legendgroup for trace in figure.data} == {"0", "1"}

    def test_what_was_dropped_without_a_summarizer_has_none(self) -> None:
        run = memviz.replay(
            run_of().log, small("chat_summary_buffer"), model=None, counter="chars4"
        )
        assert run.compactions
        assert marks_of(chart(run)) == []


class TestRecalls:
    def test_stand_at_the_requests_that_hold_recalled_messages(self) -> None:
        recalls = {4: memviz.Recall(turns=[1]), 6: memviz.Recall(turns=[1, 2])}
        run = memviz.replay(
            talk(7),
            memviz.strategy("window", window_size=1),
            counter="chars4",
            recalls=recalls,
            system_prompt=MARKUP,
        )
        (marks,) = [
            trace
            for trace in chart(SettingRun(run, MARKUP, 0)).data
            if trace.marker.symbol == "triangle-down"
        ]
        assert marks.x.tolist() == [4, 6]
        above = marks.y - [run.turns[3].total_tokens, run.turns[5].total_tokens]
        assert above[0] == pytest.approx(
            above[1]
        )  # as far above both, so that a diamond there stays visible
        assert above[0] > 0
        assert marks.customdata == ("0:4", "0:6")
        assert "2 messages of turn 1 into turn 4" in marks.text[0]
        bare = memviz.replay(
            talk(7),
            memviz.strategy("window", window_size=1),
            counter="chars4",
            system_prompt=MARKUP,
        )
        more = run.turns[5].total_tokens - bare.turns[5].total_tokens
        assert (
            f"+{more:,} tokens, {run.turns[5].total_tokens:,} in all" in marks.text[1]
        )
        assert "<script>" not in "".join(marks.text)

    def test_say_how_much_came_back_where_there_is_room(self) -> None:
        recalls = {
            4: memviz.Recall(turns=[1]),
            5: memviz.Recall(turns=[1]),
            30: memviz.Recall(turns=[1, 2]),
        }
        run = memviz.replay(
            talk(40),
            memviz.strategy("window", window_size=1),
            counter="chars4",
            recalls=recalls,
        )
        labels = [(note.x, note.text) for note in chart(run).layout.annotations]
        bare = memviz.replay(
            talk(40), memviz.strategy("window", window_size=1), counter="chars4"
        )
        more = {
            turn: run.turns[turn - 1].total_tokens - bare.turns[turn - 1].total_tokens
            for turn in (4, 30)
        }
        assert labels == [
            (turn, f"<b>+{tokens:,} tokens recalled</b>")
            for turn, tokens in more.items()
        ]

    def test_none_means_no_mark(self) -> None:
        assert all(
            trace.marker.symbol != "triangle-down"
            for trace in chart(run_of("window")).data
        )


class TestLimits:
    @pytest.mark.parametrize(
        "id", ["summary_buffer", "chat_summary_buffer", "token_buffer"]
    )
    @given(messages=conversations(), plan=outcomes)
    def test_a_request_stands_above_its_line_exactly_when_it_is_over_its_limit(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        run = memviz.replay(
            messages,
            small(id),
            model=summarizer(plan),
            counter="chars4",
            system_prompt="Be brief.",
        )
        for line in limits_of(chart(run)):
            ceilings = dict(
                zip(line.x, line.y, strict=True)
            )  # of two at one request the one of what was sent
            for place, record in zip(places_of(run), run.requests, strict=True):
                assert bool(record.total_tokens > ceilings[place]) is (
                    "over_budget" in record.flags
                )

    @pytest.mark.parametrize(
        "system_prompt",
        [None, "Answer briefly, and always name the source of what you say."],
    )
    def test_the_sawtooth_crosses_its_line_exactly_where_it_is_summarized(
        self, system_prompt: str | None
    ) -> None:
        strategy = memviz.strategy("summary_buffer", max_token_limit=100)
        model = memviz.ScriptedModel(
            f"Summary number {number}, longer than the last one." * number
            for number in range(1, 99)
        )
        run = memviz.replay(
            talk(40),
            strategy,
            model=model,
            counter="o200k_base",
            system_prompt=system_prompt,
        )
        figure = chart(run)
        (line,), (drops,) = limits_of(figure), drops_of(figure)
        assert len(run.compactions) > 3
        peaks = [
            (drops.x[place], drops.y[place]) for place in range(0, len(drops.x), 3)
        ]
        assert all(
            peak > dict(zip(line.x[::-1], line.y[::-1], strict=True))[turn]
            for turn, peak in peaks
        )
        sent = dict(zip(line.x, line.y, strict=True))
        assert all(record.total_tokens <= sent[record.turn] for record in run.turns)
        assert max(record.total_tokens for record in run.turns) > 100, (
            "a line at 100 would be crossed without a mark"
        )

    def test_lines_are_thin_dashed_and_say_their_rule(self) -> None:
        figure = chart(run_of("buffer"), run_of("token_buffer", max_tokens=50))
        (line,), (label,) = limits_of(figure), figure.layout.annotations
        assert (line.line.color, line.line.dash, line.legendgroup) == (
            setting_color(1),
            "5px,4px",
            "1",
        )
        assert line.line.width < 2
        assert label.text.endswith("keeps messages to 50 tokens")
        assert label.y >= figure.layout.yaxis.domain[1], (
            "above the panel, on no line and no diamond"
        )
        assert (
            "keeps messages to 50 tokens<br>turn %{x:,}: a request of %{y:,} tokens"
            in line.hovertemplate
        )

    def test_behind_the_last_request_the_line_says_after_which_turn(self) -> None:
        run = run_of("summary_buffer", max_token_limit=20)
        (line,) = limits_of(chart(run))
        last = run.turns[-1].turn
        assert line.x[-1] == last + 0.5
        assert (
            f"after turn {last}: a request of %{{y:,}} tokens" in line.hovertemplate[-1]
        )
        assert "turn %{x:,}: " in line.hovertemplate[0]

    def test_of_a_hidden_setting_hides_and_one_far_above_everything_is_left_out(
        self,
    ) -> None:
        hidden = SettingRun(
            run_of("token_buffer", max_tokens=50), "hidden", 0, shown=False
        )
        figure = chart(hidden, run_of("token_buffer", max_tokens=5_000))
        assert [line.visible for line in limits_of(figure)] == ["legendonly"]
        assert figure.layout.annotations == ()

    def test_of_a_chat_that_was_given_another_setting_end_where_it_did(self) -> None:
        chat = memviz.Chat(
            memviz.strategy("token_buffer", max_tokens=50),
            model=memviz.ScriptedModel(["words " * 9] * 9),
        )
        for turn in range(9):
            if turn in (3, 6):
                chat.change_strategy(
                    memviz.strategy("token_buffer", max_tokens=90)
                    if turn == 3
                    else memviz.strategy("window")
                )
            chat.send(f"Question {turn}.")
        assert [list(line.x) for line in limits_of(chart(chat.run))] == [
            [1, 2, 3],
            [4, 5, 6],
        ]

    def test_several_are_named_in_one_row_by_their_values(self) -> None:
        figure = chart(
            *(run_of("token_buffer", max_tokens=tokens) for tokens in (50, 50, 52))
        )
        (label,) = figure.layout.annotations
        assert re.sub("<.+?>", "", label.text) == "limits: - - 50 - - 50 - - 52 tokens"


class TestPanels:
    """Settings far larger than the others stand in a strip of their own scale."""

    def test_the_far_larger_setting_has_a_strip_with_the_same_turns(self) -> None:
        figure = chart(
            run_of("buffer", messages=60),
            run_of("token_buffer", max_tokens=50, messages=60),
        )
        large, small = all_lines_of(figure)
        assert (large.yaxis, small.yaxis) == ("y2", None)
        assert large.xaxis == small.xaxis
        low, high = figure.layout.yaxis.domain
        assert high - low > 2 * (1 - figure.layout.yaxis2.domain[0]), (
            "two thirds of the height"
        )
        assert high < figure.layout.yaxis2.domain[0]
        assert figure.layout.yaxis2.title.text == "larger scale"
        assert (
            figure.layout.yaxis2.rangemode == figure.layout.yaxis.rangemode == "tozero"
        )

    def test_the_line_of_the_strip_is_named_at_its_end_and_not_in_the_legend(
        self,
    ) -> None:
        run = run_of("buffer", messages=60)
        figure = chart(
            SettingRun(run, MARKUP, 0),
            run_of("token_buffer", max_tokens=50, messages=60),
        )
        (label,) = [note for note in figure.layout.annotations if note.yref == "y2"]
        assert (label.x, label.y) == (run.turns[-1].turn, run.turns[-1].total_tokens)
        assert f"<b>{run.turns[-1].total_tokens:,}</b>" in label.text
        assert "<script>" not in label.text
        assert [trace.showlegend for trace in all_lines_of(figure)] == [False, None]

    def test_of_two_lines_that_end_at_one_place_the_legend_names_one(self) -> None:
        twins = [run_of("buffer", messages=60) for _ in range(2)]
        figure = chart(*twins, run_of("token_buffer", max_tokens=50, messages=60))
        assert [trace.yaxis for trace in all_lines_of(figure)] == ["y2", "y2", None]
        assert [trace.showlegend for trace in all_lines_of(figure)] == [
            False,
            None,
            None,
        ]

    def test_most_of_the_lines_have_half_the_height(self) -> None:
        figure = chart(
            run_of("buffer", messages=60),
            run_of("buffer", messages=58),
            run_of("token_buffer", max_tokens=50),
        )
        (_, top), (bottom, _) = figure.layout.yaxis.domain, figure.layout.yaxis2.domain
        assert 1 - bottom > 0.9 * top

    @pytest.mark.parametrize(
        "runs",
        [["buffer", "buffer"], ["buffer"], ["window", "summary"]],
        ids=["all grow", "one setting", "all bounded"],
    )
    def test_settings_of_one_size_share_one_panel(self, runs: list[str]) -> None:
        assert "yaxis2" not in chart(*map(run_of, runs)).layout.to_plotly_json()

    def test_a_hidden_setting_takes_no_strip(self) -> None:
        hidden = SettingRun(run_of("buffer", messages=60), "hidden", 0, shown=False)
        figure = chart(hidden, run_of("token_buffer", max_tokens=50, messages=60))
        assert "yaxis2" not in figure.layout.to_plotly_json()

    def test_marks_stand_in_the_panel_of_their_line(self) -> None:
        large = run_of("summary", messages=80, buffer_size=20)
        figure = chart(large, run_of("token_buffer", max_tokens=30, messages=80))
        assert {trace.yaxis for trace in figure.data if trace.legendgroup == "0"} == {
            "y2"
        }
        assert marks_of(figure)


class TestFigure:
    def test_axes_say_what_they_measure(self) -> None:
        layout = chart(run_of(), height=333).layout
        assert (layout.xaxis.title.text, layout.yaxis.title.text, layout.height) == (
            "turn",
            "tokens sent",
            333,
        )

    def test_marks_and_words_are_seen_from_afar(self) -> None:
        figure = chart(run_of())
        assert marks_of(figure)[0].marker.size >= 13
        assert drops_of(figure)[0].line.width >= 3
        layout = figure.layout
        for font in (
            layout.xaxis.tickfont,
            layout.yaxis.tickfont,
            layout.xaxis.title.font,
            layout.legend.font,
        ):
            assert font.size >= 13

    def test_has_a_legend_when_there_is_something_to_tell_apart(self) -> None:
        assert chart(run_of(), run_of("window")).layout.showlegend is True
        assert chart(run_of()).layout.showlegend is False

    def test_shows_every_turn_of_the_longest_run(self) -> None:
        low, high = chart(run_of(messages=4), run_of(messages=20)).layout.xaxis.range
        assert low < 1
        assert high > 10.5

    def test_nothing_in_it_is_markup(self) -> None:
        figure = chart(SettingRun(run_of_markup(), MARKUP, 0))
        words = [
            text for trace in figure.data for text in (trace.name, *(trace.text or ()))
        ]
        assert sum("alert(1)" in unescape(text) for text in words) > 10
        for text in words:
            assert not {"<", ">"} & set(OWN_TAGS.sub("", text))
            assert not re.search(r"<b>(fat|alert)", text)
        assert all(
            trace.hovertemplate is None and trace.texttemplate is None
            for trace in figure.data
        ), "%{x} is text"
        assert MARKUP in " ".join(unescape(OWN_TAGS.sub(" ", words[0])).split())

    @pytest.mark.parametrize(
        "runs", [[], [memviz.Chat(memviz.strategy("summary"), counter="chars4").run]]
    )
    def test_without_a_turn_is_empty(self, runs: list[memviz.Run]) -> None:
        assert all(len(trace.x) == 0 for trace in chart(*runs).data)


def test_where_a_chat_was_given_another_setting_there_is_a_line_that_names_it() -> None:
    chat = memviz.Chat(small("summary"))
    for strategy in (memviz.strategy("window"), small("summary")):
        for number in range(3):
            chat.send(f"Question {number}?")
        chat.change_strategy(strategy)
    figure = chart(chat.run)
    lines = [shape.x0 for shape in figure.layout.shapes if shape.line.dash == "dash"]
    assert lines == [3.5, 6.5]
    names = [note.text for note in figure.layout.annotations if note.text.endswith("→")]
    assert names == [
        f"{memviz.strategy('window').label} →",
        f"{small('summary').label} →",
    ]


def test_the_request_that_nobody_answered_is_a_hollow_point_behind_the_others() -> None:
    answered, waiting = talk(3), [*talk(3), memviz.Message("user", "Still there?")]
    runs = [
        memviz.replay(said, small("window"), counter="chars4")
        for said in (answered, waiting)
    ]
    figures = [chart(run) for run in runs]
    hollow = [
        [trace for trace in figure.data if trace.marker.symbol == "circle-open"]
        for figure in figures
    ]
    assert hollow[0] == []
    (point,) = hollow[1]
    pending = runs[1].pending
    assert pending is not None
    assert (list(point.x), list(point.y)) == (
        [len(runs[1].requests) + 1],
        [pending.total_tokens],
    )
    assert point.customdata is None, "it cannot be selected"
    assert "pending" in point.text[0]
    assert f"turn {pending.turn}:" in point.text[0]
    assert figures[1].layout.xaxis.range[1] == figures[0].layout.xaxis.range[1] + 1
    assert lines_of(figures[1])[0].y.tolist() == lines_of(figures[0])[0].y.tolist()
