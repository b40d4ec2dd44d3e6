"""All texts that a file holds, and all that an import kept of it: what is only in the first was lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from memviz.transcripts import Transcript
from memviz.transcripts.document import Document
from memviz.transcripts.loading import LoadedFile

MIN_CHARS = 12
_WORD = re.compile(r"[^\W\d_]{2,}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_BETWEEN = re.compile(r'[\n\r,;:|"\t*#]+')
"""What stands between the cells of a table, or between a speaker and what was said."""
_MARKS = re.compile(r"\W+")
Place = tuple[str, ...]


def texts_in(data: bytes, name: str) -> Iterator[tuple[str, str]]:
    """Every text that looks like prose, with the keys by which it is reached; those of list items are "#"."""
    document = Document(data, name)
    for place, text in _texts(document):
        if _is_prose(text):
            yield ".".join(place), text


def kept_in(loaded: LoadedFile) -> str:
    """Everything that came along with an import, as plain words."""
    found = [*loaded.warnings, *map(str, loaded.failures)]
    for transcript in loaded.transcripts:
        found += _kept_of(transcript)
    return " \n ".join(map(plain, found))


def plain(text: str) -> str:
    """The words of a text without marks, white space and letter case."""
    return _MARKS.sub(" ", text).strip().casefold()


def pieces(text: str) -> list[str]:
    """The lines of a text as plain words, because markup and labels may stand between them."""
    return [plain(line) for line in text.splitlines() if _is_prose(line)] or [
        plain(text)
    ]


def _is_prose(text: str) -> bool:
    is_spaced = (
        len(text) >= MIN_CHARS and " " in text.strip() and len(_WORD.findall(text)) > 1
    )
    return is_spaced or len(_CHINESE.findall(text)) >= MIN_CHARS // 2


def _texts(document: Document) -> Iterator[tuple[Place, str]]:
    if document.columns:
        yield from _texts_of_tables(document)
    elif document.json.problem is None:
        yield from _texts_of_json(
            document.object or [item for item, _ in document.placed]
        )
    else:
        yield from ((("line",), piece) for piece in _BETWEEN.split(document.plain_text))


def _texts_of_tables(document: Document) -> Iterator[tuple[Place, str]]:
    for table, columns in document.columns.items():
        for row in document.tables.rows(table, columns):
            for column, value in row.items():
                yield from _texts_of_json(value, (table, column))


def _texts_of_json(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts_of_json(inner, (*place, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of_json(inner, (*place, "#"))
    elif isinstance(value, str):
        inner = _json_in(value)
        yield from [(place, value)] if inner is None else _texts_of_json(inner, place)


def _json_in(text: str) -> Any:
    """The list or object that a text is in JSON; ``None`` for any other text."""
    try:
        value = json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
    except ValueError:
        return None
    return value if isinstance(value, (dict, list)) else None


def _kept_of(transcript: Transcript) -> Iterator[str]:
    yield from (
        transcript.title,
        transcript.description,
        transcript.system_prompt or "",
        *transcript.warnings,
    )
    for message in transcript.messages:
        yield message.name or ""
        values = [
            message.content,
            dict(message.meta or {}),
            *(call.arguments for call in message.tool_calls),
        ]
        for value in values:
            yield value if isinstance(value, str) else ""
            yield from (text for _, text in _texts_of_json(value))
    for probe in transcript.probes:
        yield from (probe.question, *probe.answers)
    for event in transcript.events:
        yield from (event.text, event.reason)
