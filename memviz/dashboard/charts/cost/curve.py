"""Charts of cost: the cost of each setting over the requests, with and without the prompt cache, and what each request
takes of the context window, one line a setting.

One line that rises far above the others would press them into a strip. So it leaves the picture: a line without the
cache, and in the view of each turn a setting whose requests grow without end. A sentence below the picture says how
high it goes.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from memviz.core.text.wording import SEMICOLON, counted, dollars
from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.cost.setting_cost import (
    Amounts,
    SettingCost,
    Unit,
    View,
    turn_words,
)
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    Part,
    legend_entry,
    line,
    path,
    picture,
    size_for_settings,
    stroke,
)
from memviz.dashboard.charts.palette import FIXED_MARGINS, PART_COLORS, fade_color
from memviz.dashboard.charts.turn_axis import request_ids, turn_partings, turns_axis
from memviz.metrics.health.growth import find_unbounded_part
from memviz.metrics.requests.request_axis import RequestAxis

UNCACHED_OPACITY = 0.75
MARGINS = {**FIXED_MARGINS, "t": 40}
HEADROOM = 1.08
"""The picture is so much higher than what has to fit into it."""
LEGEND_FROM = 1.01
"""The height at which the legend begins, as a share of the picture's."""
SQUEEZES_FROM = 3.0
"""A line that is so many times as high as all that has to fit leaves the picture."""
_SUMMARIZER_BAND = {
    "fill": "tonexty",
    "fillcolor": fade_color(PART_COLORS["summary"], 0.3),
}
_LEGEND = {
    "orientation": "h",
    "yanchor": "bottom",
    "x": -0.1,
    "y": LEGEND_FROM,
    "groupclick": "togglegroup",
}
_LAYOUT: Part = {"legend": _LEGEND, "margin": MARGINS}
_AMOUNTS = {"automargin": False, "rangemode": "tozero", "exponentformat": "none"}
_TITLES = {
    (Unit.USD, View.SO_FAR, "turn"): noop("US dollars in total"),
    (Unit.USD, View.EACH_STEP, "turn"): noop("US dollars a turn"),
    (Unit.USD, View.EACH_STEP, "request"): noop("US dollars a request"),
    (Unit.TOKENS, View.SO_FAR, "turn"): noop("tokens in total"),
    (Unit.TOKENS, View.EACH_STEP, "turn"): noop("tokens a turn"),
    (Unit.TOKENS, View.EACH_STEP, "request"): noop("tokens a request"),
}
"""The titles of the axis of amounts, in total or for each step."""
_TICKS = {
    Unit.USD: {"tickprefix": "$", "tickformat": ",.9~f"},
    Unit.TOKENS: {"tickformat": ",d"},
}


class Line(NamedTuple):
    """A line by its highest point, in dollars or tokens."""

    name: str
    peak: float


class Frame(NamedTuple):
    """The height of the picture."""

    top: float
    """The highest point that has to fit."""
    above: tuple[Line, ...]
    """The lines that leave the picture."""


def cost_curve(
    costs: Sequence[SettingCost],
    view: View = View.SO_FAR,
    *,
    unit: Unit = Unit.USD,
    uncached: bool = True,
) -> go.Figure:
    """Return the chart. A violet band under a line is the summarizer's part of it. ``uncached`` adds what a setting
    would cost without a cache, where that is something else. A setting with an unknown price has no line in dollars.
    Point ids (customdata) read ``"<number of the setting>:<turn>"``, those of a turn's earlier calls
    ``"<number of the setting>:<turn>:<call>"``."""
    axis = RequestAxis.of(setting_cost.cost.turns for setting_cost in costs)
    traces: list[Part] = []
    has_thin = False
    for number, setting_cost in enumerate(costs):
        amounts = setting_cost.amounts(view, unit)
        thin = _without_cache(setting_cost, view, unit) if uncached else None
        traces += _lines(setting_cost, number, amounts, thin, axis)
        has_thin = has_thin or thin is not None
    if has_thin:
        # One entry of the legend for all thin lines, in no setting's colour.
        name = _("Without the cache")
        traces.append(legend_entry(name, mode="lines", line=stroke(1.4, "dot")))

    frame = frame_of(costs, view, unit, uncached=uncached)
    return picture(
        traces,
        xaxis=turns_axis(axis),
        yaxis=_amounts_axis(view, unit, axis, frame),
        shapes=turn_partings(axis),
        **_LAYOUT,
        uirevision=f"cost-{view.name}-{unit.name}",
        **size_for_settings(len(costs), height_pixels.DOLLARS, int(has_thin)),
    )


def _amounts_axis(view: View, unit: Unit, axis: RequestAxis, frame: Frame) -> Part:
    step = "request"
    if view is View.SO_FAR or axis.is_by_turn:
        step = "turn"
    title = {"text": _(_TITLES[unit, view, step])}
    amounts = {**_AMOUNTS, **_TICKS[unit], "title": title}
    if frame.above:
        amounts["range"] = [0, HEADROOM * frame.top]
    return amounts


def _lines(
    setting_cost: SettingCost,
    number: int,
    amounts: tuple[Amounts, Amounts] | None,
    without_cache: Amounts | None,
    axis: RequestAxis,
) -> Iterator[Part]:
    """Yield the lines of one setting: without the cache, of the chat model alone, and of both models."""
    if amounts is None:
        return
    main, summarizer = amounts
    x = axis.places(setting_cost.cost.turns)
    name = escape_text(setting_cost.label)
    behind = {"showlegend": False, "legendgroup": str(number)}
    if without_cache is not None:
        thin = stroke(1.4, "dot", setting_cost.setting.color)
        name_without = _("{name} without the cache", name=name)
        about = {"name": name_without, "opacity": UNCACHED_OPACITY}
        yield path(x, without_cache, thin, **about, **behind)
    band: Part = {}
    if summarizer.any():
        # The line of both is filled down to this one, which must come right before it and is not seen itself.
        band = _SUMMARIZER_BAND
        edge = {"width": 0}
        yield path(x, main, edge, name=f"{name} without the summarizer", **behind)
    points = request_ids(setting_cost.cost.turns)
    yield line(
        setting_cost.setting,
        x,
        main + summarizer,
        turn_words(setting_cost),
        legendgroup=str(number),
        customdata=[f"{number}:{point}" for point in points],
        **band,
    )


def _without_cache(setting_cost: SettingCost, view: View, unit: Unit) -> Amounts | None:
    """Return what the setting would have cost without a cache, where that is something else."""
    if unit is not Unit.USD or not setting_cost.cost.cached_tokens.any():
        return None
    return setting_cost.uncached(view)


def frame_of(
    costs: Sequence[SettingCost], view: View, unit: Unit, *, uncached: bool
) -> Frame:
    """Return the height of the picture of ``costs``: that of its lines, without those that would squeeze all others.
    ``uncached``: the lines without the cache are drawn."""
    solid = []
    # The measure for all: settings that are limited, or all of them where the dollars so far are drawn.
    limited = []
    thin = []
    for setting_cost in costs:
        amounts = setting_cost.amounts(view, unit)
        if amounts is not None:
            highest = Line(setting_cost.label, _peak(amounts[0] + amounts[1]))
            solid.append(highest)
            strategy = setting_cost.setting.run.strategy
            if view is View.SO_FAR or not find_unbounded_part(strategy):
                limited.append(highest)
        without = _without_cache(setting_cost, view, unit) if uncached else None
        if without is not None:
            name = _("{label} without the cache", label=setting_cost.label)
            thin.append(Line(name, _peak(without)))

    top = _highest(limited or solid)
    lines = [*solid, *thin]
    above = [line for line in lines if line.peak > SQUEEZES_FROM * top > 0]
    fitting = [line for line in lines if line not in above]
    return Frame(_highest(fitting) if fitting else top, tuple(above))


def _highest(lines: Sequence[Line]) -> float:
    return max((drawable.peak for drawable in lines), default=0.0)


def _peak(amounts: Amounts) -> float:
    return float(amounts.max(initial=0.0))


def lines_above_finding(frame: Frame, unit: Unit) -> str:
    """Return which lines leave the picture, and how high they go; empty where all of them are seen whole."""
    peaks = []
    for line_above in sorted(frame.above, key=lambda line_above: -line_above.peak):
        amount = dollars(line_above.peak)
        if unit is Unit.TOKENS:
            amount = counted(round(line_above.peak), "token")
        peaks.append(f"{line_above.name}, {amount}")
    return _("Off the chart: {peaks}.", peaks=_(SEMICOLON).join(peaks)) if peaks else ""
