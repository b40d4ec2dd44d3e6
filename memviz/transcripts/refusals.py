"""Why a file, or all files of an archive, cannot be read: in one sentence with the place, and what to do.

A text of no known format is nearly one: a table without a column for the role, or a dialogue of one line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.transcripts.archives import archived_names
from memviz.transcripts.decoding import with_line_feeds
from memviz.transcripts.document import (
    OTHER_FORMAT,
    Document,
    Reader,
    UnknownFormatError,
)
from memviz.transcripts.file_kinds import page_kind
from memviz.transcripts.json_text import encoded_twice, is_json_text
from memviz.transcripts.nearest import refusal
from memviz.transcripts.readers.texts.speaker_lines import (
    TEXT_STYLES,
    dialogue,
    names_at_line_starts,
)
from memviz.transcripts.readers.texts.tables import (
    HEAD_ROWS,
    dialects,
    meanings_of,
    rows,
)
from memviz.transcripts.user_names import listed_names

COLUMNS = 'Name its columns "role" and "content", or "prompt" and "response".'
HEAD_CHARS = 200_000
"""So much of a text is looked at: what it is shows at its beginning."""
MANY_NAMES = 3
"""More names that come once each are those of fields."""
LINES = "Write User: and Assistant: before what each said, or choose another file."


def text_refusal(document: Document) -> TranscriptError:
    """The error for a text of no known format."""
    text = with_line_feeds(document.plain_text[:HEAD_CHARS])
    return (
        _encoded_lines(text)
        or _nearly_a_table(text)
        or _nearly_a_dialogue(text)
        or _any_text(text)
    )


def _encoded_lines(text: str) -> TranscriptError | None:
    """The error for JSON lines of which each is a text that holds JSON."""
    first = text.split("\n", 1)[0].strip()
    try:
        return (
            encoded_twice("each line is")
            if first.startswith('"') and is_json_text(json.loads(first))
            else None
        )
    except ValueError:
        return None


def _nearly_a_table(text: str) -> TranscriptError | None:
    for dialect in dialects(text):
        head = list(islice(rows(text, dialect), HEAD_ROWS))
        widths = {len(row.cells) for row in head}
        if len(head) < 2 or len(widths) > 1 or widths == {1}:
            continue
        known = meanings_of([cell for cell in head[0].cells if len(cell.strip()) > 1])
        names = listed_names([cell.strip() for cell in head[0].cells])
        if "question" in known or "answer" in known:
            missing = (
                "no answers beside its questions"
                if "question" in known
                else "no questions beside its answers"
            )
        elif "role" in known or "content" in known:
            missing = (
                "none for what is said" if "role" in known else "none for the role"
            )
        else:
            missing = "none of them for the role or for what is said"
        return TranscriptError(
            f"no known format, but nearly a table: its columns are {names}, and {missing}.",
            remedy=COLUMNS,
        )
    return None


def _nearly_a_dialogue(text: str) -> TranscriptError | None:
    found = dialogue(text, enough=1)
    known = [line.name for line in found.lines] if found else []
    lines = [*known, *names_at_line_starts(text)]
    names = list(dict.fromkeys(lines))
    if 2 <= len(names) <= MANY_NAMES and 2 * len(lines) >= sum(
        1 for line in text.split("\n") if line.strip()
    ):
        reason = f"it may be a dialogue, but no name comes again: lines start with {listed_names(names)}."
        return UnclearUserError(reason, names=names)
    if found is None:
        return None
    number = text.count("\n", 0, found.lines[0].start) + 1
    format = "text" if found.style in TEXT_STYLES else "markdown"
    reason = f"no known format, but nearly a dialogue: only line {number} names a speaker ({known[0][:40]!r})."
    return TranscriptError(
        reason, remedy=f"{LINES} To read it as it is, give --format {format}."
    )


def _any_text(text: str) -> TranscriptError:
    start = " ".join(text[:200].split())[:60]
    return UnknownFormatError(
        f"no known format, found a text that starts with {start!r}.", remedy=LINES
    )


MAX_NAMES = 5
_BRACKETED = re.compile(r"\[[^\[\]{}\"\n]{1,60}\][ \t]*[^\s,\]]")
"""Text behind a bracket that closes: "[10:02 AM] Ana" is a line of a chat, and no JSON that somebody broke."""


def placed(error: TranscriptError, name: str, format: str | None) -> TranscriptError:
    """The error with the name of its file in front of the place, and with a remedy."""
    place = ", ".join(part for part in (name, error.place) if part)
    remedy = error.remedy or OTHER_FORMAT
    return copied(
        error, format=error.format or format or "", place=place, remedy=remedy
    )


def copied(error: TranscriptError, **changed: str) -> TranscriptError:
    """The error with some of its parts changed."""
    named = {"names": error.names} if isinstance(error, UnclearUserError) else {}
    kept = {"format": error.format, "place": error.place, "remedy": error.remedy}
    return type(error)(error.reason, **{**kept, **changed}, **named)  # type: ignore[arg-type]  # names are of one type


def nothing_inside(refused: dict[str, TranscriptError], data: bytes) -> TranscriptError:
    """Why no file of an archive can be read; ``refused`` has the error of each that was tried."""
    unclear = {
        inner: error
        for inner, error in refused.items()
        if isinstance(error, UnclearUserError)
    }
    if len(refused) == 1 or unclear:
        inner, error = next(iter((unclear or refused).items()))
        return placed(error, inner, None)
    remedy = "Choose the file with the conversations."
    if refused:
        found = "; ".join(
            f"{inner[:80]}: {error.reason.rstrip('.')}"
            for inner, error in _first(refused)
        )
        more = (
            f"; and {len(refused) - MAX_NAMES} more files"
            if len(refused) > MAX_NAMES
            else ""
        )
        return TranscriptError(f"no conversation inside. {found}{more}.", remedy=remedy)
    names = archived_names(data)
    found = (
        f"it holds nothing but {_some(names)}, which cannot hold one"
        if names
        else "it is empty"
    )
    return TranscriptError(f"no conversation inside: {found}.", remedy=remedy)


def _first(refused: dict[str, TranscriptError]) -> list[tuple[str, TranscriptError]]:
    """The first of the files; a broken one before one of no known kind, which may lie in any archive."""
    return sorted(
        refused.items(), key=lambda entry: isinstance(entry[1], UnknownFormatError)
    )[:MAX_NAMES]


def archive_warnings(refused: dict[str, TranscriptError]) -> Iterator[str]:
    """Return what is said of the files of an archive that could not be read, beside others that could."""
    # Every export has files of no known kind beside the conversations. Only a broken file is a loss worth a warning.
    broken = {
        inner: error
        for inner, error in refused.items()
        if not isinstance(error, UnknownFormatError)
    }
    for inner, error in list(broken.items())[:MAX_NAMES]:
        yield f"not imported: {placed(error, inner, None)}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join(name[:80] for name in names[:MAX_NAMES]) + more


def refusal_of(document: Document, readers: Sequence[Reader]) -> TranscriptError:
    """Why no format reads a file: it is broken, or whole but of no known kind."""
    page = page_kind(document.plain_text)
    if page:
        return UnknownFormatError(f"this is {page.name}.", remedy=page.remedy)
    if document.json.problem is None and document.json.value not in ([], {}):
        return refusal(document, readers)
    text = document.plain_text
    if text and (not text.startswith(("[", "{")) or _BRACKETED.match(text)):
        return text_refusal(document)
    problem = document.problem
    # A broken file is an error; a whole one of no known kind may lie beside conversations in any archive.
    is_whole = (
        document.json.problem is None
        or bool(document.plain_text)
        or document.is_of_another_kind
    )
    if not is_whole:
        return problem
    return UnknownFormatError(
        problem.reason,
        format=problem.format,
        place=problem.place,
        remedy=problem.remedy,
    )
