"""Where in a message the wanted terms stand closest together, and a short quotation of that place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memviz.core.text.terms import IS_UNSPACED, TOKEN, composed, normal_forms

QUOTE_CHARS = 120
"""Most characters of a quotation."""
_BREAK = re.compile(
    r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+"
)  # not the spaces that part thousands
_ENDS = (".", "!", "?", "。", "！", "？")
_SENTENCE_START = re.compile(r"(?<=[.!?] )|(?<=[。！？])")


def flat(text: str) -> str:
    """``text`` on one line."""
    return _BREAK.sub(" ", composed(text)).strip()


class Hit(NamedTuple):
    """A term in a text: its characters ``[start, stop)``, and its normal form."""

    start: int
    stop: int
    key: str


def hits_of(text: str, wanted: Mapping[str, int]) -> list[Hit]:
    """The places of the wanted terms in ``text``, in order."""
    tokens = {
        token
        for token in set(TOKEN.findall(text))
        if not wanted.keys().isdisjoint(normal_forms(token))
    }
    found: list[Hit] = []
    for match in TOKEN.finditer(text) if tokens else ():
        token = match.group()
        if token not in tokens:
            continue
        if IS_UNSPACED.match(token):
            found.extend(_hits_in_run(token, match.start(), wanted))
        else:
            found.append(Hit(match.start(), match.end(), normal_forms(token)[0]))
    return found


def _hits_in_run(run: str, offset: int, wanted: Mapping[str, int]) -> Iterator[Hit]:
    for at in range(len(run)):
        for size in (1, 2):
            if run[at : at + size] in wanted:
                yield Hit(
                    offset + at, offset + min(at + size, len(run)), run[at : at + size]
                )


def densest(
    hits: Sequence[Hit], scores: Mapping[str, int], chars: int
) -> tuple[int, int, int]:
    """The stretch of at most ``chars`` characters whose different terms score most: score, start, stop."""
    best, score, first = (0, 0, 0), 0, 0
    inside: Counter[str] = Counter()
    for hit in hits:
        score += scores[hit.key] if not inside[hit.key] else 0
        inside[hit.key] += 1
        while hits[first] is not hit and hit.stop - hits[first].start > chars:
            inside[hits[first].key] -= 1
            score -= scores[hits[first].key] if not inside[hits[first].key] else 0
            first += 1
        if score > best[0]:
            best = score, hits[first].start, hit.stop
    return best


def quote(content: str, scores: Mapping[str, int]) -> str:
    """The sentence around the match, or as much of it as there is room for, on one line."""
    text = flat(content)
    _, start, stop = densest(hits_of(text, scores), scores, QUOTE_CHARS - 2)
    room = max(0, QUOTE_CHARS - 2 - (stop - start))
    lowest = max(0, start - room)
    begins = [
        match.end()
        for match in _SENTENCE_START.finditer(text, lowest, start + 1)
        if match.end() <= start
    ]
    left = (
        begins[-1]
        if begins
        else lowest
        if lowest == 0
        else _next_word(text, lowest + room // 2, start)
    )
    right = min(len(text), left + QUOTE_CHARS - 2)
    if right < len(text):
        right = _last_word(text, max(stop, left + 1), right)
    piece = text[left:right].strip()
    whole = right == len(text) or piece.endswith(_ENDS)
    return "…" * (left > 0 and not begins) + piece + "…" * (not whole)


def _next_word(text: str, at: int, stop: int) -> int:
    """The first start of a word from ``at`` on, before ``stop``; ``at`` where no space is near."""
    space = text.find(" ", at, stop)
    return space + 1 if space >= 0 else at


def _last_word(text: str, least: int, at: int) -> int:
    """The last end of a sentence or word up to ``at``, not before ``least``; ``at`` where no space is near."""
    ends = [match.start() for match in _SENTENCE_START.finditer(text, least, at)]
    space = text.rfind(" ", least, at + 1)
    return ends[0] if ends else space if space >= 0 else at
