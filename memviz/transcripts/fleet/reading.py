"""Reads the conversations of an item of a fleet, each on its own.

Workers of a sweep call :func:`read_item`; a conversation that cannot be read becomes an error with its place. With such
a place :func:`read_place` reads one conversation again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memviz.core.errors import TranscriptError
from memviz.core.translation import noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.fleet.rows import make_row_document
from memviz.transcripts.fleet.source import Fleet, Item, Place
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.loading import (
    convert_unforeseen_errors,
    find_reader,
    load_file,
    read_piece,
)
from memviz.transcripts.refusals import add_file_name

NO_USER = Refusal(
    noop("no message is the user's, so there is nothing to send."),
    noop("Leave it out, or say who the user is."),
)
MISSING_CONVERSATION = Refusal(
    noop("the conversation is not there any more."),
    noop("Its files have changed since they were swept: sweep them again."),
)
Outcome = tuple[Place, Transcript | TranscriptError]
"""A conversation with its place, or the reason why there is none."""


def read_item(item: Item, fleet: Fleet) -> Iterator[Outcome]:
    """Yield the conversations of an item, each with its place; for one that cannot be read, the error."""
    outcomes = _read_rows(item, fleet) if item.rows else _read_file(item, fleet)
    for place, outcome in outcomes:
        if isinstance(outcome, Transcript) and not _has_user(outcome):
            outcome = NO_USER.error()
        if isinstance(outcome, TranscriptError):
            outcome = _add_place(outcome, item, place)
        yield place, outcome


def read_place(fleet: Fleet, place: Place) -> Transcript:
    """Return the conversation at a place. Raises :class:`TranscriptError` where it is no longer there."""
    everything = replace(fleet, sample=1.0)
    for file in everything.files():
        if file.number != place.file:
            continue
        for item in everything.items_of(file):
            # Only the item that begins with this row is read.
            if item.rows and item.rows[0].number != place.row:
                continue
            for own_place, outcome in read_item(item, everything):
                if own_place == place and isinstance(outcome, Transcript):
                    return outcome
    raise MISSING_CONVERSATION.error()


def _read_rows(item: Item, fleet: Fleet) -> Iterator[Outcome]:
    place = Place(item.file, item.rows[0].number, 1)
    reader = fleet.named_reader or find_reader(item.format)
    try:
        document = make_row_document(item.rows, item.name, fleet.limits, fleet.user)
        with convert_unforeseen_errors():
            pieces = list(reader.conversations(document))
    except TranscriptError as error:
        yield place, error
        return
    for number, piece in enumerate(pieces, 1):
        builder = TranscriptBuilder(fleet.limits, user=fleet.user)
        outcome: Transcript | TranscriptError
        try:
            outcome = read_piece(reader, piece, builder)
        except TranscriptError as error:
            outcome = error
        yield place._replace(number=number), outcome


def _read_file(item: Item, fleet: Fleet) -> Iterator[Outcome]:
    place = Place(item.file, 0, 1)
    if isinstance(item.data, TranscriptError):
        yield place, item.data
        return
    try:
        loaded = load_file(
            item.data,
            fleet.format,
            name=item.name,
            user=fleet.user,
            limits=fleet.limits,
            mapping=fleet.mapping,
        )
    except TranscriptError as error:
        yield place, error
        return
    sample = fleet.chosen
    for number, transcript in enumerate(loaded.transcripts, 1):
        if sample.takes(item.file, item.name, f"conversation {number}"):
            yield place._replace(number=number), transcript
    for failure in loaded.failures:
        # Its place has its number among all of the file: "chats.json, conversation 7".
        if sample.takes(item.file, item.name, f"failure, {failure.place}"):
            yield place._replace(number=0), failure


def _has_user(transcript: Transcript) -> bool:
    return any(message.role == "user" for message in transcript.messages)


def _add_place(error: TranscriptError, item: Item, place: Place) -> TranscriptError:
    """Return the error with the name of its file and the number of its row, unless it has them already."""
    if place.row and "line" not in error.place:
        error = add_file_name(error, f"line {place.row}", None)
    return (
        add_file_name(error, item.name, None) if item.name not in error.place else error
    )
