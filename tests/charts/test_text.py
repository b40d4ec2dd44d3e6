"""Text in figures stays text."""

from __future__ import annotations

from memviz.charts.text import escaped


def test_markup_is_escaped_and_quotes_are_not() -> None:
    assert escaped("<b>a</b> & &amp; \"b\" 'c'") == "&lt;b&gt;a&lt;/b&gt; &amp; &amp;amp; \"b\" 'c'"
