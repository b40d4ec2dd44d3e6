"""Which of the text formats a file is in. One function decides for all of them, so that no two claim one file."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from memviz.errors import UnclearUserError
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.markers import is_marked
from memviz.transcripts.readers.texts.speaker_lines import dialogue
from memviz.transcripts.readers.texts.stamped_lines import is_stamped
from memviz.transcripts.readers.texts.table_columns import find_table
from memviz.transcripts.readers.texts.turns_of_text import with_line_feeds

_KINDS: WeakKeyDictionary[Document, str] = WeakKeyDictionary()  # four formats ask, and parsing a long text is slow


class TextReader(Reader):
    """Base of the text formats, all of which are recognised by :func:`text_kind`."""

    def recognise(self, document: Document) -> bool:
        """Whether the text is of this format."""
        return text_kind(document) == self.name


def text_kind(document: Document) -> str:
    """The name of the format; empty for a file that is no text, or no conversation.

    The first row decides that it is a table, and the first line that it is a chat log, because the cells and messages
    below may look like any other format.
    """
    if document not in _KINDS:
        _KINDS[document] = _kind(document.plain_text, document.user)
    return _KINDS[document]


def _kind(text: str, user: str | None) -> str:
    if not text or is_marked(text):
        return "markdown" if text else ""
    if find_table(text):
        return "csv"
    if is_stamped(text):
        return "whatsapp"
    try:
        found = dialogue(with_line_feeds(text), user=user)
    except UnclearUserError:  # nobody is called so: the reader of the format says who speaks
        found = dialogue(with_line_feeds(text))
    return "" if found is None else "text" if found.style == "plain" else "markdown"
