"""The difference between two versions of a summary, word by word: what was kept, removed and added.

First sentences and then words are aligned by their longest common subsequence (rapidfuzz). Spaces and punctuation
belong to the words beside them. In scripts without spaces each character is a word.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq, Postfix, Prefix

from memviz.core.text.vocabulary import STOP_WORDS
from memviz.core.text.words import UNSPACED

Change = Literal["kept", "removed", "added"]
MIN_FUNCTION_WORDS = 4
"""The fewest function words between two changes that count as kept; fewer are kept by chance, and would only split the
change."""

# Marks that belong to the character before them: accents, vowel signs and tones, joiners, variation selectors.
_MARKS = (
    "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u17b4-\u17d3\u17dd\u200c\u200d\u3099\u309a\ufe00-\ufe0f"
)
_GAP = (
    "\\s\\x00-/:-@\\[-`{-\\x7f\u00a1-\u00bf\u2010-\u206f\u3000-\u3004\u3008-\u3020\u0964\u0965\uff01-\uff0f"
    "\uff1a-\uff20"
)
_LETTER = f"[^{_GAP}{UNSPACED}]"
# "well-known", "3,600"
_WORD = re.compile(f"[{UNSPACED}][{_MARKS}]*|{_LETTER}+(?:[-.,:/'’_]{_LETTER}+)*")
_SENTENCE_END = re.compile(r"[.!?;\n。！？；।]")
_UNSPACED_WORD = re.compile(f"[{UNSPACED}]")


class Piece(NamedTuple):
    """A stretch of text that was kept, removed or added, with the number of its words."""

    change: Change
    text: str
    words: int


@dataclass(frozen=True)
class TextDiff:
    """The difference between two texts, as pieces in reading order.

    A removed piece comes before the one added in its place. No piece is empty, and neighbours have different changes.
    """

    pieces: tuple[Piece, ...]

    def text(self, *changes: Change) -> str:
        """Return the joined pieces with these changes: kept and removed give the old text, kept and added the new."""
        return "".join(piece.text for piece in self.pieces if piece.change in changes)

    def words(self, change: Change) -> int:
        """Return the number of words with this change."""
        return sum(piece.words for piece in self.pieces if piece.change == change)


class _Words(NamedTuple):
    """The words of a text with their places."""

    text: str
    words: list[str]
    starts: list[int]
    """The character at which each word begins, and the length of the text."""
    ends: list[int]
    """0, and the character at which each word ends: ``ends[i]`` to ``starts[i]`` is the gap before word ``i``."""
    sentence_starts: list[int]
    """The number of the first word of each sentence, and the number of all words."""

    def between(self, first: int, stop: int) -> str:
        """Return the words from ``first`` to ``stop`` with the gaps before and after them."""
        return self.text[self.ends[first] : self.starts[stop]]

    def gap(self, index: int) -> str:
        """Return the gap before word ``index``."""
        return self.text[self.ends[index] : self.starts[index]]

    def sentences(self) -> list[tuple[str, ...]]:
        """Return the words of each sentence."""
        return [
            tuple(self.words[start:stop])
            for start, stop in pairwise(self.sentence_starts)
        ]


class _Block(NamedTuple):
    """A stretch that two sequences have in common: its start in the old one and in the new one, and its size."""

    old: int
    new: int
    size: int

    @property
    def old_stop(self) -> int:
        """The end in the old sequence."""
        return self.old + self.size

    @property
    def new_stop(self) -> int:
        """The end in the new sequence."""
        return self.new + self.size


def is_unspaced(word: str) -> bool:
    """Return whether a word is a character of a script written without spaces."""
    return bool(_UNSPACED_WORD.match(word))


def split_words(text: str) -> list[str]:
    """Return the words by which texts are compared, in order."""
    return _split(text).words


# Cached, because each version of a summary is compared twice: with the one before and with the next.
@lru_cache(maxsize=64)
def _split(text: str) -> _Words:
    spans = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end] for start, end in spans]
    sentence_starts = [0]
    for at, ((_, end), (start, _)) in enumerate(pairwise(spans), start=1):
        if _SENTENCE_END.search(text, end, start):
            sentence_starts.append(at)
    if words:
        sentence_starts.append(len(words))
    # The gap before each word lies between the end of the one before and its start.
    starts = [*(start for start, _ in spans), len(text)]
    ends = [0, *(end for _, end in spans)]
    return _Words(text, words, starts, ends, sentence_starts)


def diff_words(old: str, new: str) -> TextDiff:
    """Return the difference from ``old`` to ``new``, word by word. Both texts can be joined again from the pieces."""
    old_words = _split(old)
    new_words = _split(new)
    pieces = _Pieces(old_words, new_words)
    last = _Block(0, 0, 0)
    # An empty block at the end of both texts, to add what changed after the last words in common.
    end = _Block(len(old_words.words), len(new_words.words), 0)
    for block in [*_find_anchors(old_words, new_words), end]:
        pieces.add_changed((last.old_stop, block.old), (last.new_stop, block.new))
        pieces.add_kept(block)
        last = block
    return TextDiff(tuple(pieces.pieces))


def _find_anchors(old: _Words, new: _Words) -> list[_Block]:
    """Return the stretches of words that both texts have, in order: whole sentences first, then words between them. A
    sentence that lived on counts for more than as many words scattered over others."""
    old_starts = old.sentence_starts
    new_starts = new.sentence_starts
    sentences = _find_common(old.sentences(), new.sentences())
    sentences.append(_Block(len(old_starts) - 1, len(new_starts) - 1, 0))
    blocks = [_Block(0, 0, 0)]
    for block in sentences:
        old_first = blocks[-1].old_stop
        new_first = blocks[-1].new_stop
        old_start = old_starts[block.old]
        new_start = new_starts[block.new]
        # The words between the sentence that both have and the one before it.
        old_between = old.words[old_first:old_start]
        new_between = new.words[new_first:new_start]
        for words in _find_common(old_between, new_between):
            blocks.append(
                _Block(old_first + words.old, new_first + words.new, words.size)
            )
        size = old_starts[block.old_stop] - old_start
        blocks.append(_Block(old_start, new_start, size))
    return list(_keep_meaningful(_join_blocks(blocks), old.words, new.words))


def _find_common(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[_Block]:
    """Return the longest common subsequence as blocks."""
    if not old or not new:
        return []
    # Numbers, not texts: their hashes are the same in every process and never collide.
    ids: dict[Hashable, int] = {}
    old_codes = [ids.setdefault(item, len(ids)) for item in old]
    new_codes = [ids.setdefault(item, len(ids)) for item in new]
    blocks = LCSseq.opcodes(old_codes, new_codes).as_matching_blocks()
    return [_Block(match.a, match.b, match.size) for match in blocks if match.size]


def _join_blocks(blocks: Iterable[_Block]) -> Iterator[_Block]:
    """Yield the blocks with neighbours that touch in both texts made one."""
    last = _Block(0, 0, 0)
    for block in blocks:
        if block.old == last.old_stop and block.new == last.new_stop:
            last = last._replace(size=last.size + block.size)
        else:
            yield last
            last = block
    yield last


def _keep_meaningful(
    blocks: Iterable[_Block], old: Sequence[str], new: Sequence[str]
) -> Iterator[_Block]:
    """Yield the blocks without those that stand between two changes and say nothing by themselves."""
    for block in blocks:
        begins = block.old == block.new == 0
        ends = block.old_stop == len(old) and block.new_stop == len(new)
        words = old[block.old : block.old_stop]
        if words and (begins or ends or _holds_meaning(words)):
            yield block


def _holds_meaning(words: Sequence[str]) -> bool:
    """Return whether a stretch is more than a few function words, or than a single character where words have
    several."""
    if len(words) >= MIN_FUNCTION_WORDS:
        return True
    unspaced = [is_unspaced(word) for word in words]
    for word, is_character in zip(words, unspaced, strict=True):
        if not is_character and word.casefold() not in STOP_WORDS:
            return True
    return any(first and second for first, second in pairwise(unspaced))


@dataclass(eq=False, repr=False)
class _Pieces:
    """Puts pieces together while walking along both texts."""

    old: _Words
    new: _Words
    pieces: list[Piece] = field(default_factory=list)

    def add(self, change: Change, text: str, words: int) -> None:
        """Add a piece, joined to the one before if that has the same fate."""
        if not text:
            return
        if self.pieces and self.pieces[-1].change == change:
            before = self.pieces.pop()
            text = before.text + text
            words += before.words
        self.pieces.append(Piece(change, text, words))

    def add_kept(self, block: _Block) -> None:
        """Add words that both texts have. What stands between them may differ."""
        if not block.size:
            return
        old = self.old
        shared = old.text[old.starts[block.old] : old.ends[block.old_stop]]
        if self.new.text.startswith(shared, self.new.starts[block.new]):
            self.add("kept", shared, block.size)
            return
        # Spaces or signs between them differ: the words one by one.
        for old_at in range(block.old, block.old_stop):
            if old_at > block.old:
                new_at = old_at - block.old + block.new
                self.add_changed((old_at, old_at), (new_at, new_at))
            self.add("kept", old.words[old_at], 1)

    def add_changed(self, old: tuple[int, int], new: tuple[int, int]) -> None:
        """Add that the words ``[first, stop)`` of the old text became those of the new one; the space around them
        stays if it is the same."""
        old_first, old_stop = old
        new_first, new_stop = new
        removed = self.old.between(old_first, old_stop)
        added = self.new.between(new_first, new_stop)
        # Characters before and behind the words that both texts have. Of a short text the space before the words and
        # the one behind them may be the same one, which counts once.
        lead = Prefix.similarity(self.old.gap(old_first), self.new.gap(new_first))
        trail = Postfix.similarity(self.old.gap(old_stop), self.new.gap(new_stop))
        trail = min(trail, min(len(removed), len(added)) - lead)
        removed_end = len(removed) - trail
        added_end = len(added) - trail
        self.add("kept", removed[:lead], 0)
        self.add("removed", removed[lead:removed_end], old_stop - old_first)
        self.add("added", added[lead:added_end], new_stop - new_first)
        self.add("kept", removed[removed_end:], 0)
