"""The player below a chart over turns: it moves the chosen turn, by buttons, keys and a slider.

The line on the charts is drawn in the browser (``player.js``), because a figure that changes with every turn would
be drawn from scratch each time. The server hears of a turn once the visitor rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from memviz.ui.shell.state import widget_value


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_player = st.components.v2.component(
    "memviz_player", html=_source("player.html"), css=_source("player.css"), js=_source("player.js")
)


def player(
    turns: Sequence[int], turn: int, setting: int, marks: Mapping[int, Sequence[int]], charts: Sequence[str], key: str,
    on_move: Callable[[int, int], None],
) -> None:  # fmt: skip
    """Draw it. ``setting`` is the number (0-based) of the chosen one, ``marks`` the turns of each setting's
    summarizations, ``charts`` the keys of the charts with turns on their x axis that get the line.
    ``on_move(turn, setting)`` is called before the page is drawn again."""
    data = {
        "turns": list(turns), "turn": turn, "setting": setting, "charts": list(charts),
        "marks": {str(number): list(found) for number, found in marks.items()},
    }  # fmt: skip
    _player(data=data, key=key, on_move_change=lambda: _moved(key, on_move))


def _moved(key: str, on_move: Callable[[int, int], None]) -> None:
    move: Mapping[str, Any] = (widget_value(key) or {}).get("move") or {}
    turn, setting = move.get("turn"), move.get("setting")
    if isinstance(turn, int) and isinstance(setting, int):
        on_move(turn, setting)
