"""The parts of the requests of one setting: each request as stacked areas, and one alone as a bar. What counts toward
the limit of the setting stands first, in full colour."""

from collections.abc import Iterator, Mapping

import numpy as np
import plotly.graph_objects as go

from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import figure, figure_over_turns
from memviz.dashboard.charts.grammar import (
    BELOW,
    Part,
    area,
    bars,
    heading,
    note_at_left,
    rule_across,
    rule_down,
    stroke,
)
from memviz.dashboard.charts.palette import (
    FIXED_MARGINS,
    PART_COLORS,
    PART_ORDER,
    PART_TITLES,
    fade_color,
)
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import (
    TITLE_STANDOFF,
    axis_ticks,
    axis_title,
    turn_partings,
)
from memviz.dashboard.words.requests import limit_words, name_of
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import Places, list_request_turns, make_axis
from memviz.metrics.requests.token_use import Limit, find_limit

FITS_UP_TO = 1.5
"""A limit that is further away than so many times the largest request is not drawn: it would squeeze the areas."""
MAX_LIMIT_SHARE = 4
"""A limit beyond so many times the tokens of the request is not drawn in its bar."""
PALE = 0.4
TITLE_PIXELS = 84
"""The title, and below it what the line says."""
CHAR_PIXELS = 6.5
NARROW_PIXELS = 290
"""The width of a letter of the limit's label, and of the bar where the page is narrowest."""
_TOKENS = {
    "automargin": False,
    "rangemode": "tozero",
    "tickformat": ",d",
}
_LIMIT_LABEL = {
    "y": 1,
    "yref": "y domain",
    "yanchor": "bottom",
    "showarrow": False,
}
_LAYOUT = {
    "legend": {**BELOW, "y": -0.2, "traceorder": "normal"},
    "hovermode": "x unified",
    "height": height_pixels.PARTS_OF_REQUESTS,
    "uirevision": "composition",
    "margin": {**FIXED_MARGINS, "t": TITLE_PIXELS},
}
_BAR_LAYOUT = {
    "barmode": "stack",
    "bargap": 0.1,
    "height": height_pixels.PARTS_OF_ONE_REQUEST,
    "showlegend": False,
    "uirevision": "bar",
    "yaxis": {"visible": False},
    "margin": {"l": 10, "r": 10, "t": 28, "b": 45},
}


def composition(run: Run) -> go.Figure:
    """Return the tokens of each part over the requests. Parts that are never sent
    are left out. Where the setting has a token limit, the parts that count toward it stand at the bottom, against its
    line, and the others, pale, on top of them."""
    axis = make_axis([run])
    places = axis.places(list_request_turns(run))
    limit = find_limit(run.strategy)
    traces = [] if axis.is_by_turn else [_names(run, places)]
    traces += _areas(run, places, limit)

    shapes = turn_partings(axis)
    notes = []
    if limit is not None and limit.tokens <= FITS_UP_TO * run.columns.largest:
        shapes.append(rule_across(limit.tokens, stroke(2, "dash")))
        # On the areas it could not be read, and in the legend it would push the names apart.
        words = _(
            "<b>- -</b> {limit}<br>(pale parts do not count)",
            limit=limit_words(limit),
        )
        notes.append(note_at_left(words, 1, yref="paper", align="left"))
    hover_title = "turn %{x}" if axis.is_by_turn else " "
    x_axis = {
        "automargin": False,
        "title": {"text": axis_title(axis), "standoff": TITLE_STANDOFF},
        "unifiedhovertitle": {"text": hover_title},
        **axis_ticks(axis),
    }
    layout = {
        **_LAYOUT,
        "title": heading(_("What each request is made of")),
        "xaxis": x_axis,
        "yaxis": {**_TOKENS, "title": {"text": _("tokens sent")}},
        "shapes": shapes,
        "annotations": notes,
    }
    return figure_over_turns(traces, layout)


def _areas(run: Run, places: Places, limit: Limit | None) -> Iterator[Part]:
    """Yield the parts that are ever sent, from the bottom to the top."""
    for part in _order_parts(limit):
        tokens = run.columns.tokens[part]
        if tokens.any():
            yield area(
                places,
                tokens,
                stroke(0.5, color=PART_COLORS[part]),
                fillcolor=_color(part, limit),
                name=_(PART_TITLES[part]),
                stackgroup="parts",
                hovertemplate=_("%{y:,} tokens"),
            )


def _order_parts(limit: Limit | None) -> list[str]:
    if limit is None:
        return list(PART_ORDER)
    return sorted(PART_ORDER, key=lambda part: part not in limit.parts)


def _counts(part: str, limit: Limit | None) -> bool:
    return limit is None or part in limit.parts


def _color(part: str, limit: Limit | None) -> str:
    color = PART_COLORS[part]
    return color if _counts(part, limit) else fade_color(color, PALE)


def _names(run: Run, places: Places) -> Part:
    """Return what says which request one points at, as the first line of the tooltip: its title can hold nothing but
    the place. A part of no tokens, so that it is thinned out with the others."""

    def words(record: TurnRecord) -> str:
        return f"{name_of(run, record)}: {record.total_tokens:,}"

    return area(
        places,
        np.zeros(len(places), dtype=int),
        {"width": 0},
        name="request",
        stackgroup="parts",
        showlegend=False,
        text=Texts(run.requests, words),
        hovertemplate=_("<b>%{text} tokens</b><extra></extra>"),
    )


def context_bar(tokens: Mapping[str, int], limit: Limit | None = None) -> go.Figure:
    """Return one bar of the request's parts; the limit, if there is one, as a line. What counts toward it begins at 0,
    the rest, pale, stands behind that."""
    total = sum(tokens.values())
    shares = []
    for part in _order_parts(limit):
        if tokens.get(part):
            shares.append(_share(part, tokens[part], total, limit))
    longest = total
    shapes = []
    notes = []
    if limit is not None and limit.tokens <= MAX_LIMIT_SHARE * total:
        longest = max(total, limit.tokens)
        shapes.append(rule_down(limit.tokens, stroke(2, "dot"), "y domain"))
        notes.append(_limit_label(limit, longest))
    x_axis = {
        "title": {"text": _("tokens in the last request")},
        "tickformat": ",d",
        "range": [0, 1.02 * longest],
    }
    return figure(
        shares,
        {**_BAR_LAYOUT, "xaxis": x_axis, "shapes": shapes, "annotations": notes},
    )


def _share(part: str, tokens: int, total: int, limit: Limit | None) -> Part:
    title = _(PART_TITLES[part])
    share = _(
        "{tokens}, {share:.0%} of the request",
        tokens=counted(tokens, "token"),
        share=tokens / total,
    )
    tooltip = _("{part}: {share}", part=title, share=share)
    if not _counts(part, limit):
        tooltip += _("<br>does not count toward the limit")
    return bars(
        [tokens],
        [""],
        _color(part, limit),
        orientation="h",
        name=title,
        hovertemplate=f"{tooltip}<extra></extra>",
    )


def _limit_label(limit: Limit, longest: int) -> Part:
    """Return the words above the bar, beside the line; where neither side has room for them, over the line, up to the
    bar's right end."""
    words = limit_words(limit)
    share_of_longest = limit.tokens / longest
    share = len(words) * CHAR_PIXELS / NARROW_PIXELS
    place = {"x": 1, "xref": "paper"}
    if share_of_longest >= share or 1 - share_of_longest >= share:
        place = {"x": limit.tokens, "xref": "x"}
    anchor = "left" if share_of_longest + share <= 1 else "right"
    return {**_LIMIT_LABEL, "text": words, "xanchor": anchor, **place}
