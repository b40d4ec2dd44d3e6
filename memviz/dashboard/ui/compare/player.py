"""The player below a chart over requests: it moves the selected one, by buttons, keys and a slider.

The line on the charts is drawn in the browser (``player.js``), because a figure that changes with every request would
be drawn from scratch each time. The server hears of a request once the visitor rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from memviz.dashboard.stage.files import walk_script
from memviz.dashboard.ui.shell.state import widget_value
from memviz.metrics.requests.request_axis import RequestAxis


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_player = st.components.v2.component(
    "memviz_player",
    html=_source("player.html"),
    css=_source("player.css"),
    js=f"{walk_script()}\n{_source('player.js')}",
)


def player(
    turns: Sequence[int],
    at: int,
    setting: int,
    marks: Mapping[int, Sequence[int]],
    charts: Mapping[str, RequestAxis],
    key: str,
    on_move: Callable[[int, int, int], None],
    ruled: Sequence[int] = (),
) -> None:
    """Draw it. ``turns`` has the turn of each request to walk through, and ``at`` (0-based) is the selected one.
    ``setting`` is the number (0-based) of the chosen one, ``marks`` the places (0-based) among the requests where each
    setting summarized, or for those that are ``ruled`` where it cleared or shortened messages. ``charts`` are the keys
    of the charts that get the line, each with its x axis. ``on_move(turn, behind, setting)`` is called before the page
    is drawn again; ``behind`` is how many calls of the turn came after the one moved to."""
    data = {
        "turns": list(turns),
        "at": at,
        "setting": setting,
        "charts": {
            name: None if axis.is_by_turn else axis.lasts.tolist()
            for name, axis in charts.items()
        },
        "marks": {str(number): list(found) for number, found in marks.items()},
        "ruled": list(ruled),
    }
    _player(data=data, key=key, on_move_change=lambda: _moved(key, on_move))


def _moved(key: str, on_move: Callable[[int, int, int], None]) -> None:
    move: Mapping[str, Any] = (widget_value(key) or {}).get("move") or {}
    turn, behind, setting = move.get("turn"), move.get("behind"), move.get("setting")
    if isinstance(turn, int) and isinstance(behind, int) and isinstance(setting, int):
        on_move(turn, behind, setting)
