"""The only door to ``st.session_state``: what widgets hold, and what rooms keep for one browser session."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import (
    RerunData,
    RerunException,
    get_script_run_ctx,
)

T = TypeVar("T")


def of_session(key: str, make: Callable[[], T]) -> T:
    """Return what this browser session keeps under ``key``, which begins with what ``make`` gives."""
    if key not in st.session_state:
        st.session_state[key] = make()
    value: T = st.session_state[key]
    return value


def forget_session() -> None:
    """Forget all that this browser session keeps: the next run of a page begins as a first visit does."""
    st.session_state.clear()


def heed_clicks() -> None:
    """End this run of the page if the visitor has clicked something meanwhile, or has left.

    Streamlit only does so where the page draws or, as here, looks into the session's state. Work that waits for
    something else calls this now and then. In a fragment's own run only a click outside of it counts.
    """
    widget_value("looked up for its side effect")


def run_fragment(key: str) -> NoReturn:
    """End this run of the page or of a fragment, and run only the fragment of this ``key``. ``st.rerun`` does so in the
    callbacks of widgets alone, and a fragment that looks again by itself has none."""
    context = get_script_run_ctx()
    assert context is not None  # noqa: S101 - only pages call this, while they run
    raise RerunException(
        RerunData(
            query_string=context.query_string,
            page_script_hash=context.page_script_hash,
            fragment_id_queue=context.fragment_storage.resolve_target(key),
            is_fragment_scoped_rerun=True,
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
        )
    )


def widget_value(key: str) -> Any:
    """Return the value of the widget of this key, ``None`` if it is not there."""
    return st.session_state.get(key)


def clicked_point(key: str) -> dict[str, Any] | None:
    """The point of the chart of this key that was clicked, ``None`` if none is selected."""
    event = widget_value(key)
    points = event["selection"]["points"] if event else []
    return points[0] if points else None


def clicked_number(key: str) -> int | None:
    """The number that the clicked point of the chart of this key carries as its customdata."""
    carried = (clicked_point(key) or {}).get("customdata")
    if isinstance(carried, list):
        carried = carried[0] if carried else None
    return None if carried is None else int(carried)


def set_widget(key: str, value: Any) -> None:
    """Give a widget its value before it is drawn."""
    st.session_state[key] = value


def begin_with(key: str, first: T) -> T:
    """Give a widget its value as long as nobody has chosen one, before it is drawn.

    Returns what the widget holds, to be handed to it as its default as well: a browser that is still loading the code
    of a widget while the page runs again knows only the newest run, and begins with the default of that one.
    """
    return of_session(key, lambda: first)
