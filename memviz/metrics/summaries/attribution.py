"""Where the content words of a summary come from: the summary before it, the messages it took in, or neither.

Compared are normal forms: a number's value, a word's stem, and for scripts written without spaces the pairs of
neighbouring characters. Function words do not count. A word that stands in neither source is a hint, no proof: it
may be a paraphrase as well as an invention.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from memviz.core.text.terms import IS_UNSPACED, TOKEN, composed, keys, normal_forms
from memviz.core.text.words import bridges


class WordOrigin(NamedTuple):
    """How many different content words of a text came from where, and those that came from nowhere as they are
    written, in order."""

    previous: int
    messages: int
    nowhere: int
    unsourced: tuple[str, ...]

    @property
    def words(self) -> int:
        """Different content words in all."""
        return self.previous + self.messages + self.nowhere


@lru_cache(
    maxsize=8192
)  # a page is drawn again and again, and reading all messages is most of the work
def content_keys(text: str) -> frozenset[str]:
    """The normal forms of all content words of a text."""
    return keys(text)


def word_origin(text: str, previous: Set[str], messages: Set[str]) -> WordOrigin:
    """Trace the content words of ``text`` to those of what came before (as :func:`content_keys` gives them). A word
    found in both sources counts as the previous summary's."""
    own = content_keys(text)
    carried = own & previous
    fresh = (own - carried) & messages
    rest = own - carried - fresh
    unknown = rest - _straddling(text, rest, carried | fresh) if rest else rest
    return WordOrigin(
        len(carried),
        len(fresh),
        len(unknown),
        tuple(_as_written(text, unknown)) if unknown else (),
    )


def _straddling(text: str, unknown: Set[str], known: Set[str]) -> frozenset[str]:
    """Pairs of characters whose neighbours on both sides are known: they straddle two known words."""
    around = {} if text.isascii() else bridges(composed(text).lower())
    return frozenset(
        pair
        for pair in unknown
        if pair in around and all(side in known for side in around[pair])
    )


def _as_written(text: str, unknown: Set[str]) -> Iterator[str]:
    """The words of ``text`` whose normal forms are ``unknown``, each once."""
    seen: set[str] = set()
    for token in TOKEN.findall(composed(text)):
        if unknown.isdisjoint(normal_forms(token)):
            continue
        for word in (
            _stretches(token, unknown) if IS_UNSPACED.match(token) else (token,)
        ):
            if word.casefold() not in seen:
                seen.add(word.casefold())
                yield word


def _stretches(run: str, unknown: Set[str]) -> Iterator[str]:
    """The parts of an unspaced run that are made of ``unknown`` pairs and single characters."""
    marked = [False] * len(run)
    for at in range(len(run)):
        for size in (1, 2):
            if run[at : at + size] in unknown:
                marked[at : at + size] = [True] * len(run[at : at + size])
    for is_marked, places in groupby(range(len(run)), key=marked.__getitem__):
        if is_marked:
            yield "".join(run[at] for at in places)
