"""The places of all facts at every request of one setting, as areas that stand on each other."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.grammar import Part, area, marks, picture
from memviz.dashboard.charts.retention.life_lines import MARGINS, requests_title
from memviz.dashboard.charts.retention.result import (
    KNOWLEDGE_COLORS,
    KNOWLEDGE_TITLES,
    PATTERNS,
    SHOWN,
    known_words,
)
from memviz.dashboard.charts.turn_axis import parting_layout, turns_axis
from memviz.metrics.requests.request_axis import RequestAxis
from memviz.metrics.retention.knowledge import Knowledge, Retention

_LAYOUT: Part = {
    "showlegend": False,
    "hovermode": "x",
    "height": height_pixels.FACTS_BY_PLACE,
    "margin": {**MARGINS, "t": 8, "b": 44},
    "uirevision": "split",
}
_STEPS: Part = {"stackgroup": "facts", "hoverinfo": "skip"}
_HIDDEN = {"opacity": 0, "size": 1}
_FACTS_AXIS = {
    "automargin": False,
    "tickformat": ",d",
    "nticks": 5,
}


def knowledge_split(retention: Retention) -> go.Figure:
    """Return numbers of facts by where they stood; the stack is as high as there were facts. States that never occur
    are left out. The requests have the places that they have in :func:`life_lines_of`."""
    axis = RequestAxis.of([retention.turns])
    stated = retention.born.sum(axis=1)
    most = int(stated.max(initial=1))
    traces = []
    for state in SHOWN:
        counts = (retention.states == state).sum(axis=1)
        if counts.any():
            traces.append(_area(state, retention.places, counts))
    # What a request says when one points at it stands on top of its stack.
    words = known_words(retention)
    traces.append(marks(retention.places, stated, words, _HIDDEN, name="facts"))
    y_axis = {
        **_FACTS_AXIS,
        "range": [0, most * 1.04],
        "dtick": 1 if most <= 4 else None,
    }
    return picture(
        traces,
        xaxis=turns_axis(axis, title=requests_title(axis)),
        yaxis=y_axis,
        **parting_layout(axis),
        **_LAYOUT,
    )


def _area(
    state: Knowledge, places: NDArray[np.int64], counts: NDArray[np.int64]
) -> Part:
    """Return steps that are as wide as a request, half before and half behind it."""
    # Plotly begins and ends a line of steps in the middle of one: a point more at each end makes it whole.
    color = KNOWLEDGE_COLORS[state]
    hatching = {}
    if state in PATTERNS:
        hatching["fillpattern"] = {"shape": PATTERNS[state]}
    return area(
        np.concatenate((places[:1] - 0.5, places, places[-1:] + 0.5)),
        np.concatenate((counts[:1], counts, counts[-1:])),
        {"width": 0, "shape": "hvh", "color": color},
        fillcolor=color,
        name=_(KNOWLEDGE_TITLES[state]),
        **_STEPS,
        **hatching,
    )
