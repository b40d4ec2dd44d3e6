"""A page shown elsewhere: to an audience, or in a frame of another page."""

import streamlit as st

from memviz.dashboard.stage.files import controls_style, copy_script, own_text
from memviz.dashboard.ui.controls.links import shown_now
from memviz.dashboard.ui.controls.study import CompareState

FRAME_HELP = (
    "A frame of another page shows memviz only where the server "
    "allows that page: memviz ui --embeddable-by ORIGIN."
)


_STYLE = own_text(__package__, "share.css")
_WHOLE_ADDRESS = own_text(__package__, "whole_address.js")
_share = st.components.v2.component(
    "memviz_share",
    html=own_text(__package__, "share.html"),
    css=f"{controls_style()}\n{_STYLE}",
    js=f"{_WHOLE_ADDRESS}\n{copy_script()}\n{own_text(__package__, 'share.js')}",
)
_whole_page = st.components.v2.component(
    "memviz_whole_page",
    html='<p><span></span> <a target="_blank" rel="noopener">Open in memviz</a></p>',
    css=_STYLE,
    js=f"{_WHOLE_ADDRESS}\n{own_text(__package__, 'whole_page.js')}",
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


def open_in_memviz(state: CompareState, words: str) -> None:
    """One line under a picture that stands in a frame: what it shows, and the way to the whole page in a tab of its
    own."""
    _whole_page(
        data={"words": words, "query": shown_now(state, with_request=True)["query"]},
        key="open-in-memviz",
    )
