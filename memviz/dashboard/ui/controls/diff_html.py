"""The difference of two texts as HTML, and a text with answers marked.

Removed words are struck through and added ones underlined, so that nothing hangs on colour.
"""

import re
from collections.abc import Sequence

from markupsafe import Markup

from memviz.core.text.words import detect_language
from memviz.core.translation import _, noop
from memviz.dashboard.markup import element, joined
from memviz.metrics.summaries.diff import (
    Change,
    Piece,
    TextDiff,
    is_unspaced,
    split_words,
)

LEAST_HIDDEN_CHARS = 60
"""Fewer take no more room than the words that say how many are left out."""
_MARKED = "background:rgba(230,159,0,0.35);color:inherit;border-radius:0.2rem"
KEPT_CHARS_SHOWN = 1600
"""The characters that are shown of a stretch that did not change: of a longer one only its ends."""
_TAGS: dict[Change, str] = {"kept": "span", "removed": "del", "added": "ins"}


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
    noun = _(counted_noun(diff))
    return element(
        "p",
        _("{number:,} {words} kept · ", number=diff.words("kept"), words=noun),
        element("del", _("{number:,} removed", number=diff.words("removed"))),
        " · ",
        element("ins", _("{number:,} added", number=diff.words("added"))),
        class_="memviz-diff memviz-legend",
    )


def counted_noun(diff: TextDiff) -> str:
    """Return the unit that was counted: words, or characters where most of the text is written without spaces."""
    words = split_words(diff.text("kept", "added")) or split_words(diff.text("removed"))
    unspaced = sum(map(is_unspaced, words))
    return noop("characters") if 2 * unspaced > len(words) else noop("words")


def marked_html(text: str, answers: Sequence[str]) -> Markup:
    """Return ``text`` as HTML, as it is, with the answers in it marked."""
    marked_text = _mark_answers(text, answers)
    return element("div", marked_text, class_="memviz-diff", lang=detect_language(text))


def _mark_answers(text: str, answers: Sequence[str]) -> Markup:
    """Return ``text`` as HTML with the answers in it marked."""
    parts: list[str] = []
    rest_starts = 0
    if any(answers):
        for match in answer_pattern(answers).finditer(text):
            mark = element("mark", match[0], style=_MARKED)
            parts += [text[rest_starts : match.start()], mark]
            rest_starts = match.end()
    # Only the marks are HTML: what stands between them is escaped as it is joined.
    return joined([*parts, text[rest_starts:]])


def answer_pattern(answers: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern for answers by their spelling, the longest first; spaces may be any white space: ``New York``
    matches in "new\\nyork", and not in "New Yorker"."""
    parts = []
    for answer in sorted(answers, key=len, reverse=True):
        if answer.strip():
            spelling = r"\s+".join(map(re.escape, answer.split()))
            # No letter or digit right before or behind it.
            parts.append(rf"(?<![A-Za-z0-9]){spelling}(?![A-Za-z0-9])")
    return re.compile("|".join(parts), re.IGNORECASE)


def _box(
    pieces: Sequence[Piece],
    answers: Sequence[str] = (),
    kept_chars: int = KEPT_CHARS_SHOWN,
) -> Markup:
    text = "".join(piece.text for piece in pieces)
    inner = joined(_piece(piece, answers, kept_chars) for piece in pieces)
    return element("div", inner, class_="memviz-diff", lang=detect_language(text))


def _piece(piece: Piece, answers: Sequence[str], kept_chars: int) -> Markup:
    text = piece.text
    if piece.change != "kept" or len(text) <= kept_chars + LEAST_HIDDEN_CHARS:
        return element(_TAGS[piece.change], _mark_answers(text, answers))
    half = kept_chars // 2
    hidden_chars = len(text) - 2 * half
    words = _("… {more:,} characters more, all kept …", more=hidden_chars)
    begin = element("span", text[:half])
    end = element("span", text[-half:])
    return joined([begin, element("small", words), end])
