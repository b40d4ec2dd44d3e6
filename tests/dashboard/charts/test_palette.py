"""Colours that can be seen on both themes and told apart, also without red or green cones."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from streamlit.elements.lib import streamlit_plotly_theme

from memviz.core.context import ALL_PARTS, Fate
from memviz.dashboard.charts import palette
from memviz.dashboard.charts.palette import (
    FAILURE_COLOR,
    PART_COLORS,
    STEP_COLORS,
    STEP_TITLES,
    SUMMARIZATION_GLYPH,
    SUMMARIZATION_LINE,
    fade_color,
    setting_color,
    setting_dash,
)
from memviz.dashboard.lessons.study import MAX_SETTINGS
from memviz.dashboard.reporting.themes import DARK, LIGHT
from memviz.dashboard.stage.files import style
from memviz.metrics.memory_map.stretches import STEPS, encode_fate
from tests.tables import for_each

THEMES = tomllib.loads(
    (Path(__file__).parents[3] / ".streamlit/config.toml").read_text(encoding="utf-8")
)["theme"]
LEAST_CONTRAST = 2.0
"""The ratio of WCAG 2, against the page. Lines and areas are large; text is not drawn in these colours."""
LEAST_DIFFERENCE = 10.0
"""Distance in CIELAB. 2.3 is just noticeable side by side; lines and areas are looked at apart."""
VISION = {
    "normal": np.eye(3),
    # Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
XYZ_OF_RGB = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])

Color = NDArray[np.float64]


def linear(color: str) -> Color:
    """``#RRGGBB`` as linear RGB, 0 to 1."""
    values = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(
        values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4
    )


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(
        float(XYZ_OF_RGB[1] @ linear(color)) for color in (one, other)
    )
    return (lighter + 0.05) / (darker + 0.05)


def lab(rgb: Color) -> Color:
    ratio = XYZ_OF_RGB @ rgb / WHITE
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: str, other: str, vision: str) -> float:
    seen = [
        lab(np.clip(VISION[vision] @ linear(color), 0, 1)) for color in (one, other)
    ]
    return float(np.linalg.norm(seen[0] - seen[1]))


def alike(colors: dict[str, str], vision: str) -> list[str]:
    """The pairs that cannot be told apart."""
    pairs = (
        (one, other, difference(colors[one], colors[other], vision))
        for one, other in combinations(colors, 2)
    )
    return [
        f"{one} and {other}: {far:.1f}"
        for one, other, far in pairs
        if far < LEAST_DIFFERENCE
    ]


def of_settings(theme: str) -> dict[str, str]:
    return {
        str(number): color
        for number, color in enumerate(THEMES[theme]["chartCategoricalColors"])
    }


def on_page(color: str, page: str) -> str:
    """What is seen of a colour that lets the page through, as ``#RRGGBB``."""
    if color.startswith("#"):
        return color
    *parts, opacity = (
        float(part) for part in color.removeprefix("rgba(").rstrip(")").split(",")
    )
    below = [int(page[at : at + 2], 16) for at in (1, 3, 5)]
    mixed = [
        round(part * opacity + under * (1 - opacity))
        for part, under in zip(parts, below, strict=True)
    ]
    return "#" + "".join(f"{part:02X}" for part in mixed)


def test_the_measures_agree_with_published_values() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)
    assert lab(linear("#FF0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    assert difference("#FFFFFF", "#000000", "deuteranopia") == pytest.approx(
        100, abs=0.1
    )
    assert (
        difference("#B00000", "#505000", "protanopia")
        < difference("#B00000", "#505000", "normal") / 2
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
class TestThemes:
    def test_has_exactly_ten_categorical_colours(self, theme: str) -> None:
        """With fewer than ten, plotly refuses them all; an eleventh would never be used."""
        assert len(set(of_settings(theme).values())) == len(of_settings(theme)) == 10

    def test_every_colour_stands_out_from_the_page(self, theme: str) -> None:
        page = THEMES[theme]["backgroundColor"]
        colors = of_settings(theme) | PART_COLORS | {"failure": FAILURE_COLOR}
        faint = {
            name: round(contrast(color, page), 2) for name, color in colors.items()
        }
        assert {
            name: ratio for name, ratio in faint.items() if ratio < LEAST_CONTRAST
        } == {}

    @pytest.mark.parametrize("vision", VISION)
    def test_settings_on_one_chart_are_told_apart(
        self, theme: str, vision: str
    ) -> None:
        assert (
            alike(
                {
                    name: color
                    for name, color in of_settings(theme).items()
                    if int(name) < MAX_SETTINGS
                },
                vision,
            )
            == []
        )

    @pytest.mark.parametrize("vision", VISION)
    def test_what_became_of_messages_is_told_apart(
        self, theme: str, vision: str
    ) -> None:
        page = THEMES[theme]["backgroundColor"]
        seen = {
            title: on_page(color, page)
            for title, color in zip(STEP_TITLES, STEP_COLORS, strict=True)
        }
        assert seen.pop("Not yet there") == page
        assert alike(seen | {"failure": FAILURE_COLOR}, vision) == []

    @pytest.mark.parametrize("vision", VISION)
    def test_dropped_and_summarized_many_times_are_no_twins(
        self, theme: str, vision: str
    ) -> None:
        """The two faintest colours, of what is lost and of what may not be: seen from afar, on a projector."""
        page = THEMES[theme]["backgroundColor"]
        dropped, summarized = (
            on_page(STEP_COLORS[encode_fate(*fate)], page)
            for fate in ((Fate.DROPPED,), (Fate.SUMMARIZED, 8))
        )
        assert difference(dropped, summarized, vision) > 1.4 * LEAST_DIFFERENCE

    def test_dropped_recedes_but_is_not_the_page(self, theme: str) -> None:
        page = THEMES[theme]["backgroundColor"]
        ratios = {
            title: contrast(on_page(color, page), page)
            for title, color in zip(STEP_TITLES, STEP_COLORS, strict=True)
        }
        assert 1.1 < ratios["Dropped"] < 1.5
        whole = ("Word for word", "Replaced by a summary", "Recalled", "Shortened")
        assert min(ratios[title] for title in whole) > LEAST_CONTRAST
        assert 1.5 < ratios["Sent as a placeholder"] < LEAST_CONTRAST, (
            "it recedes too, but less"
        )

    def test_a_summary_fades_with_its_generation(self, theme: str) -> None:
        page = THEMES[theme]["backgroundColor"]
        codes = [encode_fate(Fate.SUMMARIZED, times) for times in (1, 2, 4, 8)]
        ratios = [contrast(on_page(STEP_COLORS[code], page), page) for code in codes]
        assert ratios == sorted(ratios, reverse=True)
        assert len(set(ratios)) == 4

    def test_lines_of_summarizations_stand_out_from_cells_and_page(
        self, theme: str
    ) -> None:
        page = THEMES[theme]["backgroundColor"]
        assert contrast(SUMMARIZATION_LINE, page) > LEAST_CONTRAST
        assert (
            difference(SUMMARIZATION_LINE, PART_COLORS["summary"], "normal")
            > LEAST_DIFFERENCE
        )

    def test_diamonds_on_a_page_are_seen_on_a_projector(self, theme: str) -> None:
        light, dark = (
            SUMMARIZATION_GLYPH.removeprefix("light-dark(").rstrip(")").split(", ")
        )
        assert (
            contrast(
                {"light": light, "dark": dark}[theme], THEMES[theme]["backgroundColor"]
            )
            > 5.5
        )

    @pytest.mark.parametrize("vision", VISION)
    def test_settings_of_the_same_dash_are_told_apart(
        self, theme: str, vision: str
    ) -> None:
        for dash in palette.DASHES:
            same = {
                n: color
                for n, color in of_settings(theme).items()
                if setting_dash(int(n)) == dash
            }
            assert alike(same, vision) == []


@for_each("vision", VISION)
def test_parts_and_failures_are_told_apart(vision: str) -> None:
    assert alike(PART_COLORS | {"failure": FAILURE_COLOR}, vision) == []


def test_every_part_of_a_request_has_colour_title_and_help() -> None:
    parts, titles, helps = (
        set(palette.PART_ORDER),
        palette.PART_TITLES,
        palette.PART_HELP,
    )
    assert parts == set(PART_COLORS) == set(titles) == set(helps) == {*ALL_PARTS}
    assert len(set(titles.values())) == len(titles)
    assert all(text.endswith(".") for text in helps.values())


def test_settings_take_the_themes_colours_in_order() -> None:
    tokens = [
        getattr(streamlit_plotly_theme, f"CATEGORY_{number}") for number in range(10)
    ]
    assert [setting_color(index) for index in range(12)] == [*tokens, *tokens[:2]]


def test_as_many_dashes_as_settings_on_one_chart() -> None:
    assert len({setting_dash(index) for index in range(MAX_SETTINGS)}) == MAX_SETTINGS
    assert setting_dash(0) == "solid"


def test_everything_that_can_become_of_a_message_has_colour_and_title() -> None:
    assert len(STEP_COLORS) == len(STEP_TITLES) == len(STEPS) == len(set(STEP_TITLES))
    kinds = {Fate.VERBATIM: "history", Fate.RECALLED: "recalled"}
    assert {fate: STEP_COLORS[encode_fate(fate)] for fate in kinds} == {
        fate: PART_COLORS[kinds[fate]] for fate in kinds
    }
    assert STEP_COLORS[encode_fate(Fate.SUMMARIZED, 1)] == fade_color(
        PART_COLORS["summary"], 1
    )
    assert fade_color("#0A10FF", 0.25) == "rgba(10,16,255,0.25)"
    for code in (2, 3, 4):
        first, last = STEPS[code].generation, STEPS[code + 1].generation - 1
        assert STEP_TITLES[code] in (
            "Replaced by a summary",
            f"Summarized {first}-{last} times",
        )
    assert STEP_TITLES[5] == f"Summarized {STEPS[5].generation} times or more"


LEAST_CONTRAST_OF_TEXT = 4.5


@for_each("where", ["stage", "lesson"])
@for_each("mark", ["right", "wrong"])
def test_answers_are_read_in_their_colours(where: str, mark: str) -> None:
    css = style()
    rule = rf"button\.{mark} {{ color: light-dark\((#\w+), (#\w+)\)"
    if where == "lesson":
        css = files("memviz.dashboard.ui.shell").joinpath("style.css").read_text()
        rule = (
            rf"\.memviz-answered \.{mark} {{\s*--answered: light-dark\((#\w+), (#\w+)\)"
        )
    found = re.search(rule, css)
    assert found is not None
    for color, theme in zip(found.groups(), (LIGHT, DARK), strict=True):
        assert contrast(color, theme.background) >= LEAST_CONTRAST_OF_TEXT
