"""Figures outside the dashboard look as they do in it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from memviz.dashboard.charts.figure import figure
from memviz.dashboard.charts.memory_map.fate_map import draw_fate_map
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.reporting.themes import DARK, LIGHT, THEMES, Theme, themed
from memviz.metrics.memory_map.fate_grid import View
from tests.dashboard.charts.runs import run_of
from tests.tables import for_each

CONFIG = tomllib.loads(
    (Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text(
        encoding="utf-8"
    )
)["theme"]


@for_each("theme", THEMES.values())
def test_the_colours_are_those_of_the_dashboard(theme: Theme) -> None:
    known = CONFIG[theme.name]
    assert list(theme.settings) == known["chartCategoricalColors"]
    assert (theme.background, theme.surface, theme.text, theme.failure) == (
        known["backgroundColor"],
        known["secondaryBackgroundColor"],
        known["textColor"],
        known["redColor"],
    )


@for_each("theme", THEMES.values())
def test_no_placeholder_of_a_setting_is_left(theme: Theme) -> None:
    settings = [SettingRun(run_of(), f"setting {index}", index) for index in range(10)]
    view = View(range(1, 7), range(12))
    drawn = [
        themed(tokens_per_turn(settings), theme),
        *(themed(draw_fate_map(setting, view), theme) for setting in settings),
    ]
    assert not re.search(r"#0000(0[1-9]|10)\b", json.dumps(drawn))
    used = [trace["line"]["color"] for trace in drawn[0]["data"][:10]]
    assert used == list(theme.settings)
    assert theme.settings[3] in drawn[4]["layout"]["annotations"][0]["text"]


def test_texts_keep_what_looks_like_a_placeholder() -> None:
    said = "use color #000003 or color:#000003"
    chart = figure(
        [{"type": "scatter", "x": [1], "y": [1], "text": [said], "name": "#000003"}], {}
    )
    assert themed(chart, LIGHT)["data"][0]["text"] == [said]
    assert themed(chart, DARK)["data"][0]["name"] == "#000003"


def test_the_figure_itself_stays_as_it_was() -> None:
    chart = tokens_per_turn([SettingRun(run_of(), "setting", 2)])
    before = json.dumps(chart.to_dict())
    themed(chart, DARK)
    assert json.dumps(chart.to_dict()) == before
