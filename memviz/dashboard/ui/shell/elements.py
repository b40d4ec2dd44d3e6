"""Rows, buttons, scrolling and errors that many pages share, in one look."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.errors import MemvizError
from memviz.core.server_events import note_error
from memviz.core.storage_errors import DatabaseAwayError
from memviz.core.translation import _, noop
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.shell.server.checks import has_own_libraries
from memviz.dashboard.ui.shell.text import plain
from memviz.models.class_door import libraries_folder, names_for_paths

T = TypeVar("T")
DATABASE_AWAY = noop(
    "The database of this server cannot be reached at the moment. What was just to be saved may be missing; try again "
    "in a moment."
)
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


def level_columns(spec: int | Sequence[int]) -> list[DeltaGenerator]:
    """Return columns whose contents stand at one height: so many, or of these widths."""
    return list(st.columns(spec, vertical_alignment="center"))


def box(key: str | None = None) -> DeltaGenerator:
    """Return a place with a frame round it."""
    return st.container(border=True, key=key)


def buttons_row(gap: Literal["xsmall", "small"] = "small") -> DeltaGenerator:
    """Return a place where buttons stand side by side, and wrap."""
    return st.container(horizontal=True, gap=gap)


def drawer(label: str, icon: str, key: str | None = None) -> DeltaGenerator:
    """Return a place that opens with a click on its label."""
    return st.expander(label, icon=icon, key=key)


def popup(
    label: str,
    icon: str,
    key: str | None = None,
    *,
    help: str | None = None,
    width: Literal["stretch", "content"] = "content",
) -> DeltaGenerator:
    """Return a place that opens over the page with a click on its button."""
    return st.popover(label, icon=icon, key=key, help=help, width=width)


right_row = partial(
    st.container, horizontal=True, horizontal_alignment="right", gap="xsmall"
)
"""Returns a place where buttons stand side by side at the right."""
segments = partial(st.segmented_control, required=True)
"""Draws a choice that always stands at one of its options, all in sight."""
session_text = partial(st.text_input, persist_state="session")
session_number = partial(st.number_input, persist_state="session")
session_choice: Callable[..., Any] = partial(st.selectbox, persist_state="session")
"""Draw a field whose value lasts for the session, also where other pages are shown meanwhile."""
header = partial(st.header, anchor=False)
"""Draws the title of a part of a page, which has no address of its own."""


def switch(
    label: str,
    value: bool = False,
    *,
    key: str,
    help: str,
    persist_state: Literal["session"] | None = None,
) -> bool:
    """A toggle whose question mark stands beside it. Streamlit's own stands within the toggle's label, where a click on
    it, or a tap, would turn the toggle."""
    with row(gap="xsmall", wrap=False, width="content"):
        chosen = st.toggle(label, value, key=key, persist_state=persist_state)
        st.markdown("", help=help, width="content")
    return chosen


def card_places(
    cards: Sequence[T], cards_a_row: int
) -> Iterator[tuple[DeltaGenerator, T]]:
    """Yield each card behind its place, in rows of columns of the same width; a row is drawn when its first place is
    asked for."""
    for start in range(0, len(cards), cards_a_row):
        yield from zip(st.columns(cards_a_row), cards[start:], strict=False)


def button(
    label: str,
    key: str | None,
    icon: str | None,
    do: Callable[..., None] | None = None,
    *args: Any,
    help: str | None = None,
    disabled: bool = False,
    type: Literal["primary", "secondary", "tertiary"] = "secondary",
    width: Literal["stretch", "content"] = "content",
) -> bool:
    """Draw a button; a click does ``do(*args)`` before the page is drawn again. Return true if it was clicked."""
    return st.button(
        label,
        key=key,
        icon=icon,
        on_click=do,
        args=args,
        help=help,
        disabled=disabled,
        type=type,
        width=width,
    )


main_button = partial(button, type="primary")
"""Draws the button of what is most likely done next."""
quiet_button = partial(button, type="tertiary")
"""Draws a button without a frame."""


def draw_scroll(to: Literal["top", "result", "end"], mark: int | str, key: str) -> None:
    """Scroll once for each new ``mark``: to the ``top`` of the page, to the ``result`` that is drawn behind this, or to
    the ``end`` of the box that this stands in."""
    _scrolling(data={"to": to, "key": key, "mark": mark}, key=key)


def offer_file(
    label: str,
    make_content: Callable[[], str | bytes],
    name: str,
    mime: str,
    key: str | None = None,
    *,
    icon: str = ":material/download:",
    help: str | None = None,
    width: Literal["stretch", "content"] = "content",
) -> None:
    """Draw a button that saves a file, which ``make_content`` makes on the click; the page is not drawn again.

    A content that is made before has an address. The browser asks for it at once, and where the page was drawn again
    meanwhile it is there no more.
    """
    st.download_button(
        label,
        make_content,
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


def show_data(
    table: pd.DataFrame, alt: str | None = None, key: str | None = None
) -> None:
    """Draw a table that scrolls and sorts, with separators of thousands as the browser's language writes them."""
    counts = table.select_dtypes("integer").columns
    localized = st.column_config.NumberColumn(format="localized")
    st.dataframe(
        table,
        hide_index=True,
        column_config=dict.fromkeys(counts, localized),
        key=key,
        alt=alt,
    )


def show_info(words: str, icon: str = ":material/info:") -> None:
    """Show what there is to know, in Markdown."""
    st.info(words, icon=icon)


def show_success(text: str) -> None:
    """Show what was done; no letter of ``text`` is markup."""
    st.success(plain(text), icon=":material/check:")


def show_toast(text: str) -> None:
    """Show for a moment what was done; no letter of ``text`` is markup."""
    st.toast(plain(text))


def show_caption(text: str) -> None:
    """Show a line in small letters; no letter of ``text`` is markup."""
    st.caption(plain(text))


def show_title(text: str) -> None:
    """Show a line in bold letters; no letter of ``text`` is markup."""
    st.markdown(f"**{plain(text)}**")


def show_warning(text: str) -> None:
    """Show what to take care of; no letter of ``text`` is markup."""
    st.warning(plain(text), icon=":material/warning:")


def show_problem(text: str) -> None:
    """Show what went wrong; no letter of ``text`` is markup."""
    st.error(plain(text), icon=":material/error:")


def error_words(error: MemvizError) -> str:
    """Return what was wrong, where, and what to do. Visitors who have a library each read the names of files, not their
    folders on the server, nor the address of its database."""
    if not has_own_libraries():
        return str(error)
    if isinstance(error, DatabaseAwayError):
        return _(DATABASE_AWAY)
    return names_for_paths(str(error), libraries_folder())


def show_error(error: MemvizError, remedy: str = "") -> None:
    """Show what was wrong, and note it in the log of the server, where it has one."""
    note_error(error)
    show_problem(f"{error_words(error)} {remedy}")


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
