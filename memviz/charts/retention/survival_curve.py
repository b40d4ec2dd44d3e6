"""How long facts last: the share still known at each age, one line a setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from memviz.charts.figure import figure_over_turns
from memviz.charts.palette import (
    FIXED_MARGINS,
    PART_COLORS,
    setting_color,
    setting_dash,
    turn_ticks,
    with_legend,
)
from memviz.charts.setting_run import SettingRun
from memviz.charts.text import escaped, legend_name
from memviz.charts.thinning import Texts
from memviz.metrics.retention.survival import Survival
from memviz.text.wording import counted, share_of


class Lasting(NamedTuple):
    """How long the facts of one setting last."""

    setting: SettingRun
    survival: Survival


HEIGHT_PIXELS = 350
FEW = 5
"""From the first age on that fewer have reached, the curve is drawn faintly: one of them more or less is a leap."""


class Thing(NamedTuple):
    """What survives, and how one says that it came up."""

    noun: str
    said: str


FACT, WORD = Thing("fact", "stated"), Thing("word", "said")


def survival_curve(
    lasting: Sequence[Lasting], title: str, what: Thing = FACT
) -> go.Figure:
    """The curves. A dot marks the half-life of each: the first
    age at which half or fewer of what was observed is known."""
    last = max((len(one.survival.observed) for one in lasting), default=1) - 1
    unit = (
        "request" if any(one.survival.unit == "request" for one in lasting) else "turn"
    )
    layout = {
        "title": {"text": title, "font": {"size": 16}},
        "xaxis": {
            "automargin": False,
            "title": {
                "text": f"{unit}s since the {what.noun} was {what.said}",
                "standoff": 2,
            },
            "range": [-0.6, last + 0.8],
            "zeroline": False,
            **turn_ticks(last),
        },
        "yaxis": {
            "automargin": False,
            "title": {"text": "share still known"},
            "range": [-0.03, 1.09],
            "tickformat": ".0%",
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "zeroline": False,
        },
        "showlegend": len(lasting) > 1,
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -0.32,
            "x": 0,
            "groupclick": "togglegroup",
        },
        "shapes": [_half()],
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": with_legend(HEIGHT_PIXELS, len(lasting)),
        "margin": FIXED_MARGINS,
        "uirevision": "survival",
    }
    traces = [curve for one in lasting for curve in _curves(one, what)]
    return figure_over_turns(
        [*traces, *(mark for one in lasting for mark in _half_life(one, what))], layout
    )


def _half() -> dict[str, Any]:
    setting = {"width": 1, "dash": "dot", "color": PART_COLORS["system"]}
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 0.5,
        "y1": 0.5,
        "layer": "below",
        "line": setting,
    }


def _curves(one: Lasting, what: Thing) -> Iterator[dict[str, Any]]:
    """The curve, and faintly its end where it rests on very few."""
    observed = one.survival.observed
    few = np.flatnonzero(observed < FEW)
    end = int(few[0]) if few.size and few[0] else len(observed)
    yield _curve(one, what, range(end))
    if end < len(observed):
        yield _curve(one, what, range(end - 1, len(observed))) | {
            "opacity": 0.35,
            "showlegend": False,
        }


def _curve(one: Lasting, what: Thing, part: range) -> dict[str, Any]:
    setting, survival = one.setting, one.survival
    ages = np.array(part, dtype=np.int64)
    return {
        "type": "scatter",
        "x": ages,
        "y": survival.share[part.start : part.stop],
        "name": legend_name(setting.label),
        "mode": "lines+markers",
        "legendgroup": str(setting.index),
        "marker": {
            "opacity": 0 if len(ages) > 1 else 1,
            "size": 12,
            "color": setting_color(setting.index),
        },
        "line": {
            "color": setting_color(setting.index),
            "dash": setting_dash(setting.index),
            "width": 2.5,
        },
        "text": Texts(part, lambda age: _words(one, age, what)),
        "hoverinfo": "text",
    }


def _words(one: Lasting, age: int, what: Thing) -> str:
    kept, seen = int(one.survival.retained[age]), int(one.survival.observed[age])
    return (
        f"<b>{escaped(one.setting.label)}</b><br>"
        f"{counted(age, one.survival.unit)} after they were {what.said}: "
        f"{share_of(kept, seen, what.noun)} known"
    )


def _half_life(one: Lasting, what: Thing) -> Iterator[dict[str, Any]]:
    half = one.survival.half_life
    if half is not None:
        words = f"<br><b>half-life: {counted(half, one.survival.unit)}</b>"
        yield {
            "type": "scatter",
            "mode": "markers",
            "x": [half],
            "y": [float(one.survival.share[half])],
            "marker": {
                "symbol": "circle",
                "size": 11,
                "color": setting_color(one.setting.index),
            },
            "text": [_words(one, half, what) + words],
            "hoverinfo": "text",
            "showlegend": False,
            "legendgroup": str(one.setting.index),
            "name": escaped(one.setting.label) + " half-life",
        }


def half_lives(lasting: Sequence[Lasting]) -> str:
    """After how many turns or requests half of what was observed is lost, of each setting."""
    return ", ".join(
        f"{one.setting.label} {half_life_words(one.survival)}" for one in lasting
    )


def half_life_words(survival: Survival) -> str:
    """``7 turns``, or ``more than 45 turns`` where more than half are known at every age that was seen."""
    if survival.half_life is not None:
        return counted(survival.half_life, survival.unit)
    oldest = len(survival.observed) - 1
    return f"more than {counted(oldest, survival.unit)}" if oldest >= 0 else "–"
