"""The files that tools read, which of them were read again later, and plans that were written down."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from memviz.core.shared_growth import SharedGrowth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memviz.core.messages import Message, ToolCall

READING_TOOLS = frozenset(
    [
        "cat",
        "fsread",
        "getfilecontents",
        "openfile",
        "read",
        "readfile",
        "readtextfile",
        "view",
        "viewfile",
    ]
)
"""Tools that read one file, by their names in small letters without signs between them."""
PLANNING_TOOLS = frozenset(
    ["managetodolist", "todowrite", "updateplan", "updatetodolist", "writetodos"]
)
"""Tools that write down what is to be done, by their names in small letters without signs
between them."""
PATH_ARGUMENTS = frozenset(
    ["absolutepath", "file", "filename", "filepath", "path", "targetfile"]
)
"""The arguments that say which file, in small letters without signs between them."""
NEVER = 2**62
"""The position of a read that has not come."""


@lru_cache(maxsize=256)  # a conversation has few tools and asks for each result
def reads_files(tool: str) -> bool:
    """Return whether a tool of this name reads a file; that of a server may stand before it: ``mcp__files__read``."""
    return _bare(tool) in READING_TOOLS


def _bare(tool: str) -> str:
    return _plain(tool.rpartition("__")[2])


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


@dataclass(eq=False, repr=False)
class FileReads(SharedGrowth):
    """The results of tools that read files, as log positions, append-only.

    A file is read again if the same tool is called with the same arguments, or with those alone that name the file: a
    read of the whole file takes the place of all reads of its parts. Other lines of a file are something else, and a
    result whose call names no file is none of these.
    """

    _length: int = 0
    _positions: array[int] = field(default_factory=lambda: array("q"))
    _again: array[int] = field(default_factory=lambda: array("q"))
    """The position at which each read was made again, :data:`NEVER` where it was not."""
    _before: list[tuple[int, ...]] = field(default_factory=list)
    """The positions of the earlier reads whose place each read took."""
    _left: array[int] = field(default_factory=lambda: array("q"))
    """The number of reads, when each was made, whose place nothing had taken; itself
    included."""
    _newest: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    """The numbers of the reads whose place nothing took, by tool and file and then by the
    other arguments."""
    _plans: array[int] = field(default_factory=lambda: array("q"))
    """The results of tools that write down a plan."""

    def extend(
        self,
        messages: Sequence[Message],
        answered_call: Callable[[int], ToolCall | None],
    ) -> None:
        """Take in the messages that were not taken in yet."""
        if self._length >= len(messages):
            return
        with self._extending:  # two threads at once would take messages in twice
            for position in range(self._length, len(messages)):
                call = answered_call(position)
                if call is None:
                    continue
                if reads_files(call.name):
                    self._add(position, call)
                elif _bare(call.name) in PLANNING_TOOLS:
                    self._plans.append(position)
            self._length = len(messages)

    def _add(self, position: int, call: ToolCall) -> None:
        file, part = _file_and_part_of(call)
        if not file:
            return
        # A whole file replaces all older reads of it, a part of it only an older read of the same part.
        reads = self._newest.setdefault((call.name, file), {})
        older = [number for key, number in reads.items() if not part or key == part]
        if not part:
            reads.clear()
        reads[part] = len(self._positions)
        for number in older:
            self._again[number] = position
        left_count = self._left[-1] if self._left else 0
        self._left.append(left_count + 1 - len(older))
        self._before.append(tuple(self._positions[number] for number in older))
        self._again.append(NEVER)
        self._positions.append(position)

    def is_superseded(self, position: int, length: int) -> bool:
        """Return whether what stands at ``position`` was read again among the first ``length`` messages."""
        number = self._number_of(position)
        return number is not None and self._again[number] < length

    def is_read(self, position: int) -> bool:
        """Return whether the result of a tool that read a file stands at ``position``."""
        return self._number_of(position) is not None

    def _number_of(self, position: int) -> int | None:
        number = bisect_left(self._positions, position)
        is_there = number < len(self._positions) and self._positions[number] == position
        return number if is_there else None

    def has_older(self, start: int, length: int) -> bool:
        """Return whether anything at ``start`` or behind it was read again among the first ``length`` messages."""
        first = bisect_left(self._positions, start)
        stop = bisect_left(self._positions, length, first)
        return any(again < length for again in self._again[first:stop])

    def superseded(self, length: int) -> NDArray[np.int64]:
        """The positions of the results that were read again among the first ``length`` messages."""
        import numpy as np  # only who asks for it waits for it

        stop = bisect_left(self._positions, length)
        is_old = np.array(self._again[:stop]) < length
        positions: NDArray[np.int64] = np.array(self._positions[:stop])[is_old]
        return positions

    def superseded_since(self, length_before: int, length: int) -> Iterator[int]:
        """The results that were read again by messages ``length_before`` to ``length``."""
        low = bisect_left(self._positions, length_before)
        high = bisect_left(self._positions, length, low)
        return chain.from_iterable(self._before[low:high])

    def newest_plan(self, length: int) -> int | None:
        """The newest result of a tool that writes down a plan among the first ``length`` messages."""
        number = bisect_left(self._plans, length)
        return self._plans[number - 1] if number else None

    def newest(self, stop: int, length: int) -> Iterator[int]:
        """The results before ``stop``, the newest first, that were not read again among the first ``length``
        messages."""
        high = bisect_left(self._positions, stop)
        last = bisect_left(self._positions, length, high)
        later_reads = chain.from_iterable(self._before[high:last])
        read_again = [before for before in later_reads if before < stop]
        # Without a count the walk would pass every older read to find that there is no other file.
        left_count = (self._left[high - 1] if high else 0) - len(read_again)
        for number in range(high - 1, -1, -1):
            if not left_count:
                return
            if self._again[number] >= length:
                yield self._positions[number]
                left_count -= 1


def _file_and_part_of(call: ToolCall) -> tuple[str, str]:
    """The words for the file that a call reads, and for the part of it: the other arguments in one order. The file is
    empty where none names one, the part where nothing else is asked for."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return "", ""
    if not isinstance(arguments, dict):
        return "", ""
    file = {}
    part = {}
    for name, value in arguments.items():
        if _plain(name) in PATH_ARGUMENTS:
            file[name] = value
        elif value is not None:
            part[name] = value
    if not any(isinstance(value, str) and value for value in file.values()):
        return "", ""
    words = json.dumps(file, sort_keys=True)
    return words, json.dumps(part, sort_keys=True) if part else ""
