"""Measures over one parameter: a panel a measure, a line a strategy that has the parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.grammar import (
    GREY,
    OPAQUE,
    Part,
    heading,
    marks,
    note,
    note_at_left,
    picture,
    rule_across,
    rule_down,
    stroke,
)
from memviz.dashboard.charts.palette import NOTE_PIXELS
from memviz.dashboard.charts.sweeps.axes import (
    Axis,
    each_once,
    measure_axis,
    told,
    values_axis,
    values_of,
)
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.points import (
    RING_PIXELS,
    SETTINGS_LEGEND,
    StrategyMark,
    ring,
    strategy_marks,
)
from memviz.dashboard.charts.sweeps.setting_words import (
    SettingWords,
    measure_words,
    rows_by_setting,
)
from memviz.dashboard.charts.text import escaped

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.constraints import Over

PANEL_PIXELS, GAP_PIXELS = 150, 34
TITLE_PIXELS = 40
MARGINS = {"l": 76, "r": 14, "t": 72, "b": 56}
LEGEND_PIXELS = 40
_TITLE = {"yref": "container", "y": 1, "yanchor": "top", "pad": {"t": 14}}
_PANEL = {"automargin": False, "zeroline": False, "nticks": 5}


@dataclass(frozen=True, eq=False)
class _Line:
    """One line: its rows, in the order of the parameter, and its look."""

    look: StrategyMark
    rows: DataFrame


def setting_lines(
    table: DataFrame,
    x: Axis,
    measures: Sequence[str],
    *,
    by: Axis | None = None,
    thresholds: Mapping[str, float] | None = None,
    chosen: int | None = None,
    recommended: int | None = None,
    over: Over = "median",
    aside: DataFrame | None = None,
    strategies: Sequence[str] = (),
    title: str | None = None,
    knee: float | None = None,
) -> go.Figure:
    """Return one panel for each of ``measures``, one below the other, over the values of the parameter ``x``.

    ``table`` holds rows of ``Sweep.by_setting(over)``, ``aside`` the same summed up the other way; strategies without
    this parameter are left out. A line is a strategy, or, with ``by``, one value of a second parameter of one strategy.
    ``thresholds`` are drawn dashed, by measure, and a dotted line through all panels marks the ``knee``, a value of
    ``x``. An empty ``title`` takes no room. Points carry the number of their setting (customdata). Raises
    ValueError where two settings of a line have the same ``x``.
    """
    if x.name not in table:
        table = table.assign(**{x.name: np.nan})
    there = table.dropna(subset=[x.name])
    each_once(there, (x, by) if by else (x,))
    lines = _lines(there, x, by, strategies)
    writer = SettingWords.of(aside, over)
    marked = {"Recommended": recommended, "Chosen": chosen}
    height = len(measures) * PANEL_PIXELS + (len(measures) - 1) * GAP_PIXELS
    panel_share = PANEL_PIXELS / height
    x_axis = values_axis(x, values_of(there, x))
    traces: list[Part] = []
    shapes: list[Part] = []
    notes: list[Part] = []
    y_axes: dict[str, Part] = {}
    for panel, measure in enumerate(measures):
        row = f"y{panel + 1}" if panel else "y"
        top = 1 - panel * (PANEL_PIXELS + GAP_PIXELS) / height
        limit = (thresholds or {}).get(measure)
        limits: tuple[float, ...] = ()
        if limit is not None:
            limits = (limit,)
            shapes.append(rule_across(limit, stroke(1, "dash"), yref=row))
        traces += _panel(lines, x, measure, row, writer, marked)
        notes.append(note_at_left(_panel_words(measure, limit), top, yref="paper"))
        y_axes[f"yaxis{panel + 1}"] = {
            **measure_axis(measure, there[measure].to_numpy(dtype=float), limits),
            **_PANEL,
            "domain": [max(0.0, top - panel_share), top],
        }
        x_axis["anchor"] = row
    if knee is not None:
        shapes.append(rule_down(knee, stroke(1.5, "dot"), xref="x"))
        place = log10(knee) if x_axis["type"] == "log" else knee
        notes.append(_knee_words(knee, place, 1 - panel_share))

    if title is None:
        title = f"What {x.name} changes"
    top_pixels = MARGINS["t"] if title else MARGINS["t"] - TITLE_PIXELS
    drawn = {int(number) for line in lines for number in line.rows["setting"]}
    has_ring = not drawn.isdisjoint(marked.values())
    return picture(
        traces,
        over_turns=False,
        title={**_TITLE, **heading(escaped(title))},
        xaxis=x_axis,
        **y_axes,
        shapes=shapes,
        annotations=notes,
        legend=SETTINGS_LEGEND,
        showlegend=len(lines) > 1 or has_ring,
        height=height + top_pixels + MARGINS["b"] + LEGEND_PIXELS,
        margin={**MARGINS, "t": top_pixels},
        uirevision=f"lines {x.name}",
    )


def _lines(
    table: DataFrame, x: Axis, by: Axis | None, strategies: Sequence[str]
) -> list[_Line]:
    ordered = table.sort_values(x.name)
    if by is None:
        looks = strategy_marks(table, strategies)
        return [_Line(look, ordered[ordered["strategy"] == look.id]) for look in looks]
    lines = []
    for index, value in enumerate(values_of(table, by)):
        look = StrategyMark(str(value), told(by, value), index)
        lines.append(_Line(look, ordered[ordered[by.name] == value]))
    return lines


def _panel(
    lines: Sequence[_Line],
    x: Axis,
    measure: str,
    row: str,
    writer: SettingWords,
    marked: Mapping[str, int | None],
) -> Iterator[Part]:
    axes = {"xaxis": "x", "yaxis": row}
    is_first = row == "y"
    for name, setting in marked.items():
        for line in lines:
            found = line.rows[line.rows["setting"] == setting]
            if len(found) and found[measure].notna().all():
                yield ring(
                    name,
                    RING_PIXELS - 3,
                    found[x.name].to_numpy(dtype=float),
                    found[measure].to_numpy(dtype=float),
                    legendgroup=name,
                    showlegend=is_first,
                    **axes,
                )
    for line in lines:
        look = line.look
        settings = rows_by_setting(line.rows)
        words = []
        for one in settings.values():
            words.append(writer.tooltip(one, *measure_words(one, measure)))
        yield marks(
            line.rows[x.name].to_numpy(dtype=float),
            line.rows[measure].to_numpy(dtype=float),
            words,
            {"color": look.color, "symbol": look.shape, "size": 8},
            mode="lines+markers",
            line=stroke(2, look.dash, look.color),
            name=escaped(look.title),
            legendgroup=look.id,
            showlegend=is_first and len(lines) > 1,
            unselected=OPAQUE,
            customdata=list(settings),
            **axes,
        )


def _panel_words(measure: str, threshold: float | None) -> str:
    """Return what a panel shows, and what is asked for."""
    words = WORDS[measure]
    text = f"<b>{words.title}</b>"
    if words.axis_title != words.title:
        text += f" ({words.unit})"
    if threshold is not None:
        bound = "at most" if words.less_is_better else "at least"
        text += f", {bound} {words.shown(threshold)}"
    return text


def _knee_words(knee: float, place: float, foot: float) -> Part:
    """Return the words at the foot of the first panel, where a curve that rises leaves room."""
    return note(
        f"bends at {knee:g}",
        place,
        foot,
        xref="x",
        xanchor="left",
        xshift=4,
        yref="paper",
        font={"size": NOTE_PIXELS, "color": GREY},
    )
