"""What a file of no known format almost is, and at which place it is not: for the sentence that refuses it.

Every reader tries the file, as if its format had been named. The one that reads the largest share of it is the
nearest; why it was not recognised is looked up in the messages (:func:`misfits`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.core.message_fields import PART_KEYS, TEXT_KEYS, role_named
from memviz.core.text.wording import share_of
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, UnknownFormatError
from memviz.transcripts.json_text import encoded_twice, is_json_text, kind_of
from memviz.transcripts.readers.role_lists import FOREIGN_KEYS, OPENAI_PARTS, part_types
from memviz.transcripts.user_names import listed_names, same_name

GENERIC = (
    "role_content",
    "openai_messages",
    "chat_request",
    "finetuning",
    "text",
    "markdown",
    "csv",
)
"""Where several formats read a file equally well, the first of these is named."""
TRIED_PIECES = 3
TRIED_ITEMS = 5_000
"""A longer list is not tried by every reader: it would take seconds."""
SPEAKER_KEYS = ("role", "speaker", "sender", "from", "author")
CONTENT_KEYS = ("content", *TEXT_KEYS, *PART_KEYS)
MAX_DEPTH = 4
READ = "Say which format it is: choose {title!r} in Library, or give --format {name}."
AS_MESSAGES = 'Write it as a list of messages such as {"role": "user", "content": "Hi"}, or choose another file.'
DOCS = "docs/formats.md has the formats that can be read."


class Messages(NamedTuple):
    """A list in a file that looks like messages, and where it stands: the keys and places that lead to it.

    ``line_numbers``: the line of each item, if each is a line of the file.
    """

    items: Sequence[Any]
    path: tuple[str, ...] = ()
    line_numbers: Sequence[int] = ()

    def place(self, index: int) -> str:
        """The place of an item."""
        last = (
            f"line {self.line_numbers[index]}"
            if self.line_numbers
            else f"index {index}"
        )
        return ", ".join((*self.path, last))


def refusal(document: Document, readers: Sequence[Reader]) -> TranscriptError:
    """The error for JSON of no known format: what it almost is, and which format would read it."""
    doubled = _encoded_twice(document)
    if doubled:
        return doubled
    lists = _message_lists(document)
    if not lists:
        return UnknownFormatError(
            f"no known format, found {document.found}.", remedy=f"{AS_MESSAGES} {DOCS}"
        )
    tried = _nearest_reader(document, readers)
    if isinstance(tried, UnclearUserError):
        return tried
    return _nearly(
        next((found for found in lists if misfits(found)), lists[0])
        if tried
        else lists[0],
        tried,
    )


def reader_for_user(document: Document, readers: Sequence[Reader]) -> Reader | None:
    """The reader of a list of messages whose speakers have names that no format knows, where it was said which of
    them is the user; ``None`` for any other file, and where nobody in it has that name."""
    user = document.user
    if user is None or document.json.problem is not None or _encoded_twice(document):
        return None
    roles = [
        item.get("role")
        for found in _message_lists(document)[:1]
        for item in found.items[:TRIED_ITEMS]
        if isinstance(item, dict)
    ]
    if not any(isinstance(role, str) and same_name(role, user) for role in roles):
        return None
    nearest = _nearest_reader(
        document, [reader for reader in readers if reader.name in GENERIC]
    )
    return nearest if isinstance(nearest, Reader) else None


def _nearly(found: Messages, tried: Reader | None) -> TranscriptError:
    odd = misfits(found)
    total = len(found.items)
    why = (
        f"{share_of(total - len(odd), total, 'message')} fit, but {odd[0]}"
        if odd
        else "no format claims it for its own"
    )
    if tried is not None:
        remedy = READ.format(name=tried.name, title=tried.title)
        return TranscriptError(
            f"no known format, but nearly {tried.name}: {why}.", remedy=remedy
        )
    if odd:
        return TranscriptError(
            f"no known format, but nearly a list of messages: {why}.",
            remedy=f"{AS_MESSAGES} {DOCS}",
        )
    place = " in ".join(reversed(found.path)) or "it"
    reason = f"no known format, but {total:,} messages stand under {place}."
    return TranscriptError(reason, remedy="Save that list as a file of its own.")


def misfits(found: Messages) -> list[str]:
    """Return where the items of a list are that are no messages of the chat API, and why, in sentences without full
    stop."""
    reasons = ((index, _item_misfit(item)) for index, item in enumerate(found.items))
    return [f"{found.place(index)} {reason}" for index, reason in reasons if reason]


def _item_misfit(item: Any) -> str:
    if not isinstance(item, dict):
        return f"is {kind_of(item)}, not a message"
    role = item.get("role")
    if role is None:
        return f"has no role: its keys are {listed_names([str(key) for key in item])}"
    if role_named(role) is None:
        return (
            f"has the unknown role {role[:40]!r}"
            if isinstance(role, str)
            else f"has a role that is {kind_of(role)}"
        )
    foreign = sorted(FOREIGN_KEYS.intersection(item))
    if foreign:
        return f"has the key {foreign[0]!r}, which is not of the chat API"
    parts = sorted(part_types(item) - OPENAI_PARTS)
    return (
        f"has a part of the type {parts[0][:40]!r}, which is not of the chat API"
        if parts
        else ""
    )


def _encoded_twice(document: Document) -> TranscriptError | None:
    """The error for JSON inside a text of JSON; such as what json.dumps makes of the result of json.dumps."""
    value = document.json.value
    held = {"": value} if isinstance(value, str) else document.object
    if not document.json.rows and document.items:
        held = {"the first item": document.items[0]}
    for key, text in held.items():
        if is_json_text(text):
            where = key or "it"
            if key and value is document.object:
                where = repr(key)
            return encoded_twice(f"{where} is")
    return None


def _message_lists(document: Document) -> list[Messages]:
    """The lists with items that look like messages, wherever in the file they stand; the one with the most first."""
    value, rows, _ = document.json
    lists = list(_lists(value, ()))
    if value is None:
        lists = [Messages([item for _, item in rows], (), [line for line, _ in rows])]
        lists += [
            found
            for line, item in rows[:TRIED_PIECES]
            for found in _lists(item, (f"line {line}",))
        ]
    alike = {
        at: sum(map(_looks_like_one, found.items[:TRIED_ITEMS]))
        for at, found in enumerate(lists)
    }
    return [lists[at] for at in sorted(alike, key=lambda at: -alike[at]) if alike[at]]


def _lists(value: Any, path: tuple[str, ...]) -> Iterator[Messages]:
    if isinstance(value, list) and len(path) <= MAX_DEPTH:
        yield Messages(value, path)
        for index, item in enumerate(value[:TRIED_PIECES]):
            if isinstance(item, dict) and not _looks_like_one(item):
                yield from _lists(item, (*path, f"index {index}"))
    elif isinstance(value, dict) and len(path) <= MAX_DEPTH:
        for key, held in value.items():
            if isinstance(held, (list, dict)):
                yield from _lists(held, (*path, repr(str(key)[:40])))


def _looks_like_one(item: Any) -> bool:
    if not isinstance(item, dict) or not any(key in item for key in CONTENT_KEYS):
        return False
    return any(isinstance(item.get(key), str) for key in SPEAKER_KEYS)


class _Attempt(NamedTuple):
    reader: Reader
    messages: int
    warnings: int


def _nearest_reader(
    document: Document, readers: Sequence[Reader]
) -> Reader | UnclearUserError | None:
    """The reader that would read the whole file, if its format were named; the error of one that would if it were
    said who the user is; ``None`` where no reader would."""
    if len(document.items) > TRIED_ITEMS:
        return None
    found = []
    unclear = None
    for reader in sorted(
        readers,
        key=lambda reader: GENERIC.index(reader.name) if reader.name in GENERIC else 99,
    ):
        try:
            found.append(_attempt(reader, document))
        except UnclearUserError as error:
            unclear = unclear or error
        except (
            TranscriptError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ):
            continue  # it is of another format: what exactly a reader stumbles over says nothing
    whole = [attempt for attempt in found if attempt.messages]
    if not whole:
        return unclear
    return max(whole, key=lambda attempt: (attempt.messages, -attempt.warnings)).reader


def _attempt(reader: Reader, document: Document) -> _Attempt:
    """Return how much of the first conversations a reader reads; no messages where it leaves some out."""
    messages = warnings = 0
    for piece in reader.conversations(document)[:TRIED_PIECES]:
        builder = TranscriptBuilder(document.limits, user=document.user)
        transcript = reader.read(piece, builder)
        if builder.has_left_out or not any(
            message.content for message in transcript.messages
        ):
            return _Attempt(reader, 0, 0)
        messages += len(transcript.messages)
        warnings += len(transcript.warnings)
    return _Attempt(reader, messages, warnings)
