"""Where a chat was given another setting, as a line across a chart over turns."""

from __future__ import annotations

from typing import Any, NamedTuple

from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.text import escaped
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis

COLOR = PART_COLORS["system"]
LABEL_CHARS = 34
ROW_PIXELS, MOST_ROWS = 18, 3
CHAR_PIXELS, NARROW_PIXELS = 7, 260
"""Of a letter of a label, and of the axis of the narrowest chart, that beside the talk."""
RIGHT_SHARE = 0.4
"""From this share of the axis on there is more room left of a line: the axis' own margin counts too."""


class SettingMarks(NamedTuple):
    """Shapes and annotations for the layout, and how many rows above the picture the names take."""

    lines: list[dict[str, Any]]
    labels: list[dict[str, Any]]
    rows: int


def setting_marks(run: Run, axis: RequestAxis) -> SettingMarks:
    """A line before the first turn of each setting but the first, with its name above the picture, on the side where
    there is more room. Names that would lie on each other stand in rows; where there are too many, the newest do."""
    last = max(1, axis.last(run.turns[-1].turn) if run.turns else 1)
    lines, labels, rows = (
        [],
        [],
        list[float](),
    )  # of each row, from below, where its leftmost name begins
    for setting in reversed(run.earlier_settings):
        label = run.strategy_at(setting.last_turn + 1).label
        x = axis.last(setting.last_turn) + 0.5
        lines.append(
            {
                "type": "line",
                "x0": x,
                "x1": x,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "layer": "below",
                "line": {"color": COLOR, "width": 1.5, "dash": "dash"},
            }
        )
        name = f"{label if len(label) <= LABEL_CHARS else label[: LABEL_CHARS - 1] + '…'} →"
        is_left, steps = (
            x > RIGHT_SHARE * last,
            len(name) * CHAR_PIXELS / NARROW_PIXELS * last,
        )
        begin, end = (x - steps, x) if is_left else (x, x + steps)
        row = next(
            (number for number, taken in enumerate(rows) if end <= taken), len(rows)
        )
        if row == MOST_ROWS:
            continue  # the talk names it
        rows[row : row + 1] = [begin]
        told = f"From turn {setting.last_turn + 1:,} on the chat was held under:<br>{escaped(label)}"
        labels.append(
            {
                "x": x,
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "yshift": row * ROW_PIXELS,
                "xanchor": "right" if is_left else "left",
                "showarrow": False,
                "text": escaped(name),
                "font": {"size": 13},
                "hovertext": told,
            }
        )
    return SettingMarks(lines[::-1], labels[::-1], len(rows))
