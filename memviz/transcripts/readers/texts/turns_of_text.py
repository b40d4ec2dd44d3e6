"""Reads a dialogue, a text with lines that name the speaker, as messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import OTHER_FORMAT, Document, mismatch
from memviz.transcripts.readers.texts.speaker_lines import TEXT_STYLES, Dialogue
from memviz.transcripts.user_names import MAX_NAMED, same_name, unclear_user

_TITLE = re.compile(r"\s*#{1,2}[ \t]+([^\n]*)(?:\n|\Z)")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_RULE = re.compile(r"\n[ \t]*(?:-{3,}|\*{3,}|_{3,})\Z")


def with_line_feeds(text: str) -> str:
    """The text of a file with one kind of line end, whatever system wrote it."""
    text = text.replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")


def text_mismatch(expected: str, document: Document) -> TranscriptError:
    """The error for a document that is not the kind of text that a format reads."""
    if not document.plain_text:
        return mismatch(expected, document)
    start = document.plain_text[:40].split("\n")[0]
    reason = f"{expected} was expected, found a text that starts with {start!r}."
    return TranscriptError(reason, place="line 1", remedy=OTHER_FORMAT)


def read_dialogue(found: Dialogue, builder: TranscriptBuilder) -> Transcript:
    """The messages of a dialogue, and its title. Text before the first speaker is left out and noted."""
    known = _before(found, builder)
    builder.user_found = builder.user is not None and any(
        same_name(line.name, builder.user) for line in found.lines
    )
    for place in places(found.text, [fence.start for fence in found.fences.unclosed]):
        builder.note("a code fence is never closed, so it was read as text", place)
    contents = _contents(found)
    starts = places(found.text, [line.start for line in found.lines])
    for line, content, place in zip(found.lines, contents, starts, strict=True):
        if line is found.lines[-1] and not content and len(contents) > 1:
            builder.note("the last speaker says nothing and was left out", place)
        else:
            builder.add_text(
                line.role, content, place, name=line.person, meta=line.time
            )
    _note_speakers(found, builder)
    return builder.build(**known)


def speaking(found: Dialogue) -> Dialogue:
    """The dialogue. Raises :class:`UnclearUserError` where it is not clear who of those who speak is the user."""
    if found.unclear:
        raise unclear_user(found.unclear)
    return found


def _note_speakers(found: Dialogue, builder: TranscriptBuilder) -> None:
    names = {line.name.casefold(): line.name for line in found.lines}
    if (
        len({line.role for line in found.lines if line.role in ("user", "assistant")})
        == 1
    ):
        who = ", ".join(repr(name[:40]) for name in list(names.values())[:MAX_NAMED])
        builder.note(
            f"only one side speaks, {who}: nobody else was found at the start of a line"
        )
    if found.passed_over:
        starts = ", ".join(f"'{name[:40]}:'" for name in found.passed_over[:MAX_NAMED])
        builder.note(
            f"lines that start with {starts} were read as text, not as the words of another speaker"
        )


def places(text: str, offsets: Iterable[int]) -> Iterator[str]:
    """The line of each offset into a text, as in "line 4". The offsets have to rise."""
    line, at = 1, 0
    for offset in offsets:
        line, at = line + text.count("\n", at, offset), offset
        yield f"line {line}"


def _contents(found: Dialogue) -> list[str]:
    stops = [line.start for line in found.lines[1:]] + [len(found.text)]
    parts = [
        _content(line.rest + found.text[line.stop : stop])
        for line, stop in zip(found.lines, stops, strict=True)
    ]
    ruled = [_RULE.search(part) is not None for part in parts[:-1]]
    if (
        found.style not in TEXT_STYLES and ruled and all(ruled)
    ):  # then a line between the messages is the writer's layout
        return [_RULE.sub("", part).rstrip() for part in parts]
    return parts


def _content(text: str) -> str:
    return _BLANK_LINES.sub("", text).rstrip()


def _before(found: Dialogue, builder: TranscriptBuilder) -> dict[str, Any]:
    """The title, if there is one, as a field of the transcript."""
    before = found.text[: found.lines[0].start]
    title = _TITLE.match(before)
    rest = before[title.end() :] if title else before
    if rest.strip(" \t\n-*_"):
        first = _BLANK_LINES.sub("", rest)
        start, stop = places(before, [len(before) - len(first), len(before.rstrip())])
        lines = (
            start
            if start == stop
            else f"{start.replace('line', 'lines')} to {stop.removeprefix('line ')}"
        )
        builder.note("text before the first speaker was left out", lines)
    return {"title": title[1].strip()} if title else {}
