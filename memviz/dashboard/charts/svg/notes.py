"""Text on a drawing: the little HTML that Plotly reads in notes, ticks and tooltips, as SVG or as plain lines.

Text of users stands in it escaped, so what is still a tag here was written by memviz.
"""

from __future__ import annotations

import re
from html import unescape

from markupsafe import Markup

from memviz.dashboard.charts.palette import NOTE_PIXELS
from memviz.dashboard.charts.svg.attributes import lengths, paint
from memviz.dashboard.markup import element, joined

_BREAK = re.compile(r"<br\s*/?>")
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>b|i|span)(?: style=\"color:(?P<color>[^\"]*)\")?>"
)
"""``<b>``, ``</b>``, ``<i>`` or ``<span style="color:#000001">``."""
_LOOKS = {"b": {"font_weight": "700"}, "i": {"font_style": "italic"}}
"""The attributes of what stands in these tags; a ``span`` gives it a colour."""
_ANY_TAG = re.compile(r"</?\w[^>]*>")
ROW_EM = 1.28
"""From one row of a note to the next, in the size of its letters."""
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def plain_lines(text: str) -> str:
    """Return the text without its tags: ``<b>a &lt; b</b><br>c`` becomes ``a < b`` and ``c`` on a line of its own."""
    return unescape(_ANY_TAG.sub("", _BREAK.sub("\n", text)))


def draw_text(
    text: str,
    x: float,
    y: float,
    *,
    anchor: str = "left",
    valign: str = "bottom",
    size: float = NOTE_PIXELS,
    color: str = "",
    backing: str = "",
    turned: bool = False,
    tip: str = "",
) -> Markup:
    """Return the text at a place: it begins there for the ``anchor`` left, and stands on it for the ``valign`` bottom.
    ``backing`` is a colour behind its letters; ``turned``: it is read from below."""
    rows = _BREAK.split(text)
    row_pixels = ROW_EM * size
    above = {"bottom": len(rows), "middle": len(rows) / 2, "top": 0}[valign]
    baseline = y - above * row_pixels + 0.98 * size
    lines = []
    for number, row in enumerate(rows):
        line_y = baseline + number * row_pixels
        lines.append(element("tspan", _style_row(row), **lengths(x=x, y=line_y)))
    style = f"font-size:{size:g}px"
    if backing:
        style += f";paint-order:stroke;stroke:{backing};stroke-width:7px;stroke-linejoin:round"
    return element(
        "text",
        joined(lines),
        text_anchor=_ANCHORS[anchor],
        fill=paint(color) if color else "",
        style=style,
        transform=f"rotate(-90 {x:.1f} {y:.1f})" if turned else "",
        data_tip=tip,
    )


def _style_row(row: str) -> Markup:
    """Return one row with its bold, slanted and coloured parts."""
    html = Markup()
    looks: list[dict[str, str]] = []
    position = 0
    for tag in _TAG.finditer(row):
        html += _part(row[position : tag.start()], looks)
        position = tag.end()
        if tag["close"]:
            looks = looks[:-1]
        else:
            look = _LOOKS.get(tag["name"]) or {"fill": paint(tag["color"] or "")}
            looks = [*looks, look]
    return html + _part(row[position:], looks)


def _part(text: str, looks: list[dict[str, str]]) -> Markup:
    """Return a text in the looks of all tags that are open around it."""
    styles: dict[str, str] = {}
    for look in looks:
        styles |= look
    words = unescape(text)
    return element("tspan", words, **styles) if styles and words else joined([words])
