"""Token counters: text in, number of tokens out, always offline.

The tiktoken encodings come from the files that the litellm package carries; litellm itself is not
imported for that, and a missing file is an error, never a download.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import islice
from math import inf
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memviz.core.chunk_counts import ChunkCounts
from memviz.core.errors import (
    CounterUnavailableError,
    ParameterError,
    UnknownCounterError,
)
from memviz.core.line_counts import LineCounts
from memviz.core.shared_growth import SharedGrowth
from memviz.core.translation import _, noop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memviz.core.forms import Form
    from memviz.core.messages import Message, ToolCall

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


TOKENS_PER_NAME = 1
"""What the OpenAI chat format adds to the tokens of a name, where the speaker of a message has one."""


class Counter:
    """A token counter: ``counter(text) -> int``.

    ``units`` are what adds up when texts are put together at a line break (tokens for an
    encoding, characters or bytes for an estimate); ``tokens`` turns a sum of units into a number of
    tokens. So the size of a growing list is known without counting it again. A function
    that somebody else wrote is taken to add up, too.
    """

    def __init__(
        self,
        name: str,
        units: Callable[[str], int],
        tokens: Callable[[int], int] = int,
        title: str = "",
    ) -> None:
        self.name = name
        self.units = units
        self.tokens = tokens
        self.title = title or name
        self._lines = LineCounts(units, SLICE_CHARS)

    def __call__(self, text: str) -> int:
        """The number of tokens of ``text``."""
        return self.tokens(self.units(text))

    def in_lines(self, text: str) -> int:
        """The number of tokens of ``text``, most lines of which were counted before as lines of other texts.

        The same number as ``counter(text)``, sooner: see :mod:`memviz.core.line_counts`.
        """
        return self.tokens(self.units_in_lines(text))

    def units_in_lines(self, text: str) -> int:
        """The units of ``text``, counted in the same way."""
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
        known = COUNTERS.get(self.name) is self
        return (
            (counter, (self.name,))
            if known
            else (Counter, (self.name, self.units, self.tokens, self.title))
        )


def _quarter(units: int) -> int:
    return max(1, units // 4)


def _utf8_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


@cache
def _encode(name: str) -> Callable[[str], list[int]]:
    spec = find_spec(
        "litellm"
    )  # finds the package without running it: importing it takes seconds
    folder = Path(next(iter(spec.submodule_search_locations or ()), "") if spec else "")
    folder = folder / "litellm_core_utils" / "tokenizers"
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

    @lru_cache(
        maxsize=4
    )  # a summary is counted by itself and, right after, as a part of the request
    def units(text: str) -> int:
        if len(text) <= SLICE_CHARS:
            return chunks.units(text)
        slices = range(0, len(text), SLICE_CHARS)
        return sum(chunks.units(text[at : at + SLICE_CHARS]) for at in slices)

    return units


COUNTERS: dict[str, Counter] = {
    **{
        name: Counter(name, _encoding_units(name), title=title)
        for name, title in {
            "o200k_base": "o200k_base (GPT-4o, GPT-5)",
            "cl100k_base": "cl100k_base (GPT-4, GPT-3.5)",
            "p50k_base": noop("p50k_base (older GPT-3)"),
        }.items()
    },
    "chars4": Counter("chars4", len, _quarter, noop("chars4 (characters / 4)")),
    "bytes4": Counter(
        "bytes4", _utf8_bytes, _quarter, noop("bytes4 (UTF-8 bytes / 4)")
    ),
}


AnyCounter = str | Counter | Callable[[str], int]


def counter(name: AnyCounter) -> Counter:
    """The token counter of this name, or one made from any function ``text -> tokens``.

    Raises :class:`UnknownCounterError`, which lists the known names.
    """
    if isinstance(name, Counter):
        return name
    if callable(name):
        return _of_function(name)
    found = COUNTERS.get(name)
    if found is None:
        raise UnknownCounterError(str(name), COUNTERS)
    return found


@lru_cache(
    maxsize=64
)  # one counter a function, so that logs share the sums made with it
def _of_function(count: Callable[[str], int]) -> Counter:
    return Counter(getattr(count, "__name__", "custom"), OwnCount(count))


@dataclass(frozen=True)
class OwnCount:
    """A function that somebody else wrote, held to give a number; picklable as far as the function is."""

    count: Callable[[str], int]

    def __call__(self, text: str) -> int:
        """Its number of tokens. Raises :class:`ParameterError` where it gives something else."""
        tokens = self.count(text)
        if not isinstance(tokens, Real) or not 0 <= tokens < inf:
            raise ParameterError(
                "counter", tokens, "a function that gives a number of tokens, 0 or more"
            )
        return tokens


def name_tokens(counter: Counter, name: str | None) -> int:
    """Return what the name of a speaker adds to a request: its tokens and that of the chat format; 0 without a name."""
    return counter(name) + TOKENS_PER_NAME if name else 0


def call_tokens(counter: Counter, calls: Iterable[ToolCall]) -> int:
    """Return the tokens of the names and arguments of tool calls."""
    return sum(counter(call.name) + counter(call.arguments) for call in calls)


class SumArrays(NamedTuple):
    """The sums of :class:`TokenSums`, each as an array."""

    totals: NDArray[np.int64]
    reply_totals: NDArray[np.int64]
    call_totals: NDArray[np.int64]
    name_totals: NDArray[np.int64]


class TokenSums(SharedGrowth):
    """Running sums of the tokens of a log's messages under one counter.

    ``totals[i]`` is the content of the first ``i`` messages, ``reply_totals[i]`` all that the assistant wrote among
    them, its tool calls included. ``call_totals[i]`` are the names and arguments of the tool calls alone,
    ``name_totals[i]`` the names of those who said them: both are sent but count toward no strategy's threshold.
    Replays in several threads may share one.
    """

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        super().__init__()
        self.totals: list[int] = [0]
        self.reply_totals: list[int] = [0]
        self.call_totals: list[int] = [0]
        self.name_totals: list[int] = [0]
        self._tokens_of_names: dict[str | None, int] = {
            None: 0
        }  # a conversation has few
        self._arrays: SumArrays | None = None

    @property
    def arrays(self) -> SumArrays:
        """The sums as arrays, made again only after more messages were counted."""
        found = self._arrays
        if found is None or len(found.totals) != len(self.totals):
            import numpy as np  # not to be waited for by those who only count

            with self._extending:
                sums = (
                    self.totals,
                    self.reply_totals,
                    self.call_totals,
                    self.name_totals,
                )
                found = self._arrays = SumArrays(
                    *(np.array(one, dtype=np.int64) for one in sums)
                )
        return found

    def extend(self, messages: Sequence[Message]) -> None:
        """Count the messages that were not counted yet."""
        if len(self.totals) > len(messages):
            return
        with self._extending:  # two threads at once would count messages twice
            self._extend(messages)

    def _extend(self, messages: Sequence[Message]) -> None:
        # Runs once a message and counter, for whole archives: local names and one loop make it as fast as counting.
        # The totals come last: their length says how many messages are counted.
        totals = self.totals
        reply_totals = self.reply_totals
        call_totals = self.call_totals
        name_totals = self.name_totals
        names = self._tokens_of_names
        total = totals[-1]
        reply_total = reply_totals[-1]
        call_total = call_totals[-1]
        name_total = name_totals[-1]
        for message in islice(messages, len(totals) - 1, None):
            tokens = self.counter(message.content)
            total += tokens
            calls = 0
            if message.tool_calls:
                calls = call_tokens(self.counter, message.tool_calls)
                call_total += calls
            if message.role == "assistant":
                reply_total += tokens + calls
            if message.name not in names:
                names[message.name] = name_tokens(self.counter, message.name)
            name_total += names[message.name]
            reply_totals.append(reply_total)
            call_totals.append(call_total)
            name_totals.append(name_total)
            totals.append(total)

    def between(self, start: int, stop: int) -> int:
        """Content tokens of the messages at positions ``[start, stop)``."""
        return self.totals[stop] - self.totals[start]

    def suffix_start(self, stop: int, max_tokens: int, floor: int = 0) -> int:
        """The start of the longest run of messages that ends before ``stop`` and holds at most
        ``max_tokens``; never before ``floor``; ``stop`` if not even one fits. O(log n)."""
        return bisect_left(self.totals, self.totals[stop] - max_tokens, floor, stop)

    def prefix(self, length: int) -> TokenSums:
        """The sums of the first ``length`` messages."""
        sums = TokenSums(self.counter)
        sums.totals = self.totals[: length + 1]
        sums.reply_totals = self.reply_totals[: length + 1]
        sums.call_totals = self.call_totals[: length + 1]
        sums._tokens_of_names = self._tokens_of_names.copy()
        sums.name_totals = self.name_totals[: length + 1]
        return sums


class FormSums(TokenSums):
    """The same sums of the log's messages in one ``form``. ``changed`` are the positions, in order, of the messages
    that the form changes: only these are counted once more, all others are taken over from the sums of whole messages.
    """

    def __init__(
        self, whole: TokenSums, form: Form, answered_tool: Callable[[int], str | None]
    ) -> None:
        super().__init__(whole.counter)
        self.whole = whole
        self.form = form
        self._answered_tool = answered_tool
        self.changed: list[int] = []

    def _extend(self, messages: Sequence[Message]) -> None:
        # The sums of whole messages are extended first, by the log.
        self.whole.extend(messages)
        for position in range(len(self.totals) - 1, len(messages)):
            message = messages[position]
            sent = self.form.sent(message, self._answered_tool(position))
            if sent is message:
                content, calls, reply = self._as_whole(position)
            else:
                self.changed.append(position)
                content = self.counter(sent.content)
                calls = call_tokens(self.counter, sent.tool_calls)
                reply = content + calls if message.role == "assistant" else 0
            self.call_totals.append(self.call_totals[-1] + calls)
            self.reply_totals.append(self.reply_totals[-1] + reply)
            self.name_totals.append(self.whole.name_totals[position + 1])
            self.totals.append(self.totals[-1] + content)

    def _as_whole(self, position: int) -> tuple[int, int, int]:
        sums = (self.whole.totals, self.whole.call_totals, self.whole.reply_totals)
        content, calls, reply = (one[position + 1] - one[position] for one in sums)
        return content, calls, reply

    def changed_in(self, start: int, stop: int) -> Sequence[int]:
        """The positions of ``[start, stop)`` that the form changes."""
        low = bisect_left(self.changed, start)
        return self.changed[low : bisect_left(self.changed, stop, low)]
