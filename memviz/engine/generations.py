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

import numpy as np
from numpy.typing import NDArray

from memviz.core.facts import LISTS
from memviz.core.summaries import MERGED, SummaryVersion

Counts = NDArray[np.uint16]
MOST = np.iinfo(np.uint16).max
"""More summarizations are not told apart."""


class Generations:
    """The chains of ``versions``. Versions are named by their place (0-based)."""

    def __init__(self, versions: Sequence[SummaryVersion]) -> None:
        self._added: list[tuple[int, int]] = []
        """The log positions that each version adds, as start and stop."""
        self._before: list[int] = []
        """The version that each version replaces, -1 where it replaces none."""
        self._first: list[int] = []
        """The log position at which the chain of each version starts."""
        self._is_gapless: list[bool] = []
        """True if every version of the chain added what follows the one before."""
        self._keeps: list[bool] = []
        """True if a version holds what the one before holds as that was written."""
        self._levels: list[int] = []
        """The summarizations that what a version adds passed: more than one only above the leaves of a tree."""
        self._kept_from: list[int] = []
        """The oldest version of the chain from which on every version keeps the one before as it was written."""
        for number, version in enumerate(versions):
            before = -1 if version.replaces is None else version.replaces - 1
            start = version.added.start
            stop = version.added.stop
            keeps = version.track in LISTS and before >= 0
            if keeps and version.added == versions[before].added:
                # A condensed list read its messages for the second time.
                keeps = False
                start = stop
            is_merged = version.track == MERGED and before >= 0
            self._levels.append(self._levels[before] + 1 if is_merged else 1)
            is_gapless = True
            if before >= 0:
                _, stop_before = self._added[before]
                is_gapless = self._is_gapless[before] and stop_before == start
            self._added.append((start, stop))
            self._before.append(before)
            self._keeps.append(keeps)
            self._kept_from.append(self._kept_from[before] if keeps else number)
            self._first.append(start if before < 0 else self._first[before])
            self._is_gapless.append(is_gapless)

    def row(self, version: int, messages: int) -> Counts:
        """The summarizations that the content of each of the first ``messages`` messages passed up to ``version``;
        0 where it is not in it."""
        chain = []
        passed = self._levels[version] if version >= 0 else 1
        while version >= 0:
            chain.append((passed, self._added[version]))
            passed += not self._keeps[version]
            version = self._before[version]
        counts = np.zeros(messages, dtype=np.uint16)
        for passed, (start, stop) in reversed(chain):
            counts[start:stop] = min(passed, MOST)
        return counts

    def rows(
        self, wanted: Iterable[int], positions: range
    ) -> Iterator[tuple[int, Counts]]:
        """The rows of the ``wanted`` versions for the messages at ``positions``, version by version, ascending."""
        wanted = set(wanted)
        last = max(wanted, default=-1)
        # The last version that replaces a version: until then its row is needed.
        needed_until = {
            before: number for number, before in enumerate(self._before[: last + 1])
        }
        rows: dict[int, Counts] = {-1: np.zeros(len(positions), dtype=np.uint16)}
        for number in range(last + 1):
            before = self._before[number]
            row = rows[before].copy()
            if not self._keeps[number]:
                row += (row > 0) & (row < MOST)
            added = range(*self._added[number])
            row[_places(added, positions)] = self._levels[number]
            if before >= 0 and needed_until[before] == number:
                del rows[before]
            if number in wanted:
                yield number, row
            if number in needed_until:
                rows[number] = row

    def of(self, position: int) -> list[int]:
        """The summarizations that the content of one message passed up to each version; 0 where it is not in it."""
        passed: list[int] = []
        for number, before in enumerate(self._before):
            times = passed[before] if before >= 0 else 0
            if times and not self._keeps[number]:
                times += 1
            if position in range(*self._added[number]):
                times = self._levels[number]
            passed.append(times)
        return passed

    def stretches(
        self, version: int, steps: Sequence[int]
    ) -> list[tuple[int, int, int]] | None:
        """The messages in ``version`` as ranges ``(start, stop, step)``: ``step`` is the largest of the ascending
        ``steps``, of which the first is 1, that their content has reached. ``None`` for a chain with gaps, whose
        :meth:`row` says it."""
        if not self._is_gapless[version]:
            return None
        found = []
        at = version
        stop = self._added[version][1]
        for step, following in pairwise(steps):
            start = stop
            for _ in range(following - step):
                if at >= 0:
                    at = self._kept_from[at]
                    start = self._added[at][0]
                    at = self._before[at]
            found.append((start, stop, step))
            stop = start
        found.append((self._first[version] if at >= 0 else stop, stop, steps[-1]))
        return [stretch for stretch in found if stretch[0] < stretch[1]]


def _places(added: range, positions: range) -> slice:
    """The places of ``added`` among ``positions``."""
    start = max(added.start - positions.start, 0)
    stop = max(added.stop - positions.start, 0)
    return slice(start, stop)
