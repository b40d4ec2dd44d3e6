"""Finds the known format that is nearest to a JSON file of no known format, for the error that the user sees.

``refusals`` calls it when no reader recognised the file. Every reader then tries the file as if its format had been
named; the one that reads most of it is the nearest. :func:`describe_misfits` says which messages do not fit and why.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.core import page_titles
from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.core.message_fields import PART_KEYS, TEXT_KEYS, role_named
from memviz.core.text.wording import share_of
from memviz.core.translation import Said, _, noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import (
    UNFORESEEN_ERRORS,
    Document,
    PlacedValue,
    Reader,
    UnknownFormatError,
)
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import encoded_twice_error, is_json_text, kind_of
from memviz.transcripts.readers.json_access import text_at, texts_at
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.readers.role_lists import FOREIGN_KEYS, OPENAI_PARTS, part_types
from memviz.transcripts.user_names import is_same_name, quote_names

GENERIC = (
    "role_content",
    "openai_messages",
    "chat_request",
    "finetuning",
    "text",
    "markdown",
    "csv",
)
"""Formats without a product. If several read a file equally well, the first of these is named."""
NO_FORMAT = (TranscriptError, RecursionError, *UNFORESEEN_ERRORS)
"""The errors of a reader that tries a file of another format."""
TRIED_PIECES = 3
TRIED_ITEMS = 5_000
"""A longer list is not given to every reader, because that would take seconds."""
SPEAKER_KEYS = ("role", "speaker", "sender", "from", "author")
CONTENT_KEYS = ("content", *TEXT_KEYS, *PART_KEYS)
MAX_DEPTH = 4
READ = noop(
    "Say which format it is: choose {title!r} in {library}, or give --format {name}."
)
AS_MESSAGES = noop(
    'Write it as a list of messages such as {"role": "user", "content": "Hi"}, or choose another file.'
)
LIST_INSIDE = Refusal(
    noop("no known format, but {total:,} messages stand under {place}."),
    noop("Save that list as a file of its own."),
)
IT = noop("it")
DOCS = noop("docs/formats.md has the formats that can be read.")
FIRST_ITEM = noop("the first item")


class Messages(NamedTuple):
    """A list in a file that looks like messages, each with its place in it."""

    placed: Sequence[PlacedValue]
    path: tuple[str, ...] = ()
    """The keys and places that lead to the list."""


def nearest_format_error(
    document: Document, readers: Sequence[Reader]
) -> TranscriptError:
    """The error for JSON of no known format: the format that it nearly has, and what to do."""
    doubled = _find_encoded_twice(document)
    if doubled:
        return doubled
    lists = _find_message_lists(document)
    if not lists:
        return UnknownFormatError(
            Said("no known format, found {found}.", found=document.found),
            remedy=_("{problem} {remedy}", problem=_(AS_MESSAGES), remedy=_(DOCS)),
        )
    tried = _find_nearest_reader(document, readers)
    if isinstance(tried, UnclearUserError):
        return tried
    messages = lists[0]
    if tried:
        messages = next(filter(describe_misfits, lists), messages)
    return _describe_near_miss(messages, tried)


def find_reader_for_user(
    document: Document, readers: Sequence[Reader]
) -> Reader | None:
    """Return the reader for a list of messages whose roles are unknown names, if the user has said which name is
    theirs (``document.user``); ``None`` for any other file, and if nobody in it has that name."""
    user = document.user
    if (
        user is None
        or document.json.problem is not None
        or _find_encoded_twice(document)
    ):
        return None
    lists = _find_message_lists(document)
    if not lists:
        return None
    names = [text_at(item, "role") for item, _place in lists[0].placed[:TRIED_ITEMS]]
    if not any(is_same_name(name, user) for name in names if name):
        return None
    generic = [reader for reader in readers if reader.name in GENERIC]
    nearest = _find_nearest_reader(document, generic)
    return nearest if isinstance(nearest, Reader) else None


def _describe_near_miss(found: Messages, tried: Reader | None) -> TranscriptError:
    odd = describe_misfits(found)
    total = len(found.placed)
    why = _("no format claims it for its own")
    nearly = _("a list of messages")
    remedy = _("{problem} {remedy}", problem=_(AS_MESSAGES), remedy=_(DOCS))
    if odd:
        why = _(
            "{share} fit, but {odd}",
            share=share_of(total - len(odd), total, "message"),
            odd=odd[0],
        )
    if tried is not None:
        nearly = tried.name
        remedy = _(
            READ,
            name=tried.name,
            title=_(tried.title),
            library=_(page_titles.LIBRARY),
        )
    elif not odd:
        place = " in ".join(reversed(found.path)) or "it"
        return LIST_INSIDE.error(total=total, place=place)
    reason = Said(
        "no known format, but nearly {nearly}: {why}.", nearly=nearly, why=why
    )
    return TranscriptError(reason, remedy=remedy)


def describe_misfits(found: Messages) -> list[str]:
    """Return a clause for each item of a list that is no message of the chat API: "index 3 has no role: ..."."""
    reasons = []
    for item, place in found.placed:
        reason = _describe_item_misfit(item)
        if reason:
            reasons.append(f"{', '.join((*found.path, place))} {reason}")
    return reasons


def _describe_item_misfit(item: Any) -> str:
    if not isinstance(item, dict):
        return _("is {kind}, not a message", kind=_(kind_of(item)))
    role = item.get("role")
    if role is None:
        return _(
            "has no role: its keys are {names}",
            names=quote_names([str(key) for key in item]),
        )
    if not isinstance(role, str):
        return _("has a role that is {kind}", kind=_(kind_of(role)))
    if role_named(role) is None:
        return _("has the unknown role {role!r}", role=role[:40])
    for key in sorted(FOREIGN_KEYS.intersection(item)):
        return _("has the key {key!r}, which is not of the chat API", key=key)
    for kind in sorted(part_types(item) - OPENAI_PARTS):
        return _(
            "has a part of the type {kind!r}, which is not of the chat API",
            kind=kind[:40],
        )
    return ""


def _find_encoded_twice(document: Document) -> TranscriptError | None:
    """Return the error for JSON that was encoded twice, as by ``json.dumps(json.dumps(value))``; ``None`` for any
    other file."""
    value = document.json.value
    values_by_place = {"": value} if isinstance(value, str) else document.object
    if not document.json.rows and document.items:
        values_by_place = {FIRST_ITEM: document.items[0]}
    for key, text in values_by_place.items():
        if is_json_text(text):
            where = repr(key) if values_by_place is document.object else _(key or IT)
            return encoded_twice_error(_("{where} is", where=where))
    return None


def _find_message_lists(document: Document) -> list[Messages]:
    """Return all lists of the file with items that look like messages, the one with the most such items first."""
    lists = list(_walk_lists(document.json.value, ()))
    if document.json.value is None:
        lists = [Messages(document.placed)]
        for item, place in document.placed[:TRIED_PIECES]:
            lists += _walk_lists(item, (place,))
    return sorted(filter(_count_messages, lists), key=_count_messages, reverse=True)


def _count_messages(found: Messages) -> int:
    """Return how many items of a list look like messages."""
    return sum(_looks_like_one(item) for item, _place in found.placed[:TRIED_ITEMS])


def _walk_lists(value: Any, path: tuple[str, ...]) -> Iterator[Messages]:
    if isinstance(value, list) and len(path) <= MAX_DEPTH:
        placed = add_places(value)
        yield Messages(placed, path)
        for item, place in placed[:TRIED_PIECES]:
            if isinstance(item, dict) and not _looks_like_one(item):
                yield from _walk_lists(item, (*path, place))
    elif isinstance(value, dict) and len(path) <= MAX_DEPTH:
        for key, inner in value.items():
            if isinstance(inner, (list, dict)):
                yield from _walk_lists(inner, (*path, repr(str(key)[:40])))


def _looks_like_one(item: Any) -> bool:
    if not isinstance(item, dict) or not any(key in item for key in CONTENT_KEYS):
        return False
    return bool(texts_at(item, *SPEAKER_KEYS))


def _find_nearest_reader(
    document: Document, readers: Sequence[Reader]
) -> Reader | UnclearUserError | None:
    """Return the reader that reads the whole file if its format is named. Otherwise the error of a reader that only
    lacks the name of the user; ``None`` if no reader can read it."""
    if len(document.items) > TRIED_ITEMS:
        return None
    nearest = None
    most = (0, 0)
    unclear = None
    for reader in sorted(readers, key=_rank):
        try:
            amount = _count_read(reader, document)
            if amount[0] and amount > most:
                nearest = reader
                most = amount
        except UnclearUserError as error:
            unclear = unclear or error
        except NO_FORMAT:
            continue  # the file has another format, and the reader's error says nothing
    return nearest or unclear


def _rank(reader: Reader) -> int:
    return GENERIC.index(reader.name) if reader.name in GENERIC else len(GENERIC)


def _count_read(reader: Reader, document: Document) -> tuple[int, int]:
    """Return how many messages of the first conversations a reader reads, and the negative number of its warnings, so
    that a larger pair is better; (0, 0) if it leaves any message out."""
    messages = 0
    warnings = 0
    for piece in reader.conversations(document)[:TRIED_PIECES]:
        builder = TranscriptBuilder(document.limits, user=document.user)
        transcript = reader.read(piece, builder)
        has_text = any(message.content for message in transcript.messages)
        if builder.has_left_out or not has_text:
            return 0, 0
        messages += len(transcript.messages)
        warnings += len(transcript.warnings)
    return messages, -warnings
