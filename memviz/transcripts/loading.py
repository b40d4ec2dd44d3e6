"""Imports conversations from a file, whatever format it is in.

:func:`load_file` reads the bytes, unpacks archives, recognises the format, and lets its reader read one conversation
after the other. :func:`load_transcript` returns one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.messages import clean_text
from memviz.core.process_memory import uncollected
from memviz.transcripts.archives import archived_files, is_archive
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.limits import Limits
from memviz.transcripts.nearest import reader_for_user
from memviz.transcripts.readers import find_readers
from memviz.transcripts.refusals import (
    MAX_NAMES,
    archive_warnings,
    copied,
    nothing_inside,
    placed,
    refusal_of,
)

Progress = Callable[[int, int], object]
"""Called with how many conversations are read, and how many there are. What it raises stops the import."""
MAX_TITLE_CHARS = 200
MAX_ADVISED = 3
UNFORESEEN = "something in it is not as this format has it"


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """All conversations of a file. ``warnings`` are about the file as a whole, each transcript has its own;
    ``failures`` are the conversations in it that cannot be read."""

    name: str
    transcripts: tuple[Transcript, ...]
    warnings: tuple[str, ...] = ()
    failures: tuple[TranscriptError, ...] = ()

    def whole(self, number: int) -> Transcript:
        """Conversation ``number`` (from 0) with all warnings that concern it: its own and those about the file."""
        transcript = self.transcripts[number]
        return replace(transcript, warnings=(*self.warnings, *transcript.warnings))


class Asked(NamedTuple):
    """How a file is to be read: as :func:`load_file` was asked."""

    format: str | None
    user: str | None
    limits: Limits
    progress: Progress | None = None


@cache
def formats() -> dict[str, Reader]:
    """Return the reader of every format by its name, those of other packages among them."""
    return find_readers()


def load_transcript(
    source: str | Path | bytes,
    format: str | None = None,
    *,
    name: str = "",
    conversation: int = 1,
    user: str | None = None,
    limits: Limits | None = None,
) -> Transcript:
    """One conversation of a file (a path), or of the bytes of one: number ``conversation``, counted from 1.

    ``name`` is the file's name where only its bytes are given. The format is recognised unless it is named. ``user``
    is the name under which the user speaks, where the names in a file do not show it; everybody else is the
    assistant then. What had to be repaired or left out is in the transcript's ``warnings``; so is how many other
    conversations the file holds. Nothing is executed, fetched or written.

    Raises :class:`TranscriptError`, and nothing else, for whatever cannot be read: it says the file, the place, what
    was found and what to do. :class:`UnclearUserError` holds the names to choose the user from.
    """
    loaded = load_file(source, format, name=name, user=user, limits=limits)
    there = len(loaded.transcripts)
    if not 1 <= conversation <= there:
        reason = f"there is no conversation {conversation}."
        raise TranscriptError(
            reason, place=loaded.name, remedy=f"Choose a number from 1 to {there}."
        )
    transcript = loaded.whole(conversation - 1)
    others = (
        (f"this is conversation {conversation} of {there} in the file.",)
        if there > 1
        else ()
    )
    failures = tuple(str(failure) for failure in loaded.failures[:MAX_NAMES])
    return replace(transcript, warnings=(*transcript.warnings, *others, *failures))


def load_transcripts(
    source: str | Path | bytes,
    format: str | None = None,
    *,
    name: str = "",
    user: str | None = None,
    limits: Limits | None = None,
) -> tuple[Transcript, ...]:
    """All conversations of a file (a path) or of the bytes of one, in its order; those of all files in it, if it is an
    archive. The arguments are those of :func:`load_transcript`.

    Each has the warnings about the file among its own; of conversations that cannot be read the first few are told in
    the warnings of the others. Raises :class:`TranscriptError` where none can be read.
    """
    loaded = load_file(source, format, name=name, user=user, limits=limits)
    failures = tuple(str(failure) for failure in loaded.failures[:MAX_NAMES])
    found = (loaded.whole(number) for number in range(len(loaded.transcripts)))
    return tuple(replace(one, warnings=(*one.warnings, *failures)) for one in found)


def load_file(
    source: str | Path | bytes,
    format: str | None = None,
    *,
    name: str = "",
    user: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> LoadedFile:
    """All conversations of a file (a path) or of the bytes of one; those of all files in it, if it is an archive.

    ``user``: the name under which the user speaks, as for :func:`load_transcript`. Each conversation is read whole or
    not at all. Raises :class:`TranscriptError` where not even one can be read.
    """
    _check_types(source, format, name, user)
    name = clean_text(name if isinstance(source, bytes) else Path(source).name)
    try:
        limits = limits or Limits.from_environment()
        data = _bytes_of(source, limits)
        read = _read_archive if is_archive(data) else _read_document
        with uncollected():
            loaded = read(data, name, Asked(format, user, limits, progress))
    except TranscriptError as error:
        raise placed(error, name, format) from None
    except RecursionError:
        reason = "it is nested more deeply than any conversation, and than this computer can follow."
        raise TranscriptError(
            reason, place=name, remedy="Check that this is the right file."
        ) from None
    if not loaded.transcripts:
        raise loaded.failures[0]
    return loaded


def _check_types(source: object, format: object, name: object, user: object) -> None:
    if not isinstance(source, str | bytes | PathLike):
        reason = f"a conversation cannot be read from a value of type {type(source).__name__}."
        raise TranscriptError(reason, remedy="Give the path of a file, or its bytes.")
    for what, value in (("format", format), ("name", name), ("user", user)):
        if value is not None and not isinstance(value, str):
            reason = (
                f"the {what} is a value of type {type(value).__name__}, not a text."
            )
            raise TranscriptError(
                reason, remedy=f"Give the {what} as a text, or leave it out."
            )


def _read_document(data: bytes, name: str, asked: Asked) -> LoadedFile:
    limits = asked.limits
    document = Document(data, name, limits, asked.user)
    reader = (
        _reader_named(asked.format)
        if asked.format is not None
        else _recognised(document)
    )
    pieces = reader.conversations(document)
    if not pieces:
        raise TranscriptError(
            "it holds no conversation.",
            format=reader.name,
            remedy="Choose another file.",
        )
    if len(pieces) > limits.conversations:
        reason = f"it holds {len(pieces):,} conversations, more than the limit of {limits.conversations:,}."
        raise TranscriptError(
            reason, remedy="Split it, or raise MEMVIZ_IMPORT_CONVERSATIONS."
        )
    transcripts = []
    failures = []
    for number, piece in enumerate(pieces, 1):
        place = f"conversation {number}" if len(pieces) > 1 else ""
        try:
            transcripts.append(
                _titled(
                    _read(reader, piece, TranscriptBuilder(limits, place, asked.user)),
                    name,
                    place,
                )
            )
        except TranscriptError as error:
            where = ", ".join(part for part in (place, error.place) if part)
            failures.append(
                placed(copied(error, format=reader.name, place=where), name, None)
            )
        if asked.progress:
            asked.progress(number, len(pieces))
    found = tuple(replace(transcript, format=reader.name) for transcript in transcripts)
    return LoadedFile(name, found, document.notes.sentences(), tuple(failures))


def _read(reader: Reader, piece: object, builder: TranscriptBuilder) -> Transcript:
    try:
        return reader.read(piece, builder)
    except TranscriptError:
        raise
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
    ) as error:
        # The safety net: readers check every value, but if one has missed a case, the user still gets a sentence.
        reason = (
            f"{UNFORESEEN} ({type(error).__name__}: {clean_text(str(error))[:100]})."
        )
        raise TranscriptError(
            reason, remedy="Choose another format, or export the conversation again."
        ) from error


def _titled(transcript: Transcript, name: str, place: str) -> Transcript:
    if transcript.title.strip() and transcript.title != UNTITLED:
        return replace(transcript, title=transcript.title[:MAX_TITLE_CHARS])
    stem = Path(name).stem if name else UNTITLED
    return replace(transcript, title=f"{stem}, {place}" if place else stem)


def _read_archive(data: bytes, name: str, asked: Asked) -> LoadedFile:
    parts: list[LoadedFile] = []
    refused: dict[str, TranscriptError] = {}
    for inner, content in archived_files(data, asked.limits):
        inner = inner or Path(name).stem
        try:
            if is_archive(content):
                raise TranscriptError(
                    "an archive inside an archive is not opened.",
                    remedy="Unpack the outer one.",
                )
            parts.append(_read_document(content, inner, asked))
        except TranscriptError as error:
            refused[inner] = error
    if not parts:
        raise nothing_inside(refused, data)
    said = (f"{part.name}: {warning}" for part in parts for warning in part.warnings)
    return LoadedFile(
        name,
        tuple(transcript for part in parts for transcript in part.transcripts),
        (*said, *archive_warnings(refused)),
        tuple(failure for part in parts for failure in part.failures),
    )


def _bytes_of(source: str | Path | bytes, limits: Limits) -> bytes:
    data = (
        source
        if isinstance(source, bytes)
        else _file_bytes(Path(source), limits.file_bytes + 1)
    )
    if len(data) > limits.file_bytes:
        reason = f"the file is larger than the limit of {limits.file_bytes:,} bytes."
        raise TranscriptError(
            reason, remedy="Split it, or raise MEMVIZ_IMPORT_FILE_BYTES."
        )
    return data


def _file_bytes(path: Path, at_most_bytes: int) -> bytes:
    try:
        if path.is_file():
            with path.open("rb") as file:
                return file.read(at_most_bytes)
        found = "this is a folder" if path.is_dir() else "there is no such file"
    except (OSError, ValueError) as error:  # a path with NUL in it is a ValueError
        found = getattr(error, "strerror", None) or type(error).__name__
    raise TranscriptError(
        f"the file cannot be opened: {found}.",
        remedy="Check the path, or give the bytes.",
    )


def _reader_named(name: str) -> Reader:
    found = formats().get(name)
    if found is None:
        reason = f"there is no format {clean_text(name)[:40]!r}."
        raise TranscriptError(reason, remedy=format_advice(name))
    return found


def format_advice(name: str) -> str:
    """Return what to choose in place of a name that no format has: the names that are nearly the same, if there are
    any."""
    wanted = name[:40].strip().lower().replace("-", "_").replace(" ", "_")
    starting = [known for known in formats() if wanted and known.startswith(wanted)]
    close = (starting or get_close_matches(wanted, formats()))[:MAX_ADVISED]
    if close:
        return f"Did you mean {' or '.join(close)}? memviz formats shows all names."
    return "Choose one of the names that memviz formats shows, such as openai_messages or text, or give none."


def _recognised(document: Document) -> Reader:
    # Every reader looks, and exactly one has to say yes. Taking the first of several would be a guess, so that is an
    # error that asks the user. If no reader does, the document itself knows best what is wrong with it.
    hits = [
        candidate for candidate in formats().values() if candidate.recognise(document)
    ]
    if len(hits) == 1:
        return hits[0]
    reader = None if hits else reader_for_user(document, list(formats().values()))
    if reader is not None:
        return reader
    if hits:
        names = ", ".join(hit.name for hit in hits)
        options = " or ".join(f"--format {hit.name}" for hit in hits)
        remedy = f"Say which format it is: choose it in Library, or give {options}."
        raise TranscriptError(f"it could be each of: {names}.", remedy=remedy)
    raise refusal_of(document, list(formats().values()))
