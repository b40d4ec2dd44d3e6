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
"""BM25's k1: the more, the more a word counts that stands in a message again and again."""
LENGTH_SHARE = 0.4
"""BM25's b: by so much of its length above the average a message counts less. Both are the defaults of Anserini: of
what is said in turns the long messages are often those that say something."""
GRAIN = 2.0**-32
"""What a word adds to a score is rounded up to a multiple of this. Sums of such numbers are exact up to 2 million,
whatever the order of the words, so that scores that are equal by the formula are equal to the last bit."""
MANY = 32
"""From so many messages on it is quicker to read them all at once than one after the other."""
MOST_AT_ONCE = 4_000
"""So many are read at once at most: more are no quicker, and what is made of their words takes kilobytes for each."""
_COUNT_BITS = 32
_COUNT = (1 << _COUNT_BITS) - 1


@dataclass(eq=False, repr=False)
class WordIndex(SharedGrowth):
    """The messages of a log by the stems in them and in the name of who spoke, append-only.

    Found are messages that a person or the assistant wrote: calls of tools and their results would have to be brought
    back together, and are not looked up.
    """

    _entries: defaultdict[str, array[int]] = field(
        default_factory=lambda: defaultdict(partial(array, "q"))
    )
    """By word one number for each message that holds it: its position, and in the last bits how often."""
    _lengths: array[float] = field(default_factory=lambda: array("d"))
    """The number of words of each message."""
    _words_before: array[int] = field(default_factory=lambda: array("q", [0]))
    _texts_before: array[int] = field(default_factory=lambda: array("q", [0]))
    """The number of messages with words before each."""

    def extend(self, messages: Sequence[Message]) -> None:
        """Read the messages that were not read yet, many at once."""
        if len(self._lengths) >= len(messages):
            return
        with self._extending:  # two threads at once would read messages twice
            for start in range(len(self._lengths), len(messages), MOST_AT_ONCE):
                unread = messages[start : start + MOST_AT_ONCE]
                self._append(
                    [said_by(message) if is_text(message) else "" for message in unread]
                )

    def _append(self, texts: Sequence[str]) -> None:
        if len(texts) < MANY:
            self._append_one_by_one(texts)
        else:
            self._append_at_once(texts)

    def _append_one_by_one(self, texts: Sequence[str]) -> None:
        # Stemmers take long to load.
        from memviz.core.text.words import count_content_words

        for position, text in enumerate(texts, len(self._lengths)):
            first = position << _COUNT_BITS
            counts = count_content_words(text)
            for word, count in counts.items():
                self._entries[word].append(first + count)
            length = counts.total()
            self._words_before.append(self._words_before[-1] + length)
            self._texts_before.append(self._texts_before[-1] + bool(counts))
            self._lengths.append(length)

    def _append_at_once(self, texts: Sequence[str]) -> None:
        # Only a search waits for arrays and stemmers.
        import numpy as np

        from memviz.core.text.word_counts import count_words_in_texts

        counts = count_words_in_texts(texts)
        # The numbers of a word are in a row, and become its entries as they are.
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
        """The BM25 scores [``stop`` - ``start``] of the messages at positions ``[start, stop)`` for ``words``; 0 where
        a message has none of them. How rare a word is and how long messages are is counted among these messages alone.

        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with the logarithm of
        Lucene, which is never negative; what each word adds is rounded (:data:`GRAIN`).
        """
        import numpy as np  # only a search waits for it

        held = self._held(words, start, stop)
        if not held:
            return np.zeros(max(0, stop - start))
        texts = self._texts_before[stop] - self._texts_before[start]
        # All words at once: of a question most are rare, and numpy takes as long for ten places as for a thousand.
        # In place wherever it can be: what is new has to be fetched from far, time and again.
        entries = np.frombuffer(b"".join(held), np.int64)
        times = (entries & _COUNT).astype(np.float64)
        at = entries >> _COUNT_BITS
        if start:
            at -= start
        held_by = [*map(len, held)]
        damping = self._damping(start, stop, texts)
        divisors = damping[at]
        divisors += times
        parts = np.array(_weights(held_by, texts)).repeat(held_by)
        parts *= times
        parts /= divisors
        # Up, so that no message that holds a word has 0.
        np.ceil(parts, out=parts)
        parts *= GRAIN
        return np.bincount(at, parts, stop - start).astype(np.float64, copy=False)

    def _held(self, words: Collection[str], start: int, stop: int) -> list[array[int]]:
        """Return of each word that any of the messages at positions ``[start, stop)`` holds its entries there."""
        first = start << _COUNT_BITS
        last = stop << _COUNT_BITS
        held = []
        for entries in filter(None, map(self._entries.get, words)):
            low = bisect_left(entries, first) if entries[0] < first else 0
            # Another thread may add entries meanwhile, so those before ``last`` are copied.
            high = len(entries)
            if entries[high - 1] >= last:
                high = bisect_left(entries, last, low)
            part = entries[low:high]
            if part:
                held.append(part)
        return held

    def _damping(self, start: int, stop: int, texts: int) -> NDArray[np.float64]:
        """Return by how much each message of ``[start, stop)`` damps a word in it: the more, the longer it is."""
        import numpy as np

        mean_words = (self._words_before[stop] - self._words_before[start]) / texts
        damping = np.frombuffer(self._lengths[start:stop], np.float64)
        damping *= LENGTH_SHARE
        damping /= max(mean_words, 1)
        damping += 1 - LENGTH_SHARE
        damping *= SATURATION
        return damping

    def words_of(self, words: Collection[str], position: int) -> list[str]:
        """The words, of all these ``words``, that the message at ``position`` holds; in order
        of the alphabet."""
        return sorted(
            word for word in words if self._held((word,), position, position + 1)
        )


def _weights(held_by: Sequence[int], texts: int) -> list[float]:
    """Return the weight of each word that ``held_by`` of ``texts`` messages hold: the more, the rarer it is."""
    scale = (SATURATION + 1) / GRAIN
    # Many words are held by equally few.
    weight_of = {
        count: scale * log(1 + (texts - count + 0.5) / (count + 0.5))
        for count in set(held_by)
    }
    return [weight_of[count] for count in held_by]


def said_by(message: Message) -> str:
    """Return what a message says, behind the name of who said it: "What did Ana plan?" looks for what Ana said."""
    return f"{message.name}: {message.content}" if message.name else message.content


def is_text(message: Message) -> bool:
    """Return whether a message can be brought back by itself: a person's or the assistant's words, without calls."""
    return message.role in ("user", "assistant") and not message.tool_calls
