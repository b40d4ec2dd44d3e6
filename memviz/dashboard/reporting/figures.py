"""Figures as picture files, where this machine can draw them: Plotly draws in a browser and nowhere else."""

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import plotly.graph_objects as go

from memviz.core.errors import MemvizError
from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.reporting.themes import LIGHT, Theme, themed

ImageFormat = Literal["png", "svg"]
INSTALL = "pip install 'memviz[images]'"
NO_PROXY_PORT = "127.0.0.1:9"
"""The browser's only way to any network: the port of the discard service, where nobody answers."""
PIXELS_PER_POINT = 2
"""A PNG has so many pixels a point, to be sharp in print."""


def can_render() -> bool:
    """Return whether :func:`image` can work here."""
    return _missing() is None


def image(
    figure: go.Figure,
    format: ImageFormat = "png",
    width: int = 1000,
    height: int = height_pixels.FILE,
    theme: Theme = LIGHT,
) -> bytes:
    """Return the figure as a picture of ``width`` x ``height`` points; a PNG has twice as many pixels each way.

    Kaleido lets a headless Chromium draw it with the plotly.js of the installed plotly package, without any network.
    Raises :class:`memviz.MemvizError` that says what to install where something is missing.
    """
    missing = _missing()
    if missing:
        raise MemvizError(missing)
    kaleido = import_module("kaleido")
    options = {
        "format": format,
        "width": width,
        "height": height,
        "scale": PIXELS_PER_POINT if format == "png" else 1,
    }
    browser = _browser_options()
    try:
        drawn = kaleido.calc_fig_sync(
            themed(figure, theme), opts=options, kopts=browser
        )
    except Exception as error:  # kaleido and choreographer have no common base
        said = str(error.args[0] if error.args else error).strip()
        reason = said or type(error).__name__
        raise MemvizError(
            _(
                "The picture could not be drawn: {reason} Save the chart from a page or from the report instead: each "
                "has a button for it.",
                reason=reason,
            )
        ) from error
    return bytes(drawn)


def _browser_options() -> dict[str, Any]:
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return {
        "mathjax": False,  # it would come from another machine
        "proxy_server": NO_PROXY_PORT,
        "enable_sandbox": not is_root,  # it does not work for root, as in most containers
    }


def _missing() -> str | None:
    """Return a sentence about what is not installed."""
    if not _has_kaleido():
        return _(
            "Charts as picture files need the package kaleido and a Chrome or Chromium. Install it: {command}.",
            command=INSTALL,
        )
    if _browser() is None:
        return _(
            "Charts as picture files need a Chrome or Chromium, and none is on this machine. Install one of them."
        )
    return None


@cache
def _has_kaleido() -> bool:
    return find_spec("kaleido") is not None


@cache
def _browser() -> str | None:
    """Return the place where kaleido finds a browser."""
    chromium = import_module("choreographer.browsers.chromium").Chromium
    path: str | None = chromium.find_browser(skip_local=False)
    return path if path and Path(path).is_file() else None
