"""Rows, buttons, scrolling and errors that many pages share, in one look."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.errors import MemvizError
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.shell.text import plain

T = TypeVar("T")
_scrolling = st.components.v2.component(
    "memviz_scrolling", js=own_text(__package__, "scrolling.js")
)


def row(
    key: str | None = None,
    *,
    gap: Literal["xsmall", "small"] = "small",
    wrap: bool = True,
    width: Literal["stretch", "content"] = "stretch",
) -> DeltaGenerator:
    """Return a place where things stand side by side, at one height."""
    return st.container(
        key=key,
        horizontal=True,
        vertical_alignment="center",
        gap=gap,
        wrap=wrap,
        width=width,
    )


def card_places(
    cards: Sequence[T], cards_a_row: int
) -> Iterator[tuple[DeltaGenerator, T]]:
    """Yield each card behind its place, in rows of columns of the same width; a row is drawn when its first place is
    asked for."""
    for start in range(0, len(cards), cards_a_row):
        yield from zip(st.columns(cards_a_row), cards[start:], strict=False)


def quiet_button(
    label: str,
    key: str,
    icon: str | None,
    do: Callable[..., None],
    *args: Any,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw a button without a frame; a click does ``do(*args)`` before the page is drawn again."""
    st.button(
        label,
        key=key,
        icon=icon,
        type="tertiary",
        on_click=do,
        args=args,
        help=help,
        disabled=disabled,
    )


def draw_scroll(to: Literal["top", "result", "end"], mark: int | str, key: str) -> None:
    """Scroll once for each new ``mark``: to the ``top`` of the page, to the ``result`` that is drawn behind this, or to
    the ``end`` of the box that this stands in."""
    _scrolling(data={"to": to, "key": key, "mark": mark}, key=key)


def offer_file(
    label: str,
    content: str | Callable[[], str | bytes],
    name: str,
    mime: str,
    key: str | None = None,
    *,
    icon: str = ":material/download:",
    help: str | None = None,
    width: Literal["stretch", "content"] = "content",
) -> None:
    """Draw a button that saves a file. A function makes its ``content`` on the click; the page is not drawn again."""
    st.download_button(
        label,
        content,
        name,
        mime,
        key=key,
        icon=icon,
        help=help,
        width=width,
        on_click="ignore",
    )


def show_table(
    rows: Sequence[Mapping[str, str]] | Mapping[str, Mapping[str, str]], alt: str
) -> None:
    """Draw a table that does not scroll: a row for each mapping of a list, or a column for each entry of a mapping,
    with the names of its rows at the left. ``alt`` says in a sentence what it shows."""
    is_by_row = not isinstance(rows, Mapping)
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=is_by_row, alt=alt)


def show_title(text: str) -> None:
    """Show what the things below are about, in bold letters; no letter of it is markup."""
    st.markdown(f"**{plain(text)}**")


def say(text: str) -> None:
    """Show a text in small letters; no letter of it is markup."""
    st.caption(plain(text))


def show_note(sentence: str) -> None:
    """Show a sentence, in Markdown, that nobody should overlook where something else is missing."""
    st.info(sentence, icon=":material/info:")


def show_problem(text: str) -> None:
    """Show what went wrong; no letter of ``text`` is markup."""
    st.error(plain(text), icon=":material/error:")


def show_error(error: MemvizError, remedy: str = "") -> None:
    """Show what was wrong, where, and what to do."""
    show_problem(f"{error} {remedy}")


@contextmanager
def error_shown() -> Iterator[None]:
    """Show an error of memviz that the block raises, and go on behind it."""
    try:
        yield
    except MemvizError as error:
        show_error(error)


@contextmanager
def errors_shown(remedy: str = "") -> Iterator[None]:
    """Show any error of memviz that the block raises and stop the page there."""
    try:
        yield
    except MemvizError as error:
        show_error(error, remedy)
        st.stop()
