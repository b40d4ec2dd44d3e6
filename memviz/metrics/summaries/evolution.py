"""Where the content words of a summary come from: the summary before it, the messages it took in, or neither.

Compared are normal forms: a number's value, a word's stem, and for scripts written without spaces the pairs of
neighbouring characters. Function words do not count. A word that stands in neither source is a hint, no proof: it
may be a paraphrase as well as an invention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from typing import NamedTuple

from memviz.engine.run import Run
from memviz.memory import SummaryVersion
from memviz.metrics.requests.message_words import readable
from memviz.metrics.summaries.diff import word_diff, words_of
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    compaction_events,
)
from memviz.text.terms import IS_UNSPACED, TOKEN, composed, keys, normal_forms
from memviz.text.words import bridges


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


NESTED_HEADING = re.compile(
    r"(?:previous|earlier) summary\s*:|summary of (?:the )?(?:earlier|previous) conversation\s*:"
    r"|=== ACCUMULATED MEMORY SUMMARIES ===",
    re.IGNORECASE,
)
"""The words by which strategies introduce a summary. Inside a summary's own text they show that one was copied
into the next instead of being summarized."""


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """One version against what it was made of. Tokens count bare content.

    ``covered_tokens`` are those of all messages it stands for; ``read_tokens`` those of what it was made of: the
    messages newly taken in and the summary before. ``generation``: how many summarizations its oldest content has
    been through. ``kept_words`` of the ``previous_words`` of the version before stand in its ``words`` in the same
    order; ``previous_words`` is ``None`` where there was none before. ``nested_headings`` counts headings of a
    summary inside its text.
    """

    event: CompactionEvent
    version: SummaryVersion
    covered_tokens: int
    read_tokens: int
    generation: int
    words: int
    kept_words: int
    previous_words: int | None
    origin: WordOrigin
    nested_headings: int

    @property
    def tokens(self) -> int:
        """Tokens of the summary itself."""
        return self.version.tokens

    @property
    def compression(self) -> float:
        """Tokens of all messages it stands for, per token of it."""
        return self.covered_tokens / max(1, self.tokens)

    @property
    def step_compression(self) -> float:
        """Tokens of what it was made of (messages newly taken in, and the summary before), per token of it."""
        return self.read_tokens / max(1, self.tokens)

    @property
    def carried_share(self) -> float | None:
        """Share of the words of the version before that it kept, 0 to 1; ``None`` where there were none."""
        return self.kept_words / self.previous_words if self.previous_words else None

    @property
    def novel_share(self) -> float | None:
        """Share of its words that it did not keep from the version before, 0 to 1; ``None`` if it has none."""
        return 1 - self.kept_words / self.words if self.words else None


def summary_evolution(run: Run) -> tuple[VersionFacts, ...]:
    """The facts of every version, in order. Every text is read once."""
    return tuple(_facts_of(run))


def _facts_of(run: Run) -> Iterator[VersionFacts]:
    sums, versions = run.space.sums, run.space.summaries.versions
    sources, generations = _Sources(run), [0] * (len(versions) + 1)
    for event in compaction_events(run):
        version = event.version
        if version is None:
            continue
        before = versions[event.base - 1] if event.base else None
        generations[version.version] = generations[version.replaces or 0] + 1
        diff = word_diff(before.text, version.text) if before else None
        yield VersionFacts(
            event=event,
            version=version,
            covered_tokens=sums.between(version.covers.start, version.covers.stop),
            read_tokens=sums.between(version.added.start, version.added.stop)
            + (before.tokens if before else 0),
            generation=generations[version.version],
            words=len(words_of(version.text)),
            kept_words=diff.words("kept") if diff else 0,
            previous_words=diff.words("kept") + diff.words("removed") if diff else None,
            origin=sources.origin(event, version),
            nested_headings=_nested_headings(version.text),
        )


def _nested_headings(text: str) -> int:
    """Most texts do not hold the word at all, which is known much sooner."""
    return len(NESTED_HEADING.findall(text)) if "summar" in text.lower() else 0


class _Sources:
    """What the writer of each version had before it, as normal forms."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._of_version: list[frozenset[str]] = []
        self._of_all: set[str] = set()

    def origin(self, event: CompactionEvent, version: SummaryVersion) -> WordOrigin:
        """Trace the version's words. A chat model that thought had read the whole list, not one version."""
        previous: Set[str] = (
            self._of_version[event.base - 1] if event.base else frozenset()
        )
        read = [
            content_keys(readable(self._run.log[position]))
            for position in self._read(event, version)
        ]
        found = word_origin(
            version.text,
            self._of_all if event.what is CompactionOutcome.THOUGHT else previous,
            frozenset().union(*read),
        )
        self._of_version.append(content_keys(version.text))
        self._of_all |= self._of_version[-1]
        return found

    def _read(self, event: CompactionEvent, version: SummaryVersion) -> Iterable[int]:
        """Positions of the messages that its writer had read."""
        if event.what is not CompactionOutcome.THOUGHT:
            return version.added
        records = (
            record
            for record in self._run.requests
            if record.turn == event.compaction.turn
        )
        return chain(version.added, *(record.parts.recalled for record in records))
