"""Texts that look like markup, and what a page makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from streamlit.testing.v1 import AppTest

PIECES = (
    "<script>alert(1)</script>", "**bold**", "$x^2$", ":red[red]", "<b>fat</b>", "[link](http://x.y)",
    ":material/star:", ":smile:", "`code`", "![i](x.png)", "&lt;", "%{y}", "-> ~~gone~~",
)  # fmt: skip

ALL = " ".join(PIECES)

WORD_JOINER = (
    "\u2060"  # keeps characters apart that Streamlit would make an icon or an arrow of
)


def markdown_sources(session: AppTest) -> Iterator[str]:
    """Everything on the page that is read as Markdown, without the characters that are escaped."""
    for source in escaped_sources(session):
        yield re.sub(r"\\.", "", source)


def escaped_sources(session: AppTest) -> Iterator[str]:
    for kind in (
        session.markdown,
        session.caption,
        session.error,
        session.info,
        session.success,
        session.warning,
    ):
        yield from (element.value for element in kind)
    for kind in (
        session.expander,
        session.metric,
        session.button,
        session.checkbox,
        session.toggle,
    ):
        yield from (element.label for element in kind)
    for element in (
        *session.metric,
        *session.selectbox,
        *session.button,
        *session.markdown,
    ):
        yield getattr(element.proto, "help", "")
