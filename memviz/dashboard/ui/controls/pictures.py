"""Pictures of runs on a page, and the stage.

Pictures are kept while nothing about them changes, in rows of places, before an audience,
and with their numbers folded below. The stage plays data of
``memviz/dashboard/stage/data.py`` in the browser, and says where the visitor rests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import plotly.graph_objects as go
import streamlit as st
from plotly.basedatatypes import BaseFigure
from streamlit.delta_generator import DeltaGenerator

from memviz.core.division import ceil_div
from memviz.core.translation import _
from memviz.dashboard.charts.figure import CONFIG, enlarge
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.reporting.themes import DARK, LIGHT
from memviz.dashboard.stage.files import script, style
from memviz.dashboard.ui.shell.presenting import (
    Part,
    hides,
    is_bare,
    letter_scale,
    presents,
    speaker_notes,
)
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.run import Run
from memviz.metrics.requests.request_places import is_marked

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")
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


class KeptFigure(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """A figure that is only looked at any more: all that is left of it is its dictionary.

    Streamlit asks a figure for its dictionary at every rerun, and Plotly copies the whole figure for it. A dictionary
    instead of a figure would be checked property by property, which takes even longer.
    """

    def __init__(self, figure: go.Figure | dict[str, Any]) -> None:
        self._dictionary: dict[str, Any] = (
            figure if isinstance(figure, dict) else figure.to_dict()
        )

    def to_dict(self) -> dict[str, Any]:
        """The figure as a dictionary, which must not be changed."""
        return self._dictionary


def as_shown(figure: BaseFigure) -> BaseFigure:
    """A figure in letters as large as those of the page: larger before an audience."""
    scale = letter_scale()
    return figure if scale == 1 else KeptFigure(enlarge(figure.to_dict(), scale))


def kept_figure(
    run: Run, draw: Callable[..., go.Figure], *args: Hashable, **options: Hashable
) -> KeptFigure:
    """``draw(*args, **options)``, kept with ``run``, which is one of the runs that it shows."""
    return run.once(
        (draw, args, tuple(sorted(options.items()))),
        lambda: KeptFigure(draw(*args, **options)),
        is_picture=True,
    )


MOST_PIXELS = 2_000
"""The height that a picture may have at most; the style of the page leaves it what the window has."""


def tell_audience(finding: str, notes: Iterable[str] = ()) -> None:
    """Before an audience, say in one sentence what the picture shows, and give ``notes`` to who speaks about it."""
    if presents():
        st.markdown(plain(finding))
        speaker_notes([finding, *notes])


def picture_pixels(pixels: int) -> int:
    """Return the height of a picture that has ``pixels`` among others."""
    return MOST_PIXELS if is_bare() else pixels


def compaction_notes(settings: Sequence[SettingRun]) -> Iterator[str]:
    """The first thing that each setting did, with its numbers, for a speaker to point at."""
    for setting in settings:
        for first in filter(is_marked, setting.run.compactions):
            sentence = compaction_words(first, setting.run).sentence
            yield _("{label}: {sentence}", label=setting.label, sentence=sentence)
            break


MOST_A_ROW = 3


def places(
    things: Sequence[T], least_pixels: int, gap: Literal["small", "xsmall"] = "small"
) -> Iterator[tuple[DeltaGenerator, T]]:
    """Yield each thing behind its cell, in rows of the same length where that is possible; fewer stand side by side
    where a cell would be narrower than ``least_pixels``. On a phone they are stacked (style.css)."""
    cells = st.grid(
        cells_a_row(len(things)),
        min_column_width=least_pixels,
        gap=gap,
        key="small-multiples",
    )
    for thing in things:
        yield cells.cell(), thing


def cells_a_row(count: int) -> int:
    """Return how many of ``count`` things stand side by side: up to three do, four as two pairs, seven as four and
    three."""
    rows = ceil_div(count, MOST_A_ROW)
    return ceil_div(count, rows) if count <= 2 * MOST_A_ROW else MOST_A_ROW + 1


def step_of(settings: Sequence[SettingRun]) -> str:
    """``turn`` where every turn took one call of the model, else ``request``."""
    return "request" if any(setting.run.has_calls for setting in settings) else "turn"


def step_by_step(settings: Sequence[SettingRun]) -> str:
    """Return the name of the table behind such a chart."""
    if step_of(settings) == "turn":
        return _("Turn by turn, in numbers")
    return _("Request by request, in numbers")


@st.fragment
def folded(question: str, key: str, icon: str, show: Callable[[], None]) -> None:
    """Draw a question that ``show`` answers; the answer is drawn only when somebody opens it."""
    drawer = st.expander(question, icon=icon, key=key, on_change="rerun")
    if drawer.open:
        with drawer:
            show()


def numbers_of(
    question: str, key: str, table: Callable[[], DataFrame], alt: str
) -> None:
    """Draw the table behind a chart. Of more turns than it has rows, every second one is in it, or every third one, and
    so on."""
    folded(question, key, ":material/table:", lambda: _show_table(table(), alt))


def _show_table(table: DataFrame, alt: str) -> None:
    st.dataframe(table, hide_index=True, alt=alt)
    turns = table["Turn"].tolist()
    apart = turns[1] - turns[0] if len(turns) > 1 else 1
    if apart > 1:
        st.caption(
            _(
                "Every {apart:,} turns, as the chart cannot show each of them either.",
                apart=apart,
            )
        )


def picture(
    figure: BaseFigure,
    key: str,
    finding: str,
    on_click: Callable[[], None],
    pixels: int | None = None,
) -> None:
    """Draw a figure of its own height or of so many ``pixels``, as high as the window before an audience. ``finding``
    says in a sentence what it shows, and ``on_click`` is called when one of its points was clicked."""
    st.plotly_chart(
        as_shown(figure),
        key=key,
        height=picture_pixels(pixels or figure.layout.height),
        config=CONFIG,
        selection_mode="points",
        on_select=on_click,
        alt=finding,
    )


def chart(figure: BaseFigure, key: str, finding: str) -> None:
    """Draw a figure that is only looked at; ``finding`` says in a sentence what it shows."""
    st.plotly_chart(figure, key=key, config=CONFIG, alt=finding)


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
    place = (frames.pop("at"), frames.pop("chosen"))
    frames_json = json.dumps(frames, sort_keys=True).encode()
    id = blake2b(frames_json, digest_size=12).hexdigest()
    stored: dict[str, Any] = widget_value(_kept(key)) or {}
    scene = [data.get("scene"), data["of"], *map(_setting_of, data["settings"])]
    is_there = widget_value(key) is not None
    is_known = is_there and stored.get("id") == id
    if not is_known or place not in (stored["said"], stored["heard"]):
        at, chosen = place
        if is_there and stored.get("scene") == scene and place == stored["said"]:
            # It is the same in another language, so the visitor stays where they went.
            at, chosen = stored["heard"]
        stored = {
            "id": id,
            "scene": scene,
            "at": at,
            "chosen": chosen,
            "heard": (at, chosen),
            "serial": stored.get("serial", 0) + 1,
            "moves": widget_value(_MOVES_HEARD) or 0,
        }
    set_widget(_kept(key), {**stored, "said": place})
    for name in ("id", "at", "chosen", "serial", "moves"):
        frames[name] = stored[name]
    frames["tells_while_playing"] = tells_while_playing
    _stage(data=frames, key=key, on_move_change=lambda: _follow_move(key, on_move))


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


def _kept(key: str) -> str:
    return f"{key}-stands-at"


def _follow_move(key: str, on_move: Callable[[Move], object] | None) -> None:
    message: Mapping[str, Any] = (widget_value(key) or {}).get("move") or {}
    if not all(isinstance(message.get(name), int) for name in Move._fields):
        return
    set_widget(_MOVES_HEARD, message.get("number"))
    move = Move(**{name: message[name] for name in Move._fields})
    stored = widget_value(_kept(key))
    if stored:
        set_widget(_kept(key), {**stored, "heard": (move.step, move.setting)})
    if on_move is not None:
        on_move(move)
