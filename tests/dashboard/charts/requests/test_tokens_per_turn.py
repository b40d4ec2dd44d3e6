"""The chart of tokens per turn: every number on it is the run's own, and nothing on it is markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
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
    SettingRun,
    setting_color,
    setting_dash,
)
from memviz.dashboard.charts.requests.line_ends import CHAR_PIXELS
from memviz.dashboard.charts.requests.token_axis import find_far_larger
from memviz.dashboard.charts.requests.tokens_per_turn import (
    MAX_CLICKABLE,
    tokens_per_turn,
)
from memviz.dashboard.words.compactions import compaction_words, simplify_twofold_limit
from memviz.metrics.summaries.events import count_request_sizes
from tests.dashboard.charts.runs import MARKUP, run_of, run_of_markup
from tests.engine.probes import REPRESENTATIVES, small, talk
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

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
    """The settings' lines."""
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
    @given(messages=conversations(), plan=outcomes)
    @for_each("id", REPRESENTATIVES)
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
            tokens_per_turn([SettingRun(run, "a", 4), SettingRun(run, "b", 1)])
        )
        assert [setting.line.color for setting in settings] == [
            setting_color(4),
            setting_color(1),
        ]
        assert [setting.line.dash for setting in settings] == [
            setting_dash(4),
            setting_dash(1),
        ]
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

    @for_each(("turns", "mode"), [(0, "lines+markers"), (1, "lines")])
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
            assert simplify_twofold_limit(compaction.reason) in words.why
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
            max(count_request_sizes(one, run)) for one in run.compactions
        ]
        assert np.isnan(drops.y.reshape(-1, 3)[:, 2]).all(), "one stroke a mark"

    def test_after_the_last_request_stands_behind_it(self) -> None:
        run = run_of(messages=8)
        assert [record.turn for record in run.turns if record.compactions] == [3]
        (marks,) = marks_of(chart(run))
        assert marks.x.tolist() == [3, 4.5]
        assert (
            marks.y.tolist()[1]
            == count_request_sizes(run.compactions[1], run).after_tokens
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
            [SettingRun(run_of(), "a", 0), SettingRun(run_of(), "b", 1)]
        )
        groups = [trace.legendgroup for trace in figure.data]
        assert sorted(groups) == ["0"] * 3 + ["1"] * 3

    def test_what_was_dropped_without_a_summarizer_has_none(self) -> None:
        run = memviz.replay(
            run_of().log, small("chat_summary_buffer"), model=None, counter="chars4"
        )
        assert run.compactions
        assert marks_of(chart(run)) == []


class TestRecalls:
    def test_what_a_strategy_looks_up_by_itself_is_no_recall(self) -> None:
        messages = [
            memviz.Message(role, f"Rain in Lisbon {number}.")
            for number in range(8)
            for role in ("user", "assistant")
        ]
        recalls = {8: memviz.Recall(turns=[1])}
        run = memviz.replay(
            messages,
            memviz.strategy("retrieval", top_k=1, newest_messages=1),
            counter="chars4",
            recalls=recalls,
        )
        assert len(run.requests.numbers_with_recalls()) > 4
        (marks,) = [
            trace
            for trace in chart(SettingRun(run, "", 0)).data
            if trace.marker.symbol == "triangle-down"
        ]
        assert marks.x.tolist() == [8]

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
        figure = chart(run)
        labels = [(note.x, note.text) for note in figure.layout.annotations]
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
        assert all(
            (note.yref, note.y) == ("paper", 1) for note in figure.layout.annotations
        ), "above the picture, over no line"

    def test_none_means_no_mark(self) -> None:
        assert all(
            trace.marker.symbol != "triangle-down"
            for trace in chart(run_of("window")).data
        )


def names_of(figure: go.Figure) -> list[str]:
    """The names at the ends of the lines, without their colours."""
    return [
        re.sub("<br>", "\n", note.text).partition("</span> ")[2]
        for note in figure.layout.annotations
        if note.xref == "paper"
    ]


class TestLimits:
    """A bracket behind the last request, over what the limit counts."""

    @given(messages=conversations(), plan=outcomes)
    @for_each("id", ["summary_buffer", "chat_summary_buffer", "token_buffer"])
    def test_a_bracket_is_as_high_as_its_limit_and_stands_on_what_it_does_not_count(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        run = memviz.replay(
            messages,
            small(id),
            model=summarizer(plan),
            counter="chars4",
            system_prompt="Be brief.",
        )
        limit = run.strategy.budget_tokens
        assert limit is not None
        for bracket in limits_of(chart(run)):
            low, high = min(bracket.y), max(bracket.y)
            last = run.requests[-1]
            assert high - low == limit
            assert low == last.total_tokens - run.strategy.counted_tokens(last.tokens)
            assert bool(last.total_tokens > high) is ("over_budget" in last.flags)
            assert min(bracket.x) > places_of(run)[-1], "behind all requests"

    def test_it_has_the_colour_of_its_setting_and_says_its_rule(self) -> None:
        figure = chart(run_of("buffer"), run_of("token_buffer", max_tokens=50))
        (bracket,) = limits_of(figure)
        assert bracket.line.color == setting_color(1)
        assert "keeps messages to 50 tokens<br>a request of " in bracket.hovertemplate
        assert any(name.endswith("\nlimit 50 of messages") for name in names_of(figure))

    def test_a_word_stands_above_it_behind_all_data(self) -> None:
        run = run_of("token_buffer", max_tokens=50)
        figure = chart(run_of("buffer"), run)
        (bracket,) = limits_of(figure)
        (word,) = [one for one in figure.layout.annotations if one.text == "limit"]
        assert (word.y, word.yanchor) == (max(bracket.y), "bottom")
        assert word.x == np.mean(bracket.x) > places_of(run)[-1]
        twice = chart(run, run_of("token_buffer", max_tokens=51))
        words = [one for one in twice.layout.annotations if one.text == "limit"]
        assert len(words) == 1, "two would lie on each other"

    def test_one_far_above_everything_is_said_in_words_alone(self) -> None:
        figure = chart(run_of("token_buffer", max_tokens=5_000), run_of("window"))
        assert limits_of(figure) == []
        assert any(
            "limit 5,000 of messages" in name.replace("\n", " ")
            for name in names_of(figure)
        )
        assert figure.layout.yaxis.range[1] < 1_000

    def test_of_a_chat_that_was_given_another_setting_it_is_that_of_the_last(
        self,
    ) -> None:
        chat = memviz.Chat(
            memviz.strategy("token_buffer", max_tokens=50),
            model=memviz.ScriptedModel(["words " * 9] * 9),
        )
        heights = []
        for tokens in (90, None):
            for _ in range(4):
                chat.send("A question.")
            (bracket,) = limits_of(chart(chat.run))
            heights.append(max(bracket.y) - min(bracket.y))
            if tokens:
                chat.change_strategy(memviz.strategy("token_buffer", max_tokens=tokens))
        assert heights == [50, 90]


def labelled(id: str, number: int, messages: int = 60, **parameters: Any) -> SettingRun:
    run = run_of(id, messages=messages, **parameters)
    return SettingRun(run, run.strategy.label, number)


class TestNames:
    """Each line is named at its end, in the margin, and lies on the one scale."""

    def test_with_the_tokens_of_the_last_request(self) -> None:
        settings = [labelled("buffer", 0), labelled("window", 1)]
        last = [setting.run.requests[-1].total_tokens for setting in settings]
        assert sorted(names_of(chart(*settings))) == [
            f"Full buffer <b>{last[0]:,}</b>",
            f"Sliding window <b>{last[1]:,}</b>\n10 messages",
        ]

    def test_and_their_parameters(self) -> None:
        settings = [labelled("window", n, window_size=n + 1) for n in (0, 1)]
        names = names_of(chart(*settings))
        assert {name.partition("\n")[2] for name in names} == {
            "1 message",
            "2 messages",
        }

    def test_one_alone_is_named_beside_the_chart(self) -> None:
        assert names_of(chart(labelled("buffer", 0))) == []

    def test_none_lies_on_another(self) -> None:
        figure = chart(*(labelled("buffer", number) for number in range(6)))
        height = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
        top = figure.layout.yaxis.range[1]
        middles = sorted(
            note.y / top * height + note.yshift for note in figure.layout.annotations
        )
        gaps = np.diff(middles)
        assert len(gaps) == 5
        assert min(gaps) >= 16

    def test_all_stand_within_the_picture_and_no_parameter_is_cut(self) -> None:
        names = ("Full buffer", "Hand-off · 4,000 tokens · opaque 800 tokens")
        figure = chart(
            *(SettingRun(run_of("buffer"), one, n) for n, one in enumerate(names))
        )
        layout = figure.layout
        height = layout.height - layout.margin.t - layout.margin.b
        for note in layout.annotations:
            middle = note.y / layout.yaxis.range[1] * height + note.yshift
            half = 19 * (1 + note.text.count("<br>")) / 2
            assert middle + half <= height + 10
        hand_off = next(one.text for one in layout.annotations if "Hand" in one.text)
        assert hand_off.split("<br>")[1:] == ["4,000 tokens", "opaque 800 tokens"]

    def test_their_margin_has_room_for_the_longest_and_nothing_covers_the_lines(
        self,
    ) -> None:
        narrow = chart(labelled("buffer", 0), labelled("window", 1))
        wide = chart(
            labelled("buffer", 0), labelled("chat_summary_buffer", 1, token_limit=90)
        )
        assert wide.layout.margin.r > narrow.layout.margin.r > 100
        names = [note for note in wide.layout.annotations if note.text != "limit"]
        assert len(names) == 2
        assert {note.x for note in names} == {1}
        assert {note.xanchor for note in wide.layout.annotations} == {"left"}

    def test_their_margin_has_room_for_chinese_characters(self) -> None:
        latin, chinese = (
            chart(*(SettingRun(run_of("buffer"), 20 * letter, n) for n in (0, 1)))
            for letter in ("a", "记")
        )
        letters_pixels = chinese.layout.margin.r - latin.layout.margin.r
        assert letters_pixels == 20 * CHAR_PIXELS, "as wide as two letters"

    def test_are_text(self) -> None:
        figure = chart(
            SettingRun(run_of("buffer"), MARKUP, 0),
            SettingRun(run_of("window"), "b", 1),
        )
        assert "<script>" not in "".join(
            note.text for note in figure.layout.annotations
        )


class TestScale:
    def test_all_settings_stand_on_one_scale(self) -> None:
        figure = chart(
            labelled("buffer", 0), labelled("token_buffer", 1, max_tokens=50)
        )
        assert {trace.yaxis for trace in figure.data} == {None}
        largest = max(max(line.y) for line in lines_of(figure))
        assert largest <= figure.layout.yaxis.range[1] < 1.1 * largest
        assert figure.layout.yaxis.range[0] == 0

    def test_magnified_the_far_larger_line_leaves_the_picture_and_says_so(self) -> None:
        settings = [labelled("buffer", 0), labelled("token_buffer", 1, max_tokens=50)]
        whole, magnified = chart(*settings), chart(*settings, magnified=True)
        small = max(lines_of(whole)[1].y)
        assert small < magnified.layout.yaxis.range[1] < 2 * small
        assert lines_of(magnified)[0].y.tolist() == lines_of(whole)[0].y.tolist()
        (above,) = [name for name in names_of(magnified) if name.endswith("↑")]
        assert above.startswith("Full buffer")

    @for_each("ids", [["buffer"], ["window", "summary"]])
    def test_settings_of_one_size_have_nothing_to_magnify(self, ids: list[str]) -> None:
        settings = [labelled(id, number) for number, id in enumerate(ids)]
        assert not find_far_larger(settings)
        assert (
            chart(*settings, magnified=True).layout.yaxis.range
            == chart(*settings).layout.yaxis.range
        )


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
        ):
            assert font.size >= 13

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

    @for_each(
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
    assert "another summary" not in point.text[0]
    assert f"turn {pending.turn}:" in point.text[0]
    unpaid = replace(runs[1], pending=replace(pending, flags=("summary_not_asked",)))
    (point,) = [
        trace for trace in chart(unpaid).data if trace.marker.symbol == "circle-open"
    ]
    assert "It would be sent with another summary" in point.text[0]
    assert figures[1].layout.xaxis.range[1] == figures[0].layout.xaxis.range[1] + 1
    assert lines_of(figures[1])[0].y.tolist() == lines_of(figures[0])[0].y.tolist()


def test_a_name_counts_the_summaries_that_the_diamonds_are() -> None:
    written = memviz.replay(talk(20), small("summary"), counter="chars4")
    never = memviz.replay(talk(20), small("window"), counter="chars4")
    count = sum(one.summary is not None for one in written.compactions)
    assert count > 1
    settings = [SettingRun(written, "one", 0), SettingRun(never, "two", 1)]
    names = [note.text for note in tokens_per_turn(settings).layout.annotations]
    told = [text for text in names if text.endswith(f" {count} summarizations")]
    assert len(told) == 1
    assert "one" in told[0]
    assert sum("◆" in text for text in names) == 1


def named_rows(*runs: memviz.Run) -> list[str]:
    """The names of lines with their settings' labels, in a picture that is too low for all rows."""
    settings = [
        SettingRun(run, run.strategy.label, number) for number, run in enumerate(runs)
    ]
    figure = tokens_per_turn(settings, height=100)
    return [note.text for note in figure.layout.annotations if "━" in note.text]


def test_crowded_names_say_what_tells_them_apart() -> None:
    sizes = {"trigger_tokens": 60, "opaque_tokens": 25}
    ten = run_of("hand_off", **sizes, keep_user_tokens=10)
    twenty = run_of("hand_off", **sizes, keep_user_tokens=20)
    (low, high), (alone, _other) = (
        named_rows(ten, twenty),
        named_rows(run_of("buffer"), ten),
    )
    assert low.endswith("<br>keep user 10 tokens")
    assert high.endswith("<br>keep user 20 tokens")
    assert alone.endswith("<br>60 tokens")
    assert {text.count("<br>") for text in (low, high, alone)} == {1}


def test_many_rows_of_names_keep_their_distance_in_a_lower_picture() -> None:
    hand_off = run_of("hand_off", trigger_tokens=60, keep_user_tokens=20)
    facts = run_of("fifo_facts", token_limit=60)
    figure = chart(hand_off, facts, run_of("summary"), height=200)
    names = [note for note in figure.layout.annotations if note.xref == "paper"]
    assert {name.yref for name in names} == {"paper"}
    names.sort(key=lambda name: name.yshift)
    for low, high in pairwise(names):
        rows = [len(name.text.split("<br>")) for name in (low, high)]
        assert high.yshift - low.yshift >= 17 * sum(rows) / 2
