"""How many summarizations the content of each message has been through, worked out from the chain of summaries.

A summary that takes in the one before lets everything in that pass one more summarization, and what it adds pass its
first. A list of facts takes in the one before as it was written, which is no summarization; condensing it is one.

Only the ranges that versions added and the version that each replaces are kept, so a conversation of 50,000 messages
with 10,000 summaries takes 10,000 entries and not a matrix of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from memviz.core.memory import FACTS, SummaryVersion

Counts = NDArray[np.uint16]
MOST = np.iinfo(np.uint16).max
"""More summarizations are not told apart."""


class Generations:
    """The chains of ``versions``. Versions are named by their place (0-based)."""

    def __init__(self, versions: Sequence[SummaryVersion]) -> None:
        self._added = [
            (version.added.start, version.added.stop) for version in versions
        ]
        self._before = [
            -1 if version.replaces is None else version.replaces - 1
            for version in versions
        ]
        self._first: list[int] = []  # where the chain of a version starts
        self._is_gapless: list[
            bool
        ] = []  # whether each version of its chain added what follows the one before
        self._keeps: list[
            bool
        ] = []  # whether it holds what the version before holds as that was written
        self._kept_from: list[
            int
        ] = []  # the oldest version of its chain of which all was kept so
        for number, (version, before) in enumerate(
            zip(versions, self._before, strict=True)
        ):
            is_list = version.track == FACTS and before >= 0
            is_condensed = is_list and version.added == versions[before].added
            if is_condensed:  # it read its messages for the second time
                self._added[number] = (version.added.stop, version.added.stop)
            self._keeps.append(is_list and not is_condensed)
            self._kept_from.append(
                self._kept_from[before] if self._keeps[-1] else number
            )
            start = self._added[number][0]
            self._first.append(start if before < 0 else self._first[before])
            self._is_gapless.append(
                before < 0
                or (self._is_gapless[before] and self._added[before][1] == start)
            )

    def row(self, version: int, messages: int) -> Counts:
        """What the content of each of the first ``messages`` messages has been through in ``version``; 0 where it is
        not in it."""
        chain, passed = [], 1
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
        asked = set(wanted)
        last = max(asked, default=-1)
        needed_until = {
            before: number for number, before in enumerate(self._before[: last + 1])
        }
        kept: dict[int, Counts] = {}
        for number in range(last + 1):
            before = self._before[number]
            passed = (
                kept[before]
                if before >= 0
                else np.zeros(len(positions), dtype=np.uint16)
            )
            row = (
                passed.copy()
                if self._keeps[number]
                else passed + ((passed > 0) & (passed < MOST))
            )
            start, stop = (
                min(max(at - positions.start, 0), len(positions))
                for at in self._added[number]
            )
            row[start:stop] = 1
            kept[number] = row
            if needed_until.get(before) == number:
                kept.pop(before, None)
            if number in asked:
                yield number, row
            if number not in needed_until:
                del kept[number]

    def of(self, position: int) -> list[int]:
        """What the content of one message has been through in each version; 0 where it is not in it."""
        passed: list[int] = []
        for (start, stop), before, keeps in zip(
            self._added, self._before, self._keeps, strict=True
        ):
            earlier = passed[before] if before >= 0 else 0
            passed.append(
                1 if start <= position < stop else earlier + (earlier > 0 and not keeps)
            )
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
        at, stop = version, self._added[version][1]
        for step, following in pairwise(steps):
            start = stop
            for _ in range(following - step):
                if at >= 0:
                    at = self._kept_from[at]
                    start, at = self._added[at][0], self._before[at]
            found.append((start, stop, step))
            stop = start
        found.append((self._first[version] if at >= 0 else stop, stop, steps[-1]))
        return [stretch for stretch in found if stretch[0] < stretch[1]]
