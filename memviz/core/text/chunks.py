"""Work that is done once for each chunk between the spaces of a text, such as "hotel," or "(well-known)"."""

from collections.abc import Callable, Iterable
from functools import reduce
from itertools import chain
from operator import or_
from sys import intern
from typing import TypeVar

LONGEST_CHUNK_KEPT = 40
"""In characters. Longer chunks are worked out each time: a line of data without a space would fill the memory."""
MOST_CHUNKS_KEPT = 65_536
T = TypeVar("T")


class ByChunk(dict[str, T]):
    """The result of ``make`` for each chunk, by the chunk. Fills itself: most chunks come back again and again.

    A look-up in a dictionary takes half the time of a call of a function with a cache.
    """

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, chunk: str) -> T:
        value = self._make(chunk)
        if len(chunk) <= LONGEST_CHUNK_KEPT:
            if len(self) >= MOST_CHUNKS_KEPT:
                self.clear()
            self[chunk] = value
        return value


class FoundInChunks:
    """The words of texts, or other pieces that ``find`` finds in a text and that never go across a space: a text has
    those of its chunks."""

    def __init__(self, find: Callable[[str], Iterable[str]]) -> None:
        self.by_chunk = ByChunk(lambda chunk: tuple(map(intern, find(chunk))))

    def in_text(self, text: str) -> list[str]:
        """Return the pieces of ``text``, in order."""
        return self.in_chunks(text.split())

    def in_chunks(self, chunks: Iterable[str]) -> list[str]:
        """Return the pieces of ``chunks``, in order."""
        return [*chain.from_iterable(map(self.by_chunk.__getitem__, chunks))]


class MarkedChunks:
    """The marks of texts, such as "has a digit", each as a bit of one number. A text has the marks of its chunks, so
    that all of them are seen with one look-up a word.

    >>> marks = MarkedChunks(str.split)
    >>> is_number = marks.add(str.isdigit)
    >>> bool(marks.in_text("room 12") & is_number)
    True
    """

    def __init__(self, find: Callable[[str], Iterable[str]]) -> None:
        """``find`` finds the words of a chunk."""
        self._find = find
        self._tests: list[Callable[[str], bool]] = []
        self._by_chunk = ByChunk(self._marks_of)

    def add(self, is_marked: Callable[[str], bool]) -> int:
        """Return the bit that texts have with a word of which ``is_marked`` is true. Marks are added before the first
        text is looked at."""
        self._tests.append(is_marked)
        return 1 << (len(self._tests) - 1)

    def in_text(self, text: str) -> int:
        """Return the marks of all chunks of ``text`` together."""
        return reduce(or_, map(self._by_chunk.__getitem__, text.split()), 0)

    def _marks_of(self, chunk: str) -> int:
        chunk_words = tuple(self._find(chunk))
        marks = 0
        for number, is_marked in enumerate(self._tests):
            if any(map(is_marked, chunk_words)):
                marks |= 1 << number
        return marks
