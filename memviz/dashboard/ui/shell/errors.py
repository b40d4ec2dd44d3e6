"""The one place where errors are shown."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.dashboard.ui.shell.text import plain


def show_error(error: MemvizError, remedy: str = "") -> None:
    """Show what was wrong, where, and what to do."""
    st.error(
        plain(" ".join(part for part in (str(error), remedy) if part)),
        icon=":material/error:",
    )


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
