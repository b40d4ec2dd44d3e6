"""The part of the context window that each request takes, one line a setting."""

from collections.abc import Sequence

import plotly.graph_objects as go

from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    LEGEND_BELOW,
    TOKENS_AXIS,
    Part,
    heading,
    line,
    note_at_left,
    picture,
    rule_across,
    size_for_settings,
    stroke,
)
from memviz.dashboard.charts.palette import FIXED_MARGINS
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import turn_partings, turns_axis
from memviz.dashboard.words.requests import name_at
from memviz.metrics.requests.request_axis import RequestAxis

FITS_UP_TO = 3
"""A window of more than so many times the largest request is not drawn: it would only squeeze the picture."""
_LAYOUT: Part = {
    "legend": LEGEND_BELOW,
    "margin": FIXED_MARGINS,
    "uirevision": "window-use",
}


def window_use(costs: Sequence[SettingCost], window_tokens: int | None) -> go.Figure:
    """Return the chart of the tokens of each request; the window is a dashed line where it fits into the picture."""
    axis = RequestAxis.of(setting_cost.cost.traffic.turns for setting_cost in costs)
    shapes = turn_partings(axis)
    notes = []
    if window_tokens and is_window_drawn(costs, window_tokens):
        shapes.append(rule_across(window_tokens, stroke(1, "dash"), layer="below"))
        notes.append(
            note_at_left(
                _("context window {window_tokens:,}", window_tokens=window_tokens),
                window_tokens,
            )
        )
    return picture(
        [_window_line(setting_cost, window_tokens, axis) for setting_cost in costs],
        title=heading(_("Tokens of each request")),
        xaxis=turns_axis(axis),
        yaxis={**TOKENS_AXIS, "title": {"text": _("input tokens")}},
        shapes=shapes,
        annotations=notes,
        **_LAYOUT,
        **size_for_settings(len(costs), height_pixels.CACHE_AND_WINDOW),
    )


def _window_line(
    setting_cost: SettingCost, window_tokens: int | None, axis: RequestAxis
) -> Part:
    traffic = setting_cost.cost.traffic

    def words(at: int) -> str:
        tokens = int(traffic.input_tokens[at])
        tooltip = _(
            "<b>{escaped}</b><br>{names}: <b>{tokens:,} tokens</b>",
            escaped=escape_text(setting_cost.label),
            names=name_at(traffic.turns, at),
            tokens=tokens,
        )
        if not window_tokens:
            return tooltip
        return _(
            "{told}, {value:.1%} of the context window",
            told=tooltip,
            value=tokens / window_tokens,
        )

    text = Texts(range(len(traffic.turns)), words)
    return line(
        setting_cost.setting, axis.places(traffic.turns), traffic.input_tokens, text
    )


def largest_request(costs: Sequence[SettingCost]) -> int:
    """Return the tokens of the largest of all requests; 0 if there is none."""
    sizes = (
        int(setting_cost.cost.traffic.input_tokens.max(initial=0))
        for setting_cost in costs
    )
    return max(sizes, default=0)


def is_window_drawn(costs: Sequence[SettingCost], window_tokens: int) -> bool:
    """Return whether the window is drawn."""
    return window_tokens <= FITS_UP_TO * largest_request(costs)
