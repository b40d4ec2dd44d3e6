"""A file on its way to becoming a transcript, and what a format is that can read it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.decoding import decode
from memviz.transcripts.findings import Findings
from memviz.transcripts.json_text import JsonParser, describe, looks_like_lines

BINARY_FILES = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"SQLite format 3\0": "an SQLite database",
    b"%PDF-": "a PDF document",
}


class Parsed(NamedTuple):
    """A file as JSON: ``value`` of the whole file, ``rows`` of (line number, value), or a ``problem``.

    A file that is a single object has both a value and one row.
    """

    value: Any = None
    rows: tuple[tuple[int, Any], ...] = ()
    problem: TranscriptError | None = None


class Document:
    """The bytes of a file with its name; its text and its JSON are read when first asked for."""

    def __init__(self, data: bytes, name: str = "") -> None:
        self.data, self.name = data, name
        self.findings = Findings()

    @cached_property
    def binary_kind(self) -> str:
        """What kind of binary file this is, in words; empty if it may be text."""
        return next((kind for magic, kind in BINARY_FILES.items() if self.data.startswith(magic)), "")

    @cached_property
    def text(self) -> str:
        """The decoded text; empty for a binary file."""
        return "" if self.binary_kind else decode(self.data, self.findings)

    @cached_property
    def json(self) -> Parsed:
        """The text as one JSON value or, where it is not one, as JSON lines."""
        if not self.text:
            return Parsed(problem=self._without_text())
        parser = JsonParser(self.findings)
        try:
            if looks_like_lines(self.text):
                return Parsed(rows=parser.parse_lines(self.text))
            value = parser.parse(self.text)
        except TranscriptError as problem:
            return Parsed(problem=problem)
        return Parsed(value, ((1, value),) if isinstance(value, dict) else ())

    @property
    def found(self) -> str:
        """What the JSON of the file is, in a few words."""
        value, rows, _ = self.json
        return describe(value) if value is not None or not rows else f"lines that start with {describe(rows[0][1])}"

    def _without_text(self) -> TranscriptError:
        if self.binary_kind:
            return TranscriptError(f"this is {self.binary_kind}.", remedy="Choose a file with a conversation as text.")
        found = f"it holds nothing but {len(self.data)} bytes of white space" if self.data else "it has 0 bytes"
        return TranscriptError(f"the file is empty: {found}.", remedy="Choose another file, or export it again.")


class Format(ABC):
    """One kind of file that conversations come in. A module of this package with such a class adds it."""

    name: ClassVar[str]
    """The id by which a user can name the format."""

    title: ClassVar[str]
    """What users call it."""

    @abstractmethod
    def recognise(self, document: Document) -> bool:
        """Whether the document is of this format and of no other. Never raises."""

    @abstractmethod
    def read(self, document: Document) -> Transcript:
        """The conversation. What is repaired or left out goes to ``document.findings``.

        Raises :class:`TranscriptError`, also for a document that :meth:`recognise` would refuse.
        """
