"""``memviz map``: a first mapping for a file of no known format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memviz.cli.inputs import STDIN, content_of, is_file, name_of
from memviz.cli.options import MappingFile, Output
from memviz.cli.output import complain, say, write_text
from memviz.core.errors import TranscriptError

if TYPE_CHECKING:
    from memviz.transcripts.base import Transcript
    from memviz.transcripts.document import Document

File = Annotated[str, typer.Argument(metavar="FILE", help="A file (- is stdin).")]
FIRST_ROWS = 50
FIRST_MESSAGES = 6
MAX_CHARS = 120


def map_file(file: File, mapping: MappingFile = None, output: Output = None) -> None:
    """Guess where the messages of a file lie, and show the first of them as they would be read.

    The guess is a mapping in YAML, with the messages behind # below it: correct it, and give it to
    memviz import --map. With --map the messages of that mapping are shown.

    \b
    Examples:
      memviz map tickets.csv
      memviz map tickets.csv -o tickets.yaml
      memviz map tickets.csv --map tickets.yaml
    """
    from memviz.transcripts.file_bytes import read_file_bytes
    from memviz.transcripts.limits import Limits
    from memviz.transcripts.mapping.declaration import read_mapping
    from memviz.transcripts.mapping.guess import find_mappable_document, guess_mapping
    from memviz.transcripts.mapping.interpreter import MappedReader

    if not is_file(file):
        raise typer.BadParameter(
            f"there is no file {file!r}, and a saved conversation needs no mapping."
        )
    read_from_file = read_mapping(mapping) if mapping else None
    name = name_of(file)
    try:
        data = read_file_bytes(content_of(file), Limits.from_environment())
        document = find_mappable_document(data, name, Limits.from_environment())
        # A format that is known needs no mapping, and reads more of the file than one could.
        if read_from_file is None:
            _say_if_known(document, name)
        declaration = read_from_file or guess_mapping(document)
    except TranscriptError as error:
        raise _of_file(error, name) from None
    # The mapping is written even where it reads nothing yet, as it is there to be corrected.
    write_text(declaration.to_yaml(), output, file, what="the log")
    try:
        _show_first(MappedReader(declaration).preview(document, FIRST_ROWS))
    except TranscriptError as error:
        complain(f"Warning: {_of_file(error, name)}")


def can_be_mapped(file: str) -> bool:
    """Return whether memviz map begins a mapping for a file. Standard input cannot be read again."""
    from memviz.transcripts.file_bytes import read_file_bytes
    from memviz.transcripts.limits import Limits
    from memviz.transcripts.mapping.guess import find_mappable_document
    from memviz.transcripts.mapping.places import find_places

    if file == STDIN or Path(file).is_fifo():
        return False
    try:
        data = read_file_bytes(file, Limits.from_environment())
        document = find_mappable_document(
            data, name_of(file), Limits.from_environment()
        )
        return bool(find_places(document))
    except TranscriptError:
        return False


def _of_file(error: TranscriptError, name: str) -> TranscriptError:
    """Return the error with the name of the file in front of its place."""
    place = error.place
    if place.split(", ")[0] != name:
        place = f"{name}, {place}" if place else name
    return type(error)(
        error.reason, format=error.format, place=place, remedy=error.remedy
    )


def _say_if_known(document: Document, name: str) -> None:
    from memviz.transcripts.loading import formats

    for reader in formats().values():
        if reader.recognise(document):
            complain(
                f"{name} needs no mapping: memviz import reads it as {reader.name}."
            )
            return


def _show_first(transcript: Transcript) -> None:
    for message in transcript.messages[:FIRST_MESSAGES]:
        calls = " ".join(f"[{call.name}]" for call in message.tool_calls)
        words = " ".join(f"{message.content} {calls}".split())[:MAX_CHARS]
        name = f" ({message.name})" if message.name else ""
        say(f"# {message.role}{name}: {words}")
    for warning in transcript.warnings:
        complain(f"Warning: {warning}")
