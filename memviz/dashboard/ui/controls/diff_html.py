"""The difference of two texts, or of two lists of facts, as HTML. All text is escaped, so what models wrote stays text;
removed words are struck through and added ones underlined, so that nothing hangs on colour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from memviz.core.conversation import Log
from memviz.core.text.language import in_language, lang_attribute
from memviz.core.text.wording import counted, message_number
from memviz.dashboard.ui.controls.message_html import message_html
from memviz.metrics.summaries.diff import Change, Piece, TextDiff, is_unspaced, words_of
from memviz.metrics.summaries.facts import FactLine, FactsVersion

LEAST_HIDDEN_CHARS = 60
"""Fewer take no more room than the words that say how many are left out."""
MARK = (
    '<mark style="background:rgba(230,159,0,0.35);color:inherit;border-radius:0.2rem">'
)
KEPT_CHARS_SHOWN = 1600
"""Of a longer stretch that did not change only its ends are shown."""
_TAGS: dict[Change, str] = {"kept": "span", "removed": "del", "added": "ins"}


def diff_html(
    diff: TextDiff, answers: Sequence[str] = (), kept_chars: int = KEPT_CHARS_SHOWN
) -> str:
    """Return both texts in one: what was removed stands before what came in its place. ``answers`` are marked in it. Of
    a stretch of more than ``kept_chars`` characters that did not change only its ends are shown."""
    return _box(diff.pieces, answers, kept_chars)


def sides_html(diff: TextDiff) -> tuple[str, str]:
    """Return the old text with what was removed, and the new one with what was added."""
    old = [piece for piece in diff.pieces if piece.change != "added"]
    new = [piece for piece in diff.pieces if piece.change != "removed"]
    return _box(old), _box(new)


def legend_html(diff: TextDiff) -> str:
    """Return the numbers of words by their fate, each said the way it looks in the text."""
    noun = counted_noun(diff)
    html = (
        f"{diff.words('kept'):,} {noun} kept"
        f" · <del>{diff.words('removed'):,} removed</del>"
        f" · <ins>{diff.words('added'):,} added</ins>"
    )
    return f'<p class="memviz-diff memviz-legend">{html}</p>'


def counted_noun(diff: TextDiff) -> str:
    """Return the unit that was counted: words, or characters where most of the text is written without spaces."""
    words = words_of(diff.text("kept", "added")) or words_of(diff.text("removed"))
    return "characters" if 2 * sum(map(is_unspaced, words)) > len(words) else "words"


def marked_html(text: str, answers: Sequence[str]) -> str:
    """Return ``text`` as HTML, as it is, with the answers in it marked."""
    return (
        f'<div class="memviz-diff"{lang_attribute(text)}>{marked(text, answers)}</div>'
    )


def marked(text: str, answers: Sequence[str]) -> str:
    """Return ``text``, escaped, with the answers in it between tags."""
    html = ""
    at = 0
    if any(answers):
        for found in answer_pattern(answers).finditer(text):
            html += f"{escape(text[at : found.start()])}{MARK}{escape(found[0])}</mark>"
            at = found.end()
    return html + escape(text[at:])


def answer_pattern(answers: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern for answers by their spelling, the longest first; spaces may be any white space."""
    parts = []
    for answer in sorted(answers, key=len, reverse=True):
        if answer.strip():
            spelled = r"\s+".join(map(re.escape, answer.split()))
            parts.append(rf"(?<![A-Za-z0-9]){spelled}(?![A-Za-z0-9])")
    return re.compile("|".join(parts), re.IGNORECASE)


def _box(
    pieces: Sequence[Piece],
    answers: Sequence[str] = (),
    kept_chars: int = KEPT_CHARS_SHOWN,
) -> str:
    language = lang_attribute("".join(piece.text for piece in pieces))
    inner = "".join(_piece(piece, answers, kept_chars) for piece in pieces)
    return f'<div class="memviz-diff"{language}>{inner}</div>'


def _piece(piece: Piece, answers: Sequence[str], kept_chars: int) -> str:
    tag = _TAGS[piece.change]
    if piece.change != "kept" or len(piece.text) <= kept_chars + LEAST_HIDDEN_CHARS:
        return f"<{tag}>{marked(piece.text, answers)}</{tag}>"
    half = kept_chars // 2
    more = len(piece.text) - 2 * half
    first = escape(piece.text[:half])
    last = escape(piece.text[-half:])
    return (
        f"<span>{first}</span><small>… {more:,} characters more, all kept …</small>"
        f"<span>{last}</span>"
    )


SOURCE_CHARS = 600
WHOLE_MESSAGE = "the Library shows the whole message"
MARKS = {"added": "+", "replaced": "±", "kept": "=", "removed": "-"}


def facts_html(found: FactsVersion, log: Log) -> str:
    """Return all facts of a version, each with its source, and those that it removed."""
    lines = [f"{_text(line)}{_source(line, log)}" for line in found.lines]
    return counts_html(found) + _list_html([*lines, *map(_removed, found.removed)])


def changed_facts_html(found: FactsVersion) -> str:
    """Return the facts that a version added, replaced and removed, without those that it kept."""
    lines = [_text(line) for line in found.lines if line.change != "kept"]
    lines += map(_removed, found.removed)
    return counts_html(found) + (_list_html(lines) if lines else "")


def _list_html(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{line}</li>" for line in lines)
    return f'<ul class="memviz-fact-lines">{items}</ul>'


def counts_html(found: FactsVersion) -> str:
    """Return ``12 facts: 3 added · 1 replaced · 8 kept · 2 removed``."""
    counts = {change: len(found.of(change)) for change in ("added", "replaced", "kept")}
    counts["removed"] = len(found.removed)
    said = [f"{number:,} {change}" for change, number in counts.items() if number]
    words = f"<b>{counted(len(found.lines), 'fact')}</b>"
    if said:
        words += f": {' · '.join(said)}"
    return f'<p class="memviz-note">{words}</p>'


def _text(line: FactLine) -> str:
    """Return the fact; what it replaced is struck through before it."""
    mark = f'<span aria-hidden="true">{MARKS[line.change]}</span> '
    said = in_language(line.text)
    if line.change == "added":
        return f"{mark}<ins>{said}</ins>"
    if line.change == "replaced":
        return f"{mark}<del>{in_language(line.replaces)}</del> <ins>{said}</ins>"
    return f"{mark}{said}"


def _removed(text: str) -> str:
    return f'<span aria-hidden="true">{MARKS["removed"]}</span> <del>{in_language(text)}</del>'


def _source(line: FactLine, log: Log) -> str:
    """Return why a fact is remembered, on a click."""
    since = f"since version {line.since:,}"
    if line.source is None:
        return f"<small>{since}; no message holds half of its words</small>"
    message = log[line.source]
    number = message_number(line.source)
    turn = log.turn_number(line.source)
    where = escape(f"message {number:,} ({message.role}, turn {turn:,})")
    share = "All words of the fact stand in that message."
    if line.share < 1:
        share = (
            f"{line.share:.0%} of the fact's words stand in that message, "
            "where numbers and names count more than others."
        )
    shown = message_html(message, "", WHOLE_MESSAGE, SOURCE_CHARS)
    return (
        f"<details><summary>Why? From {where}, {since}</summary>"
        f"<small>{share}</small>{shown}</details>"
    )


def of_version(
    versions: Sequence[FactsVersion], number: int | None
) -> FactsVersion | None:
    """Return the one of this version, if it holds facts."""
    return next((one for one in versions if one.version.version == number), None)
