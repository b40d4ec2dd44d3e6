"""Figures from dictionaries, and text that Plotly shows as it is."""

from __future__ import annotations

import pytest

from memviz.dashboard.charts import figure as module
from memviz.dashboard.charts.figure import (
    LEGEND_CHARS,
    MOST_LINES,
    escape_text,
    legend_name,
)
from memviz.dashboard.charts.height_pixels import LEGEND_ROW, add_legend_height
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from tests.dashboard.charts.runs import run_of


def test_a_figure_is_the_same_without_validation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = [SettingRun(run_of(), "One", 0), SettingRun(run_of("buffer"), "Two", 1)]
    validated = tokens_per_turn(settings).to_dict()
    monkeypatch.setattr(module, "VALIDATED", False)
    assert tokens_per_turn(settings).to_dict().keys() == validated.keys()
    assert (
        tokens_per_turn(settings).to_json(validate=False)
        == tokens_per_turn(settings).to_json()
    )
    assert [trace["name"] for trace in tokens_per_turn(settings).to_dict()["data"]] == [
        trace["name"] for trace in validated["data"]
    ]


def test_tests_find_a_property_that_plotly_does_not_know() -> None:
    with pytest.raises(ValueError, match="colour"):
        module.figure([{"type": "scatter", "colour": "red"}], {})


def test_a_legend_may_take_most_of_a_small_picture_and_more_settings_make_it_higher() -> (
    None
):
    assert (
        module.figure([], {"legend": {"orientation": "h"}}).layout.legend.maxheight
        > 0.5
    )
    assert [add_legend_height(300, settings) for settings in (1, 3, 6)] == [
        300,
        300,
        300 + 3 * LEGEND_ROW,
    ]


def test_markup_is_escaped_and_quotes_are_not() -> None:
    assert (
        escape_text("<b>a</b> & &amp; \"b\" 'c'")
        == "&lt;b&gt;a&lt;/b&gt; &amp; &amp;amp; \"b\" 'c'"
    )


def test_a_name_in_a_legend_takes_as_many_lines_as_it_needs() -> None:
    label = "Summary only · 21 messages · 5 calls · reflective thinking on · 5 rounds · <12,000 tokens>"
    lines = legend_name(label).split("<br>")
    assert " ".join(lines) == escape_text(label)
    assert len(lines) == 3
    assert legend_name("Full buffer") == "Full buffer"
    endless = legend_name("word " * 400).split("<br>")
    assert len(endless) == MOST_LINES
    assert max(map(len, endless)) <= LEGEND_CHARS
    assert endless[-1].endswith("…")
