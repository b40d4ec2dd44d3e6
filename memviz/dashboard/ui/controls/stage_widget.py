"""The stage on a page: it plays data of ``memviz/dashboard/stage/data.py`` in the browser, and says where the visitor
rests."""

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
"""The controls of the stage (``MEMVIZ_CONTROLS`` in ``memviz/dashboard/stage/stage.js``), those before an audience, and
those that move nothing."""


_Place = tuple[int, int]
"""A step, and the number of the setting whose sentences are shown."""


class Move(NamedTuple):
    """The place where the visitor rests."""

    step: int
    """Of all that there are, from 0."""
    turn: int
    call: int
    """The number of the call in its turn, from 1."""
    behind: int
    """The number of calls of the turn that follow."""
    setting: int
    """The number of the setting whose sentences are shown."""


def stage(
    data: Mapping[str, Any],
    key: str,
    on_move: Callable[[Move], object] | None = None,
    *,
    tells_while_playing: bool = False,
) -> None:
    """Draw the stage that plays ``data`` (:func:`memviz.dashboard.stage.data.stage_data`).

    ``on_move`` is called before the page is drawn again, with the place to which the
    visitor went; where the stage ``tells_while_playing`` also for the steps that are
    played, and not only for the one where the play ends. The place at which ``data``
    stands (``at``, ``chosen``) counts when it is another one than before: the visitor
    may have gone elsewhere since. A ``scene`` in ``data`` tells apart what looks the
    same. With the place goes how many moves of the visitor were heard by then: a move
    that is under way counts more than a place that is older. The frames are sent to the
    browser once, and not again at every step.
    """
    frames = {**data, **_controls(data)}
    # The place is no part of the frames: at another place the same ones are played.
    place = (frames.pop("at"), frames.pop("chosen"))
    state = _stand_at(place, frames, key)
    set_widget(_state_key(key), {**state, "said": place})
    for name in ("id", "at", "chosen", "serial", "moves"):
        frames[name] = state[name]
    frames["tells_while_playing"] = tells_while_playing
    _stage(data=frames, key=key, on_move_change=lambda: _follow_move(key, on_move))


def _stand_at(place: _Place, frames: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return where the stage stands: as before, unless it plays other frames, or the page says another place than it
    said and heard last. A new ``serial`` has the browser go there."""
    frames_json = json.dumps(frames, sort_keys=True).encode()
    id = blake2b(frames_json, digest_size=12).hexdigest()
    scene = [frames.get("scene"), frames["of"], *map(_setting_of, frames["settings"])]
    state: dict[str, Any] = widget_value(_state_key(key)) or {}
    # Streamlit forgets a component that was not drawn; what it had heard counts no more then.
    is_there = widget_value(key) is not None
    has_same_frames = is_there and state.get("id") == id
    if has_same_frames and place in (state["said"], state["heard"]):
        return state
    at, chosen = place
    if is_there and state.get("scene") == scene and place == state["said"]:
        # It is the same in another language, so the visitor stays where they went.
        at, chosen = state["heard"]
    return {
        "id": id,
        "scene": scene,
        "at": at,
        "chosen": chosen,
        "heard": (at, chosen),
        "serial": state.get("serial", 0) + 1,
        "moves": widget_value(_MOVES_HEARD) or 0,
    }


def _setting_of(row: Mapping[str, Any]) -> Any:
    """Return what tells a setting of the stage from another, in whatever language."""
    return row.get("setting", row["label"])


def _controls(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the controls that are shown, where a link or a presentation hides some: before an audience the bar of the
    speaker stands where the speed and the names of the keys do."""
    if not presents() and not hides(Part.PLAYER):
        return {}
    allowed = SILENT if hides(Part.PLAYER) else PRESENTED
    names = data.get("controls", allowed)
    return {"controls": [name for name in names if name in allowed]}


def _state_key(key: str) -> str:
    """Return the key of where the stage stands: by what the page ``said``, and by what was ``heard`` of the visitor."""
    return f"{key}-stands-at"


def _follow_move(key: str, on_move: Callable[[Move], object] | None) -> None:
    message: Mapping[str, Any] = (widget_value(key) or {}).get("move") or {}
    # What a browser sends is not to be trusted.
    if not all(isinstance(message.get(name), int) for name in Move._fields):
        return
    set_widget(_MOVES_HEARD, message.get("number"))
    move = Move(**{name: message[name] for name in Move._fields})
    state = widget_value(_state_key(key))
    if state:
        set_widget(_state_key(key), {**state, "heard": (move.step, move.setting)})
    if on_move is not None:
        on_move(move)
