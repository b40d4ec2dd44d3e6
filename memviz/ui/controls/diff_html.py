"""The difference of two texts as HTML. Every piece is escaped, so what models wrote stays text; removed words are
struck through and added ones underlined, so that nothing hangs on colour."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from memviz.metrics.summaries.diff import Change, Piece, TextDiff, is_unspaced, words_of

KEPT_CHARS_SHOWN = 1600
"""Of a longer stretch that did not change only its ends are shown."""
LEAST_HIDDEN_CHARS = 60
"""Fewer take no more room than the words that say how many are left out."""
_TAGS: dict[Change, str] = {"kept": "span", "removed": "del", "added": "ins"}


def diff_html(diff: TextDiff, kept_chars: int = KEPT_CHARS_SHOWN) -> str:
    """Both texts in one: what was removed stands before what came in its place. Of a stretch of more than
    ``kept_chars`` characters that did not change only its ends are shown."""
    return _box(diff.pieces, kept_chars)


def sides_html(diff: TextDiff) -> tuple[str, str]:
    """The old text with what was removed, and the new one with what was added."""
    old = [piece for piece in diff.pieces if piece.change != "added"]
    new = [piece for piece in diff.pieces if piece.change != "removed"]
    return _box(old), _box(new)


def legend_html(diff: TextDiff) -> str:
    """How many words have which fate, each said the way it looks in the text."""
    noun = counted_noun(diff)
    parts = [f"{diff.words('kept'):,} {noun} kept"]
    parts += [f"<{tag}>{diff.words(change):,} {change}</{tag}>" for change, tag in _TAGS.items() if change != "kept"]
    return f'<p class="memviz-diff memviz-legend">{" · ".join(parts)}</p>'


def counted_noun(diff: TextDiff) -> str:
    """What was counted: words, or characters where most of the text is written without spaces."""
    words = words_of(diff.text("kept", "added")) or words_of(diff.text("removed"))
    return "characters" if 2 * sum(map(is_unspaced, words)) > len(words) else "words"


def _box(pieces: Iterable[Piece], kept_chars: int = KEPT_CHARS_SHOWN) -> str:
    return f'<div class="memviz-diff">{"".join(_piece(piece, kept_chars) for piece in pieces)}</div>'


def _piece(piece: Piece, kept_chars: int) -> str:
    tag = _TAGS[piece.change]
    if piece.change != "kept" or len(piece.text) <= kept_chars + LEAST_HIDDEN_CHARS:
        return f"<{tag}>{escape(piece.text)}</{tag}>"
    half = kept_chars // 2
    hidden = f"<small>… {len(piece.text) - 2 * half:,} characters more, all kept …</small>"
    return f"<span>{escape(piece.text[:half])}</span>{hidden}<span>{escape(piece.text[-half:])}</span>"
