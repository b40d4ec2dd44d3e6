"""Notes on a drawing: bold, slanted and coloured text, and nothing else of HTML."""

from __future__ import annotations

from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.svg.notes import draw_text, plain_lines

HOSTILE = "</text><script>alert(1)</script> \"'><img src=x onerror=alert(2)> &lt;b&gt;"


def test_a_note_keeps_its_looks() -> None:
    svg = draw_text(
        '<span style="color:#000001"><b>━</b></span> Window <b>1,200</b><br><i>limit</i>',
        10,
        20,
    )
    assert '<tspan fill="var(--setting-0)" font-weight="700">━</tspan>' in svg
    assert '<tspan font-weight="700">1,200</tspan>' in svg
    assert '<tspan font-style="italic">limit</tspan>' in svg
    assert svg.count('x="10.0"') == 2, "two rows"


def test_what_somebody_wrote_stays_text() -> None:
    svg = draw_text(
        f"<b>{escape_text(HOSTILE)}</b>", 0, 0, tip=plain_lines(escape_text(HOSTILE))
    )
    assert "<script" not in svg
    assert "<img" not in svg
    assert svg.count("&lt;script&gt;alert(1)") == 2
    assert "&amp;lt;b&amp;gt;" in svg


def test_a_tooltip_has_lines_and_no_tags() -> None:
    words = f"<b>a &lt; b</b><br>{escape_text('<i>x</i>')}<extra></extra>"
    assert plain_lines(words) == "a < b\n<i>x</i>"
