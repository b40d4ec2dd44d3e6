"""Conversations as text: Markdown, written by people, by programs or by memviz, and plain text with "User:" lines.

One function decides for all formats of text which of them a file is in, so that no two claim one file."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.decoding import normalize_line_ends
from memviz.transcripts.document import OTHER_FORMAT, Document, Reader, mismatch_error
from memviz.transcripts.markdown import is_marked, read_marked
from memviz.transcripts.readers.json_access import object_at, pick_fields
from memviz.transcripts.readers.memviz_json import read_saved_texts
from memviz.transcripts.readers.texts.speaker_lines import (
    TEXT_STYLES,
    Dialogue,
    find_dialogue,
)
from memviz.transcripts.readers.texts.stamped_lines import is_stamped
from memviz.transcripts.readers.texts.tables import find_table
from memviz.transcripts.user_names import MAX_NAMED, is_same_name, unclear_user_error

_TITLE = re.compile(r"\s*#{1,2}[ \t]+([^\n]*)(?:\n|\Z)")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_RULE = re.compile(r"\n[ \t]*(?:-{3,}|\*{3,}|_{3,})\Z")
ONE_SIDE = noop(
    "only one side speaks, {who}: nobody else was found at the start of a line"
)
PASSED_OVER = noop(
    "lines that start with {starts} were read as text, not as the words of another speaker"
)
BROKEN_MARKER = noop("has a marker of memviz that cannot be read")
CUT_OFF = noop("the text ends before its end, so the last message may be cut off")
OPEN_FENCE = noop("a code fence is never closed, so it was read as text")
SILENT_LAST = noop("the last speaker says nothing and was left out")
TEXT_BEFORE = noop("text before the first speaker was left out")


def text_mismatch_error(expected: str, document: Document) -> TranscriptError:
    """The error for a document that is not the kind of text that a format reads."""
    if not document.plain_text:
        return mismatch_error(expected, document)
    start = document.plain_text[:40].split("\n")[0]
    reason = Said(
        "{expected} was expected, found a text that starts with {start!r}.",
        expected=expected,
        start=start,
    )
    return TranscriptError(reason, place="line 1", remedy=OTHER_FORMAT)


def read_dialogue(dialogue: Dialogue, builder: TranscriptBuilder) -> Transcript:
    """The messages of a dialogue, and its title. Text before the first speaker is left out and noted."""
    fields = _fields_of_title(dialogue, builder)
    builder.user_found = builder.user is not None and any(
        is_same_name(line.name, builder.user) for line in dialogue.lines
    )
    for place in line_places(
        dialogue.text, [fence.start for fence in dialogue.fences.unclosed]
    ):
        builder.note(OPEN_FENCE, place)
    contents = _split_contents(dialogue)
    starts = line_places(dialogue.text, [line.start for line in dialogue.lines])
    for line, content, place in zip(dialogue.lines, contents, starts, strict=True):
        if line is dialogue.lines[-1] and not content and len(contents) > 1:
            builder.note(SILENT_LAST, place)
            continue
        person = line.person
        builder.add_text(line.role, content, place, name=person, meta=line.time)
    _note_speakers(dialogue, builder)
    return builder.build(**fields)


def require_known_user(dialogue: Dialogue) -> Dialogue:
    """The dialogue. Raises :class:`UnclearUserError` where it is not clear who of those who speak is the user."""
    if dialogue.unclear:
        raise unclear_user_error(dialogue.unclear)
    return dialogue


def _note_speakers(dialogue: Dialogue, builder: TranscriptBuilder) -> None:
    roles = {line.role for line in dialogue.lines}
    if len(roles & {"user", "assistant"}) == 1:
        names = {line.name.casefold(): line.name for line in dialogue.lines}
        who = ", ".join(repr(name[:40]) for name in list(names.values())[:MAX_NAMED])
        builder.note(Said(ONE_SIDE, who=who))
    if dialogue.passed_over:
        starts = ", ".join(
            f"'{name[:40]}:'" for name in dialogue.passed_over[:MAX_NAMED]
        )
        builder.note(Said(PASSED_OVER, starts=starts))


def line_places(text: str, offsets: Iterable[int]) -> Iterator[str]:
    """The line of each offset into a text, as in "line 4". The offsets have to rise."""
    line = 1
    offset_before = 0
    for offset in offsets:
        line = line + text.count("\n", offset_before, offset)
        offset_before = offset
        yield f"line {line}"


def _split_contents(dialogue: Dialogue) -> list[str]:
    stops = [line.start for line in dialogue.lines[1:]] + [len(dialogue.text)]
    parts = []
    for line, stop in zip(dialogue.lines, stops, strict=True):
        text = line.rest + dialogue.text[line.stop : stop]
        parts.append(_BLANK_LINES.sub("", text).rstrip())
    # Where a line stands between all messages, it is the writer's layout.
    is_ruled = len(parts) > 1 and all(map(_RULE.search, parts[:-1]))
    if is_ruled and dialogue.style not in TEXT_STYLES:
        return [_RULE.sub("", part).rstrip() for part in parts]
    return parts


def _fields_of_title(dialogue: Dialogue, builder: TranscriptBuilder) -> dict[str, Any]:
    """The title, if there is one, as a field of the transcript."""
    before = dialogue.text[: dialogue.lines[0].start]
    title = _TITLE.match(before)
    rest = before[title.end() :] if title else before
    if rest.strip(" \t\n-*_"):
        first = _BLANK_LINES.sub("", rest)
        start, stop = line_places(
            before, [len(before) - len(first), len(before.rstrip())]
        )
        lines = start
        if start != stop:
            lines = f"{start.replace('line', 'lines')} to {stop.removeprefix('line ')}"
        builder.note(TEXT_BEFORE, lines)
    return {"title": title[1].strip()} if title else {}


_KINDS: WeakKeyDictionary[Document, tuple[str, Dialogue | None]] = WeakKeyDictionary()
"""What a document is, because four formats ask, and parsing a long text is slow."""


class TextReader(Reader):
    """Base of the text formats, all of which are recognised by :func:`find_text_kind`."""

    def recognise(self, document: Document) -> bool:
        """Return whether the text is of this format."""
        return find_text_kind(document) == self.name


def find_text_kind(document: Document) -> str:
    """The name of the format; empty for a file that is no text, or no conversation.

    The first row decides that it is a table, and the first line that it is a chat log, because the cells and messages
    below may look like any other format.
    """
    return _kind_of(document)[0]


def read_named_kind(document: Document, *styles: str) -> Dialogue | None:
    """The text as a dialogue in one of these styles, for whoever has named its format: one line is enough.

    Raises :class:`UnclearUserError` where nobody is called as it was said that the user is.
    """
    found = _kind_of(document)[1]
    if found is not None and found.style in styles:
        return found
    return find_dialogue(
        normalize_line_ends(document.plain_text), styles, 1, document.user
    )


def _kind_of(document: Document) -> tuple[str, Dialogue | None]:
    if document not in _KINDS:
        _KINDS[document] = _find_kind(document.plain_text, document.user)
    return _KINDS[document]


def _find_kind(text: str, user: str | None) -> tuple[str, Dialogue | None]:
    if not text or is_marked(text):
        return ("markdown" if text else ""), None
    if find_table(text):
        return "csv", None
    if is_stamped(text):
        return "whatsapp", None
    lines = normalize_line_ends(text)
    try:
        spoken = find_dialogue(lines, user=user)
    except UnclearUserError:
        # Nobody is called so: the reader of the format says who speaks.
        spoken = find_dialogue(lines)
        return (spoken.format if spoken else ""), None
    return (spoken.format if spoken else ""), spoken


FIELDS = ("role", "name", "tool_calls", "tool_call_id")
EXPECTED_LINES = 'a text with lines that start with "User:" and "Assistant:"'
EXPECTED = 'Markdown with lines such as "**User:**" or "## User"'


class Markdown(TextReader):
    """A text in which two or more names in bold or in headings say who speaks, or one with the markers of memviz."""

    name = "markdown"
    title = noop("Markdown")

    def conversations(self, document: Document) -> Sequence[Dialogue | str]:
        """One conversation: the text, as a dialogue if it has no markers."""
        if is_marked(document.plain_text):
            return [document.plain_text]
        dialogue = read_named_kind(document, "bold", "heading")
        if dialogue is None:
            raise text_mismatch_error(EXPECTED, document)
        return [require_known_user(dialogue)]

    def read(self, piece: Dialogue | str, builder: TranscriptBuilder) -> Transcript:
        """The conversation with its title; from markers also its system prompt, description and language."""
        if isinstance(piece, str):
            return _read_markers(piece, builder)
        return read_dialogue(piece, builder)


def _read_markers(text: str, builder: TranscriptBuilder) -> Transcript:
    known = {}
    parts = list(read_marked(text))
    is_whole = False
    builder.empty_is_meant = True
    starts = line_places(text, [part.start for part in parts])
    for part, place in zip(parts, starts, strict=True):
        info = _read_info(part.info, builder)
        content = part.content
        if "closed" in info:
            content = content.removesuffix(f"\n{info['closed']}")
        if "role" in info:
            fields = pick_fields(info, FIELDS)
            builder.add_json({"content": content, **fields}, place)
        elif info.get("system_prompt") is True:
            known["system_prompt"] = content
        elif "end" in info:
            is_whole = True
        elif "title" in info:
            known.update(read_saved_texts(info))
        else:
            builder.leave_out(place, BROKEN_MARKER)
    if not is_whole:
        builder.note(CUT_OFF)
    return builder.build(**known)


def _read_info(text: str, builder: TranscriptBuilder) -> dict[str, Any]:
    try:
        return object_at(builder.parse_json(text))
    except TranscriptError:
        return {}


class PlainText(TextReader):
    """A text in which names at the start of two or more lines say who speaks."""

    name = "text"
    title = noop("Plain text")

    def conversations(self, document: Document) -> Sequence[Dialogue]:
        """One conversation: the text."""
        dialogue = read_named_kind(document, *TEXT_STYLES)
        if dialogue is None:
            raise text_mismatch_error(EXPECTED_LINES, document)
        return [require_known_user(dialogue)]

    def read(self, piece: Dialogue, builder: TranscriptBuilder) -> Transcript:
        """The conversation, from one speaker's name to the next."""
        return read_dialogue(piece, builder)
