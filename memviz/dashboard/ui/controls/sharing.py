"""A page shown elsewhere: to an audience, or in a frame of another page."""

from collections.abc import Callable

import streamlit as st

from memviz.core.translation import _, noop, script_words
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.controls.links import (
    ADDRESS_CSS,
    ADDRESS_JS,
    LINK_HELP,
    shown_now,
)

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


def share_page(keep: Callable[[], object], *, has_link: bool = True) -> None:
    """Draw what shares this page: its link (``has_link``: no button of the page copies
    it), the way before an audience, the code that shows its picture in a frame of another
    page, and what ``keep`` draws."""
    with st.container(gap="xsmall", key="share-choice"):
        words = script_words(ADDRESS_JS)
        data = {
            "help": _(FRAME_HELP),
            "has_link": has_link,
            "link_help": _(LINK_HELP),
            "words": words,
        }
        _share(data=data, key="share")
        keep()


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
