"""Finds the messages that a pipeline brings back whole behind its summary, such as the plan and the files read last.

The step "bring back the first user message and the plan and 5 files" of :mod:`memviz.strategies.pipeline` is an
:class:`Anchors`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memviz.core.memory import Memory


@dataclass(frozen=True, slots=True)
class Anchors:
    """The kinds of messages that are brought back after they were taken out, by falling priority."""

    first_user_message: bool = False
    plan: bool = False
    """The newest result of a tool that writes down a plan, with its call."""
    files: int = 0
    """The newest results of so many files that were read, with their calls."""
    file_tokens: int = 0
    """A file of more tokens stays away. 0: of any number."""
    tokens: int = 0
    """Most tokens that are brought back. 0: of any number."""

    def find_in(self, memory: Memory) -> list[range]:
        """Return the log positions to bring back, the most important first. A plan that was written again and a file
        that was read again stay away."""
        groups: list[range] = []
        room = self.tokens
        for group in self._list_candidates(memory):
            if group in groups:
                continue
            tokens = memory.sums.between(group.start, group.stop)
            if self.tokens and tokens > room:
                continue
            room -= tokens
            groups.append(group)
        return groups

    def _list_candidates(self, memory: Memory) -> Iterator[range]:
        """Yield the groups of messages that may be brought back, the most important first and the newest file first."""
        log = memory.log
        if self.first_user_message and log.turn_count:
            first = log.turn_start(1)
            if first < memory.cursor:
                yield range(first, first + 1)
        if not self.plan and not self.files:
            return
        reads = log.file_reads()
        plan = reads.newest_plan(memory.length) if self.plan else None
        if plan is not None:
            yield from self._add_call(memory, plan)
        files_left = self.files
        for position in reads.newest(memory.cursor, memory.length):
            if not files_left:
                return
            yield from self._add_call(memory, position)
            files_left -= 1

    def _add_call(self, memory: Memory, result: int) -> Iterator[range]:
        """Yield the ``result`` with its call and all other results of that message: providers reject one without the
        other.

        Nothing is yielded if they are not next to each other, or if one of them may not come back.
        """
        tools = memory.log.tools
        caller = tools.call_of.get(result)
        if caller is None or caller in tools.unanswered:
            return
        results = tools.results_of[caller]
        exchange = range(caller, caller + len(results) + 1)
        if results != list(exchange)[1:] or exchange.stop > memory.cursor:
            return
        if all(self._may_come_back(memory, position) for position in results):
            yield exchange

    def _may_come_back(self, memory: Memory, position: int) -> bool:
        """Return whether a result may come back: it was not read again, and is no file that is too large."""
        reads = memory.log.file_reads()
        if reads.is_superseded(position, memory.length):
            return False
        tokens = memory.sums.between(position, position + 1)
        is_large = self.file_tokens > 0 and tokens > self.file_tokens
        return not is_large or not reads.is_read(position)
