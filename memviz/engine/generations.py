"""The number of summarizations that the content of each message has been through, worked out from the chain of
summaries.

A summary that takes in the one before lets everything in that pass one more summarization, and what it adds pass its
first. A list of facts takes in the one before as it was written, which is no summarization; condensing it is one.
A summary of summaries lets all that it stands for pass one more than they did.

Only the ranges that versions added and the version that each replaces are kept, so a conversation of 50,000 messages
with 10,000 summaries takes 10,000 entries and not a matrix of both.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.facts import LISTS
from memviz.core.summaries import MERGED, SummaryVersion

Counts = NDArray[np.uint16]
MOST = np.iinfo(np.uint16).max
"""More summarizations are not told apart."""


class _Link(NamedTuple):
    """One version in its chain. Versions are named by their place (0-based)."""

    start: int
    """The first log position that the version adds."""
    stop: int
    before: int
    """The version that it replaces, -1 where it replaces none."""
    keeps: bool
    """True if it holds what the one before holds as that was written."""
    level: int
    """The summarizations that what it adds passed: more than one only above the leaves of a tree."""
    first: int
    """The log position at which its chain starts."""
    is_gapless: bool
    """True if every version of its chain added what follows the one before."""
    kept_from: int
    """The oldest version of its chain from which on every version keeps the one before as it was written."""


class Generations:
    """The chains of ``versions``."""

    def __init__(self, versions: Sequence[SummaryVersion]) -> None:
        self._links: list[_Link] = []
        for version in versions:
            self._links.append(self._link_of(version, versions))

    def _link_of(
        self, version: SummaryVersion, versions: Sequence[SummaryVersion]
    ) -> _Link:
        """The next version in its chain, of which all versions before are known."""
        number = len(self._links)
        start = version.added.start
        stop = version.added.stop
        if version.replaces is None:
            return _Link(start, stop, -1, False, 1, start, True, number)
        before = version.replaces - 1
        link_before = self._links[before]
        keeps = version.track in LISTS
        if keeps and version.added == versions[before].added:
            # A condensed list read its messages for the second time.
            keeps = False
            start = stop
        return _Link(
            start=start,
            stop=stop,
            before=before,
            keeps=keeps,
            level=link_before.level + 1 if version.track == MERGED else 1,
            first=link_before.first,
            is_gapless=link_before.is_gapless and link_before.stop == start,
            kept_from=link_before.kept_from if keeps else number,
        )

    def row(self, version: int, messages: int) -> Counts:
        """The summarizations that the content of each of the first ``messages`` messages passed up to ``version``;
        0 where it is not in it."""
        chain = []
        passed = self._links[version].level if version >= 0 else 1
        while version >= 0:
            link = self._links[version]
            chain.append((passed, link))
            passed += not link.keeps
            version = link.before
        counts = np.zeros(messages, dtype=np.uint16)
        for passed, link in reversed(chain):
            counts[link.start : link.stop] = min(passed, MOST)
        return counts

    def rows(
        self, wanted_versions: Iterable[int], positions: range
    ) -> Iterator[tuple[int, Counts]]:
        """Yield the ``wanted_versions``, ascending, each with its :meth:`row` for the messages at ``positions``."""
        wanted_versions = set(wanted_versions)
        links = self._links[: max(wanted_versions, default=-1) + 1]
        # The last version that replaces a version: until then its row is needed.
        needed_until = {link.before: number for number, link in enumerate(links)}
        rows: dict[int, Counts] = {-1: np.zeros(len(positions), dtype=np.uint16)}
        for number, link in enumerate(links):
            row = rows[link.before].copy()
            if not link.keeps:
                row += (row > 0) & (row < MOST)
            row[_places(range(link.start, link.stop), positions)] = link.level
            if link.before >= 0 and needed_until[link.before] == number:
                del rows[link.before]
            if number in wanted_versions:
                yield number, row
            if number in needed_until:
                rows[number] = row

    def of(self, position: int) -> list[int]:
        """The summarizations that the content of one message passed up to each version; 0 where it is not in it."""
        passed: list[int] = []
        for link in self._links:
            times = passed[link.before] if link.before >= 0 else 0
            if times and not link.keeps:
                times += 1
            if link.start <= position < link.stop:
                times = link.level
            passed.append(times)
        return passed

    def stretches(
        self, version: int, steps: Sequence[int]
    ) -> list[tuple[int, int, int]] | None:
        """The messages in ``version`` as ranges ``(start, stop, step)``: ``step`` is the largest of the ascending
        ``steps``, of which the first is 1, that their content has reached. ``None`` for a chain with gaps, whose
        :meth:`row` says it."""
        newest = self._links[version]
        if not newest.is_gapless:
            return None
        stretches = []
        version_before = version
        stop = newest.stop
        for step, following in pairwise(steps):
            start = stop
            for _ in range(following - step):
                if version_before >= 0:
                    oldest_kept = self._links[self._links[version_before].kept_from]
                    start = oldest_kept.start
                    version_before = oldest_kept.before
            stretches.append((start, stop, step))
            stop = start
        first = newest.first if version_before >= 0 else stop
        stretches.append((first, stop, steps[-1]))
        return [stretch for stretch in stretches if stretch[0] < stretch[1]]


def _places(added: range, positions: range) -> slice:
    """The places of ``added`` among ``positions``."""
    start = max(added.start - positions.start, 0)
    stop = max(added.stop - positions.start, 0)
    return slice(start, stop)
