"""The chart of distributions: quantiles of each setting, however many conversations there are."""

from __future__ import annotations

import numpy as np
from pandas import DataFrame

from memviz.dashboard.charts.sweeps.distributions import (
    QUANTILES,
    distribution_rows,
    distributions_finding,
)
from tests.dashboard.charts.runs import MARKUP

LABELS = ("Window 10", MARKUP, "Summary")


def table() -> DataFrame:
    """Three settings, of the last of which nothing is known."""
    rows = []
    for number, label in enumerate(LABELS):
        values = np.array([0.1, 0.25, 0.5, 0.75, 0.9]) + number / 100
        row = dict(zip(QUANTILES, values, strict=True))
        rows.append({"setting": number, "label": label, "mean": 0.5, **row})
    frame = DataFrame(rows)
    frame.loc[2, [*QUANTILES, "mean"]] = np.nan
    return frame


def test_a_setting_has_a_thin_line_a_thick_one_and_a_mark() -> None:
    figure = distribution_rows(table(), "retention")
    thin, thick, mark = figure.data[:3]
    assert (thin.x, thick.x) == ((0.1, 0.9), (0.25, 0.75))
    assert thin.line.width < thick.line.width
    assert mark.x == (0.1, 0.25, 0.5, 0.75, 0.9)
    assert mark.marker.opacity == (0, 0, 1, 0, 0)
    assert "Half of the conversations: 25% to 75%" in mark.text[0]
    assert len(figure.data) == 6, "nothing is known of the third"
    assert (
        figure.layout.height
        < distribution_rows(table().fillna(0.5), "retention").layout.height
    )


def test_names_are_text_and_stand_with_their_median() -> None:
    figure = distribution_rows(table(), "retention")
    first, second = figure.layout.annotations
    assert first.text == "Window 10 · median 50%"
    assert "<b>" not in second.text
    assert MARKUP not in figure.data[5].text[0]


def test_the_sentence_names_the_medians() -> None:
    finding = distributions_finding(table(), "retention")
    assert finding.startswith("Facts kept, in the median conversation: Window 10 50%")
    assert "Summary" not in finding
