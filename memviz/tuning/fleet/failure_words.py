"""Sentences of failures that quote nothing: errors hold what users said, and a table of failures holds no text."""

from __future__ import annotations

import re

from memviz.core.errors import MemvizError, TranscriptError
from memviz.core.translation import _

FIELD = re.compile(r"\{[^{}]*\}")
"""The place of a value in a text: ``{start!r}``."""
LEFT_OUT = "…"


def words_without_values(error: MemvizError) -> str:
    """Return the sentence of an error with its place, and with ``…`` for each value in it: ``"x.txt: no known format,
    found a text that starts with …."``. Of an error whose text may be anybody's, there is its class."""
    words = FIELD.sub(LEFT_OUT, error.template) or kind_of_error(error)
    if isinstance(error, TranscriptError) and error.place:
        return f"{error.place}: {words}"
    return words


def kind_of_error(error: Exception) -> str:
    """Return a sentence with nothing but the class of an error."""
    name = type(error).__name__
    return _("memviz cannot measure it ({error}).", error=name)
