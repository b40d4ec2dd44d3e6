"""What a text of no known format almost is: a table without a column for the role, or a dialogue of one line."""

from __future__ import annotations

import json
from itertools import islice

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.transcripts.document import Document, UnknownFormatError
from memviz.transcripts.json_text import encoded_twice, is_json_text
from memviz.transcripts.readers.texts.speaker_lines import (
    TEXT_STYLES,
    dialogue,
    names_at_line_starts,
)
from memviz.transcripts.readers.texts.table_cells import dialects, rows
from memviz.transcripts.readers.texts.table_columns import HEAD_ROWS, meanings_of
from memviz.transcripts.readers.texts.turns_of_text import with_line_feeds
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
