"""Which of the formats of plain text a file is in: the one place that decides, so that no two say yes."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from memviz.transcripts.document import Document
from memviz.transcripts.markers import is_marked
from memviz.transcripts.readers.texts.speaker_lines import dialogue
from memviz.transcripts.readers.texts.stamped_lines import is_stamped
from memviz.transcripts.readers.texts.table_columns import find_table
from memviz.transcripts.readers.texts.turns_of_text import with_line_feeds

_KINDS: WeakKeyDictionary[Document, str] = WeakKeyDictionary()  # four formats ask, and a long text takes its time


def text_kind(document: Document) -> str:
    """The name of the format; empty for a file that is no text, or no conversation.

    A table is told by its first row and a chat log by its first line; whatever their cells and messages look like is
    theirs.
    """
    if document not in _KINDS:
        _KINDS[document] = _kind(document.plain_text)
    return _KINDS[document]


def _kind(text: str) -> str:
    if not text or is_marked(text):
        return "markdown" if text else ""
    if find_table(text):
        return "csv"
    if is_stamped(text):
        return "whatsapp"
    found = dialogue(with_line_feeds(text))
    return "" if found is None else "text" if found.style == "plain" else "markdown"
