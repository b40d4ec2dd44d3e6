"""All facts that a run noted, by their words, their names and what they replace."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from typing import Protocol

from memviz.core.facts import FACTS, Fact, listed_facts, names_in
from memviz.core.messages import Message
from memviz.core.shared_growth import SharedGrowth
from memviz.core.vectors import VectorIndex, VectorIndexes, VectorSource
from memviz.core.word_index import WordIndex


class Noted(Protocol):
    """One version of the notes, as far as facts are read out of it."""

    @property
    def text(self) -> str:
        """All that was written."""

    @property
    def track(self) -> str:
        """The kind of notes."""


@dataclass(eq=False, repr=False)
class FactIndex(SharedGrowth):
    """The facts of all versions of the notes of a run, append-only.

    They are numbered from 1 in the order in which they were written.
    """

    facts: list[Fact] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    """The version (0-based) that wrote each fact."""
    small_texts: list[str] = field(default_factory=list)
    """The text of each fact in small letters: facts whose texts are equal then are one fact listed again."""
    words: WordIndex = field(default_factory=WordIndex)
    """The facts that hold a word, by positions from 0."""
    _vectors: VectorIndexes = field(default_factory=VectorIndexes)
    _messages: list[Message] = field(default_factory=list)
    """The facts as messages, which the indexes read."""
    _versions_read: list[Noted] = field(default_factory=list)
    _counts: list[int] = field(default_factory=lambda: [0])
    """How many facts the first 0, 1, 2, ... versions hold."""
    _replaced_by: dict[int, list[int]] = field(default_factory=dict)
    _numbers_by_text: dict[str, list[int]] = field(default_factory=dict)
    _numbers_by_name: dict[str, list[int]] = field(default_factory=dict)
    _names: list[tuple[str, ...]] = field(default_factory=list)
    """The subject and the value of each fact that is a triple, once where they are the same."""

    def is_of(self, versions: Sequence[Noted]) -> bool:
        """Return whether the versions that were read begin ``versions``, or are begun by them."""
        shared = min(len(self._versions_read), len(versions))
        return not shared or self._versions_read[shared - 1] is versions[shared - 1]

    def extend(self, versions: Sequence[Noted]) -> None:
        """Read the versions that were not read yet."""
        if len(self._versions_read) >= len(versions):
            return
        with self._extending:
            # Another thread may have read some of them meanwhile, so it is looked again how many were read.
            for number in range(len(self._versions_read), len(versions)):
                version = versions[number]
                if version.track == FACTS:
                    for fact in listed_facts(version.text):
                        self._append(fact, number)
                self._counts.append(len(self.facts))
                self._versions_read.append(version)
            self.words.extend(self._messages)

    def _append(self, fact: Fact, version: int) -> None:
        self.facts.append(fact)
        self.versions.append(version)
        self._messages.append(Message("user", fact.text))
        small_text = fact.text.casefold()
        self.small_texts.append(small_text)
        number = len(self.facts)
        names = tuple(dict.fromkeys(names_in(fact.text)))
        self._names.append(names)
        for name in names:
            self._numbers_by_name.setdefault(name, []).append(number)
        # A model may name a number that there was not yet, or 0.
        if fact.replaces is not None and 0 < fact.replaces < number:
            self._note_replacement(fact.replaces, number)
        self._numbers_by_text.setdefault(small_text, []).append(number)

    def _note_replacement(self, replaced: int, number: int) -> None:
        """Note that a fact holds no longer because of fact ``number``, nor does the same text listed again."""
        text = self.small_texts[replaced - 1]
        for same in self._numbers_by_text[text]:
            if same == replaced or same not in self._replaced_by:
                self._replaced_by.setdefault(same, []).append(number)

    def count(self, version_count: int) -> int:
        """Return how many facts the first ``version_count`` versions hold."""
        return self._counts[version_count]

    def replaced_by(self, number: int, count: int) -> int | None:
        """Return the number of the newest of the first ``count`` facts that says of fact ``number`` that it holds no
        longer; ``None`` where none does."""
        if number not in self._replaced_by:
            return None
        return next(_newest_first(self._replaced_by[number], count), None)

    def linked_to(self, number: int, count: int) -> Iterator[int]:
        """Yield the numbers of the others of the first ``count`` facts that have a subject or a value in common with
        fact ``number``, the newest first; none for a fact that is no triple."""
        # Nearly all facts may be about one name, so no more of them are looked at than are asked for.
        by_name = [
            _newest_first(self._numbers_by_name[name], count)
            for name in self._names[number - 1]
        ]
        previous = number
        for linked_number in merge(*by_name, reverse=True):
            # A fact with both names in common comes twice in a row.
            if linked_number not in (number, previous):
                yield linked_number
            previous = linked_number

    def vector_index(
        self, model: str, kept: VectorSource | None, count: int
    ) -> VectorIndex:
        """Return the vectors of the first ``count`` facts at least, by the embedding model of this name.

        An empty ``model`` is the small embedding. ``kept`` are vectors that were paid before.
        """
        index = self._vectors.of(model, kept)
        # Later facts may never be looked up, and a model would be asked for them.
        index.extend(self._messages[:count])
        return index


def _newest_first(numbers: Sequence[int], count: int) -> Iterator[int]:
    """Yield those of the rising ``numbers`` that are at most ``count``, the largest first."""
    for place in reversed(range(bisect_right(numbers, count))):
        yield numbers[place]
