"""The evolution of a run's summary from version to version: its size, what it kept, and where its words come from.

The content words of a version come from the summary before it, from the messages that it summarized, or from neither.
They are compared in normal forms: the value of a number, the stem of a word, and pairs of neighbouring characters for
scripts without spaces. A word from neither source is only a hint: it may be a paraphrase or an invention.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from memviz.core.summaries import SummaryVersion
from memviz.core.text.terms import (
    IS_UNSPACED,
    TOKEN,
    compose_accents,
    normal_forms_of_text,
    normal_forms_of_token,
)
from memviz.core.text.words import find_bridging_pairs
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.summaries.diff import diff_words, split_words
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    list_compaction_events,
)


class WordOrigin(NamedTuple):
    """The number of different content words of a summary by their source."""

    previous: int
    """Those of the summary before."""
    messages: int
    """Those of the messages newly summarized."""
    nowhere: int
    """Those of neither."""
    unsourced: tuple[str, ...]
    """The words of neither source as they are written, in order."""

    @property
    def words(self) -> int:
        """The number of different content words in all."""
        return self.previous + self.messages + self.nowhere


# Cached, because a page is drawn again and again, and reading all messages is most of the work.
@lru_cache(maxsize=8192)
def find_content_keys(text: str) -> frozenset[str]:
    """Return the normal forms of all content words of a text."""
    return normal_forms_of_text(text)


def trace_words(text: str, previous: Set[str], messages: Set[str]) -> WordOrigin:
    """Return where the content words of a summary's ``text`` come from.

    ``previous`` and ``messages`` are the words of the summary before and of the messages newly taken in, both as
    :func:`find_content_keys` gives them. A word that both have counts as the previous summary's.
    """
    keys = find_content_keys(text)
    carried = keys & previous
    fresh = keys & messages - carried
    explained = carried | fresh
    unknown = keys - explained
    unknown -= _find_straddling(text, unknown, explained)
    unknown_words = tuple(_list_unknown_words(text, unknown))
    return WordOrigin(len(carried), len(fresh), len(unknown), unknown_words)


def _find_straddling(
    text: str, unknown: Set[str], explained: frozenset[str]
) -> set[str]:
    """Return the unknown pairs of characters between two known ones: they straddle the end of one word and the next."""
    if not unknown or text.isascii():
        return set()
    around = find_bridging_pairs(compose_accents(text).lower())
    return {
        pair for pair in unknown & around.keys() if explained.issuperset(around[pair])
    }


def _list_unknown_words(text: str, unknown: Set[str]) -> Iterator[str]:
    """Yield the words of ``text`` whose normal forms are ``unknown``, each once."""
    if not unknown:
        return
    seen_words: set[str] = set()
    for token in TOKEN.findall(compose_accents(text)):
        if unknown.isdisjoint(normal_forms_of_token(token)):
            continue
        is_unspaced = IS_UNSPACED.match(token)
        for word in _find_stretches(token, unknown) if is_unspaced else (token,):
            if word.casefold() not in seen_words:
                seen_words.add(word.casefold())
                yield word


def _find_stretches(run: str, unknown: Set[str]) -> Iterator[str]:
    """Yield the parts of an unspaced run that are made of ``unknown`` pairs and single characters."""
    marked = [False] * len(run)
    for at in range(len(run)):
        for part in (run[at], run[at : at + 2]):
            if part in unknown:
                marked[at : at + len(part)] = [True] * len(part)
    for is_marked, group in groupby(zip(run, marked, strict=True), itemgetter(1)):
        if is_marked:
            yield "".join(letter for letter, _ in group)


NESTED_HEADING = re.compile(
    r"(?:previous|earlier) summary\s*:|summary of (?:the )?(?:earlier|previous) conversation\s*:"
    r"|=== ACCUMULATED MEMORY SUMMARIES ===",
    re.IGNORECASE,
)
"""The words by which strategies introduce a summary. Inside a summary's own text they show that one was copied
into the next instead of being summarized."""


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """A version of a summary compared with what it was made of. Tokens are those of the contents alone."""

    event: CompactionEvent
    """The compaction that wrote it."""
    version: SummaryVersion
    covered_tokens: int
    """The tokens of all messages that the version stands for."""
    read_tokens: int
    """The tokens of what the version was made of: the messages newly summarized, and the summary before."""
    generation: int
    """The number of summarizations that its oldest content has been through."""
    words: int
    """The number of its words."""
    kept_words: int
    """The words of the version before that are in it in the same order."""
    previous_words: int | None
    """The words of the version before; ``None`` where there was none."""
    origin: WordOrigin
    nested_headings: int
    """The number of headings of a summary inside its text."""

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


def compare_versions(run: Run) -> tuple[VersionFacts, ...]:
    """Return the facts of every version, in order. Every text is read once."""
    sources = _Sources(run)
    # By the number of the version. A version without one before it stands on number 0.
    generations = [0] * (len(run.space.summaries.versions) + 1)
    facts = []
    for event in list_compaction_events(run):
        version = event.version
        if version is None:
            continue
        generation = generations[version.replaces or 0] + 1
        generations[version.version] = generation
        origin = sources.origin(event, version)
        facts.append(_find_facts(run, event, version, generation, origin))
    return tuple(facts)


def _find_facts(
    run: Run,
    event: CompactionEvent,
    version: SummaryVersion,
    generation: int,
    origin: WordOrigin,
) -> VersionFacts:
    sums = run.space.sums
    covers = version.covers
    new_messages = version.added
    read_tokens = sums.between(new_messages.start, new_messages.stop)
    kept_words = 0
    previous_words = None
    # The summarizer was given the version before to read as well.
    if event.compaction.base:
        before = run.space.summaries.versions[event.compaction.base - 1]
        diff = diff_words(before.text, version.text)
        kept_words = diff.words("kept")
        previous_words = kept_words + diff.words("removed")
        read_tokens += before.tokens
    return VersionFacts(
        event=event,
        version=version,
        covered_tokens=sums.between(covers.start, covers.stop),
        read_tokens=read_tokens,
        generation=generation,
        words=len(split_words(version.text)),
        kept_words=kept_words,
        previous_words=previous_words,
        origin=origin,
        nested_headings=_count_nested_headings(version.text),
    )


def _count_nested_headings(text: str) -> int:
    # Most texts do not hold the word at all, which is known much sooner.
    if "summar" not in text.lower():
        return 0
    return len(NESTED_HEADING.findall(text))


@dataclass(eq=False, repr=False)
class _Sources:
    """The words that the writer of each version had read, as normal forms."""

    run: Run
    _of_version: list[frozenset[str]] = field(default_factory=list)
    _of_all: set[str] = field(default_factory=set)

    def origin(self, event: CompactionEvent, version: SummaryVersion) -> WordOrigin:
        """Return where the words of a version come from. Versions have to be given in their order."""
        previous: Set[str] = frozenset()
        positions = [*version.added]
        if event.compaction.base:
            previous = self._of_version[event.compaction.base - 1]
        if event.what is CompactionOutcome.THOUGHT:
            # A chat model that wrote it while thinking had read all versions, and what it recalled in this turn.
            previous = self._of_all
            for record in self.run.requests:
                if record.turn == event.compaction.turn:
                    positions += record.parts.recalled
        messages: set[str] = set()
        for position in positions:
            messages |= find_content_keys(read_message(self.run.log[position]))
        origin = trace_words(version.text, previous, messages)
        self._of_version.append(find_content_keys(version.text))
        self._of_all |= self._of_version[-1]
        return origin
