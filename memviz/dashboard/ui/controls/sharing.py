"""A page shown elsewhere: to an audience, or in a frame of another page."""

import streamlit as st

from memviz.core.translation import _, noop, script_words
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.controls.links import ADDRESS_CSS, ADDRESS_JS, shown_now

FRAME_HELP = noop(
    "A frame of another page shows memviz only where the server "
    "allows that page: memviz ui --embeddable-by ORIGIN."
)


_share = st.components.v2.component(
    "memviz_share",
    html=own_text(__package__, "share.html"),
    css=ADDRESS_CSS,
    js=f"{ADDRESS_JS} share;",
)
_whole_page = st.components.v2.component(
    "memviz_whole_page",
    html='<p><span></span> <a target="_blank" rel="noopener"></a></p>',
    css=ADDRESS_CSS,
    js=f"{ADDRESS_JS} openWhole;",
)


def show_elsewhere() -> None:
    """Present this page, copy the link that does so, or the code that shows its picture in a frame of another page."""
    st.button(
        _("Present"),
        key="show-elsewhere",
        help=_("Present or embed"),
        width="stretch",
        on_click=_ways,
    )


def _ways() -> None:
    st.dialog(_("Show this elsewhere"))(_draw_ways)()


def _draw_ways() -> None:
    data = {"help": _(FRAME_HELP), "words": script_words(ADDRESS_JS)}
    _share(data=data, key="share")


def open_in_memviz(words: str) -> None:
    """One line under a picture that stands in a frame: what it shows, and the way to the whole page in a tab of its
    own."""
    _whole_page(
        data={
            "words": words,
            "open": _("Open in memviz"),
            "query": shown_now(with_request=True)["query"],
        },
        key="open-in-memviz",
    )
