"""Where a chat was given another setting, as a line across a chart over turns."""

from __future__ import annotations

from typing import Any

from memviz.charts.palette import PART_COLORS
from memviz.charts.text import escaped
from memviz.engine.run import Run

COLOR = PART_COLORS["system"]
LABEL_CHARS = 40


def setting_marks(run: Run) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Shapes and annotations for the layout: a line before the first turn of each setting but the first, with its name
    on the side where there is more room."""
    lines, labels = [], []
    last = run.turns[-1].turn if run.turns else 0
    for setting in run.earlier_settings:
        strategy = run.strategy_at(setting.last_turn + 1)
        x, is_left = setting.last_turn + 0.5, setting.last_turn > last / 2
        lines.append({
            "type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "layer": "below",
            "line": {"color": COLOR, "width": 1.5, "dash": "dash"},
        })  # fmt: skip
        name = strategy.label if len(strategy.label) <= LABEL_CHARS else strategy.label[: LABEL_CHARS - 1] + "…"
        told = f"From turn {setting.last_turn + 1:,} on the chat was held under:<br>{escaped(strategy.label)}"
        labels.append({
            "x": x, "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "right" if is_left else "left",
            "showarrow": False, "text": f"{escaped(name)} →", "font": {"size": 13}, "hovertext": told,
        })  # fmt: skip
    return lines, labels
