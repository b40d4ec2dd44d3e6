"""Tables of sweeps for the tests of charts."""

from __future__ import annotations

import re
from html import unescape

import plotly.graph_objects as go
from pandas import DataFrame

from memviz.strategies import strategies
from memviz.strategies.parameters import Parameter
from tests.tuning.random_sweeps import TERMS, UNPRICED, cell, sweep_of

OWN_TAGS = re.compile(r"</?b>|<br>")
PARAMETERS = {p.name: p for cls in strategies().values() for p in cls.parameters()}


def parameter(name: str) -> Parameter:
    return PARAMETERS[name]


def small_table(*, priced: bool = True) -> DataFrame:
    """Three windows and two token buffers over one conversation: settings 0, 1, 2 and 3, 4."""
    kept = [
        cell(0, [1000, 3000], [1, 2]),
        cell(1, [2000, 4000], [3, 4]),
        cell(2, [5000, 5000], [4, 4]),
        cell(3, [1500, 3500], [1, 2]),
        cell(4, [7000, 7000], [4, 2]),
    ]
    return sweep_of(list(kept), assumptions=TERMS if priced else UNPRICED).by_setting()


def points_of(figure: go.Figure) -> dict[int, dict[str, object]]:
    """What is drawn of each setting that can be clicked."""
    found: dict[int, dict[str, object]] = {}
    for trace in figure.data:
        for at, number in enumerate(
            [] if trace.customdata is None else trace.customdata
        ):
            assert number not in found, "a setting is drawn twice"
            found[number] = {
                "x": trace.x[at],
                "y": trace.y[at],
                "text": trace.text[at],
                "trace": trace,
                "at": at,
            }
    return found


def words(text: object) -> str:
    """A tooltip as it is read."""
    return " ".join(unescape(OWN_TAGS.sub(" ", str(text))).split())


def named(figure: go.Figure, name: str) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.name == name]


def legend(figure: go.Figure) -> list[str]:
    """The entries of the legend in order."""
    shown = [trace for trace in figure.data if trace.showlegend is not False]
    return [
        trace.name
        for trace in sorted(
            shown,
            key=lambda trace: 1000 if trace.legendrank is None else trace.legendrank,
        )
    ]
