"""The charts of the report as JSON that its script draws, in both themes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import plotly.graph_objects as go

from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.memory_map.fate_map import map_of
from memviz.dashboard.charts.requests.composition import composition
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.summaries.timeline import summary_timeline
from memviz.dashboard.reporting.settings import Setting
from memviz.dashboard.reporting.themes import DARK, LIGHT, THEMES, template, themed
from memviz.metrics.memory_map.fate_grid import View

TOKENS = "tokens"
TITLE_PIXELS = 34
Json = dict[str, Any]


def chart_data(settings: Sequence[Setting], view: View | None) -> Json:
    """Everything the script needs: ``charts`` by name, the ``templates`` of the themes, and Plotly's ``config``.
    ``view`` is the part of the conversation that the maps show, ``None`` where there is no request."""
    figures = (
        {name: _both_themes(figure) for name, figure in _figures(settings, view)}
        if view
        else {}
    )
    templates = {name: template(theme) for name, theme in THEMES.items()}
    return {
        "charts": figures,
        "templates": templates,
        "config": {**CONFIG, "responsive": True},
    }


def _figures(
    settings: Sequence[Setting], view: View
) -> Iterator[tuple[str, go.Figure]]:
    """A heading of the page names each chart; what a map's own title adds is the mark of its setting."""
    asked = [setting for setting in settings if setting.run.requests]
    yield TOKENS, tokens_per_turn([setting.setting for setting in asked])
    for setting in asked:
        yield f"composition-{setting.index}", _untitled(composition(setting.run))
        yield f"map-{setting.index}", map_of(setting.setting, view)
        if setting.changes_notes:
            yield f"summary-{setting.index}", summary_timeline(setting.run)


def _untitled(figure: go.Figure) -> go.Figure:
    """The figure without its title and the room for it."""
    top, height = (
        max(0, figure.layout.margin.t - TITLE_PIXELS),
        figure.layout.height - TITLE_PIXELS,
    )
    return figure.update_layout(title_text="", margin_t=top, height=height)


def _both_themes(figure: go.Figure) -> Json:
    """The figure in light, and what is different in dark: ``[path, light, dark]`` each."""
    light, dark = themed(figure, LIGHT), themed(figure, DARK)
    for drawn in (light, dark):
        del drawn["layout"]["template"]  # the same for all charts
    changes = [[list(path), *values] for path, *values in _differences(light, dark)]
    return {"data": light["data"], "layout": light["layout"], "changes": changes}


def _differences(
    light: Any, dark: Any, *path: str | int
) -> Iterator[tuple[tuple[str | int, ...], Any, Any]]:
    if isinstance(light, dict) and isinstance(dark, dict):
        for key in light:
            yield from _differences(light[key], dark[key], *path, key)
    elif isinstance(light, list) and light and isinstance(light[0], dict):
        for place, pair in enumerate(zip(light, dark, strict=True)):
            yield from _differences(*pair, *path, place)
    elif light is not dark and light != dark:
        yield path, light, dark
