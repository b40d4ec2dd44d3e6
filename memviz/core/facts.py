"""Facts that a model listed in notes: how they are written, and all facts of a run by their words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from heapq import merge
from typing import NamedTuple, Protocol

from memviz.core.messages import Message
from memviz.core.shared_growth import SharedGrowth
from memviz.core.vectors import VectorIndex, VectorIndexes, VectorSource
from memviz.core.word_index import WordIndex

FACTS = "facts"
"""The track of a list of facts: a version keeps those of the version that it takes in as they were written and adds
those of its messages. One that is made of the same messages once more condenses the list."""
OBSERVATIONS = "observations"
"""The track of what an observer noted of the conversation, a list like that of facts."""
BAR = " | "
"""Stands between the subject, the relation and the value of a fact that is a triple."""
LISTS = (FACTS, OBSERVATIONS)
TAGGED_FACT = re.compile(r'<fact(?: replaces="(\d{1,9})")?>(.*?)</fact>', re.DOTALL)
"""A fact with the number of the one that it replaces, if any, and its text."""


class Fact(NamedTuple):
    """One fact. ``replaces`` is the number (from 1) of the earlier fact that holds no longer because of it."""

    text: str
    replaces: int | None = None


def facts_in(text: str) -> list[Fact]:
    """Return the facts of a text in which each stands in a ``<fact>``: ``<fact>Ana lives in
    Oslo</fact>``, and ``<fact replaces="1">`` where fact 1 holds no longer."""
    facts = []
    for number, tagged_text in TAGGED_FACT.findall(text):
        fact_text = tagged_text.strip()
        if fact_text:
            facts.append(Fact(fact_text, int(number) if number else None))
    return facts


def names_in(text: str) -> tuple[str, ...]:
    """Return the subject and the value of a fact that is a triple, in small letters; nothing
    of any other. "Ana | lives in | Oslo" has "ana" and "oslo"."""
    parts = text.casefold().split(BAR)
    return (parts[0], parts[2]) if len(parts) == 3 else ()


def _newest_first(numbers: Sequence[int], count: int) -> Iterator[int]:
    for place in reversed(range(bisect_right(numbers, count))):
        yield numbers[place]


def listed_facts(text: str) -> list[Fact]:
    """Return the facts of a list; of one that a user wrote without tags, its lines."""
    lines = (line.strip() for line in text.splitlines())
    return facts_in(text) or [Fact(line) for line in lines if line]


def write_facts(facts: Sequence[Fact]) -> str:
    """Return facts as :func:`facts_in` reads them, one a line."""
    lines = []
    for text, replaces in facts:
        attribute = "" if replaces is None else f' replaces="{replaces}"'
        lines.append(f"<fact{attribute}>{text}</fact>")
    return "\n".join(lines)


class Noted(Protocol):
    """One version of the notes, as far as facts are read out of it."""

    @property
    def text(self) -> str:
        """All that was written."""

    @property
    def track(self) -> str:
        """The kind of notes."""


class FactIndex(SharedGrowth):
    """The facts of all versions of the notes of a run, append-only, numbered from 1 in the order in which they were
    written, and which of them hold a word."""

    def __init__(self) -> None:
        super().__init__()
        self.facts: list[Fact] = []
        self.versions: list[int] = []
        """The version (0-based) that wrote each fact."""
        self.words = WordIndex()
        self._vectors = VectorIndexes()
        self._read: list[Noted] = []
        self._stops = [0]
        self._messages: list[Message] = []
        self._replaced_by: dict[int, list[int]] = {}
        self._listed: dict[str, list[int]] = {}
        self._naming: dict[str, list[int]] = {}

    def is_of(self, versions: Sequence[Noted]) -> bool:
        """Return whether what was read is the beginning of these versions, or they of what was read."""
        both = min(len(self._read), len(versions))
        return not both or self._read[both - 1] is versions[both - 1]

    def extend(self, versions: Sequence[Noted]) -> None:
        """Read the versions that were not read yet."""
        if len(self._read) >= len(versions):
            return
        with self._extending:
            for number in range(len(self._read), len(versions)):
                if versions[number].track == FACTS:
                    for fact in listed_facts(versions[number].text):
                        self._append(fact, number)
                self._stops.append(len(self.facts))
                self._read.append(versions[number])
            self.words.extend(self._messages)

    def _append(self, fact: Fact, version: int) -> None:
        self.facts.append(fact)
        self.versions.append(version)
        self._messages.append(Message("user", fact.text))
        number = len(self.facts)
        for name in names_in(fact.text):
            self._naming.setdefault(name, []).append(number)
        # A model may name a number that there was not yet, or 0.
        if fact.replaces is not None and 0 < fact.replaces < number:
            # What was listed again in the meantime holds no longer either.
            replaced_text = self.facts[fact.replaces - 1].text.casefold()
            for earlier in self._listed[replaced_text]:
                if earlier == fact.replaces or earlier not in self._replaced_by:
                    self._replaced_by.setdefault(earlier, []).append(number)
        self._listed.setdefault(fact.text.casefold(), []).append(number)

    def linked_to(self, number: int, count: int) -> Iterator[int]:
        """Yield the numbers of the others of the first ``count`` facts that have a subject or a value in common with
        fact ``number``, the newest first; none for a fact that is no triple."""
        names = dict.fromkeys(names_in(self.facts[number - 1].text))
        # Nearly all facts may be about one name, so no more of them are looked at than are asked for.
        by_name = [_newest_first(self._naming[name], count) for name in names]
        last = number
        for other in merge(*by_name, reverse=True):
            # A fact with both names in common comes twice in a row.
            if other not in (number, last):
                yield other
            last = other

    def vector_index(
        self, model: str, kept: VectorSource | None, count: int
    ) -> VectorIndex:
        """The vectors of the first ``count`` facts at least, by an embedding model, or by the small embedding, as
        :meth:`memviz.core.conversation.Log.vector_index` has those of messages."""
        index = self._vectors.of(model, kept)
        # Later facts may never be looked up, and a model would be asked for them.
        index.extend(self._messages[:count])
        return index

    def count(self, version_count: int) -> int:
        """Return how many facts the first ``version_count`` versions hold."""
        return self._stops[version_count]

    def replaced_by(self, number: int, count: int) -> int | None:
        """Return the number of the newest of the first ``count`` facts that says of fact ``number`` that it holds no
        longer; ``None`` where none does."""
        replacing = self._replaced_by.get(number, [])
        place = bisect_right(replacing, count)
        return replacing[place - 1] if place else None
