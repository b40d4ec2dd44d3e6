"""Pictures of runs on a page: kept while nothing about them changes, in rows of places, before an audience, and with
their numbers folded below."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import plotly.graph_objects as go
import streamlit as st
from plotly.basedatatypes import BaseFigure
from streamlit.delta_generator import DeltaGenerator

from memviz.core.division import ceil_div
from memviz.core.translation import _
from memviz.dashboard.charts.figure import CONFIG, enlarge
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.shell.elements import show_data
from memviz.dashboard.ui.shell.presenting import (
    is_bare,
    letter_scale,
    presents,
    speaker_notes,
)
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.run import Run
from memviz.metrics.requests.request_places import is_marked

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")


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
    show_data(table, alt)
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
