"""How many things stand side by side."""

from __future__ import annotations

from memviz.dashboard.ui.controls.pictures import cells_a_row


def test_rows_are_of_one_length_where_that_is_possible() -> None:
    assert [cells_a_row(count) for count in range(1, 8)] == [1, 2, 3, 2, 3, 3, 4]


def test_nothing_stands_alone_on_its_row() -> None:
    assert all(count % cells_a_row(count) != 1 for count in range(2, 8))
