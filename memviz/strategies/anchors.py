"""Anchors: messages that a pipeline brings back whole behind its summary."""

from collections.abc import Iterator
from dataclasses import dataclass

from memviz.core.memory import Memory


@dataclass(frozen=True, slots=True)
class Anchors:
    """The messages that are brought back once they were taken out: what is said first counts first."""

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
        """The log positions that are brought back, the most important first. What something newer took the place of
        is not: a plan that was written anew, a file that was read again."""
        groups: list[range] = []
        room = self.tokens
        for group in self._in_order(memory):
            if group in groups:
                continue
            tokens = memory.sums.between(group.start, group.stop)
            if self.tokens and tokens > room:
                continue
            room -= tokens
            groups.append(group)
        return groups

    def _in_order(self, memory: Memory) -> Iterator[range]:
        """The groups of messages that there are to bring back, the most important first and of files the newest."""
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
            yield from self._with_call(memory, plan)
        left = self.files
        for position in reads.newest(memory.cursor, memory.length):
            if not left:
                return
            yield from self._with_call(memory, position)
            left -= 1

    def _with_call(self, memory: Memory, result: int) -> Iterator[range]:
        """A result behind its call, with all other results of the same message: providers refuse the one without the
        other. Nothing where they do not stand together, or where one of them may not come back."""
        tools = memory.log.tools
        caller = tools.call_of.get(result)
        if caller is None or caller in tools.unanswered:
            return
        results = tools.results_of[caller]
        together = range(caller, caller + len(results) + 1)
        if results != list(together)[1:] or together.stop > memory.cursor:
            return
        if all(self._may_come_back(memory, position) for position in results):
            yield together

    def _may_come_back(self, memory: Memory, position: int) -> bool:
        """True for a result that is no file, or one that is not too large and was not read again."""
        reads = memory.log.file_reads()
        if reads.is_superseded(position, memory.length):
            return False
        tokens = memory.sums.between(position, position + 1)
        is_large = self.file_tokens > 0 and tokens > self.file_tokens
        return not is_large or not reads.is_read(position)
