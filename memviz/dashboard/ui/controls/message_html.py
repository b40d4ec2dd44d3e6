"""Messages, prose and entries of legends as HTML: dozens of messages as elements of their own took longer to appear
than all else on a page. All text is escaped, so what users and models wrote stays text."""

from __future__ import annotations

from html import escape

import streamlit as st

from memviz.core.messages import Message
from memviz.core.text.language import lang_attribute
from memviz.core.text.light_markdown import as_html, has_marks
from memviz.dashboard.ui.shell.terms import term_html
from memviz.metrics.requests.message_words import call_text

MAX_CHARS_SHOWN = 4000


def message_html(
    message: Message, head: str, more: str, most_chars: int = MAX_CHARS_SHOWN
) -> str:
    """Return one message under a line that says which it is (text, may be empty): its content, at most ``most_chars``
    characters of it, and its tool calls. ``more`` says where the rest is."""
    html = ""
    said = message.content
    if head:
        html += f"<small>{escape(head)}</small>"
    if said:
        html += f"<p{lang_attribute(said)}>{escape(said[:most_chars])}</p>"
    hidden = len(said) - most_chars
    if hidden > 0:
        html += f"<small>{hidden:,} more characters; {escape(more)}</small>"
    for call in message.tool_calls:
        text = call_text(call)
        rest = "…" if len(text) > most_chars else ""
        html += f"<code>{escape(text[:most_chars])}{rest}</code>"
    return html


def prose(text: str) -> None:
    """Draw ``text``. No letter of it is markup: see :mod:`memviz.core.text.light_markdown`."""
    if has_marks(text):
        st.html(
            f'<div class="memviz-prose"{lang_attribute(text)}>{as_html(text)}</div>'
        )
    else:
        st.text(text)


def legend_item(picture: str, words: str) -> str:
    """A :func:`swatch` or :func:`glyph` and what it means, with the word explained if it is one of the glossary."""
    return f'<span style="display:inline-flex;align-items:center;gap:0.4rem">{picture}{term_html(words)}</span>'


def swatch(color: str) -> str:
    """A square of a colour."""
    return f'<span style="width:0.9rem;height:0.9rem;border-radius:0.2rem;background:{color}"></span>'


def glyph(character: str, color: str) -> str:
    """A character in a colour."""
    return f'<span style="color:{color}">{character}</span>'


def stripe(index: int) -> str:
    """The colour of the setting that was added as number ``index`` (0-based), as the edge of a card: the same that its
    line has on the charts, in light and in dark."""
    return (
        f'<div class="memviz-stripe" style="background:{setting_color(index)}"></div>'
    )


def setting_color(index: int) -> str:
    """Return that colour for a style in HTML."""
    light = st.get_option("theme.light.chartCategoricalColors")[index % 10]
    dark = st.get_option("theme.dark.chartCategoricalColors")[index % 10]
    return f"light-dark({escape(light)},{escape(dark)})"
