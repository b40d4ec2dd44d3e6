"""Refusals of a file, or of all files of an archive: one sentence with the place, and what to do.

A text of no known format is nearly one: a table without a column for the role, or a dialogue of one line."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.core.translation import _, noop
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

COLUMNS = noop('Name its columns "role" and "content", or "prompt" and "response".')
MISSING = {
    "question": noop("no answers beside its questions"),
    "answer": noop("no questions beside its answers"),
    "role": noop("none for what is said"),
    "content": noop("none for the role"),
}
"""What a table lacks that has a column of this meaning, and not of both."""
HEAD_CHARS = 200_000
"""So much of a text is looked at: what it is shows at its beginning."""
MANY_NAMES = 3
"""More names that come once each are those of fields."""
LINES = noop(
    "Write User: and Assistant: before what each said, or choose another file."
)


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
    if first.startswith('"'):
        with suppress(ValueError):
            if is_json_text(json.loads(first)):
                return encoded_twice(noop("each line is"))
    return None


def _nearly_a_table(text: str) -> TranscriptError | None:
    for dialect in dialects(text):
        head = list(islice(rows(text, dialect), HEAD_ROWS))
        widths = {len(row.cells) for row in head}
        if len(head) < 2 or len(widths) > 1 or widths == {1}:
            continue
        known = meanings_of([cell for cell in head[0].cells if len(cell.strip()) > 1])
        names = listed_names([cell.strip() for cell in head[0].cells])
        missing = noop("none of them for the role or for what is said")
        for meaning, without in MISSING.items():
            if meaning in known:
                missing = without
                break
        reason = _(
            "no known format, but nearly a table: its columns are {names}, and {missing}.",
            names=names,
            missing=_(missing),
        )
        return TranscriptError(reason, remedy=COLUMNS)
    return None


def _nearly_a_dialogue(text: str) -> TranscriptError | None:
    found = dialogue(text, enough=1)
    known = [line.name for line in found.lines] if found else []
    lines = [*known, *names_at_line_starts(text)]
    names = list(dict.fromkeys(lines))
    said = sum(1 for line in text.split("\n") if line.strip())
    if 2 <= len(names) <= MANY_NAMES and 2 * len(lines) >= said:
        reason = _(
            "it may be a dialogue, but no name comes again: lines start with {names}.",
            names=listed_names(names),
        )
        return UnclearUserError(reason, names=names)
    if found is None:
        return None
    number = text.count("\n", 0, found.lines[0].start) + 1
    format = "text" if found.style in TEXT_STYLES else "markdown"
    reason = _(
        "no known format, but nearly a dialogue: only line {number} names a speaker ({name!r}).",
        number=number,
        name=known[0][:40],
    )
    return TranscriptError(
        reason,
        remedy=_(
            "{lines} To read it as it is, give --format {format}.",
            lines=_(LINES),
            format=format,
        ),
    )


def _any_text(text: str) -> TranscriptError:
    start = " ".join(text[:200].split())[:60]
    return UnknownFormatError(
        _("no known format, found a text that starts with {start!r}.", start=start),
        remedy=LINES,
    )


MAX_NAMES = 5
_BRACKETED = re.compile(r"\[[^\[\]{}\"\n]{1,60}\][ \t]*[^\s,\]]")
"""Text behind a bracket that closes: "[10:02 AM] Ana" is a line of a chat, and no JSON that somebody broke."""


def placed(error: TranscriptError, name: str, format: str | None) -> TranscriptError:
    """The error with the name of its file in front of the place, and with a remedy."""
    known: dict[str, Any] = {
        "format": error.format or format or "",
        "place": ", ".join(filter(None, (name, error.place))),
        "remedy": error.remedy or OTHER_FORMAT,
    }
    if isinstance(error, UnclearUserError):
        known["names"] = error.names
    return type(error)(error.reason, **known)


def nothing_inside(refused: dict[str, TranscriptError], data: bytes) -> TranscriptError:
    """The error for an archive of which no file can be read; ``refused`` has the error of each that was tried."""
    for inner, error in refused.items():
        if len(refused) == 1 or isinstance(error, UnclearUserError):
            return placed(error, inner, None)
    remedy = _("Choose the file with the conversations.")
    if refused:
        # A broken file comes before one of no known kind, which may lie in any archive.
        broken = _broken(refused)
        found = [
            f"{inner[:80]}: {error.reason.rstrip('.')}"
            for inner, error in (broken | refused).items()
        ]
        more = len(found) - MAX_NAMES
        if more > 0:
            found[MAX_NAMES:] = [_("and {more} more files", more=more)]
        reason = _("no conversation inside. {found}.", found="; ".join(found))
        return TranscriptError(reason, remedy=remedy)
    names = archived_names(data)
    held = _("it is empty")
    if names:
        held = _(
            "it holds nothing but {names}, which cannot hold one", names=_some(names)
        )
    return TranscriptError(
        _("no conversation inside: {held}.", held=held), remedy=remedy
    )


def _broken(refused: dict[str, TranscriptError]) -> dict[str, TranscriptError]:
    """The files that are not of an unknown kind, but broken."""
    return {
        inner: error
        for inner, error in refused.items()
        if not isinstance(error, UnknownFormatError)
    }


def archive_warnings(refused: dict[str, TranscriptError]) -> Iterator[str]:
    """Return what is said of the files of an archive that could not be read, beside others that could."""
    # Every export has files of no known kind beside the conversations. Only a broken file is a loss worth a warning.
    for inner, error in islice(_broken(refused).items(), MAX_NAMES):
        yield _("not imported: {error}", error=placed(error, inner, None))


def _some(names: list[str]) -> str:
    more = (
        _(" and {value} more", value=len(names) - MAX_NAMES)
        if len(names) > MAX_NAMES
        else ""
    )
    return ", ".join(name[:80] for name in names[:MAX_NAMES]) + more


def refusal_of(document: Document, readers: Sequence[Reader]) -> TranscriptError:
    """The error for a file that no format reads: it is broken, or whole but of no known kind."""
    page = page_kind(document.plain_text)
    if page:
        return UnknownFormatError(
            _("this is {kind}.", kind=_(page.name)), remedy=page.remedy
        )
    if document.json.problem is None and document.json.value not in ([], {}):
        return refusal(document, readers)
    text = document.plain_text
    if text and (not text.startswith(("[", "{")) or _BRACKETED.match(text)):
        return text_refusal(document)
    problem = document.problem
    # A broken file is an error; a whole one of no known kind may lie beside conversations in any archive.
    if document.json.problem and not text and not document.is_of_another_kind:
        return problem
    return UnknownFormatError(
        problem.reason,
        format=problem.format,
        place=problem.place,
        remedy=problem.remedy,
    )
