"""The errors for a file, or for an archive, that no format can read: one sentence with the place, and what to do.

``loading`` calls :func:`find_refusal` when no reader recognised a file. A text of no known format is nearly one of
those that are known: a table without a column for the role, or a dialogue with a single line.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.core.translation import Said, _, noop
from memviz.transcripts.archives import list_archived_names
from memviz.transcripts.decoding import normalize_line_ends
from memviz.transcripts.document import (
    OTHER_FORMAT,
    Document,
    Reader,
    UnknownFormatError,
)
from memviz.transcripts.file_kinds import kind_of_page
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import encoded_twice_error, is_json_text
from memviz.transcripts.nearest import nearest_format_error
from memviz.transcripts.readers.texts.speaker_lines import (
    find_dialogue,
    names_at_line_starts,
)
from memviz.transcripts.readers.texts.tables import (
    HEAD_ROWS,
    find_dialects,
    find_meanings,
    rows,
)
from memviz.transcripts.user_names import quote_names, shorten_names

NEARLY_TABLE = Refusal(
    noop(
        "no known format, but nearly a table: its columns are {names}, and {missing}."
    ),
    noop('Name its columns "role" and "content", or "prompt" and "response".'),
)
MISSING = {
    "question": noop("no answers beside its questions"),
    "answer": noop("no questions beside its answers"),
    "role": noop("none for what is said"),
    "content": noop("none for the role"),
}
"""The part that a table lacks if it has only the column of this meaning."""
HEAD_CHARS = 200_000
"""The characters at the beginning of a text that are examined."""
MANY_NAMES = 3
"""If more names come once each, they are names of fields."""
LINES = noop(
    "Write User: and Assistant: before what each said, or choose another file."
)
ANY_TEXT = Refusal(
    noop("no known format, found a text that starts with {start!r}."),
    LINES,
    kind=UnknownFormatError,
)
NEARLY_DIALOGUE = Refusal(
    noop(
        "no known format, but nearly a dialogue: only line {number} names a speaker ({name!r})."
    ),
    noop("{lines} To read it as it is, give --format {format}."),
)
COPIED_TABLE = re.compile(
    r"^COPY (?P<name>\S{1,100}) \(.*\) FROM stdin;$", re.MULTILINE
)
"""Where pg_dump begins the rows of a table: ``COPY public.messages (id, role) FROM stdin;``."""
DATABASE_DUMP = Refusal(
    noop("a dump of PostgreSQL's tables is not read, found the table {table}."),
    noop(
        "Export the table with the messages as CSV: "
        'psql -c "\\copy (select * from {table}) to messages.csv csv header".'
    ),
    kind=UnknownFormatError,
)
CHOOSE_FILE = noop("Choose the file with the conversations.")
OTHER_FILES = noop("it holds nothing but {names}, which cannot hold one")
NONE_READ = Refusal(noop("no conversation inside. {found}."), CHOOSE_FILE)
NONE_INSIDE = Refusal(noop("no conversation inside: {held}."), CHOOSE_FILE)
EACH_LINE = noop("each line is")
NEITHER_COLUMN = noop("none of them for the role or for what is said")


def text_error(document: Document) -> TranscriptError:
    """The error for a text of no known format."""
    text = normalize_line_ends(document.plain_text[:HEAD_CHARS])
    return (
        _encoded_lines_error(text)
        or _database_dump_error(text)
        or _near_table_error(text)
        or _near_dialogue_error(text)
        or _any_text_error(text)
    )


def _encoded_lines_error(text: str) -> TranscriptError | None:
    """The error for JSON lines of which each is a text that holds JSON."""
    first = text.split("\n", 1)[0].strip()
    if first.startswith('"'):
        with suppress(ValueError):
            if is_json_text(json.loads(first)):
                return encoded_twice_error(EACH_LINE)
    return None


def _database_dump_error(text: str) -> TranscriptError | None:
    """The error for a dump by pg_dump. It names the first table of messages, or else the first table with rows."""
    tables = [copied["name"] for copied in COPIED_TABLE.finditer(text)]
    if not tables:
        return None
    tables.sort(key=lambda name: "message" not in name)
    return DATABASE_DUMP.error(table=tables[0])


def _near_table_error(text: str) -> TranscriptError | None:
    for dialect in find_dialects(text):
        head = list(islice(rows(text, dialect), HEAD_ROWS))
        widths = {len(row.cells) for row in head}
        if len(head) < 2 or len(widths) > 1 or widths == {1}:
            continue
        meanings = find_meanings(
            [cell for cell in head[0].cells if len(cell.strip()) > 1]
        )
        names = quote_names([cell.strip() for cell in head[0].cells])
        lacks = [without for meaning, without in MISSING.items() if meaning in meanings]
        missing = _([*lacks, NEITHER_COLUMN][0])
        return NEARLY_TABLE.error(names=names, missing=missing)
    return None


def _near_dialogue_error(text: str) -> TranscriptError | None:
    found_dialogue = find_dialogue(text, enough=1)
    known = [line.name for line in found_dialogue.lines] if found_dialogue else []
    lines = [*known, *names_at_line_starts(text)]
    names = list(dict.fromkeys(lines))
    said = sum(1 for line in text.split("\n") if line.strip())
    if 2 <= len(names) <= MANY_NAMES and 2 * len(lines) >= said:
        reason = Said(
            "it may be a dialogue, but no name comes again: lines start with {names}.",
            names=quote_names(names),
        )
        return UnclearUserError(reason, names=names)
    if found_dialogue is None:
        return None
    number = text.count("\n", 0, found_dialogue.lines[0].start) + 1
    name = known[0][:40]
    return NEARLY_DIALOGUE.error(
        number=number, name=name, lines=_(LINES), format=found_dialogue.format
    )


def _any_text_error(text: str) -> TranscriptError:
    return ANY_TEXT.error(start=" ".join(text[:200].split())[:60])


MAX_NAMES = 5
_BRACKETED = re.compile(r"\[[^\[\]{}\"\n]{1,60}\][ \t]*[^\s,\]]")
"""Text behind a bracket that closes: "[10:02 AM] Ana" is a line of a chat, and no JSON that somebody broke."""


def add_file_name(
    error: TranscriptError, name: str, format: str | None
) -> TranscriptError:
    """The error with the name of its file in front of the place, and with a remedy."""
    known: dict[str, Any] = {
        "format": error.format or format or "",
        "place": ", ".join(filter(None, (name, error.place))),
        "remedy": error.remedy or OTHER_FORMAT,
    }
    if isinstance(error, UnclearUserError):
        known["names"] = error.names
    return type(error)(error.reason, **known)


def empty_archive_error(
    refused: dict[str, TranscriptError], data: bytes
) -> TranscriptError:
    """The error for an archive of which no file can be read; ``refused`` has the error of each that was tried."""
    for inner, error in refused.items():
        if len(refused) == 1 or isinstance(error, UnclearUserError):
            return add_file_name(error, inner, None)
    if refused:
        # A broken file comes before one of no known kind, which may lie in any archive.
        broken = _find_broken(refused)
        problems = [
            f"{inner[:80]}: {_(error.reason).rstrip('.')}"
            for inner, error in (broken | refused).items()
        ]
        more = len(problems) - MAX_NAMES
        if more > 0:
            problems[MAX_NAMES:] = [_("and {more} more files", more=more)]
        return NONE_READ.error(found="; ".join(problems))
    names = list_archived_names(data)
    held = _("it is empty")
    if names:
        shown = shorten_names([name[:80] for name in names], MAX_NAMES)
        held = _(OTHER_FILES, names=shown)
    return NONE_INSIDE.error(held=held)


def _find_broken(refused: dict[str, TranscriptError]) -> dict[str, TranscriptError]:
    """The files that are not of an unknown kind, but broken."""
    return {
        inner: error
        for inner, error in refused.items()
        if not isinstance(error, UnknownFormatError)
    }


def warn_of_unread(refused: dict[str, TranscriptError]) -> Iterator[str]:
    """Yield a warning for each broken file of an archive of which other files were read."""
    # Every export has files of no known kind beside the conversations. Only a broken file is a loss worth a warning.
    for inner, error in islice(_find_broken(refused).items(), MAX_NAMES):
        yield _("not imported: {error}", error=add_file_name(error, inner, None))


def find_refusal(document: Document, readers: Sequence[Reader]) -> TranscriptError:
    """The error for a file that no format reads: it is broken, or whole but of no known kind."""
    page = kind_of_page(document.plain_text)
    if page:
        return page.refusal(UnknownFormatError)
    if document.json.problem is None and document.json.value not in ([], {}):
        return nearest_format_error(document, readers)
    text = document.plain_text
    if text and (not text.startswith(("[", "{")) or _BRACKETED.match(text)):
        return text_error(document)
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
