"""Messages as HTML: dozens of them as elements of their own took longer to appear than all else on a page. All text
is escaped, so what users and models wrote stays text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from memviz.core.conversation import Message
from memviz.core.text.language import lang_attribute
from memviz.metrics.requests.message_words import call_text

MAX_CHARS_SHOWN = 4000


def message_html(
    message: Message, head: str, more: str, most_chars: int = MAX_CHARS_SHOWN
) -> str:
    """One message under a line that says which it is (text, may be empty): its content, at most ``most_chars``
    characters of it, and its tool calls. ``more`` says where the rest is."""
    return "".join(_lines(message, head, more, most_chars))


def _lines(message: Message, head: str, more: str, most_chars: int) -> Iterator[str]:
    if head:
        yield f"<small>{escape(head)}</small>"
    if message.content:
        yield f"<p{lang_attribute(message.content)}>{escape(message.content[:most_chars])}</p>"
    hidden = len(message.content) - most_chars
    if hidden > 0:
        yield f"<small>{hidden:,} more characters; {escape(more)}</small>"
    for call in message.tool_calls:
        text = call_text(call)
        yield f"<code>{escape(text[:most_chars])}{'…' if len(text) > most_chars else ''}</code>"
