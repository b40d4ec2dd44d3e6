"""What a strategy makes of a conversation: all that was said, coloured by what became of it, above what was sent."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from memviz.core.text.wording import counted, message_number
from memviz.dashboard.charts.figure import figure
from memviz.dashboard.charts.palette import PART_COLORS, SHORTENED_COLOR, faded
from memviz.dashboard.charts.text import escaped
from memviz.metrics.requests.message_words import message_words
from memviz.metrics.requests.said_and_sent import Looks, SaidAndSent, Stretch

COLORS: dict[Looks, str] = {
    "system": PART_COLORS["system"],
    "summary": PART_COLORS["summary"],
    "history": PART_COLORS["history"],
    "recalled": PART_COLORS["recalled"],
    "shortened": SHORTENED_COLOR,
    "cleared": faded(PART_COLORS["tools"], 0.5),
    "dropped": faded(PART_COLORS["system"], 0.3),
    "input": PART_COLORS["input"],
    "tools": PART_COLORS["tools"],
    "names": PART_COLORS["names"],
    "overhead": PART_COLORS["overhead"],
}
"""The colours of parts and fates on all charts; what is dropped is seen here without the grid of a map around it."""
TITLES: dict[Looks, str] = {
    "system": "System prompt",
    "summary": "Summary, and what it replaces",
    "history": "Word for word",
    "recalled": "Recalled",
    "shortened": "Shortened",
    "cleared": "Sent as a placeholder",
    "dropped": "Not sent",
    "input": "Input",
    "tools": "Tools",
    "names": "Names",
    "overhead": "Format overhead",
}
SAID, SENT = "said so far", "sent now"
PALE = 0.72
"""Of replies, so that one sees where a message ends."""
FIRST_WORDS_CHARS, CHARS_A_LINE = 160, 60
HEIGHT_PIXELS = 260
GAP = 0.36
"""Between the two bars, as a share of their distance."""
FUNNEL_OPACITY = 0.16


def said_and_sent_figure(picture: SaidAndSent) -> go.Figure:
    """Two bars on one scale of tokens: the messages until this request, and the request."""
    rows = ((SENT, picture.sent), (SAID, picture.said))
    used = [
        looks
        for looks in COLORS
        if any(one.looks == looks for _, stretches in rows for one in stretches)
    ]
    return figure(
        [
            _bars(
                picture,
                looks,
                [
                    (row, one)
                    for row, stretches in rows
                    for one in stretches
                    if one.looks == looks
                ],
            )
            for looks in used
        ],
        {
            "barmode": "overlay",
            "bargap": GAP,
            "height": HEIGHT_PIXELS,
            "uirevision": "said-and-sent",
            "xaxis": {
                "title": {"text": "tokens", "standoff": 4},
                "tickformat": ",d",
                "rangemode": "tozero",
            },
            "yaxis": {
                "categoryorder": "array",
                "categoryarray": [SENT, SAID],
                "fixedrange": True,
            },
            "legend": {
                "orientation": "h",
                "yanchor": "top",
                "y": -0.36,
                "x": 0,
                "traceorder": "normal",
            },
            "margin": {"l": 80, "r": 10, "t": 10, "b": 40},
            "hovermode": "closest",
            "shapes": _funnel(picture),
        },
    )


def opacity_of(picture: SaidAndSent, stretch: Stretch) -> float:
    """How strongly a stretch is drawn: what the user said in full, answers paler."""
    if stretch.position is None:
        return 1.0
    return 1.0 if picture.run.log[stretch.position].role == "user" else PALE


def stretch_words(picture: SaidAndSent, stretch: Stretch) -> str:
    """What a stretch is, in one line."""
    what = TITLES[stretch.looks].lower()
    if stretch.position is None:
        return f"{TITLES[stretch.looks].partition(',')[0]}: {counted(stretch.tokens, 'token')}"
    role = picture.run.log[stretch.position].role
    what = "replaced by a summary" if stretch.looks == "summary" else what
    return f"Message {message_number(stretch.position):,} ({role}), {counted(stretch.tokens, 'token')}: {what}"


def _funnel(picture: SaidAndSent) -> list[dict[str, Any]]:
    """From what was summarized to its summary. Rows are numbered from 0, at the bottom."""
    if picture.folded is None:
        return []
    said, sent = picture.folded
    top, bottom = 0.5 + GAP / 2, 0.5 - GAP / 2
    path = f"M {said.start},{top} L {said.stop},{top} L {sent.stop},{bottom} L {sent.start},{bottom} Z"
    color = faded(PART_COLORS["summary"], FUNNEL_OPACITY)
    return [
        {
            "type": "path",
            "path": path,
            "fillcolor": color,
            "line": {"width": 0},
            "layer": "below",
        }
    ]


def _bars(
    picture: SaidAndSent, looks: Looks, stretches: Iterable[tuple[str, Stretch]]
) -> dict[str, Any]:
    placed = list(stretches)
    return {
        "type": "bar",
        "orientation": "h",
        "name": TITLES[looks],
        "y": [row for row, _ in placed],
        "x": [one.tokens for _, one in placed],
        "base": [one.start for _, one in placed],
        "marker": {
            "color": COLORS[looks],
            "opacity": [opacity_of(picture, one) for _, one in placed],
            "line": {"width": 0},
        },
        "text": [_tooltip(picture, one) for _, one in placed],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def _tooltip(picture: SaidAndSent, stretch: Stretch) -> str:
    words = f"<b>{escaped(stretch_words(picture, stretch))}</b>"
    if stretch.position is None:
        return words
    first = " ".join(message_words(picture.run.log[stretch.position]).split())[
        :FIRST_WORDS_CHARS
    ]
    return (
        words
        + "<br>"
        + "<br>".join(escaped(line) for line in wrap(first, CHARS_A_LINE))
    )
