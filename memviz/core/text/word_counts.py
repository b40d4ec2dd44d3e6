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
_TEXT = (1 << _TEXT_BITS) - 1


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
    chunks = _numbers(chain.from_iterable(chunks_of_texts), number_of_chunk)
    # A long conversation has few different chunks, and only these are looked into.
    words_of_chunks = [*map(words_of_chunk, number_of_chunk)]
    words = _numbers(chain.from_iterable(words_of_chunks), number_of_word)
    sizes = np.array([*map(len, words_of_chunks)], np.int64)
    first_words = np.cumsum(sizes) - sizes

    # From here on all chunks of all texts at once: the words of each, and the text that it stands in.
    chunk_sizes = sizes[chunks]
    chunk_counts = np.array([*map(len, chunks_of_texts)], np.int64)
    places = _numbers_from(first_words[chunks], chunk_sizes)
    texts_of_chunks = np.repeat(np.arange(len(texts)), chunk_counts)
    texts_of_words = np.repeat(texts_of_chunks, chunk_sizes)
    # One sortable number a pair of word and text: equal pairs lie together after the sort.
    keys = (words[places] << _TEXT_BITS) + texts_of_words
    keys.sort()
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return WordCounts(
        different_words=[*number_of_word],
        words=keys[firsts] >> _TEXT_BITS,
        texts=keys[firsts] & _TEXT,
        times=np.diff(firsts, append=len(keys)),
        lengths=np.bincount(texts_of_words, minlength=len(texts)),
    )


def _numbers(
    names: Iterable[str], number_of_name: Mapping[str, int]
) -> NDArray[np.int64]:
    return np.array([*map(number_of_name.__getitem__, names)], np.int64)


def _numbers_from(
    starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return so many whole numbers from each start on, one row after the other: from 5 and 9 on, 2 and 3 numbers are
    5, 6, 9, 10, 11."""
    stops = np.cumsum(sizes)
    numbers: NDArray[np.int64] = np.repeat(starts - (stops - sizes), sizes)
    numbers += np.arange(len(numbers))
    return numbers
