"""Token counters: text in, number of tokens out, always offline.

The tiktoken encodings come from the files that the litellm package carries; litellm itself is not
imported for that, and a missing file is an error, never a download.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from math import inf
from numbers import Real
from pathlib import Path

from memviz.core.chunk_counts import ChunkCounts
from memviz.core.errors import (
    CounterUnavailableError,
    ParameterError,
    UnknownCounterError,
)
from memviz.core.line_counts import LineCounts
from memviz.core.translation import _, noop

DEFAULT_COUNTER = "o200k_base"
"""Counts tokens wherever nobody chose a counter: the encoding of OpenAI's current models."""
# The file in which tiktoken's cache keeps each encoding: the SHA-1 of the address it was published at.
ENCODING_FILES = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "p50k_base": "ec7223a39ce59f226a68acc30dc1af2788490e15",
}
SLICE_CHARS = 50_000
"""Longest text given to a tokenizer at once: longer runs of white space make tiktoken panic.
Cutting a text there moves its count by less than 0.01 %."""


@dataclass(eq=False, repr=False)
class Counter:
    """A token counter: ``counter(text) -> int``.

    The size of a growing list is known without counting it again, because units add up. A
    function that somebody else wrote is taken to add up, too.
    """

    name: str
    units: Callable[[str], int]
    """Returns the units of a text, which add up when texts are put together at a line break: tokens for an encoding,
    characters or bytes for an estimate."""
    tokens: Callable[[int], int] = int
    """Returns the tokens of a sum of units."""
    title: str = ""

    def __post_init__(self) -> None:
        self.title = self.title or self.name
        self._lines = LineCounts(self.units, SLICE_CHARS)

    def __call__(self, text: str) -> int:
        """The number of tokens of ``text``."""
        return self.tokens(self.units(text))

    def in_lines(self, text: str) -> int:
        """The number of tokens of ``text``: that of ``counter(text)``, but sooner where most
        lines were counted before as lines of other texts (:mod:`memviz.core.line_counts`)."""
        return self.tokens(self.units_in_lines(text))

    def units_in_lines(self, text: str) -> int:
        """The units of ``text``, sooner where most lines were counted before."""
        # Somebody's own function may look at the text as a whole, so only the counters below are known to add up.
        return self._lines.units(text) if self.name in COUNTERS else self.units(text)

    def units_of(self, tokens: int) -> int:
        """The fewest units that make so many tokens."""
        return bisect_left(range(8 * tokens), tokens, key=self.tokens)

    def line_break_units(self, text: str) -> int:
        """Units that a line break adds at the end of ``text``, which must not end in white space."""
        # A tokenizer joins a line break to the last word at most, so nothing before that word is counted again.
        end = text
        if len(text) < SLICE_CHARS:
            last_word = max(0, text.rfind(" "))
            end = text[last_word:]
        return self.units(end + "\n") - self.units(end)

    def __repr__(self) -> str:
        return f"Counter({self.name!r})"

    def __reduce__(self) -> tuple[object, ...]:
        if COUNTERS.get(self.name) is self:
            return counter, (self.name,)
        return Counter, (self.name, self.units, self.tokens, self.title)


def _quarter(units: int) -> int:
    return max(1, units // 4)


def _utf8_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _litellm_folder() -> Path:
    # Finds the package without running it: importing it takes seconds.
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return Path()
    return Path(spec.submodule_search_locations[0])


@cache
def _encode(name: str) -> Callable[[str], list[int]]:
    folder = _litellm_folder() / "litellm_core_utils" / "tokenizers"
    if not (folder / ENCODING_FILES[name]).is_file():
        raise CounterUnavailableError(
            _(
                "The encoding {name} is not in {folder}. Install litellm again, or choose chars4 or bytes4.",
                name=name,
                folder=folder,
            )
        )
    import tiktoken

    # tiktoken reads its cache folder from the environment when it first loads an encoding.
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        return tiktoken.get_encoding(name).encode_ordinary
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def _encoding_units(name: str) -> Callable[[str], int]:
    chunks = ChunkCounts(lambda text: len(_encode(name)(text)))

    # A summary is counted by itself and, right after, as a part of the request.
    @lru_cache(maxsize=4)
    def units(text: str) -> int:
        if len(text) <= SLICE_CHARS:
            return chunks.units(text)
        slices = range(0, len(text), SLICE_CHARS)
        return sum(chunks.units(text[start : start + SLICE_CHARS]) for start in slices)

    return units


def _encoding(name: str, title: str) -> Counter:
    return Counter(name, _encoding_units(name), title=title)


_KNOWN = (
    _encoding("o200k_base", "o200k_base (GPT-4o, GPT-5)"),
    _encoding("cl100k_base", "cl100k_base (GPT-4, GPT-3.5)"),
    _encoding("p50k_base", noop("p50k_base (older GPT-3)")),
    Counter("chars4", len, _quarter, noop("chars4 (characters / 4)")),
    Counter("bytes4", _utf8_bytes, _quarter, noop("bytes4 (UTF-8 bytes / 4)")),
)
COUNTERS: dict[str, Counter] = {known.name: known for known in _KNOWN}
"""The counters that memviz has, by name."""


AnyCounter = str | Counter | Callable[[str], int]


def counter(name: AnyCounter) -> Counter:
    """The token counter of this name, or one made from any function ``text -> tokens``.

    Raises :class:`UnknownCounterError`, which lists the known names.
    """
    if isinstance(name, Counter):
        return name
    if callable(name):
        return _of_function(name)
    if name not in COUNTERS:
        raise UnknownCounterError(str(name), COUNTERS)
    return COUNTERS[name]


# One counter a function, so that logs share the sums made with it.
@lru_cache(maxsize=64)
def _of_function(count: Callable[[str], int]) -> Counter:
    return Counter(getattr(count, "__name__", "custom"), OwnCount(count))


@dataclass(frozen=True)
class OwnCount:
    """A function that somebody else wrote, held to give a number; picklable as far as the function is."""

    count: Callable[[str], int]

    def __call__(self, text: str) -> int:
        """The number of tokens of ``text``. Raises :class:`ParameterError` where the
        function gives no number."""
        tokens = self.count(text)
        if not isinstance(tokens, Real) or not 0 <= tokens < inf:
            raise ParameterError(
                "counter", tokens, "a function that gives a number of tokens, 0 or more"
            )
        return tokens
