"""How a run's summary changed from version to version: its size, what it kept, and where its words come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import chain

from memviz.core.memory import SummaryVersion
from memviz.engine.run import Run
from memviz.metrics.retention.message_text import readable
from memviz.metrics.summaries.attribution import WordOrigin, content_keys, word_origin
from memviz.metrics.summaries.diff import word_diff, words_of
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    compaction_events,
)

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
