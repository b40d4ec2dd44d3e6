"""An index of the words of a conversation: which messages hold the words of a question, as it stood at any moment.

Everything that a score is made of, also how rare a word is, is that of the messages before a position, so that a search
at a request sees only what existed then, and no search has to build anything anew.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import log
from typing import TYPE_CHECKING

from memviz.core.messages import Message
from memviz.core.shared_growth import SharedGrowth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SATURATION = 0.9
"""BM25's k1: the larger it is, the more a word counts that stands in a message again and again."""
LENGTH_SHARE = 0.4
"""BM25's b: the share of its length above the average by which a message counts less. This and the saturation are
the defaults of Anserini, lower than others: of a chat's messages the long ones are often those that say something."""
GRAIN = 2.0**-32
"""What a word adds to a score is rounded up to a multiple of this. Sums of such numbers are exact up to 2 million,
whatever the order of the words, so that scores that are equal by the formula are equal to the last bit."""
MANY = 32
"""The number of messages from which on it is quicker to read all at once than one after the other."""
MOST_AT_ONCE = 4_000
"""The most messages that are read at once: more are no quicker, and each takes kilobytes meanwhile."""
_COUNT_BITS = 32
"""The bits of an entry that hold how often a word stands in a message: twice in message 7 is ``(7 << 32) + 2``."""
_COUNT_MASK = (1 << _COUNT_BITS) - 1


@dataclass(eq=False, repr=False)
class WordIndex(SharedGrowth):
    """The messages of a log by the stems in them and in the name of who spoke, append-only.

    It has the messages that a person or the assistant wrote. Calls of tools and their results are left out: they would
    have to be brought back together.
    """

    _entries: defaultdict[str, array[int]] = field(
        default_factory=lambda: defaultdict(partial(array, "q"))
    )
    """For each word one number a message that has it: its position, and in the last bits how often."""
    _lengths: array[float] = field(default_factory=lambda: array("d"))
    """The number of words of each message."""
    _words_before: array[int] = field(default_factory=lambda: array("q", [0]))
    """The number of words before each message."""
    _texts_before: array[int] = field(default_factory=lambda: array("q", [0]))
    """The number of messages with words before each message."""

    def extend(self, messages: Sequence[Message]) -> None:
        """Read the messages that were not read yet, many at once."""
        if len(self._lengths) >= len(messages):
            return
        with self._extending:  # two threads at once would read messages twice
            for start in range(len(self._lengths), len(messages), MOST_AT_ONCE):
                unread = messages[start : start + MOST_AT_ONCE]
                texts = [
                    said_by(message) if is_text(message) else "" for message in unread
                ]
                if len(texts) < MANY:
                    self._append_one_by_one(texts)
                else:
                    self._append_at_once(texts)

    def _append_one_by_one(self, texts: Sequence[str]) -> None:
        # Stemmers take long to load.
        from memviz.core.text.words import count_content_words

        for position, text in enumerate(texts, len(self._lengths)):
            counts = count_content_words(text)
            for word, count in counts.items():
                self._entries[word].append((position << _COUNT_BITS) + count)
            length = counts.total()
            self._words_before.append(self._words_before[-1] + length)
            self._texts_before.append(self._texts_before[-1] + bool(counts))
            self._lengths.append(length)

    def _append_at_once(self, texts: Sequence[str]) -> None:
        # Only a search waits for arrays and stemmers.
        import numpy as np

        from memviz.core.text.word_counts import count_words_in_texts

        counts = count_words_in_texts(texts)
        # The entries of a word lie in a row, and their bytes (8 each) are taken as they are.
        positions = counts.texts + len(self._lengths)
        entries = ((positions << _COUNT_BITS) + counts.times).tobytes()
        stops = [*np.flatnonzero(np.diff(counts.words)) + 1, len(positions)]
        start = 0
        for word, stop in zip(counts.different_words, stops, strict=False):
            self._entries[word].frombytes(entries[8 * start : 8 * stop])
            start = stop
        words_before = self._words_before[-1] + np.cumsum(counts.lengths)
        self._words_before.frombytes(words_before.tobytes())
        texts_before = self._texts_before[-1] + np.cumsum(counts.lengths > 0)
        self._texts_before.frombytes(texts_before.tobytes())
        self._lengths.frombytes(counts.lengths.astype(np.float64).tobytes())

    def scores(
        self, words: Collection[str], start: int, stop: int
    ) -> NDArray[np.float64]:
        """Return the BM25 scores [``stop`` - ``start``] of the messages at positions ``[start, stop)`` for ``words``;
        0 where a message has none of them. How rare a word is and how long messages are is counted among these
        messages alone.

        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with the logarithm of
        Lucene, which is never negative; what each word adds is rounded (:data:`GRAIN`).
        """
        import numpy as np  # only a search waits for it

        entries_of_words = self._entries_between(words, start, stop)
        if not entries_of_words:
            return np.zeros(max(0, stop - start))
        text_count = self._texts_before[stop] - self._texts_before[start]
        # All words at once: of a question most are rare, and numpy takes as long for ten places as for a thousand.
        # Arrays are changed in place where they can be: memory for a new one costs more than the sum.
        entries = np.frombuffer(b"".join(entries_of_words), np.int64)
        times = (entries & _COUNT_MASK).astype(np.float64)
        offsets = entries >> _COUNT_BITS
        if start:
            offsets -= start
        message_counts = [*map(len, entries_of_words)]
        divisors = self._damping(start, stop, text_count)[offsets]
        divisors += times
        # In units of GRAIN until they are rounded.
        parts = np.array(_weights(message_counts, text_count)).repeat(message_counts)
        parts *= times
        parts /= divisors
        # Up, so that no message that has a word gets 0.
        np.ceil(parts, out=parts)
        parts *= GRAIN
        return np.bincount(offsets, parts, stop - start).astype(np.float64, copy=False)

    def _entries_between(
        self, words: Collection[str], start: int, stop: int
    ) -> list[array[int]]:
        """Return the entries of each word at positions ``[start, stop)``, without the words that have none there."""
        first = start << _COUNT_BITS
        last = stop << _COUNT_BITS
        entries_of_words = []
        for entries in filter(None, map(self._entries.get, words)):
            low = bisect_left(entries, first) if entries[0] < first else 0
            # Another thread may add entries meanwhile, so those before ``last`` are copied.
            high = len(entries)
            if entries[high - 1] >= last:
                high = bisect_left(entries, last, low)
            part = entries[low:high]
            if part:
                entries_of_words.append(part)
        return entries_of_words

    def _damping(self, start: int, stop: int, text_count: int) -> NDArray[np.float64]:
        """Return by how much each message of ``[start, stop)`` damps a word in it: the more, the longer it is. With
        messages of 4 and 8 words it is 0.78 and 1.02, with equally long ones 0.9."""
        import numpy as np

        word_count = self._words_before[stop] - self._words_before[start]
        mean_words = word_count / text_count
        damping = np.frombuffer(self._lengths[start:stop], np.float64)
        damping *= LENGTH_SHARE
        damping /= max(mean_words, 1)
        damping += 1 - LENGTH_SHARE
        damping *= SATURATION
        return damping

    def words_of(self, words: Collection[str], position: int) -> list[str]:
        """Return those of the ``words`` that the message at ``position`` has, in the order of the alphabet."""
        return sorted(
            word
            for word in words
            if self._entries_between((word,), position, position + 1)
        )


def _weights(message_counts: Sequence[int], text_count: int) -> list[float]:
    """Return the weight of each word by the number of messages that have it, of ``text_count`` in all: the rarer it
    is, the more. The unit is :data:`GRAIN`: of 10 messages a word in 1 has 3.79 / GRAIN, one in all 0.09 / GRAIN."""
    scale = (SATURATION + 1) / GRAIN
    # Many words stand in equally few messages.
    weight_of_count = {
        count: scale * log(1 + (text_count - count + 0.5) / (count + 0.5))
        for count in set(message_counts)
    }
    return [weight_of_count[count] for count in message_counts]


def said_by(message: Message) -> str:
    """Return the content of a message behind the name of its speaker, ``Ana: We leave on Monday``, so that a search
    for "What did Ana plan?" finds it."""
    return f"{message.name}: {message.content}" if message.name else message.content


def is_text(message: Message) -> bool:
    """Return true for a message that can be brought back by itself: of a user or the assistant, without calls."""
    return message.role in ("user", "assistant") and not message.tool_calls
