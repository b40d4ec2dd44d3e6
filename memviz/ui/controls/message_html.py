"""Messages as HTML: dozens of them as elements of their own took longer to appear than all else on a page. All text
is escaped, so what users and models wrote stays text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from memviz.conversation import Message
from memviz.text.language import lang_attribute
from memviz.ui.shell.text import call_text

MAX_CHARS_SHOWN = 4000


def message_html(message: Message, head: str, more: str) -> str:
    """One message under a line that says which it is (text, may be empty): its content, at most
    :data:`MAX_CHARS_SHOWN` characters of it, and its tool calls. ``more`` says where the rest is."""
    return "".join(_lines(message, head, more))


def _lines(message: Message, head: str, more: str) -> Iterator[str]:
    if head:
        yield f"<small>{escape(head)}</small>"
    if message.content:
        yield f"<p{lang_attribute(message.content)}>{escape(message.content[:MAX_CHARS_SHOWN])}</p>"
    hidden = len(message.content) - MAX_CHARS_SHOWN
    if hidden > 0:
        yield f"<small>{hidden:,} more characters; {escape(more)}</small>"
    for call in message.tool_calls:
        text = call_text(call)
        yield f"<code>{escape(text[:MAX_CHARS_SHOWN])}{'…' if len(text) > MAX_CHARS_SHOWN else ''}</code>"
