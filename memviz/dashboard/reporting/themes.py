"""The HTML files that leave memviz, and the look of figures in them.

No page gives such a file its colours, so it has its own, light and dark. All that it needs
is in it, and its policy lets a browser load nothing and run no script but its own, known by
their hashes.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from memviz.dashboard.charts.grammar import INVISIBLE
from memviz.dashboard.charts.palette import NOTE_PIXELS, setting_color
from memviz.dashboard.markup import lang_attribute
from memviz.dashboard.stage.files import own_text, style

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of one theme as ``#RRGGBB``: those of the dashboard's own."""

    name: str
    background: str
    surface: str
    text: str
    muted: str
    grid: str
    failure: str
    settings: tuple[str, ...]
    """Ten of them."""


LIGHT = Theme(
    name="light",
    background="#FFFFFF",
    surface="#F4F6F8",
    text="#1D2630",
    muted="#5C6672",
    grid="#DFE4E9",
    failure="#C62828",
    settings=(
        "#0072B2",
        "#A54F00",
        "#009E73",
        "#CC79A7",
        "#A09000",
        "#56B4E9",
        "#7D3C75",
        "#7F4F24",
        "#3F8F29",
        "#555E68",
    ),
)

DARK = Theme(
    name="dark",
    background="#10151B",
    surface="#1A2129",
    text="#E6EBF0",
    muted="#9AA5B1",
    grid="#2B343E",
    failure="#FF6B6B",
    settings=(
        "#4AA8E0",
        "#E68441",
        "#36D59A",
        "#E87BAE",
        "#E0B93A",
        "#9AD4F7",
        "#C89DC8",
        "#C99A6B",
        "#86CF6E",
        "#ADA7EC",
    ),
)

_GRID_COLORS = ("gridcolor", "linecolor", "zerolinecolor", "tickcolor")
_WITHOUT_EDGE = {"type": "scatter", "marker": {"line": {"width": 0}}}
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def themed(figure: go.Figure, theme: Theme) -> dict[str, Any]:
    """Return the figure as a dictionary of ``data`` and ``layout`` with the colours and fonts of ``theme``."""
    figure_dict = figure.to_dict()
    figure_dict["layout"]["template"] = template(theme)
    # Figures name the colours of settings by tokens such as #000001.
    colors = {setting_color(index): color for index, color in enumerate(theme.settings)}
    # The mark of a setting in a note is a span with a colour of its own: "color:#000001".
    pattern = f"(?<=color:)({'|'.join(colors)})"
    for note in figure_dict["layout"].get("annotations", ()):
        note["text"] = re.sub(pattern, lambda match: colors[match[0]], note["text"])
    recolored: dict[str, Any] = _recolor(figure_dict, colors)
    return recolored


def _recolor(value: Any, colors: dict[str, str]) -> Any:
    """Return ``value`` with every property ``color`` that names a setting replaced; texts stay as they are."""
    if isinstance(value, dict):
        recolored = {}
        for key, item in value.items():
            if key == "color" and isinstance(item, str):
                recolored[key] = colors.get(item, item)
            else:
                recolored[key] = _recolor(item, colors)
        return recolored
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        return [_recolor(item, colors) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def template(theme: Theme) -> dict[str, Any]:
    """Return what Plotly uses where a figure says nothing."""
    font = {"family": FONT, "color": theme.text, "size": NOTE_PIXELS}
    axis = {
        **dict.fromkeys(_GRID_COLORS, theme.grid),
        "tickfont": {"color": theme.muted},
        "title": {"font": {"color": theme.muted, "size": NOTE_PIXELS}},
        "zerolinewidth": 1,
    }
    hover_label = {"bgcolor": theme.surface, "bordercolor": theme.grid, "font": font}
    mode_bar = {
        "bgcolor": INVISIBLE,
        "color": theme.muted,
        "activecolor": theme.text,
    }
    layout = {
        "font": font,
        "paper_bgcolor": theme.background,
        "plot_bgcolor": theme.background,
        "colorway": list(theme.settings),
        "xaxis": axis,
        "yaxis": axis,
        "hoverlabel": hover_label,
        "modebar": mode_bar,
    }
    return {"layout": layout, "data": {"scatter": [_WITHOUT_EDGE]}}


def html_environment(
    package: str,
    css: str,
    scripts: Sequence[str],
    images: str,
    filters: dict[str, Callable[..., Any]],
) -> Environment:
    """Return what makes files of the templates of ``package``. Each includes ``head.html`` for the style ``css``
    and the policy, which lets pictures come from ``images``. Texts are escaped."""
    loaders = [PackageLoader(package, ""), PackageLoader(__package__, "")]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"lang": lang_attribute, **filters}
    environment.globals |= {
        "style": Markup(f"{own_text(package, css)}\n{style()}"),  # noqa: S704 - our own files
        "scripts": [Markup(script) for script in scripts],  # noqa: S704 - our own and Plotly's
        "hashes": [script_hash(script) for script in scripts],
        "images": images,
        "themes": THEMES,
        "version": memviz_version(),
    }
    return environment


def script_hash(script: str) -> str:
    """Return the name of a script in a Content-Security-Policy: the hash of its text between the tags."""
    return "sha256-" + b64encode(hashlib.sha256(script.encode()).digest()).decode()


def memviz_version() -> str:
    """Return the version that is installed."""
    try:
        return version("memviz")
    except PackageNotFoundError:  # run from its source folder
        return "not installed"
