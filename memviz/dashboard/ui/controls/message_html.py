"""Messages, prose and entries of legends as HTML.

Dozens of messages as elements of their own took longer to appear than all else on a page.
"""

import streamlit as st
from markupsafe import Markup

from memviz.core.messages import Message
from memviz.core.text.words import detect_language
from memviz.core.translation import _, noop
from memviz.dashboard.markup import as_html, element, has_marks, joined
from memviz.dashboard.ui.shell.terms import term_html
from memviz.dashboard.words.requests import call_text

MAX_CHARS_SHOWN = 4000
MORE = noop("the JSON below has all of them")
"""The place of the other characters of a long message."""


def formed_html(color: str, *inside: Markup) -> Markup:
    """Return what stands ``inside`` with an edge of a colour of its own, within a block."""
    return element(
        "div", *inside, class_="memviz-formed", style=f"border-left-color: {color}"
    )


def message_html(
    message: Message,
    head: str = "",
    more: str = MORE,
    most_chars: int = MAX_CHARS_SHOWN,
) -> Markup:
    """Return one message under a line that says which it is (may be empty): its content, at most ``most_chars``
    characters of it, and its tool calls. ``more`` says where the rest is."""
    parts = []
    content = message.content
    if head:
        parts.append(element("small", head))
    if content:
        parts.append(element("p", content[:most_chars], lang=detect_language(content)))
    hidden = len(content) - most_chars
    if hidden > 0:
        words = _("{hidden:,} more characters; {more}", hidden=hidden, more=_(more))
        parts.append(element("small", words))
    for call in message.tool_calls:
        text = call_text(call)
        ellipsis = "…" if len(text) > most_chars else ""
        parts.append(element("code", text[:most_chars], ellipsis))
    return joined(parts)


def prose(text: str) -> None:
    """Draw ``text``. No letter of it is markup: see :mod:`memviz.dashboard.markup`."""
    if has_marks(text):
        styled = as_html(text)
        st.html(
            element("div", styled, class_="memviz-prose", lang=detect_language(text))
        )
    else:
        st.text(text)


def legend_item(picture: Markup, words: str) -> Markup:
    """Return a swatch or glyph and what it means, with the word explained if it is one of the glossary."""
    return element(
        "span",
        picture,
        term_html(words),
        style="display:inline-flex;align-items:center;gap:0.4rem",
    )


def stripe(index: int) -> Markup:
    """Return the colour of the setting that was added as number ``index`` (0-based), as the edge of a card: the same
    that its line has on the charts, in light and in dark."""
    return element(
        "div", class_="memviz-stripe", style=f"background:{setting_color(index)}"
    )


def setting_color(index: int) -> str:
    """Return the colour of setting ``index`` for a style in HTML, in light and in dark."""
    light = st.get_option("theme.light.chartCategoricalColors")[index % 10]
    dark = st.get_option("theme.dark.chartCategoricalColors")[index % 10]
    return f"light-dark({light},{dark})"
