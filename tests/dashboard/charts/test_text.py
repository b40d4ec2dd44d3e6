"""Text in figures stays text."""

from __future__ import annotations

from memviz.dashboard.charts.text import LEGEND_CHARS, MOST_LINES, escaped, legend_name


def test_markup_is_escaped_and_quotes_are_not() -> None:
    assert (
        escaped("<b>a</b> & &amp; \"b\" 'c'")
        == "&lt;b&gt;a&lt;/b&gt; &amp; &amp;amp; \"b\" 'c'"
    )


def test_a_name_in_a_legend_takes_as_many_lines_as_it_needs() -> None:
    label = "Summary only · 21 messages · 5 calls · reflective thinking on · 5 rounds · <12,000 tokens>"
    lines = legend_name(label).split("<br>")
    assert " ".join(lines) == escaped(label)
    assert len(lines) == 3
    assert legend_name("Full buffer") == "Full buffer"
    endless = legend_name("word " * 400).split("<br>")
    assert len(endless) == MOST_LINES
    assert max(map(len, endless)) <= LEGEND_CHARS
    assert endless[-1].endswith("…")
