"""Where a chat was given another setting: names that do not lie on each other, the legend or the edge."""

from __future__ import annotations

import memviz
from memviz import Chat, ScriptedModel
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.marks_above import MOST_ROWS, setting_marks
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.metrics.requests.request_axis import make_axis

WINDOW, SUMMARY = (
    memviz.strategy("window", window_size=10),
    memviz.strategy("summary", buffer_size=2),
)


def chat_of(*turns: int) -> Chat:
    chat = Chat(
        WINDOW,
        model=ScriptedModel(f"answer {n}" for n in range(99)),
        summarizer="offline",
    )
    for number, count in enumerate(turns):
        if number:
            chat.change_strategy((WINDOW, SUMMARY)[number % 2])
        for _ in range(count):
            chat.send("And now?")
    return chat


def test_names_of_neighbouring_switches_stand_in_rows() -> None:
    run = chat_of(6, 1, 1).run
    marks = setting_marks(run, make_axis([run]))
    assert sorted(line["x0"] for line in marks.lines) == [6.5, 7.5]
    assert (len({label["yshift"] for label in marks.names}), marks.rows) == (2, 2)


def test_no_more_rows_than_there_is_room_for() -> None:
    run = chat_of(9, 1, 1, 1, 1, 1).run
    marks = setting_marks(run, make_axis([run]))
    assert (len(marks.lines), marks.rows) == (5, MOST_ROWS)


def test_the_picture_begins_below_the_names() -> None:
    runs = [chat_of(8, 1).run, chat_of(9).run]
    two, plain = (
        tokens_per_turn([SettingRun(run, "", 0), SettingRun(runs[1], "", 1)]).layout
        for run in runs
    )
    assert two.margin.t > plain.margin.t


def test_what_was_recalled_into_the_last_turn_is_not_cut_at_the_edge() -> None:
    chat = chat_of(8)
    chat.recall(turns=[1])
    chat.send("And now?")
    chat.recall(turns=[1])
    labels = tokens_per_turn([SettingRun(chat.run, "", 0)]).layout.annotations
    (recalled,) = [label for label in labels if "recalled" in label.text]
    assert (recalled.x, recalled.xanchor) == (9, "right")
