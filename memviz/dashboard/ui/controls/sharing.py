"""A page shown elsewhere: to an audience, or in a frame of another page."""

from pathlib import Path

import streamlit as st

from memviz.dashboard.ui.controls.links import shown_now

FRAME_HELP = (
    "A frame of another page shows memviz only where the server "
    "allows that page: memviz ui --embeddable-by ORIGIN."
)


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_share = st.components.v2.component(
    "memviz_share",
    html=_source("share.html"),
    css=_source("share.css"),
    js=_source("whole_address.js") + _source("share.js"),
)
_whole_page = st.components.v2.component(
    "memviz_whole_page",
    html='<p><span></span> <a target="_blank" rel="noopener">Open in memviz</a></p>',
    css=_source("share.css"),
    js=_source("whole_address.js") + _source("whole_page.js"),
)


def show_elsewhere() -> None:
    """Present this page, copy the link that does so, or the code that shows its picture in a frame of another page."""
    st.button(
        "Present",
        key="show-elsewhere",
        help="Present or embed",
        width="stretch",
        on_click=_ways,
    )


@st.dialog("Show this elsewhere")
def _ways() -> None:
    _share(data={"help": FRAME_HELP}, key="share")


def open_in_memviz(words: str) -> None:
    """One line under a picture that stands in a frame: what it shows, and the way to the whole page in a tab of its
    own."""
    _whole_page(
        data={"words": words, "query": shown_now(with_request=True)["query"]},
        key="open-in-memviz",
    )
