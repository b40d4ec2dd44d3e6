"""A conversation under a strategy: all that was said, coloured by what became of it, above what was sent."""

from collections.abc import Sequence
from textwrap import wrap

import plotly.graph_objects as go

from memviz.core.text.wording import counted, message_number
from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text, figure
from memviz.dashboard.charts.grammar import BELOW, Part, bars
from memviz.dashboard.charts.palette import (
    OPAQUE_COLOR,
    PART_COLORS,
    SHORTENED_COLOR,
    fade_color,
)
from memviz.dashboard.words.requests import message_words, role_name
from memviz.metrics.requests.message_text import Looks, SaidAndSent, Stretch

COLORS: dict[Looks, str] = {
    "system": PART_COLORS["system"],
    "summary": PART_COLORS["summary"],
    "history": PART_COLORS["history"],
    "recalled": PART_COLORS["recalled"],
    "shortened": SHORTENED_COLOR,
    "cleared": fade_color(PART_COLORS["tools"], 0.5),
    "opaque": OPAQUE_COLOR,
    "dropped": fade_color(PART_COLORS["system"], 0.3),
    "input": PART_COLORS["input"],
    "tools": PART_COLORS["tools"],
    "names": PART_COLORS["names"],
    "overhead": PART_COLORS["overhead"],
}
"""The colours of parts and fates on all charts; what is dropped is seen here without the grid of a map around it."""
TITLES: dict[Looks, str] = {
    "system": noop("System prompt"),
    "summary": noop("Summary, and what it replaces"),
    "history": noop("Word for word"),
    "recalled": noop("Recalled"),
    "shortened": noop("Shortened"),
    "cleared": noop("Sent as a placeholder"),
    "opaque": noop("Opaque"),
    "dropped": noop("Not sent"),
    "input": noop("Input"),
    "tools": noop("Tools"),
    "names": noop("Names"),
    "overhead": noop("Format overhead"),
}
SAID = noop("said so far")
SENT = noop("sent now")
PALE = 0.72
"""The opacity of replies, so that one sees where a message ends."""
FIRST_WORDS_CHARS = 160
CHARS_A_LINE = 60
GAP = 0.36
"""Between the two bars, as a share of their distance."""
FUNNEL_OPACITY = 0.16
_LAYOUT = {
    "barmode": "overlay",
    "bargap": GAP,
    "height": height_pixels.SAID_AND_SENT,
    "uirevision": "said-and-sent",
    "legend": {**BELOW, "y": -0.36, "traceorder": "normal"},
    "margin": {"l": 80, "r": 10, "t": 10, "b": 40},
    "hovermode": "closest",
}
_TOKENS = {"tickformat": ",d", "showticksuffix": "last", "rangemode": "tozero"}
_BAR: Part = {
    "orientation": "h",
    "textposition": "none",
    "hovertemplate": "%{text}<extra></extra>",
}
_BARS = {"categoryorder": "array", "fixedrange": True}
_FUNNEL = {
    "type": "path",
    "fillcolor": fade_color(PART_COLORS["summary"], FUNNEL_OPACITY),
    "line": {"width": 0},
    "layer": "below",
}


def said_and_sent_figure(picture: SaidAndSent) -> go.Figure:
    """Return two bars on one scale of tokens: the messages until this request, and the request."""
    by_looks: dict[Looks, list[tuple[str, Stretch]]] = {looks: [] for looks in COLORS}
    for row, stretches in ((_(SENT), picture.sent), (_(SAID), picture.said)):
        for stretch in stretches:
            by_looks[stretch.looks].append((row, stretch))
    traces = []
    for looks, placed in by_looks.items():
        if placed:
            traces.append(_bars(picture, looks, placed))
    layout = {
        **_LAYOUT,
        # A title would lie under the legend where that takes many rows, on a phone.
        "xaxis": {**_TOKENS, "ticksuffix": _(" tokens")},
        "yaxis": {**_BARS, "categoryarray": [_(SENT), _(SAID)]},
        "shapes": _funnel(picture),
    }
    return figure(traces, layout)


def _bars(
    picture: SaidAndSent, looks: Looks, placed: Sequence[tuple[str, Stretch]]
) -> Part:
    stretches = [stretch for _row, stretch in placed]
    opacities = [opacity_of(picture, stretch) for stretch in stretches]
    return bars(
        [stretch.tokens for stretch in stretches],
        [row for row, _stretch in placed],
        COLORS[looks],
        marker={"opacity": opacities},
        name=_(TITLES[looks]),
        base=[stretch.start for stretch in stretches],
        text=[_tooltip(picture, stretch) for stretch in stretches],
        **_BAR,
    )


def opacity_of(picture: SaidAndSent, stretch: Stretch) -> float:
    """Return how strongly a stretch is drawn: what the user said in full, answers paler."""
    if stretch.position is None:
        return 1.0
    return 1.0 if picture.run.log[stretch.position].role == "user" else PALE


def stretch_words(picture: SaidAndSent, stretch: Stretch) -> str:
    """Return what a stretch is, in one line."""
    title = _(TITLES[stretch.looks])
    is_summary = stretch.looks == "summary"
    tokens = counted(stretch.tokens, "token")
    if stretch.position is None:
        name = _("Summary") if is_summary else title
        return _("{name}: {tokens}", name=name, tokens=tokens)
    what = _("replaced by a summary") if is_summary else title.lower()
    return _(
        "Message {number:,} ({role}), {tokens}: {what}",
        number=message_number(stretch.position),
        role=role_name(picture.run.log[stretch.position].role),
        tokens=tokens,
        what=what,
    )


def _funnel(picture: SaidAndSent) -> list[Part]:
    """Return the shape from what was summarized to its summary. Rows are numbered from 0, at the bottom."""
    if picture.folded is None:
        return []
    messages, summary = picture.folded
    top = 0.5 + GAP / 2
    bottom = 0.5 - GAP / 2
    edge = f"M {messages.start},{top} L {messages.stop},{top} L {summary.stop},{bottom} L {summary.start},{bottom} Z"
    return [{**_FUNNEL, "path": edge}]


def _tooltip(picture: SaidAndSent, stretch: Stretch) -> str:
    lines = [f"<b>{escape_text(stretch_words(picture, stretch))}</b>"]
    if stretch.position is not None:
        flat = " ".join(message_words(picture.run.log[stretch.position]).split())
        first = wrap(flat[:FIRST_WORDS_CHARS], CHARS_A_LINE)
        lines += map(escape_text, first) if first else [""]
    return "<br>".join(lines)
