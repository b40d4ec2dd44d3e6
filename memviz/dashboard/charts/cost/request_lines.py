"""What each request takes, one line a setting: of the prompt cache, and of the model's context window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.charts.grammar import (
    LEGEND_BELOW,
    SHARE_AXIS,
    TOKENS_AXIS,
    Part,
    heading,
    line,
    note_at_left,
    picture,
    rule_across,
    sized_for,
    stroke,
)
from memviz.dashboard.charts.palette import FIXED_MARGINS
from memviz.dashboard.charts.text import escaped
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import parted, turn_partings, turns_axis
from memviz.metrics.requests.request_axis import RequestAxis, request_names

HEIGHT_PIXELS = 330
FITS_UP_TO = 3
"""A window of more than so many times the largest request is not drawn: it would only squeeze the picture."""
_SHARE_OF_INPUT = {**SHARE_AXIS, "title": {"text": "share of the input tokens"}}
_INPUT = {**TOKENS_AXIS, "title": {"text": "input tokens"}}


def cache_hits(costs: Sequence[SettingCost]) -> go.Figure:
    """Return the chart of the share of the input that was read from the prompt cache, a point a request."""
    axis = RequestAxis.of(one.cost.traffic.turns for one in costs)
    return picture(
        [_cache_line(one, axis) for one in costs],
        title=heading("Input read from the cache"),
        xaxis=turns_axis(axis),
        yaxis=_SHARE_OF_INPUT,
        legend=LEGEND_BELOW,
        margin=FIXED_MARGINS,
        uirevision="cache-hits",
        **parted(axis),
        **sized_for(len(costs), HEIGHT_PIXELS),
    )


def _cache_line(one: SettingCost, axis: RequestAxis) -> Part:
    sent = one.cost.traffic
    asked = np.flatnonzero(sent.input_tokens)
    read = sent.input_tokens[asked]
    cached = one.cost.cached_tokens[asked]
    shared = sent.shared_tokens[asked]
    shares = cached / read
    names = request_names(sent.turns)

    def words(at: int) -> str:
        return (
            f"<b>{escaped(one.label)}</b><br>{names[asked[at]]}: <b>{shares[at]:.0%}</b> read from the cache, "
            f"{cached[at]:,} of {read[at]:,} input tokens<br>"
            f"{shared[at]:,} stood at the start of the request before as well"
        )

    places = axis.places(sent.turns)[asked]
    return line(one.setting, places, shares, Texts(range(len(asked)), words))


def window_use(costs: Sequence[SettingCost], window_tokens: int | None) -> go.Figure:
    """Return the chart of the tokens of each request; the window is a dashed line where it fits into the picture."""
    axis = RequestAxis.of(one.cost.traffic.turns for one in costs)
    shapes = turn_partings(axis)
    notes = []
    if window_tokens and window_fits(costs, window_tokens):
        shapes.append(rule_across(window_tokens, stroke(1, "dash"), layer="below"))
        notes.append(note_at_left(f"context window {window_tokens:,}", window_tokens))
    return picture(
        [_window_line(one, window_tokens, axis) for one in costs],
        title=heading("Tokens of each request"),
        xaxis=turns_axis(axis),
        yaxis=_INPUT,
        legend=LEGEND_BELOW,
        shapes=shapes,
        annotations=notes,
        margin=FIXED_MARGINS,
        uirevision="window-use",
        **sized_for(len(costs), HEIGHT_PIXELS),
    )


def _window_line(
    one: SettingCost, window_tokens: int | None, axis: RequestAxis
) -> Part:
    sent = one.cost.traffic
    names = request_names(sent.turns)

    def words(at: int) -> str:
        tokens = int(sent.input_tokens[at])
        told = f"<b>{escaped(one.label)}</b><br>{names[at]}: <b>{tokens:,} tokens</b>"
        if not window_tokens:
            return told
        return f"{told}, {tokens / window_tokens:.1%} of the context window"

    text = Texts(range(len(names)), words)
    return line(one.setting, axis.places(sent.turns), sent.input_tokens, text)


def largest_request(costs: Sequence[SettingCost]) -> int:
    """Return the tokens of the largest of all requests; 0 if there is none."""
    sizes = (int(one.cost.traffic.input_tokens.max(initial=0)) for one in costs)
    return max(sizes, default=0)


def window_fits(costs: Sequence[SettingCost], window_tokens: int) -> bool:
    """Return whether the window is drawn."""
    return window_tokens <= FITS_UP_TO * largest_request(costs)
