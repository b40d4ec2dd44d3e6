"""The words that pages, charts and the stage share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.words import shorten
from tests.tables import for_each


@for_each(
    ("text", "chars", "short"),
    [
        ("", 5, ""),
        ("exact", 5, "exact"),
        ("longer", 5, "long…"),
        ("two\n  lines\tand more", 9, "two line…"),
        ("  a  ", 1, "a"),
        ("搬家搬家", 3, "搬家…"),
        ("**b**", 9, "**b**"),
    ],
)
def test_shorten(text: str, chars: int, short: str) -> None:
    assert shorten(text, chars) == short


@given(st.text(), st.integers(1, 30))
def test_shorten_is_never_longer(text: str, chars: int) -> None:
    assert len(shorten(text, chars)) <= chars
