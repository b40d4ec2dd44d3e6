"""Figures from dictionaries."""

from __future__ import annotations

import pytest

from memviz.dashboard.charts import figure as module
from memviz.dashboard.charts.height_pixels import LEGEND_ROW, with_legend
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.setting_run import SettingRun
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
    assert [with_legend(300, settings) for settings in (1, 3, 6)] == [
        300,
        300,
        300 + 3 * LEGEND_ROW,
    ]
