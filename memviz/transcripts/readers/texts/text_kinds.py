"""Which of the text formats a file is in. One function decides for all of them, so that no two claim one file."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from memviz.core.errors import UnclearUserError
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.markers import is_marked
from memviz.transcripts.readers.texts.speaker_lines import (
    TEXT_STYLES,
    Dialogue,
    dialogue,
)
from memviz.transcripts.readers.texts.stamped_lines import is_stamped
from memviz.transcripts.readers.texts.table_columns import find_table
from memviz.transcripts.readers.texts.turns_of_text import with_line_feeds

_KINDS: WeakKeyDictionary[Document, tuple[str, Dialogue | None]] = WeakKeyDictionary()
"""What a document is, because four formats ask, and parsing a long text is slow."""


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
    return _kind_of(document)[0]


def dialogue_of(document: Document, *styles: str) -> Dialogue | None:
    """The text as a dialogue in one of these styles, for whoever has named its format: one line is enough.

    Raises :class:`UnclearUserError` where nobody is called as it was said that the user is.
    """
    found = _kind_of(document)[1]
    if found is not None and found.style in styles:
        return found
    return dialogue(with_line_feeds(document.plain_text), styles, 1, document.user)


def _kind_of(document: Document) -> tuple[str, Dialogue | None]:
    if document not in _KINDS:
        _KINDS[document] = _find_kind(document.plain_text, document.user)
    return _KINDS[document]


def _find_kind(text: str, user: str | None) -> tuple[str, Dialogue | None]:
    if not text or is_marked(text):
        return ("markdown" if text else ""), None
    if find_table(text):
        return "csv", None
    if is_stamped(text):
        return "whatsapp", None
    try:
        found = dialogue(with_line_feeds(text), user=user)
    except (
        UnclearUserError
    ):  # nobody is called so: the reader of the format says who speaks
        kind = dialogue(with_line_feeds(text))
        return (_name_of(kind) if kind else ""), None
    return (_name_of(found), found) if found else ("", None)


def _name_of(found: Dialogue) -> str:
    return "text" if found.style in TEXT_STYLES else "markdown"
