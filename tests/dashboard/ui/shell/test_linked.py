"""What a link may ask a control for."""

from __future__ import annotations

from memviz.dashboard.ui.shell.linked import parse_number, parse_range
from tests.tables import for_each


@for_each(
    ("text", "found"),
    [
        ('["2", "5"]', (2, 5)),
        ('["5", "2"]', None),
        ('["2"]', None),
        ('["0", "5"]', None),
        ('["2", "5", "7"]', None),
        ("2", None),
        ("[" * 3000, None),
    ],
)
def test_a_part_of_a_range_has_two_ends_within_it(
    text: str, found: tuple[int, int] | None
) -> None:
    assert parse_range(text, range(1, 10)) == found


@for_each(
    ("text", "found"),
    [
        ("0.25", 0.25),
        ("2", 2.0),
        ("-1", None),
        ("1e400", None),
        ("nan", None),
        ("<b>", None),
    ],
)
def test_a_number_lies_within_its_bounds(text: str, found: float | None) -> None:
    assert parse_number(text, 10.0) == found
