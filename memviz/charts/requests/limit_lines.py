"""The limits that strategies keep to, as dashed lines with their values on a chart of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memviz.charts.palette import setting_color
from memviz.charts.requests.panels import FONT_PIXELS
from memviz.metrics.requests.limits import limit_words

if TYPE_CHECKING:
    from memviz.charts.requests.tokens_per_turn import SettingRun
    from memviz.engine.run import Run
    from memviz.strategies.base import Strategy

NEAR_SHARE = 0.12
"""Labels of limits that differ by less than this share of the larger one would overlap on one side."""


class _InForce(NamedTuple):
    """A strategy and the ends of its line: of a chat that was given others only its turns, else the whole chart."""

    strategy: Strategy
    x0: float = 0
    x1: float = 1
    xref: str = "paper"


def budget_fits(run: Run, strategy: Strategy | None = None) -> bool:
    """Whether the limit is drawn, by default that of the setting in force: one far above everything sent would only
    squeeze the picture."""
    budget = (strategy or run.strategy).budget_tokens or 0
    return budget <= 3 * max((record.total_tokens for record in run.turns), default=0)


def limit_lines(
    settings: Sequence[SettingRun], strip: frozenset[int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Shapes and annotations for the layout: a line for each setting that has a limit, each value named once. Of two
    that are near to each other the second is named at the other side. The line of a chat that was given another
    setting ends where its limit did."""
    shapes, labels, named = [], [], list[tuple[int, str]]()
    drawn = [(number, setting, each) for number, setting in enumerate(settings) for each in _in_force(setting.run)]
    for number, setting, spell in drawn:
        budget = spell.strategy.budget_tokens
        if not (setting.shown and budget and budget_fits(setting.run, spell.strategy)):
            continue
        axis = "y2" if number in strip else "y"
        shapes.append({
            "type": "line", "xref": spell.xref, "x0": spell.x0, "x1": spell.x1, "yref": axis, "y0": budget,
            "y1": budget, "layer": "below",
            "line": {"width": 2, "dash": "6px,4px", "color": setting_color(setting.index)},
        })  # fmt: skip
        if (budget, axis) in named:
            continue
        near = sum(abs(other - budget) < NEAR_SHARE * max(other, budget) and at == axis for other, at in named)
        named.append((budget, axis))
        labels.append(_label(spell, budget, axis, near))
    return shapes, labels


def _in_force(run: Run) -> list[_InForce]:
    """The settings of a run in order, each with the turns of its requests."""
    if not run.earlier_settings or not run.turns:
        return [_InForce(run.strategy)]
    ends = [*(setting.last_turn for setting in run.earlier_settings), run.turns[-1].turn]
    starts = [run.turns[0].turn - 1, *ends[:-1]]
    return [
        _InForce(run.strategy_at(end), start + 0.5, end + 0.5, "x")
        for start, end in zip(starts, ends, strict=True) if start < end
    ]  # fmt: skip


def _label(spell: _InForce, budget: int, axis: str, near: int) -> dict[str, Any]:
    side = ("right", "left")[near % 2]
    return {
        "text": limit_words(spell.strategy), "font": {"size": FONT_PIXELS}, "showarrow": False, "xref": spell.xref,
        "x": spell.x1 if side == "right" else spell.x0, "xanchor": side, "yanchor": "bottom", "y": budget,
        "yref": axis,
    }  # fmt: skip
