"""Messages, prose and entries of legends as HTML: dozens of messages as elements of their own took longer to appear
than all else on a page."""

import streamlit as st
from markupsafe import Markup

from memviz.core.messages import Message
from memviz.core.text.language import language
from memviz.core.translation import _
from memviz.dashboard.light_markdown import as_html, has_marks
from memviz.dashboard.markup import element, joined
from memviz.dashboard.ui.shell.terms import term_html
from memviz.dashboard.words.requests import call_text

MAX_CHARS_SHOWN = 4000


def message_html(
    message: Message, head: str, more: str, most_chars: int = MAX_CHARS_SHOWN
) -> Markup:
    """Return one message under a line that says which it is (may be empty): its content, at most ``most_chars``
    characters of it, and its tool calls. ``more`` says where the rest is."""
    parts = []
    said = message.content
    if head:
        parts.append(element("small", head))
    if said:
        parts.append(element("p", said[:most_chars], lang=language(said)))
    hidden = len(said) - most_chars
    if hidden > 0:
        parts.append(
            element(
                "small",
                _("{hidden:,} more characters; {more}", hidden=hidden, more=more),
            )
        )
    for call in message.tool_calls:
        text = call_text(call)
        rest = "…" if len(text) > most_chars else ""
        parts.append(element("code", text[:most_chars], rest))
    return joined(parts)


def prose(text: str) -> None:
    """Draw ``text``. No letter of it is markup: see :mod:`memviz.dashboard.light_markdown`."""
    if has_marks(text):
        styled = as_html(text)
        st.html(element("div", styled, class_="memviz-prose", lang=language(text)))
    else:
        st.text(text)


def legend_item(picture: Markup, words: str) -> Markup:
    """Return a swatch or glyph and what it means, with the word explained if it is one of the glossary."""
    style = "display:inline-flex;align-items:center;gap:0.4rem"
    return element("span", picture, term_html(words), style=style)


def stripe(index: int) -> Markup:
    """Return the colour of the setting that was added as number ``index`` (0-based), as the edge of a card: the same
    that its line has on the charts, in light and in dark."""
    style = f"background:{setting_color(index)}"
    return element("div", class_="memviz-stripe", style=style)


def setting_color(index: int) -> str:
    """Return that colour for a style in HTML."""
    light = st.get_option("theme.light.chartCategoricalColors")[index % 10]
    dark = st.get_option("theme.dark.chartCategoricalColors")[index % 10]
    return f"light-dark({light},{dark})"
