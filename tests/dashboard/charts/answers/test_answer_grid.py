"""The grid of right answers."""

from __future__ import annotations

from memviz.dashboard.charts.answers.answer_grid import (
    GridCell,
    GridRow,
    answer_grid,
    grid_finding,
)

COLUMNS = ("Held", "Model")
ROWS = [
    GridRow("a", "What is a?", (GridCell(True, "yes"), GridCell(False, "<no>"))),
    GridRow("b", "What is b?", (GridCell(True, "yes"), GridCell(True, "b"))),
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
