"""The limits that strategies keep to, as dashed lines with their values on a chart of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memviz.charts.palette import setting_color
from memviz.charts.requests.panels import FONT_PIXELS
from memviz.metrics.requests.limits import limit_words

if TYPE_CHECKING:
    from memviz.charts.requests.tokens_per_turn import SettingRun
    from memviz.engine.run import Run

NEAR_SHARE = 0.12
"""Labels of limits that differ by less than this share of the larger one would overlap on one side."""


def budget_fits(run: Run) -> bool:
    """Whether the limit is drawn: one far above everything sent would only squeeze the picture."""
    budget = run.strategy.budget_tokens or 0
    return budget <= 3 * max((record.total_tokens for record in run.turns), default=0)


def limit_lines(
    settings: Sequence[SettingRun], strip: frozenset[int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Shapes and annotations for the layout: a line for each setting that has a limit, each value named once. Of two
    that are near to each other the second is named at the other side."""
    shapes, labels, named = [], [], list[tuple[int, str]]()
    for number, setting in enumerate(settings):
        budget = setting.run.strategy.budget_tokens
        if not (setting.shown and budget and budget_fits(setting.run)):
            continue
        axis = "y2" if number in strip else "y"
        shapes.append({
            "type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": axis, "y0": budget, "y1": budget,
            "layer": "below", "line": {"width": 2, "dash": "6px,4px", "color": setting_color(setting.index)},
        })  # fmt: skip
        if (budget, axis) in named:
            continue
        near = sum(abs(other - budget) < NEAR_SHARE * max(other, budget) and at == axis for other, at in named)
        named.append((budget, axis))
        labels.append(_label(limit_words(setting.run.strategy), budget, axis, near))
    return shapes, labels


def _label(words: str, budget: int, axis: str, near: int) -> dict[str, Any]:
    side = ("right", "left")[near % 2]
    return {
        "text": words, "font": {"size": FONT_PIXELS}, "showarrow": False, "xref": "paper",
        "x": 1 if side == "right" else 0, "xanchor": side, "yanchor": "bottom", "y": budget, "yref": axis,
    }  # fmt: skip
