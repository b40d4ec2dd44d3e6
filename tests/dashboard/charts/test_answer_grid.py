"""The grid of right answers, and the map of one fact by its place and the size of the request."""

from __future__ import annotations

import numpy as np

from memviz.dashboard.charts.answer_grid import (
    GridCell,
    GridRow,
    answer_grid,
    grid_finding,
)
from memviz.dashboard.charts.needle_map import NeedleAnswer, needle_finding, needle_map

COLUMNS = ("Held", "Model")
ROWS = [
    GridRow("a", "What is a?", (GridCell(True, "yes"), GridCell(False, "<no>"))),
    GridRow("b", "What is b?", (GridCell(True, "yes"), GridCell(True, "b"))),
]
ANSWERS = [
    NeedleAnswer(500, 0, "Where?", "There <b>", True),
    NeedleAnswer(500, 0, "When?", "Never", False),
    NeedleAnswer(1000, 50, "Where?", "Nowhere", False),
    NeedleAnswer(1000, 50, "When?", "Never", False),
]


def test_marks_differ_in_shape_and_columns_are_counted() -> None:
    figure = answer_grid("Title", COLUMNS, ROWS)
    (points,) = figure.data
    assert list(points.marker.symbol) == ["circle", "x-thin-open", "circle", "circle"]
    assert (list(points.x), list(points.y)) == ([0, 1, 0, 1], [0, 0, 1, 1])
    heads = figure.layout.xaxis.ticktext
    assert ["2 of 2" in heads[0], "1 of 2" in heads[1]] == [True, True]
    assert "&lt;no&gt;" in points.text[1]
    assert "What is a?" in points.text[1]


def test_the_finding_counts_each_column() -> None:
    assert grid_finding(COLUMNS, ROWS) == "Held: 2 of 2; Model: 1 of 2"


def test_a_cell_has_the_share_of_right_answers_and_says_how_many() -> None:
    cells, points = needle_map(ANSWERS, "Small").data
    np.testing.assert_equal(cells.z, [[0.5, np.nan], [np.nan, 0]])
    assert list(points.text) == ["1", "0"]
    assert (list(points.x), list(points.y)) == ([0, 1], [0, 1])


def test_a_tooltip_has_every_question_with_its_answer_and_mark() -> None:
    tooltip = needle_map(ANSWERS, "Small").data[1].hovertext[0]
    assert "✓ Where?" in tooltip
    assert "There &lt;b&gt;" in tooltip
    assert "✗ When?" in tooltip


def test_axes_say_what_they_count_and_in_what() -> None:
    layout = needle_map(ANSWERS, "Small").layout
    assert "%" in layout.xaxis.title.text
    assert "tokens" in layout.yaxis.title.text
    assert list(layout.yaxis.ticktext) == ["500", "1,000"]


def test_letters_are_read_on_their_cell() -> None:
    colors = needle_map(ANSWERS, "Small").data[1].textfont.color
    assert list(colors) == ["#000000", "#FFFFFF"]


def test_the_finding_counts_by_length() -> None:
    words = needle_finding(ANSWERS, "Small")
    assert "1 of 4" in words
    assert "0/2 at 1,000" in words
