"""Quotations: where the terms of a question or an answer stand closest together in a text, and the sentence around
that."""

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


def flat(text: str) -> str:
    """Return a text on one line, its letters composed: "3,000\\neuros" -> "3,000 euros"."""
    return _BREAK.sub(" ", compose_accents(text)).strip()


class Hit(NamedTuple):
    """A term in a text: its characters ``[start, stop)``, and its normal form."""

    start: int
    stop: int
    key: str


def hits_of(text: str, terms: Collection[str]) -> list[Hit]:
    """Return the places of ``terms``, which are normal forms, in a text, in order: 3000 in "It is 3,000." -> 6 to 11"""
    hits: list[Hit] = []
    for match in TOKEN.finditer(text):
        token = match.group()
        # A run of Chinese characters is one token with many terms in it.
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


def densest(
    hits: Sequence[Hit], scores: Mapping[str, int], chars: int
) -> tuple[int, int, int]:
    """Return the stretch of at most ``chars`` characters whose different terms score most: score, start, stop."""
    best = (0, 0, 0)
    score = 0
    # The stretch ends with each hit in turn, and begins with the first one that is near enough.
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


def quote(content: str, scores: Mapping[str, int]) -> str:
    """Return the sentence around the terms that score most together, or as much of it as there is room for, on one
    line: "… so our budget is 3,000 euros, all in." """
    text = flat(content)
    # Room for an ellipsis on both sides.
    most = QUOTE_CHARS - 2
    _, start, stop = densest(hits_of(text, scores), scores, most)
    room = max(0, most - (stop - start))
    lowest = max(0, start - room)
    matches = _SENTENCE_START.finditer(text, lowest, start + 1)
    # From the nearest start of a sentence before the terms; where none is near, from a word half of the room before.
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
