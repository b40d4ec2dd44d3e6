"""Figures from plain dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import plotly.graph_objects as go

VALIDATED = False
"""Whether Plotly checks every property of every figure. The tests switch it on; on a page it would
take longer than all the rest of a redraw."""

CONFIG: dict[str, Any] = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
"""Of Plotly's buttons only the download; a drag zooms, a double click goes back."""


def figure(traces: Iterable[Mapping[str, Any]], layout: Mapping[str, Any]) -> go.Figure:
    """A figure of these traces, each a dictionary with its ``type``. Raises ValueError for a property
    that Plotly does not know while :data:`VALIDATED` is on."""
    return go.Figure({"data": list(traces), "layout": dict(layout)}, _validate=VALIDATED)
