"""Reading a conversation from a file, whatever format it is in."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from pkgutil import iter_modules

import memviz.transcripts
from memviz.conversation import clean_text
from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.document import Document, Format

MAX_BYTES = 20_000_000


@cache
def formats() -> dict[str, Format]:
    """All formats by name, found by scanning this package."""
    found: dict[str, Format] = {}
    for module_info in iter_modules(memviz.transcripts.__path__, f"{memviz.transcripts.__name__}."):
        for value in vars(import_module(module_info.name)).values():
            if isinstance(value, type) and issubclass(value, Format) and not isabstract(value):
                found[value.name] = value()
    return dict(sorted(found.items()))


def load_transcript(
    source: str | Path | bytes, format: str | None = None, *, name: str = "", max_bytes: int = MAX_BYTES
) -> Transcript:
    """The conversation in a file (a path) or in the bytes of one.

    ``name`` is the file's name where only its bytes are given. The format is recognised unless it
    is named. What had to be repaired or left out is in the transcript's ``warnings``. Nothing is
    executed, fetched or written.

    Raises :class:`TranscriptError`, and nothing else, for whatever cannot be read: it says the file,
    the place, what was found and what to do.
    """
    name = clean_text(name if isinstance(source, bytes) else Path(source).name)
    try:
        document = Document(_bytes_of(source, max_bytes), name)
        reader = _named(format) if format is not None else _recognised(document)
        transcript = reader.read(document)
    except TranscriptError as error:
        place = ", ".join(part for part in (name, error.place) if part)
        tried = error.format or format or ""
        raise TranscriptError(error.reason, format=tried, place=place, remedy=error.remedy) from None
    untitled = transcript.title == Transcript(()).title
    title = Path(name).stem if untitled and name else transcript.title
    return replace(transcript, title=title, format=reader.name, warnings=document.findings.sentences())


def _bytes_of(source: str | Path | bytes, max_bytes: int) -> bytes:
    data = source if isinstance(source, bytes) else _file_bytes(Path(source), max_bytes + 1)
    if len(data) > max_bytes:
        reason = f"the file is larger than the limit of {max_bytes:,} bytes."
        raise TranscriptError(reason, remedy="Split it, or choose a smaller one.")
    return data


def _file_bytes(path: Path, at_most_bytes: int) -> bytes:
    try:
        if path.is_file():
            with path.open("rb") as file:
                return file.read(at_most_bytes)
        found = "this is a folder" if path.is_dir() else "there is no such file"
    except OSError as error:
        found = error.strerror or type(error).__name__
    raise TranscriptError(f"the file cannot be opened: {found}.", remedy="Check the path, or give the bytes.")


def _named(name: str) -> Format:
    found = formats().get(name)
    if found is None:
        reason = f"there is no format {clean_text(str(name))[:40]!r}."
        raise TranscriptError(reason, remedy=f"Choose one of: {', '.join(formats())}.")
    return found


def _recognised(document: Document) -> Format:
    hits = [candidate for candidate in formats().values() if candidate.recognise(document)]
    if len(hits) == 1:
        return hits[0]
    if hits:
        names = ", ".join(hit.name for hit in hits)
        raise TranscriptError(f"it could be each of: {names}.", remedy="Say which format it is.")
    if document.json.problem:
        raise document.json.problem
    raise TranscriptError(f"no known format, found {document.found}.", remedy=f"Known are: {', '.join(formats())}.")
