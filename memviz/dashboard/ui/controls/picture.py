"""A picture whose points can be clicked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from plotly.basedatatypes import BaseFigure

from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.ui.controls.pictures import as_shown, picture_pixels


def picture(
    figure: BaseFigure,
    key: str,
    finding: str,
    on_click: Callable[[], object],
    pixels: int,
    place: Any = st,
) -> None:
    """Draw a figure of ``pixels`` in height, as high as the window before an audience. ``finding`` says in a sentence
    what it shows, and ``on_click`` is called when one of its points was clicked. It is drawn in ``place``, which is
    where the page stands if none is named."""
    place.plotly_chart(
        as_shown(figure),
        key=key,
        height=picture_pixels(pixels),
        config=CONFIG,
        selection_mode="points",
        on_select=on_click,
        alt=finding,
    )
