"""A measure over one parameter of one strategy: a point a setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escaped
from memviz.dashboard.charts.grammar import (
    GREY,
    OPAQUE,
    Part,
    heading,
    marks,
    note,
    note_at_left,
    path,
    picture,
    rule_across,
    rule_down,
    stroke,
)
from memviz.dashboard.charts.palette import NOTE_PIXELS
from memviz.dashboard.charts.sweeps.axes import (
    Axis,
    SettingWords,
    each_once,
    measure_axis,
    measure_words,
    rows_by_setting,
    values_axis,
    values_of,
)
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.points import (
    PALE,
    RING_PIXELS,
    SETTINGS_LEGEND,
    StrategyMark,
    pale_key,
    setting_ring,
    strategy_marks,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.constraints import Over

MARGINS = {"l": 76, "r": 14, "t": 32, "b": 56}
LEGEND_PIXELS = 40
HEIGHT_PIXELS = (
    height_pixels.PARAMETER_PLOT + MARGINS["t"] + MARGINS["b"] + LEGEND_PIXELS
)
_DASHES = "<b>- -</b>"
_NO_TITLE = {"yref": "container", "y": 1, "yanchor": "top", "pad": {"t": 14}}
_PANEL = {"automargin": False, "zeroline": False, "nticks": 5, "domain": [0, 1]}
_AXES = {"xaxis": "x", "yaxis": "y"}


def parameter_line(
    table: DataFrame,
    x: Axis,
    measure: str,
    *,
    threshold: float | None = None,
    knee: float | None = None,
    chosen: int | None = None,
    recommended: int | None = None,
    over: Over = "median",
    aside: DataFrame | None = None,
    strategies: Sequence[str] = (),
    beaten: Mapping[int, str] | None = None,
) -> go.Figure:
    """Return the line of ``measure`` over the values of the parameter ``x``.

    ``table`` holds rows of ``Sweep.by_setting(over)`` of one strategy, ``aside`` the same summed up the other way. The
    ``threshold`` is drawn dashed, and a dotted line marks the ``knee``, a value of ``x``. ``strategies`` keeps its
    colour, see :func:`memviz.dashboard.charts.sweeps.points.strategy_marks`. Points carry the number of their setting
    (customdata). ``beaten`` says by the
    number of a setting who beats it; its point is pale. Raises ValueError where two settings have the same ``x``.
    """
    each_once(table, (x,))
    rows = table.sort_values(x.name)
    marked = {"Recommended": recommended, "Chosen": chosen}
    (look,) = strategy_marks(table, strategies)
    x_axis = values_axis(x, values_of(table, x))
    values = table[measure].to_numpy(dtype=float)
    limits: tuple[float, ...] = ()
    shapes = []
    if threshold is not None:
        limits = (threshold,)
        shapes.append(rule_across(threshold, stroke(1, "dash"), yref="y"))
    notes = [note_at_left(_title_words(measure, threshold), 1, yref="paper")]
    if knee is not None:
        shapes.append(rule_down(knee, stroke(1.5, "dot"), xref="x"))
        notes.append(
            _knee_words(knee, log10(knee) if x_axis["type"] == "log" else knee)
        )

    beaten = beaten or {}
    parts = [
        *_rings(rows, x, measure, marked),
        *_line(rows, x, measure, look, SettingWords.of(aside, over), beaten),
    ]
    if beaten:
        parts.append(pale_key())
    is_ringed = not set(rows["setting"]).isdisjoint(marked.values())
    return picture(
        parts,
        over_turns=False,
        title={**_NO_TITLE, **heading("")},
        xaxis={**x_axis, "anchor": "y"},
        yaxis={**measure_axis(measure, values, limits), **_PANEL},
        shapes=shapes,
        annotations=notes,
        legend=SETTINGS_LEGEND,
        showlegend=bool(beaten) or is_ringed,
        height=HEIGHT_PIXELS,
        margin=MARGINS,
        uirevision=f"lines {x.name}",
    )


def _line(
    rows: DataFrame,
    x: Axis,
    measure: str,
    look: StrategyMark,
    writer: SettingWords,
    beaten: Mapping[int, str],
) -> Iterator[Part]:
    """The line, then its points: those that another strategy beats are a trace of their
    own, because a chart that has a chosen point can only pale whole traces."""
    places = rows[x.name].to_numpy(dtype=float)
    values = rows[measure].to_numpy(dtype=float)
    settings = rows_by_setting(rows)
    words = []
    for number, row in settings.items():
        more = [*measure_words(row, measure)]
        if number in beaten:
            more.append(beaten[number])
        words.append(writer.tooltip(row, *more))

    stroke_of_line = stroke(2, look.dash, look.color)
    yield path(places, values, stroke_of_line, legendgroup=look.id, showlegend=False)
    is_beaten = np.array([number in beaten for number in settings], dtype=bool)
    for is_pale in (False, True):
        where = np.flatnonzero(is_beaten == is_pale)
        if not where.size:
            continue
        opacity = PALE if is_pale else 1.0
        marker = {"color": look.color, "symbol": look.shape, "size": 8}
        yield marks(
            places[where],
            values[where],
            [words[at] for at in where],
            {**marker, "opacity": opacity},
            name=escaped(look.title),
            legendgroup=look.id,
            showlegend=False,
            selected=OPAQUE,
            unselected={"marker": {"opacity": opacity}},
            customdata=[list(settings)[at] for at in where],
            **_AXES,
        )


def _rings(
    rows: DataFrame, x: Axis, measure: str, marked: Mapping[str, int | None]
) -> Iterator[Part]:
    for name, setting in marked.items():
        found = rows[rows["setting"] == setting].dropna(subset=[measure])
        if len(found):
            yield setting_ring(
                name,
                RING_PIXELS - 3,
                found[x.name].to_numpy(dtype=float),
                found[measure].to_numpy(dtype=float),
                legendgroup=name,
                showlegend=True,
                **_AXES,
            )


def _title_words(measure: str, threshold: float | None) -> str:
    """Return what is shown, and what is asked for, with the look of its line: an entry of
    the legend would take the height that the panels beside it have."""
    words = WORDS[measure]
    text = f"<b>{words.title}</b>"
    if words.axis_title != words.title:
        text = _("{title} ({unit})", title=text, unit=words.unit)
    if threshold is None:
        return text
    bound = f"{words.shown(threshold)} {_DASHES}"
    if words.less_is_better:
        return _("{measure}, at most {bound}", measure=text, bound=bound)
    return _("{measure}, at least {bound}", measure=text, bound=bound)


def _knee_words(knee: float, place: float) -> Part:
    """Return the words at the foot, where a curve that rises leaves room."""
    return note(
        _("bends at {knee:g}", knee=knee),
        place,
        0,
        xref="x",
        xanchor="left",
        xshift=4,
        yref="paper",
        font={"size": NOTE_PIXELS, "color": GREY},
    )
