"""Versions of the notes that were written, and all versions of a run with the tokens of every block made of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from memviz.core.counters import Counter
from memviz.core.fact_index import FactIndex
from memviz.core.messages import Message
from memviz.core.translation import noop

SUMMARY = "summary"
"""The track of notes that a strategy with one kind of notes writes."""
MERGED = noop("Summary of summaries").lower()  # pages show it with a capital letter
"""The track of summaries that were made of several summaries, of which each names the oldest as what it took in."""
OPAQUE_TEXT = noop("[a block that only the provider can read]")
"""What stands for the words of such a block, whose size is that of the block."""
GROWING = (list, set, dict, array)
"""The types of values that an object of which there are copies adds to."""
T = TypeVar("T")


def copy_apart(value: T) -> T:
    """Return a copy of an object that grows, with lists, sets, dictionaries and arrays of its own."""
    copied = copy(value)
    for name, item in vars(value).items():
        if isinstance(item, GROWING):
            setattr(copied, name, copy(item))
    return copied


@dataclass(frozen=True)
class SummaryVersion:
    """One summary that a summarizer wrote."""

    version: int
    """The number of the version, from 1."""
    turn: int
    """The turn of the last message when it was written. The first request that it changed
    may be of a later turn: see ``Run.request_turn``, by which pages name it."""
    text: str
    covers: range
    """The log positions that it stands for."""
    added: range
    """The part of ``covers`` that was still sent word for word before."""
    counter: Counter = field(repr=False, compare=False)
    replaces: int | None = None
    """The version that it took in; ``None`` for the first one, and for an entry of a list
    of summaries."""
    follows: int | None = None
    """The newest version in force when it was written (0: none). Usually the one before
    it, but not after an undo."""
    track: str = SUMMARY
    """The kind of notes that it belongs to, where a strategy keeps several, such as facts
    and a working-memory text. Each kind has a newest version of its own."""
    opaque_tokens: int = 0
    """Where not 0: the size of a block that the provider wrote, and whose words nobody
    else can read."""

    @property
    def is_opaque(self) -> bool:
        """True if only the provider can read it."""
        return self.opaque_tokens > 0

    @property
    def newest_before(self) -> int:
        """The newest version in force when it was written: the one before it unless ``follows`` says another."""
        return self.version - 1 if self.follows is None else self.follows

    @cached_property
    def tokens(self) -> int:
        """Tokens of the bare text."""
        return self.opaque_tokens or self.counter.in_lines(self.text)


class SummarySource(NamedTuple):
    """The source of one summary: the messages, and the text of the previous summary that they join."""

    messages: Sequence[Message]
    previous: str | None = None


class SummaryWording(NamedTuple):
    """The wording of a strategy's summaries in a request: a ``heading`` above a list of them (empty where there is
    no list), and each one as an ``entry``."""

    heading: str
    entry: Callable[[SummaryVersion], str]


@dataclass(eq=False, repr=False)
class SummaryLog:
    """All summary versions of a run, append-only, with the tokens of every block made of them.

    A block of versions ``[start, stop)`` (0-based) is the heading line, if any, and one entry a
    version, in the order of what they stand for. Versions that were undone are not in it, and of several
    versions of the same messages (an entry that was edited) only the newest. Entries are joined by line
    breaks, where token counts add up exactly, so a growing list is counted in O(1) a turn.

    Of a strategy that keeps several tracks of notes a block holds those of one track: that of its last version.

    In a chat whose strategy was changed each version keeps the wording of the strategy that it was written under;
    a block only ever holds versions of one strategy.
    """

    counter: Counter
    wording: SummaryWording
    versions: list[SummaryVersion] = field(default_factory=list)
    _wordings: list[SummaryWording] = field(default_factory=list)
    _heading_units: list[int] = field(default_factory=list)
    _entry_units: dict[int, int] = field(default_factory=dict)
    _line_units: list[int] = field(default_factory=lambda: [0])
    """Running sums of the entries with their line breaks, as far as asked for."""
    _covered: list[int] = field(default_factory=lambda: [0])
    """Running sums of the number of messages covered."""
    _starts: set[int] = field(default_factory=set)
    """The first messages newly taken in."""
    _has_repeats: bool = False
    """True where versions of one track are of the same messages, as after an edit."""
    _taken: set[tuple[str, range]] = field(default_factory=set)
    is_tree: bool = False
    has_opaque: bool = False
    _asked_roots: tuple[int, tuple[SummaryVersion, ...]] = (0, ())
    """The number of versions whose roots were asked for last, and these."""
    _facts: FactIndex = field(default_factory=FactIndex)
    is_straight: bool = True
    """True where nothing was edited or undone, so that every version counts."""

    def __len__(self) -> int:
        return len(self.versions)

    def append(
        self, version: SummaryVersion, wording: SummaryWording | None = None
    ) -> None:
        """Add the newest version, in the ``wording`` of another strategy if one is given."""
        wording = wording or self.wording
        self._asked_roots = (0, ())
        index = len(self.versions)
        heading = wording.heading
        units = self.counter.units(f"{heading}\n") if heading else 0
        self._heading_units.append(units)
        self._wordings.append(wording)
        self.versions.append(version)
        self.has_opaque = self.has_opaque or version.is_opaque
        self.is_tree = self.is_tree or version.track == MERGED
        self._covered.append(self._covered[-1] + len(version.covers))
        # The shortcuts for a straight log hold as long as each version goes on where the last one ended.
        first = version.added.start
        follows_last = version.follows in (None, index)
        is_same_track = version.track == self.versions[0].track
        if not follows_last or not is_same_track or first in self._starts:
            self.is_straight = False
        self._starts.add(first)
        content = (version.track, version.added)
        self._has_repeats = self._has_repeats or content in self._taken
        self._taken.add(content)

    def _units_of_entry(self, index: int) -> int:
        """The units of an entry, counted when somebody first asks: a replay alone asks for few."""
        if index not in self._entry_units:
            version = self.versions[index]
            if version.is_opaque:
                units = self.counter.units_of(version.opaque_tokens)
            else:
                units = self.counter.units_in_lines(self.entry(version))
            self._entry_units[index] = units
        return self._entry_units[index]

    def heading(self, version: SummaryVersion) -> str:
        """The line above a list that ends with ``version``; empty where it is sent alone."""
        return self._wordings[version.version - 1].heading

    def entry(self, version: SummaryVersion) -> str:
        """``version`` as it reads in a request."""
        return self._wordings[version.version - 1].entry(version)

    def in_block(self, start: int, stop: int) -> list[SummaryVersion]:
        """The versions that a block of ``[start, stop)`` shows, in the order of what they stand for."""
        if self.is_straight:
            return self.versions[start:stop]
        # From the newest back: of several versions of the same messages the first that is met counts.
        newest: dict[int, SummaryVersion] = {}
        track = self.versions[stop - 1].track if stop > start else SUMMARY
        while stop > start:
            version = self.versions[stop - 1]
            if version.track == track:
                newest.setdefault(version.added.start, version)
            stop = version.newest_before
        return [newest[first] for first in sorted(newest)]

    def head(self, stop: int, track: str) -> SummaryVersion | None:
        """The newest version of ``track`` in force when the version before ``stop`` (0-based) was the newest of all."""
        while stop:
            version = self.versions[stop - 1]
            if version.track == track:
                return version
            stop = version.newest_before
        return None

    def level(self, version: SummaryVersion) -> int:
        """The level of a version in a tree of summaries: 1 for one that was made of messages."""
        level = 1
        while version.track == MERGED and version.replaces is not None:
            version = self.versions[version.replaces - 1]
            level += 1
        return level

    def roots(self, stop: int) -> tuple[SummaryVersion, ...]:
        """The versions before ``stop`` (0-based) in force that no other one took in, in the order of what they stand
        for: of a tree of summaries several, of a running summary its newest."""
        # A replay asks at each message, and most messages write nothing.
        asked_stop, roots = self._asked_roots
        if asked_stop != stop:
            roots = self._find_roots(stop)
            self._asked_roots = (stop, roots)
        return roots

    def _find_roots(self, stop: int) -> tuple[SummaryVersion, ...]:
        # Versions below a root are passed over, so that a tree of any size is quickly read.
        root_by_start: dict[int, SummaryVersion] = {}
        oldest = self.versions[0].covers.start if stop else 0
        while stop:
            version = self.versions[stop - 1]
            is_within = any(
                version.covers.start in root.covers for root in root_by_start.values()
            )
            if not is_within:
                root_by_start[version.covers.start] = version
            # Down to the first message everything stands for something now.
            if not self._has_repeats and version.covers.start == oldest:
                break
            while not self._has_repeats and version.replaces is not None:
                version = self.versions[version.replaces - 1]
            stop = version.newest_before
        return tuple(root_by_start[start] for start in sorted(root_by_start))

    def text(self, start: int, stop: int) -> str:
        """The block of versions ``[start, stop)`` as it is sent."""
        block = self.in_block(start, stop)
        heading = self.heading(block[-1]) if block else ""
        lines = [self.entry(version) for version in block]
        return "\n".join([heading, *lines] if heading else lines)

    def tokens(self, start: int, stop: int) -> int:
        """Content tokens of the block of versions ``[start, stop)``; 0 for an empty block."""
        if start >= stop:
            return 0
        # The last entry ends in no line break, so it is counted apart from the lines before it.
        lines = 0
        last = stop - 1
        if not self.is_straight:
            *before, last = (
                version.version - 1 for version in self.in_block(start, stop)
            )
            line_sums = self._line_sums(max(before, default=-1) + 1)
            for index in before:
                lines += line_sums[index + 1] - line_sums[index]
        elif stop - start > 1:  # one that is sent alone is no line
            line_sums = self._line_sums(stop - 1)
            lines = line_sums[stop - 1] - line_sums[start]
        return self.counter.tokens(
            self._heading_units[last] + lines + self._units_of_entry(last)
        )

    def _line_sums(self, count: int) -> Sequence[int]:
        """Running sums of the units of at least the first ``count`` entries with their line breaks."""
        for index in range(len(self._line_units) - 1, count):
            entry = self.entry(self.versions[index])
            line = self._units_of_entry(index) + self.counter.line_break_units(entry)
            self._line_units.append(self._line_units[-1] + line)
        return self._line_units

    def fact_index(self) -> FactIndex:
        """The facts of all versions by their words; each version is read once, also for copies of this log, as long as
        they hold the same versions."""
        if not self._facts.is_of(self.versions):
            self._facts = FactIndex()
        self._facts.extend(self.versions)
        return self._facts

    def covered(self, start: int, stop: int) -> tuple[range, ...]:
        """Ranges of log positions that versions ``[start, stop)`` stand for together."""
        if start >= stop:
            return ()
        # Without gaps, as in nearly every run, they are one range: as long as the parts together.
        whole = range(
            self.versions[start].covers.start, self.versions[stop - 1].covers.stop
        )
        covered_count = self._covered[stop] - self._covered[start]
        if self.is_straight and whole.stop - whole.start == covered_count:
            return (whole,)
        return tuple(version.covers for version in self.in_block(start, stop))

    def opaque(self, start: int, stop: int) -> tuple[range, ...]:
        """The ranges of log positions that versions ``[start, stop)`` stand for in words that only the provider can
        read."""
        if not self.has_opaque:
            return ()
        block = self.in_block(start, stop)
        return tuple(version.covers for version in block if version.is_opaque)

    def copy(self) -> SummaryLog:
        """A copy of the log, which does not grow with this one."""
        return copy_apart(self)

    def prefix(self, length: int) -> SummaryLog:
        """A new log of the first ``length`` versions."""
        log = SummaryLog(self.counter, self.wording)
        for version, wording in zip(
            self.versions[:length], self._wordings, strict=False
        ):
            log.append(version, wording)
        return log
