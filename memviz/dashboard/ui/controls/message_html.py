"""Messages, prose and entries of legends as HTML, and the difference of two texts.

Dozens of messages as elements of their own took longer to appear than all else on a page.
In a difference removed words are struck through and added ones underlined, so that nothing
hangs on colour.
"""

import re
from collections.abc import Iterable, Sequence

import streamlit as st
from markupsafe import Markup

from memviz.core import page_titles
from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.text.wording import counted, message_number
from memviz.core.text.words import language
from memviz.core.translation import _, noop
from memviz.dashboard.markup import as_html, element, has_marks, in_language, joined
from memviz.dashboard.ui.shell.terms import term_html
from memviz.dashboard.words.requests import call_text, role_name
from memviz.metrics.summaries.diff import Change, Piece, TextDiff, is_unspaced, words_of
from memviz.metrics.summaries.facts import FactLine, FactsVersion

MAX_CHARS_SHOWN = 4000
LEAST_HIDDEN_CHARS = 60
"""Fewer take no more room than the words that say how many are left out."""
_MARKED = "background:rgba(230,159,0,0.35);color:inherit;border-radius:0.2rem"
KEPT_CHARS_SHOWN = 1600
"""Of a longer stretch that did not change only its ends are shown."""
_TAGS: dict[Change, str] = {"kept": "span", "removed": "del", "added": "ins"}


def message_html(
    message: Message, head: str, more: str, most_chars: int = MAX_CHARS_SHOWN
) -> Markup:
    """Return one message under a line that says which it is (may be empty): its content, at most ``most_chars``
    characters of it, and its tool calls. ``more`` says where the rest is."""
    parts = []
    said = message.content
    if head:
        parts.append(element("small", head))
    if said:
        parts.append(element("p", said[:most_chars], lang=language(said)))
    hidden = len(said) - most_chars
    if hidden > 0:
        parts.append(
            element(
                "small",
                _("{hidden:,} more characters; {more}", hidden=hidden, more=more),
            )
        )
    for call in message.tool_calls:
        text = call_text(call)
        rest = "…" if len(text) > most_chars else ""
        parts.append(element("code", text[:most_chars], rest))
    return joined(parts)


def prose(text: str) -> None:
    """Draw ``text``. No letter of it is markup: see :mod:`memviz.dashboard.markup`."""
    if has_marks(text):
        styled = as_html(text)
        st.html(element("div", styled, class_="memviz-prose", lang=language(text)))
    else:
        st.text(text)


def legend_item(picture: Markup, words: str) -> Markup:
    """Return a swatch or glyph and what it means, with the word explained if it is one of the glossary."""
    style = "display:inline-flex;align-items:center;gap:0.4rem"
    return element("span", picture, term_html(words), style=style)


def stripe(index: int) -> Markup:
    """Return the colour of the setting that was added as number ``index`` (0-based), as the edge of a card: the same
    that its line has on the charts, in light and in dark."""
    style = f"background:{setting_color(index)}"
    return element("div", class_="memviz-stripe", style=style)


def setting_color(index: int) -> str:
    """Return that colour for a style in HTML."""
    light = st.get_option("theme.light.chartCategoricalColors")[index % 10]
    dark = st.get_option("theme.dark.chartCategoricalColors")[index % 10]
    return f"light-dark({light},{dark})"


def diff_html(
    diff: TextDiff, answers: Sequence[str] = (), kept_chars: int = KEPT_CHARS_SHOWN
) -> Markup:
    """Return both texts in one: what was removed stands before what came in its place. ``answers`` are marked in it. Of
    a stretch of more than ``kept_chars`` characters that did not change only its ends are shown."""
    return _box(diff.pieces, answers, kept_chars)


def sides_html(diff: TextDiff) -> tuple[Markup, Markup]:
    """Return the old text with what was removed, and the new one with what was added."""
    old = [piece for piece in diff.pieces if piece.change != "added"]
    new = [piece for piece in diff.pieces if piece.change != "removed"]
    return _box(old), _box(new)


def legend_html(diff: TextDiff) -> Markup:
    """Return the numbers of words by their fate, each said the way it looks in the text."""
    return element(
        "p",
        _(
            "{number:,} {words} kept · ",
            number=diff.words("kept"),
            words=_(counted_noun(diff)),
        ),
        element("del", _("{number:,} removed", number=diff.words("removed"))),
        " · ",
        element("ins", _("{number:,} added", number=diff.words("added"))),
        class_="memviz-diff memviz-legend",
    )


def counted_noun(diff: TextDiff) -> str:
    """Return the unit that was counted: words, or characters where most of the text is written without spaces."""
    words = words_of(diff.text("kept", "added")) or words_of(diff.text("removed"))
    return (
        noop("characters")
        if 2 * sum(map(is_unspaced, words)) > len(words)
        else noop("words")
    )


def marked_html(text: str, answers: Sequence[str]) -> Markup:
    """Return ``text`` as HTML, as it is, with the answers in it marked."""
    marked = _marked(text, answers)
    return element("div", marked, class_="memviz-diff", lang=language(text))


def _marked(text: str, answers: Sequence[str]) -> Markup:
    parts: list[str] = []
    at = 0
    if any(answers):
        for match in answer_pattern(answers).finditer(text):
            mark = element("mark", match[0], style=_MARKED)
            parts += [text[at : match.start()], mark]
            at = match.end()
    return joined([*parts, text[at:]])


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
) -> Markup:
    text = "".join(piece.text for piece in pieces)
    inner = joined(_piece(piece, answers, kept_chars) for piece in pieces)
    return element("div", inner, class_="memviz-diff", lang=language(text))


def _piece(piece: Piece, answers: Sequence[str], kept_chars: int) -> Markup:
    text = piece.text
    if piece.change != "kept" or len(text) <= kept_chars + LEAST_HIDDEN_CHARS:
        return element(_TAGS[piece.change], _marked(text, answers))
    half = kept_chars // 2
    more = len(text) - 2 * half
    left_out = element("small", _("… {more:,} characters more, all kept …", more=more))
    return joined(
        [element("span", text[:half]), left_out, element("span", text[-half:])]
    )


SOURCE_CHARS = 600

WHOLE_MESSAGE = noop("the {library} shows the whole message")

_COUNTS = {
    "added": noop("{number:,} added"),
    "replaced": noop("{number:,} replaced"),
    "kept": noop("{number:,} kept"),
    "removed": noop("{number:,} removed"),
}

_SIGNS = {"added": "+", "replaced": "±", "kept": "=", "removed": "-"}


def facts_html(version: FactsVersion, log: Log) -> Markup:
    """Return all facts of a version, each with its source, and those that it removed."""
    lines = [joined([_text(line), _source(line, log)]) for line in version.lines]
    lines += map(_removed, version.removed)
    return counts_html(version) + _list_html(lines)


def changed_facts_html(version: FactsVersion) -> Markup:
    """Return the facts that a version added, replaced and removed, without those that it kept."""
    lines = [_text(line) for line in version.lines if line.change != "kept"]
    lines += map(_removed, version.removed)
    counts = counts_html(version)
    return counts + _list_html(lines) if lines else counts


def _list_html(lines: Iterable[Markup]) -> Markup:
    items = joined(element("li", line) for line in lines)
    return element("ul", items, class_="memviz-fact-lines")


def counts_html(version: FactsVersion) -> Markup:
    """Return ``12 facts: 3 added · 1 replaced · 8 kept · 2 removed``."""
    counts = {
        change: len(version.of(change)) for change in ("added", "replaced", "kept")
    }
    counts["removed"] = len(version.removed)
    said = [
        _(_COUNTS[change], number=number) for change, number in counts.items() if number
    ]
    words = _(": {counts}", counts=" · ".join(said)) if said else ""
    facts = element("b", counted(len(version.lines), "fact"))
    return element("p", facts, words, class_="memviz-note")


def _text(line: FactLine) -> Markup:
    """Return the fact; what it replaced is struck through before it."""
    text = in_language(line.text)
    if line.change == "added":
        text = element("ins", text)
    elif line.change == "replaced":
        before = element("del", in_language(line.replaces))
        text = joined([before, " ", element("ins", text)])
    return joined([_sign(line.change), text])


def _removed(text: str) -> Markup:
    return joined([_sign("removed"), element("del", in_language(text))])


def _sign(change: str) -> Markup:
    return element("span", _SIGNS[change], aria_hidden="true") + " "


def _source(line: FactLine, log: Log) -> Markup:
    """Return why a fact is remembered, on a click."""
    since = _("since version {since:,}", since=line.since)
    if line.source is None:
        return element(
            "small", _("{since}; no message holds half of its words", since=since)
        )
    message = log[line.source]
    number = message_number(line.source)
    turn = log.turn_number(line.source)
    where = _(
        "message {number:,} ({role}, turn {turn:,})",
        number=number,
        role=role_name(message.role),
        turn=turn,
    )
    share = _("All words of the fact stand in that message.")
    if line.share < 1:
        share = _(
            "{share:.0%} of the fact's words stand in that message, where numbers and names count more than "
            "others.",
            share=line.share,
        )
    whole = _(WHOLE_MESSAGE, library=_(page_titles.LIBRARY))
    return element(
        "details",
        element("summary", _("Why? From {where}, {since}", where=where, since=since)),
        element("small", share),
        message_html(message, "", whole, SOURCE_CHARS),
    )


def of_version(
    versions: Sequence[FactsVersion], number: int | None
) -> FactsVersion | None:
    """Return the one of this version, if it holds facts."""
    return next((each for each in versions if each.version.version == number), None)
