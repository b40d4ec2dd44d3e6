"""A measure over one parameter of one strategy: a point a setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text
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
    measure_axis,
    position_on,
    require_one_setting_a_place,
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
from memviz.dashboard.charts.sweeps.setting_words import (
    MEDIANS,
    SettingWords,
    measure_words,
    rows_by_setting,
)

if TYPE_CHECKING:
    from pandas import DataFrame

MARGINS = {"l": 76, "r": 14, "t": 32, "b": 56}
LEGEND_PIXELS = 40
HEIGHT_PIXELS = (
    height_pixels.PARAMETER_PLOT + MARGINS["t"] + MARGINS["b"] + LEGEND_PIXELS
)
_DASHES = "<b>- -</b>"
_NO_TITLE = {"yref": "container", "y": 1, "yanchor": "top", "pad": {"t": 14}}
_LAYOUT: Part = {
    "over_turns": False,
    "title": {**_NO_TITLE, **heading("")},
    "legend": SETTINGS_LEGEND,
    "height": HEIGHT_PIXELS,
    "margin": MARGINS,
}
_PANEL = {"automargin": False, "zeroline": False, "nticks": 5, "domain": [0, 1]}
_AT_FOOT: Part = {
    "xref": "x",
    "xanchor": "left",
    "xshift": 4,
    "yref": "paper",
    "font": {"size": NOTE_PIXELS, "color": GREY},
}
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
    writer: SettingWords = MEDIANS,
    strategies: Sequence[str] = (),
    beaten: Mapping[int, str] | None = None,
) -> go.Figure:
    """Return the line of ``measure`` over the values of the parameter ``x``.

    ``table`` holds rows of ``Sweep.by_setting(over)`` of one strategy, about which ``writer`` writes. The ``threshold``
    is drawn dashed, and a dotted line marks the ``knee``, a value of ``x``. ``strategies`` keeps its colour
    (:func:`memviz.dashboard.charts.sweeps.points.strategy_marks`). Points carry the number of their setting
    (customdata). ``beaten`` holds by the number of a setting the sentence on the strategy that beats it; its point is
    pale. Raises ValueError where two settings have the same ``x``.
    """
    require_one_setting_a_place(table, (x,))
    rows = table.sort_values(x.name)
    marked = {"Recommended": recommended, "Chosen": chosen}
    beaten = beaten or {}
    traces = list(_rings(rows, x, measure, marked))
    (mark,) = strategy_marks(table, strategies)  # of one strategy
    traces += _line(rows, x, measure, mark, writer, beaten)
    if beaten:
        traces.append(pale_key())

    x_axis = values_axis(x, values_of(table, x))
    limits = () if threshold is None else (threshold,)
    y_axis = measure_axis(measure, table[measure].to_numpy(dtype=float), limits)
    shapes = [rule_across(limit, stroke(1, "dash"), yref="y") for limit in limits]
    notes = [note_at_left(_title_words(measure, threshold), 1, yref="paper")]
    if knee is not None:
        shapes.append(rule_down(knee, stroke(1.5, "dot"), xref="x"))
        notes.append(_knee_words(knee, x_axis))
    is_ringed = not set(rows["setting"]).isdisjoint(marked.values())
    return picture(
        traces,
        xaxis={**x_axis, "anchor": "y"},
        yaxis={**y_axis, **_PANEL},
        shapes=shapes,
        annotations=notes,
        showlegend=bool(beaten) or is_ringed,
        uirevision=f"lines {x.name}",
        **_LAYOUT,
    )


def _line(
    rows: DataFrame,
    x: Axis,
    measure: str,
    mark: StrategyMark,
    writer: SettingWords,
    beaten: Mapping[int, str],
) -> Iterator[Part]:
    """Yield the line, then its points. Those that another strategy beats are a trace of their own: while a point is
    chosen, a chart can pale only whole traces."""
    places = rows[x.name].to_numpy(dtype=float)
    values = rows[measure].to_numpy(dtype=float)
    look = stroke(2, mark.dash, mark.color)
    yield path(places, values, look, legendgroup=mark.id, showlegend=False)

    row_of = rows_by_setting(rows)
    numbers = np.array(list(row_of), dtype=np.int64)
    is_beaten = np.isin(numbers, list(beaten))
    for is_pale in (False, True):
        alike = is_beaten == is_pale
        if not alike.any():
            continue
        settings = numbers[alike].tolist()
        tooltips = []
        for number in settings:
            sentences = list(measure_words(row_of[number], measure))
            if beaten.get(number):
                sentences.append(beaten[number])
            tooltips.append(writer.tooltip(row_of[number], *sentences))
        opacity = {"opacity": PALE if is_pale else 1.0}
        yield marks(
            places[alike],
            values[alike],
            tooltips,
            {"color": mark.color, "symbol": mark.shape, "size": 8, **opacity},
            name=escape_text(mark.title),
            legendgroup=mark.id,
            showlegend=False,
            selected=OPAQUE,
            unselected={"marker": opacity},
            customdata=settings,
            **_AXES,
        )


def _rings(
    rows: DataFrame, x: Axis, measure: str, marked: Mapping[str, int | None]
) -> Iterator[Part]:
    for name, setting in marked.items():
        row = rows[rows["setting"] == setting].dropna(subset=[measure])
        if len(row):
            yield setting_ring(
                name,
                RING_PIXELS - 3,
                row[x.name].to_numpy(dtype=float),
                row[measure].to_numpy(dtype=float),
                legendgroup=name,
                showlegend=True,
                **_AXES,
            )


def _title_words(measure: str, threshold: float | None) -> str:
    """Return ``Facts kept (%), at least 90% - -``: the bound has the look of its line here, because an entry of the
    legend would take the height that the panels beside it have."""
    words = WORDS[measure]
    text = f"<b>{words.title}</b>"
    if words.axis_title != words.title:
        text = _("{title} ({unit})", title=text, unit=words.unit)
    if threshold is None:
        return text
    template = noop("{measure}, at least {bound}")
    if words.less_is_better:
        template = noop("{measure}, at most {bound}")
    return _(template, measure=text, bound=f"{words.shown(threshold)} {_DASHES}")


def _knee_words(knee: float, x_axis: Part) -> Part:
    """Return the words at the foot, where a curve that rises leaves room."""
    words = _("bends at {knee:g}", knee=knee)
    return note(words, position_on(x_axis, knee), 0, **_AT_FOOT)
