"""Quotations: the place in a text where given terms stand closest together, and the sentence around it.

:mod:`~memviz.metrics.answer_sources` quotes the source of an answer with it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from memviz.core.text.terms import (
    IS_UNSPACED,
    TOKEN,
    compose_accents,
    normal_forms_of_token,
)

QUOTE_CHARS = 120
"""Most characters of a quotation."""
_BREAK = re.compile(r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+")
"""White space, but not the spaces that part thousands."""
_ENDS = (".", "!", "?", "。", "！", "？")
_SENTENCE_START = re.compile(r"(?<=[.!?] )|(?<=[。！？])")


def flatten_text(text: str) -> str:
    """Return a text on one line, its letters composed: "3,000\\neuros" -> "3,000 euros"."""
    return _BREAK.sub(" ", compose_accents(text)).strip()


class Hit(NamedTuple):
    """The place of a term in a text, from character ``start`` to ``stop``, and its normal form."""

    start: int
    stop: int
    key: str


def find_hits(text: str, terms: Collection[str]) -> list[Hit]:
    """Return the places of ``terms`` (normal forms) in a text, in order: 3000 in "It is 3,000." is at 6 to 11."""
    hits: list[Hit] = []
    for match in TOKEN.finditer(text):
        token = match.group()
        # A run of Chinese characters is a single token that contains many terms.
        keys = [form for form in normal_forms_of_token(token) if form in terms]
        if keys and IS_UNSPACED.match(token):
            hits += _find_hits_in_run(token, match.start(), terms)
        elif keys:
            hits.append(Hit(*match.span(), keys[0]))
    return hits


def _find_hits_in_run(run: str, offset: int, terms: Collection[str]) -> Iterator[Hit]:
    """Yield the places of terms of one and of two characters in a run that is written without spaces."""
    for at in range(len(run)):
        for size in (1, 2):
            key = run[at : at + size]
            if key in terms:
                yield Hit(offset + at, offset + at + len(key), key)


def find_densest_stretch(
    hits: Sequence[Hit], scores: Mapping[str, int], chars: int
) -> tuple[int, int, int]:
    """Return the score, start and stop of the stretch of at most ``chars`` characters with the highest score.

    The score of a stretch is the sum of the ``scores`` of its different terms.
    """
    best = (0, 0, 0)
    score = 0
    # A window over the hits: it ends with each hit in turn, and begins with the first one that is near enough.
    first = 0
    inside: Counter[str] = Counter()
    for hit in hits:
        if not inside[hit.key]:
            score += scores[hit.key]
        inside[hit.key] += 1
        while hits[first] is not hit and hit.stop - hits[first].start > chars:
            key_left_behind = hits[first].key
            inside[key_left_behind] -= 1
            if not inside[key_left_behind]:
                score -= scores[key_left_behind]
            first += 1
        if score > best[0]:
            best = score, hits[first].start, hit.stop
    return best


def cut_quotation(content: str, scores: Mapping[str, int]) -> str:
    """Return the sentence around the best terms in one line, cut to :data:`QUOTE_CHARS` if it is longer.

    An ellipsis marks a cut: "… so our budget is 3,000 euros, all in."
    """
    text = flatten_text(content)
    # Room for an ellipsis on both sides.
    most = QUOTE_CHARS - 2
    _, start, stop = find_densest_stretch(find_hits(text, scores), scores, most)
    room = max(0, most - (stop - start))
    lowest = max(0, start - room)
    matches = _SENTENCE_START.finditer(text, lowest, start + 1)
    # Begin with the sentence of the terms, or, if it begins too far before them, with a word in the middle of the room.
    begins = [match.end() for match in matches if match.end() <= start]
    begin = lowest
    if begins:
        begin = begins[-1]
    elif lowest:
        begin = _find_next_word(text, lowest + room // 2, start)
    end = min(len(text), begin + most)
    if end < len(text):
        end = _find_last_word(text, max(stop, begin + 1), end)
    piece = text[begin:end].strip()
    if begin > 0 and not begins:
        piece = f"…{piece}"
    is_whole = end == len(text) or piece.endswith(_ENDS)
    return piece if is_whole else f"{piece}…"


def _find_next_word(text: str, at: int, stop: int) -> int:
    """Return the first start of a word from ``at`` on, before ``stop``; ``at`` where no space is near."""
    space = text.find(" ", at, stop)
    return space + 1 if space >= 0 else at


def _find_last_word(text: str, least: int, at: int) -> int:
    """Return the last end of a sentence or word up to ``at``, not before ``least``; ``at`` where no space is near."""
    ends = [match.start() for match in _SENTENCE_START.finditer(text, least, at)]
    if ends:
        return ends[0]
    space = text.rfind(" ", least, at + 1)
    return space if space >= 0 else at
