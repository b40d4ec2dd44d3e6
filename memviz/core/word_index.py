"""An index of the words of a conversation: which messages hold the words of a question, as it stood at any moment.

Everything that a score is made of, also how rare a word is, is that of the messages before a position, so that a search
at a request sees only what existed then, and no search has to build anything anew.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
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


class WordIndex(SharedGrowth):
    """The messages of a log by the stems in them and in the name of who spoke, append-only.

    Found are messages that a person or the assistant wrote: calls of tools and their results would have to be brought
    back together, and are not looked up.
    """

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._lengths = array("q")  # words of each message
        self._words_before = array("q", [0])
        self._texts_before = array("q", [0])  # messages with words

    def extend(self, messages: Sequence[Message]) -> None:
        """Read the messages that were not read yet."""
        if len(self._lengths) >= len(messages):
            return
        # Stemmers take long to load.
        from memviz.core.text.words import count_content_words

        with self._extending:  # two threads at once would read messages twice
            for position in range(len(self._lengths), len(messages)):
                message = messages[position]
                text = said_by(message) if is_text(message) else ""
                self._append(position, count_content_words(text))

    def _append(self, position: int, counts: Mapping[str, int]) -> None:
        for word, count in counts.items():
            self._places.setdefault(word, array("q")).append(position)
            self._counts.setdefault(word, array("q")).append(count)
        length = sum(counts.values())
        self._words_before.append(self._words_before[-1] + length)
        self._texts_before.append(self._texts_before[-1] + bool(counts))
        self._lengths.append(length)

    def scores(
        self, words: Collection[str], start: int, stop: int
    ) -> NDArray[np.float64]:
        """The BM25 scores [``stop`` - ``start``] of the messages at positions ``[start, stop)`` for ``words``; 0 where
        a message has none of them. How rare a word is and how long messages are is counted among these messages alone.

        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with the logarithm of
        Lucene, which is never negative.
        """
        import numpy as np  # only a search waits for it

        found = np.zeros(max(0, stop - start))
        texts = self._texts_before[stop] - self._texts_before[start]
        if texts <= 0:
            return found
        mean_words = (self._words_before[stop] - self._words_before[start]) / texts
        places = array("q")
        counts = array("q")
        rarities: list[float] = []
        held_by: list[int] = []
        for word in sorted(words):  # sums in one order are the same everywhere
            held = self._held(word, start, stop)
            if held:
                places += self._places[word][held.start : held.stop]
                counts += self._counts[word][held.start : held.stop]
                rarity = log(1 + (texts - len(held) + 0.5) / (len(held) + 0.5))
                rarities.append(rarity)
                held_by.append(len(held))
        if not held_by:
            return found
        # All words at once: of a question most are rare, and numpy takes as long for ten places as for a thousand.
        at = np.array(places) - start
        times = np.array(counts)
        lengths = np.array(self._lengths[start:stop])[at]
        damping = SATURATION * (
            1 - LENGTH_SHARE + LENGTH_SHARE * lengths / max(mean_words, 1)
        )
        rarity_of = np.repeat(rarities, held_by)
        parts = rarity_of * times * (SATURATION + 1) / (times + damping)
        return np.bincount(at, parts, minlength=len(found)).astype(np.float64)

    def words_of(self, words: Collection[str], position: int) -> list[str]:
        """Those of ``words`` that the message at ``position`` holds, in order of the alphabet."""
        return sorted(
            word for word in words if self._held(word, position, position + 1)
        )

    def _held(self, word: str, start: int, stop: int) -> range:
        """The entries of a word that are of messages at positions ``[start, stop)``."""
        places = self._places.get(word)
        if places is None:
            return range(0)
        low = bisect_left(places, start)
        return range(low, bisect_left(places, stop, low))


def said_by(message: Message) -> str:
    """Return what a message says, behind the name of who said it: "What did Ana plan?" looks for what Ana said."""
    return f"{message.name}: {message.content}" if message.name else message.content


def is_text(message: Message) -> bool:
    """Return whether a message can be brought back by itself: a person's or the assistant's words, without calls."""
    return message.role in ("user", "assistant") and not message.tool_calls
