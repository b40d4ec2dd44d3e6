"""Imports conversations from a file, whatever format it is in.

:func:`load_file` reads the bytes, unpacks archives, recognises the format, and lets its reader read one conversation
after the other. :func:`load_transcript` returns one of them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from memviz.core import page_titles
from memviz.core.errors import TranscriptError
from memviz.core.messages import clean_text
from memviz.core.process_memory import uncollected
from memviz.core.translation import Said, _, noop
from memviz.transcripts.archive_parts import join_parts
from memviz.transcripts.archives import is_archive, read_archived_files
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import UNFORESEEN_ERRORS, Document, Reader
from memviz.transcripts.file_bytes import read_file_bytes
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits
from memviz.transcripts.mapping.declaration import FileMapping, read_mapping
from memviz.transcripts.mapping.interpreter import MappedReader
from memviz.transcripts.nearest import find_reader_for_user
from memviz.transcripts.readers import find_readers
from memviz.transcripts.refusals import (
    MAX_NAMES,
    add_file_name,
    empty_archive_error,
    find_refusal,
    warn_of_unread,
)

Progress = Callable[[int, int], object]
"""Called with the number of conversations read and of all. Whatever it raises stops the import."""
MAX_TITLE_CHARS = 200
MAX_ADVISED = 3
UNFORESEEN = noop("something in it is not as this format has it.")
OTHER_FORMAT_OR_EXPORT = noop(
    "Choose another format, or export the conversation again."
)
ONE_OF_SEVERAL = noop("this is conversation {number} of {all} in the file.")
CLOSE_NAMES = noop("Did you mean {names}? memviz formats shows all names.")
ANY_NAME = noop(
    "Choose one of the names that memviz formats shows, such as openai_messages or text, or give none."
)
NO_SOURCE = Refusal(
    noop("a conversation cannot be read from a value of type {kind}."),
    noop("Give the path of a file, or its bytes."),
)
NO_TEXT = Refusal(
    noop("the {what} is a value of type {kind}, not a text."),
    noop("Give the {what} as a text, or leave it out."),
)
TOO_DEEP = Refusal(
    noop(
        "it is nested more deeply than any conversation, and than this computer can follow."
    ),
    noop("Check that this is the right file."),
)
ARCHIVE_INSIDE = Refusal(
    noop("an archive inside an archive is not opened."),
    noop("Unpack the outer one."),
)
SEVERAL_FORMATS = Refusal(
    noop("it could be each of: {names}."),
    noop("Say which format it is: choose it in {library}, or give {options}."),
)
HOLDS_NONE = Refusal(noop("it holds no conversation."), noop("Choose another file."))
TOO_MANY = Refusal(
    noop("it holds {there:,} conversations, more than the limit of {conversations:,}."),
    noop("Split it, or raise MEMVIZ_IMPORT_CONVERSATIONS."),
)
NO_CONVERSATION = Refusal(
    noop("there is no conversation {conversation}."),
    noop("Choose a number from 1 to {there}."),
)


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """All conversations of a file."""

    name: str
    transcripts: tuple[Transcript, ...]
    warnings: tuple[str, ...] = ()
    """About the file as a whole; each transcript has its own."""
    failures: tuple[TranscriptError, ...] = ()
    """One for each conversation in it that cannot be read."""

    def whole(self, index: int) -> Transcript:
        """Return the conversation at ``index`` (from 0) with all warnings that concern it: its own and those about the
        file."""
        transcript = self.transcripts[index]
        return replace(transcript, warnings=(*self.warnings, *transcript.warnings))


class ReadingOptions(NamedTuple):
    """The arguments of :func:`load_file` by which a file is read."""

    format: str | None
    user: str | None
    limits: Limits
    progress: Progress | None = None
    mapping: FileMapping | None = None


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
    mapping: FileMapping | str | Path | None = None,
) -> Transcript:
    """Return one conversation of a file, which is given as a path or as bytes: number ``conversation``, from 1.

    ``name`` is the file's name if only its bytes are given. The format is recognised unless it is named. ``user``
    is the name under which the user speaks, where the names in a file do not show it; everybody else is the
    assistant then. ``mapping`` says where the messages lie in a file of no known format: a
    :class:`~memviz.transcripts.mapping.declaration.FileMapping`, its YAML text, or the path of a file with it. What
    had to be repaired or left out is in the transcript's ``warnings``; so is the number of other conversations in the
    file. Nothing is executed, fetched or written.

    Raises :class:`TranscriptError`, and nothing else, for whatever cannot be read: it says the file, the place, what
    was found and what to do. :class:`UnclearUserError` holds the names to choose the user from.
    """
    loaded = load_file(
        source, format, name=name, user=user, limits=limits, mapping=mapping
    )
    count = len(loaded.transcripts)
    if not 1 <= conversation <= count:
        raise NO_CONVERSATION.error(loaded.name, conversation=conversation, there=count)
    transcript = loaded.whole(conversation - 1)
    warnings = list(transcript.warnings)
    if count > 1:
        warnings.append(Said(ONE_OF_SEVERAL, number=conversation, all=count))
    warnings += map(str, loaded.failures[:MAX_NAMES])
    return replace(transcript, warnings=tuple(warnings))


def load_transcripts(
    source: str | Path | bytes,
    format: str | None = None,
    *,
    name: str = "",
    user: str | None = None,
    limits: Limits | None = None,
    mapping: FileMapping | str | Path | None = None,
) -> tuple[Transcript, ...]:
    """Return all conversations of a file (a path) or of the bytes of one, in its order; those of all files in it, if it
    is an archive. The arguments are those of :func:`load_transcript`.

    Each has the warnings about the file among its own. The first few conversations that cannot be read are named in the
    warnings of the others. Raises :class:`TranscriptError` where none can be read.
    """
    loaded = load_file(
        source, format, name=name, user=user, limits=limits, mapping=mapping
    )
    failures = tuple(map(str, loaded.failures[:MAX_NAMES]))
    transcripts = []
    for transcript in loaded.transcripts:
        warnings = (*loaded.warnings, *transcript.warnings, *failures)
        transcripts.append(replace(transcript, warnings=warnings))
    return tuple(transcripts)


def load_file(
    source: str | Path | bytes,
    format: str | None = None,
    *,
    name: str = "",
    user: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    mapping: FileMapping | str | Path | None = None,
) -> LoadedFile:
    """Return all conversations of a file (a path) or of the bytes of one; those of all files in it, if it is an
    archive.

    ``user`` and ``mapping`` are as for :func:`load_transcript`. Each conversation is read whole or not at all.
    Raises :class:`TranscriptError` where not even one can be read.
    """
    _check_types(source, format, name, user)
    name = clean_text(name if isinstance(source, bytes) else Path(source).name)
    file_mapping = load_mapping(mapping)
    try:
        limits = limits or Limits.from_environment()
        options = ReadingOptions(format, user, limits, progress, file_mapping)
        data = read_file_bytes(source, limits)
        read = _read_archive if is_archive(data) else _read_document
        with uncollected():
            loaded = read(data, name, options)
    except TranscriptError as error:
        raise add_file_name(error, name, format) from None
    except RecursionError:
        raise TOO_DEEP.error(name) from None
    if not loaded.transcripts:
        raise loaded.failures[0]
    return loaded


def _check_types(source: object, format: object, name: object, user: object) -> None:
    if not isinstance(source, str | bytes | PathLike):
        raise NO_SOURCE.error(kind=type(source).__name__)
    for what, value in (("format", format), ("name", name), ("user", user)):
        if value is not None and not isinstance(value, str):
            raise NO_TEXT.error(what=what, kind=type(value).__name__)


def load_mapping(mapping: FileMapping | str | Path | None) -> FileMapping | None:
    """Return a mapping that is given as a value, as YAML (a text of several lines), or as the path of a YAML file.
    Raises :class:`TranscriptError`."""
    if mapping is None or isinstance(mapping, FileMapping):
        return mapping
    is_yaml = isinstance(mapping, str) and "\n" in mapping.strip()
    return read_mapping(mapping if is_yaml else Path(mapping))


def _read_document(data: bytes, name: str, options: ReadingOptions) -> LoadedFile:
    limits = options.limits
    document = Document(data, name, limits, options.user)
    if options.mapping is not None:
        reader: Reader = MappedReader(options.mapping)
    elif options.format is None:
        reader = find_recognising_reader(document)
    else:
        reader = find_reader(options.format)
    pieces = reader.conversations(document)
    count = len(pieces)
    if not pieces:
        raise HOLDS_NONE._replace(format=reader.name).error()
    if count > limits.conversations:
        raise TOO_MANY.error(there=count, conversations=limits.conversations)
    transcripts: list[Transcript] = []
    failures: list[TranscriptError] = []
    for number, piece in enumerate(pieces, 1):
        place = f"conversation {number}" if count > 1 else ""
        builder = TranscriptBuilder(limits, place, options.user)
        try:
            transcript = read_piece(reader, piece, builder)
            title = _title_of(transcript, name, place)
            transcripts.append(replace(transcript, title=title, format=reader.name))
        except TranscriptError as error:
            failures.append(
                add_file_name(add_file_name(error, place, reader.name), name, None)
            )
        if options.progress:
            options.progress(number, count)
    warnings = document.notes.sentences()
    return LoadedFile(name, tuple(transcripts), warnings, tuple(failures))


def read_piece(reader: Reader, piece: object, builder: TranscriptBuilder) -> Transcript:
    """Return the conversation of a piece that ``reader`` has made of a file. Raises :class:`TranscriptError`, and
    nothing else."""
    with convert_unforeseen_errors():
        return reader.read(piece, builder)


@contextmanager
def convert_unforeseen_errors() -> Iterator[None]:
    """Raise :class:`TranscriptError` for an error that a reader does not expect, such as a ``KeyError``.

    Readers check every value. If one has missed a case, the user still gets a sentence.
    """
    try:
        yield
    except TranscriptError:
        raise
    except UNFORESEEN_ERRORS as error:
        raise TranscriptError(
            Said(UNFORESEEN), remedy=OTHER_FORMAT_OR_EXPORT
        ) from error


def _title_of(transcript: Transcript, name: str, place: str) -> str:
    """Return a transcript's own title; where it has none, the file's name and the place, ``chats, conversation 2``."""
    if transcript.title.strip() and transcript.title != UNTITLED:
        return transcript.title[:MAX_TITLE_CHARS]
    stem = Path(name).stem if name else UNTITLED
    return f"{stem}, {place}" if place else stem


def _read_archive(data: bytes, name: str, options: ReadingOptions) -> LoadedFile:
    transcripts: list[Transcript] = []
    warnings: list[str] = []
    failures: list[TranscriptError] = []
    refused: dict[str, TranscriptError] = {}
    mapping = options.mapping
    mapped_reader = None if mapping is None else MappedReader(mapping)
    files = read_archived_files(data, options.limits)
    parts = join_parts(files, formats().values(), mapped_reader, options.limits)
    for part_name, content in parts:
        part_name = part_name or Path(name).stem
        try:
            if is_archive(content):
                raise ARCHIVE_INSIDE.error()
            part = _read_document(content, part_name, options)
        except TranscriptError as error:
            refused[part_name] = error
            continue
        transcripts += part.transcripts
        failures += part.failures
        for warning in part.warnings:
            warnings.append(Said("{file}: {note}", file=part_name, note=warning))
    if not transcripts and not failures:
        raise empty_archive_error(refused, data)
    warnings += warn_of_unread(refused)
    return LoadedFile(name, tuple(transcripts), tuple(warnings), tuple(failures))


def find_reader(name: str) -> Reader:
    """Return the reader of the format of this name. Raises :class:`TranscriptError`, which advises similar names."""
    reader = formats().get(name)
    if reader is None:
        reason = Said("there is no format {name!r}.", name=clean_text(name)[:40])
        raise TranscriptError(reason, remedy=advise_format(name))
    return reader


def advise_format(name: str) -> str:
    """Return a sentence on what to choose in place of a name that no format has: formats whose names begin with it or
    are nearly the same, else any. For ``Claude`` it names ``claude_code``."""
    prefix = name[:40].strip().lower().replace("-", "_").replace(" ", "_")
    names = [format for format in formats() if prefix and format.startswith(prefix)]
    names = (names or get_close_matches(prefix, formats()))[:MAX_ADVISED]
    if names:
        return _(CLOSE_NAMES, names=_(" or ").join(names))
    return _(ANY_NAME)


def prefer_readers(readers: Sequence[Reader]) -> list[Reader]:
    """Return the readers to choose from, of those that recognise a file.

    A reader that another one names in its ``over`` is dropped, because it would read less of the file. Then readers
    that follow a mapping are dropped if any reader is programmed.
    """
    names_of_lesser = {name for reader in readers for name in reader.over}
    candidates = [reader for reader in readers if reader.name not in names_of_lesser]
    programmed = [reader for reader in candidates if not reader.is_mapping]
    return programmed or candidates


def find_recognising_reader(document: Document) -> Reader:
    """Return the one reader that recognises a document. Raises :class:`TranscriptError` if several do, because
    choosing one would be a guess, and if none does."""
    readers = list(formats().values())
    candidates = prefer_readers(
        [reader for reader in readers if reader.recognise(document)]
    )
    names = [reader.name for reader in candidates]
    if len(names) > 1:
        options = _(" or ").join(f"--format {name}" for name in names)
        library = _(page_titles.LIBRARY)
        raise SEVERAL_FORMATS.error(
            names=", ".join(names), library=library, options=options
        )
    if candidates:
        return candidates[0]
    programmed = [reader for reader in readers if not reader.is_mapping]
    reader = find_reader_for_user(document, programmed)
    if reader is None:
        raise find_refusal(document, programmed)
    return reader
