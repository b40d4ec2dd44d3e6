"""Work that is done once for each chunk between the spaces of a text, such as "hotel," or "(well-known)"."""

from collections.abc import Callable, Iterable
from itertools import chain
from sys import intern
from typing import TypeVar

LONGEST_CHUNK_KEPT = 40
"""What a program wrote without a space may be long, and is not kept."""
MOST_CHUNKS_KEPT = 65_536
T = TypeVar("T")


class ByChunk(dict[str, T]):
    """The result of ``make`` for each chunk, by the chunk. Fills itself: most chunks come back again and again.

    A dictionary that fills itself is asked at half the price of a function that remembers.
    """

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, chunk: str) -> T:
        made = self._make(chunk)
        if len(chunk) <= LONGEST_CHUNK_KEPT:
            if len(self) >= MOST_CHUNKS_KEPT:
                self.clear()
            self[chunk] = made
        return made


class FoundInChunks:
    """The words of texts, or what else ``find`` finds and never goes across a space: a text has those of its
    chunks."""

    def __init__(self, find: Callable[[str], Iterable[str]]) -> None:
        self.by_chunk = ByChunk(lambda chunk: tuple(map(intern, find(chunk))))

    def in_text(self, text: str) -> list[str]:
        """Return all that is found in ``text``, in order."""
        return self.in_chunks(text.split())

    def in_chunks(self, chunks: Iterable[str]) -> list[str]:
        """Return all that is found in ``chunks``, in order."""
        return [*chain.from_iterable(map(self.by_chunk.__getitem__, chunks))]
