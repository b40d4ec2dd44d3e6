"""The stage on a page: it plays data of ``memviz/dashboard/stage/data.py`` in the
browser, and says where the visitor rests."""

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import streamlit as st

from memviz.dashboard.reporting.themes import DARK, LIGHT
from memviz.dashboard.stage.files import script, style
from memviz.dashboard.ui.shell.presenting import Part, hides, presents
from memviz.dashboard.ui.shell.state import set_widget, widget_value

_COLORS = " ".join(
    f"--setting-{number}: light-dark({light}, {dark});"
    for number, (light, dark) in enumerate(
        zip(LIGHT.settings, DARK.settings, strict=True)
    )
)
_JS = """
export default function ({ parentElement, data, setTriggerValue }) {
    const root = (parentElement.memvizRoot ??= parentElement.appendChild(document.createElement("div")));
    const isOtherLanguage = JSON.stringify(root.stage?.data.words) !== JSON.stringify(data.words);
    if (root.stage && isOtherLanguage) root.stage.leave();
    if (root.stage && !isOtherLanguage) root.stage.update(data);
    else root.stage = new MemvizStage(root, data, { onMove: (move) => setTriggerValue("move", move) });
    root.stage.onMove = (move) => setTriggerValue("move", move);
    return () => setTimeout(() => root.stage.leaveIfGone(), 0);
}
"""
_stage = st.components.v2.component(
    "memviz_stage",
    html="<span></span>",
    css=f".memviz-stage {{ {_COLORS} }}\n{style()}",
    js=f"{script()}\n{_JS}",
)


_MOVES_HEARD = "stage-moves-heard"
PRESENTED = ("previous", "play", "next", "event", "slider", "facts", "legend", "ask")
SILENT = ("facts", "legend")
"""Of the stage's controls (``MEMVIZ_CONTROLS`` in ``memviz/dashboard/stage/stage.js``),
those before an audience, and those that move nothing."""


class Move(NamedTuple):
    """The place where the visitor rests: the ``step`` (0-based) of all that there are, call number ``call`` of its
    ``turn``, which ``behind`` others follow, and the number of the chosen ``setting``."""

    step: int
    turn: int
    call: int
    behind: int
    setting: int


def stage(
    data: Mapping[str, Any],
    key: str,
    on_move: Callable[[Move], object] | None = None,
    *,
    tells_while_playing: bool = False,
) -> None:
    """Draw it. ``data`` is what :func:`memviz.dashboard.stage.data.stage_data` gave.
    ``on_move`` is called before the page is drawn again. Where ``data`` says to stand
    (``at``, ``chosen``) counts when it says something new, and not what it said before
    the visitor went elsewhere. A ``scene`` in ``data`` tells apart what looks the same.
    With the place goes how many moves of the visitor were heard by then: one that is
    under way counts more than a place that is older. The frames are sent to the browser
    once, and not again at every step. ``tells_while_playing``: ``on_move`` is called for
    the steps that are played as well, and not only for the one where the play ends."""
    frames = {**data, **_controls(data)}
    at = frames.pop("at")
    chosen = frames.pop("chosen")
    written = json.dumps(frames, sort_keys=True).encode()
    id = blake2b(written, digest_size=12).hexdigest()
    kept: dict[str, Any] = widget_value(_kept(key)) or {}
    scene = [data.get("scene"), data["of"], *map(_setting_of, data["settings"])]
    is_there = widget_value(key) is not None
    is_known = is_there and kept.get("id") == id
    if not is_known or (at, chosen) not in (kept["said"], kept["heard"]):
        stands = (at, chosen)
        if is_there and kept.get("scene") == scene and stands == kept["said"]:
            # It is the same in another language, so the visitor stays where they went.
            stands = kept["heard"]
        kept = {
            "id": id,
            "scene": scene,
            "at": stands[0],
            "chosen": stands[1],
            "heard": stands,
            "serial": kept.get("serial", 0) + 1,
            "moves": widget_value(_MOVES_HEARD) or 0,
        }
    set_widget(_kept(key), {**kept, "said": (at, chosen)})
    for name in ("id", "at", "chosen", "serial", "moves"):
        frames[name] = kept[name]
    frames["tells_while_playing"] = tells_while_playing
    _stage(data=frames, key=key, on_move_change=lambda: _moved(key, on_move))


def _setting_of(row: Mapping[str, Any]) -> Any:
    """Return what tells a setting of the stage from another, in whatever language."""
    return row.get("setting", row["label"])


def _controls(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the controls that are shown, where a link or a presentation hides some: before an audience the bar of the
    speaker stands where the speed and the names of the keys do."""
    if not presents() and not hides(Part.PLAYER):
        return {}
    left = SILENT if hides(Part.PLAYER) else PRESENTED
    return {"controls": [name for name in data.get("controls", left) if name in left]}


def _kept(key: str) -> str:
    return f"{key}-stands-at"


def _moved(key: str, on_move: Callable[[Move], object] | None) -> None:
    said: Mapping[str, Any] = (widget_value(key) or {}).get("move") or {}
    if not all(isinstance(said.get(name), int) for name in Move._fields):
        return
    set_widget(_MOVES_HEARD, said.get("number"))
    move = Move(**{name: said[name] for name in Move._fields})
    kept = widget_value(_kept(key))
    if kept:
        set_widget(_kept(key), {**kept, "heard": (move.step, move.setting)})
    if on_move is not None:
        on_move(move)
