"""A page shown elsewhere: to an audience, or in a frame of another page."""

from collections.abc import Callable

import streamlit as st

from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.controls.links import (
    ADDRESS_CSS,
    ADDRESS_JS,
    LINK_HELP,
    shown_now,
)

FRAME_HELP = (
    "A frame of another page shows memviz only where the server "
    "allows that page: memviz ui --embeddable-by ORIGIN."
)

PANEL_PIXELS = 360


_share = st.components.v2.component(
    "memviz_share",
    html=own_text(__package__, "share.html"),
    css=ADDRESS_CSS,
    js=f"{ADDRESS_JS} share;",
)
_whole_page = st.components.v2.component(
    "memviz_whole_page",
    html='<p><span></span> <a target="_blank" rel="noopener">Open in memviz</a></p>',
    css=ADDRESS_CSS,
    js=f"{ADDRESS_JS} openWhole;",
)


def share_page(keep: Callable[[], object]) -> None:
    """Draw the menu that shares this page: its link, before an audience, the code that
    shows its picture in a frame of another page, and what ``keep`` draws."""
    menu = st.popover(
        "Share", key="share-page", icon=":material/share:", width="stretch"
    )
    with menu, st.container(width=PANEL_PIXELS, key="share-choice"):
        _share(data={"help": FRAME_HELP, "link_help": LINK_HELP}, key="share")
        keep()


def open_in_memviz(words: str) -> None:
    """One line under a picture that stands in a frame: what it shows, and the way to the whole page in a tab of its
    own."""
    _whole_page(
        data={"words": words, "query": shown_now(with_request=True)["query"]},
        key="open-in-memviz",
    )
