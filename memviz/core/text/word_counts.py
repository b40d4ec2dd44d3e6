"""The words of many texts and their counts in each, found for all texts at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.words import word_chunks, words_of_chunk

_TEXT_BITS = 32
"""The bits of a pair of word and text that hold the text: word 2 in text 5 is ``(2 << 32) + 5``."""
_TEXT_MASK = (1 << _TEXT_BITS) - 1


class WordCounts(NamedTuple):
    """The words of texts: an entry for each word and each text that holds it, ordered by words and then by texts."""

    different_words: list[str]
    words: NDArray[np.int64]
    """The word of each entry, by its place among the different ones: 0, 0, 1, 2, 2, ..."""
    texts: NDArray[np.int64]
    """The text of each entry, by its place."""
    times: NDArray[np.int64]
    """How often the word stands in that text."""
    lengths: NDArray[np.int64]
    """The number of words of each text."""


def count_words_in_texts(texts: Sequence[str]) -> WordCounts:
    """Return how often each stem stands in each of the ``texts``, as
    :func:`~memviz.core.text.words.count_content_words` counts those of one: for "The hotel" and "A hotel, the hotel?"
    the word "hotel" is in text 0 once and in text 1 twice."""
    chunks_of_texts = [word_chunks(text) for text in texts]
    # Both dictionaries give what is looked up for the first time the next number.
    number_of_chunk: dict[str, int] = defaultdict(count().__next__)
    number_of_word: dict[str, int] = defaultdict(count().__next__)
    chunk_numbers = _numbers(chain.from_iterable(chunks_of_texts), number_of_chunk)
    # A long conversation has few different chunks, and only these are looked into.
    words_of_chunks = [*map(words_of_chunk, number_of_chunk)]
    word_numbers = _numbers(chain.from_iterable(words_of_chunks), number_of_word)
    words_per_chunk = np.array([*map(len, words_of_chunks)], np.int64)
    first_word_of_chunk = np.cumsum(words_per_chunk) - words_per_chunk

    # From here on all chunks of all texts at once: the words of each, and the text that it stands in.
    word_counts = words_per_chunk[chunk_numbers]
    chunks_per_text = np.array([*map(len, chunks_of_texts)], np.int64)
    word_indices = _numbers_from(first_word_of_chunk[chunk_numbers], word_counts)
    text_of_chunk = np.repeat(np.arange(len(texts)), chunks_per_text)
    text_of_word = np.repeat(text_of_chunk, word_counts)
    # One sortable number a pair of word and text: equal pairs lie together after the sort.
    pairs = (word_numbers[word_indices] << _TEXT_BITS) + text_of_word
    pairs.sort()
    first_of_equal = np.flatnonzero(np.diff(pairs, prepend=-1))
    different_pairs = pairs[first_of_equal]
    return WordCounts(
        different_words=[*number_of_word],
        words=different_pairs >> _TEXT_BITS,
        texts=different_pairs & _TEXT_MASK,
        times=np.diff(first_of_equal, append=len(pairs)),
        lengths=np.bincount(text_of_word, minlength=len(texts)),
    )


def _numbers(
    names: Iterable[str], number_of_name: Mapping[str, int]
) -> NDArray[np.int64]:
    """Return the number of each name, in their order."""
    return np.array([*map(number_of_name.__getitem__, names)], np.int64)


def _numbers_from(
    starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return as many whole numbers as ``counts`` has for each of the ``starts``, one run after the other: 2 numbers
    from 5 on and 3 from 9 on are 5, 6, 9, 10, 11."""
    stops = np.cumsum(counts)
    numbers: NDArray[np.int64] = np.repeat(starts - (stops - counts), counts)
    numbers += np.arange(len(numbers))
    return numbers
