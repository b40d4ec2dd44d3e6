"""Scores of texts that are equal by the formula, whatever the order in which their words are added up."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from memviz import Message
from memviz.core.text.words import content_words
from memviz.core.word_index import MANY, WordIndex

WORDS = ("budget", "cat", "hotel", "Lisbon", "passport", "rain", "tram")
TIMES = (1, 2, 3, 5, 8, 13, 21)


def test_texts_whose_words_count_equally_have_one_score_to_the_last_bit() -> None:
    # Every text holds each word, and each number of times: "cat hotel hotel", "cat cat hotel".
    messages = []
    for shift in range(len(WORDS)):
        times = TIMES[shift:] + TIMES[:shift]
        words: list[str] = []
        for word, count in zip(WORDS, times, strict=True):
            words += [word] * count
        messages.append(Message("user", " ".join(words)))
    index = WordIndex()
    index.extend(messages)
    scores = index.scores(content_words(" ".join(WORDS)), 0, len(messages))
    assert scores[0] > 0
    assert len({*scores.tolist()}) == 1


def test_messages_read_at_once_score_as_those_read_one_by_one() -> None:
    messages = [
        Message("user", f"{WORDS[number % 7]} 北京大学 {WORDS[number % 5]} {number}")
        for number in range(MANY + 8)
    ]
    messages[3] = Message("tool", "tram tram", tool_call_id="a")
    at_once = WordIndex()
    # A few, many at once behind them, and a few again.
    for stop in (3, MANY + 5, MANY + 8):
        at_once.extend(messages[:stop])
    one_by_one = WordIndex()
    for stop in range(1, len(messages) + 1):
        one_by_one.extend(messages[:stop])
    question = content_words("Which tram goes to the hotel of 北京大学, and the cat?")
    for bounds in ((0, 1), (0, 20), (2, MANY), (7, len(messages)), (0, len(messages))):
        expected = one_by_one.scores(question, *bounds)
        assert np.array_equal(at_once.scores(question, *bounds), expected)
        assert expected.any()
    for position in range(len(messages)):
        words = one_by_one.words_of(question, position)
        assert at_once.words_of(question, position) == words


def test_a_search_has_what_was_said_when_it_began_also_while_another_thread_reads_on() -> (
    None
):
    messages = [Message("user", f"tram {number}") for number in range(MANY)]
    index = WordIndex()
    index.extend(messages)
    entries = index._entries_between(("tram",), 0, MANY)
    index.extend([*messages, Message("user", "tram")])
    assert [*map(len, entries)] == [MANY]


def test_a_long_conversation_is_read_in_parts_of_which_each_is_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memviz.core.word_index.MOST_AT_ONCE", 1_000)
    messages = [
        Message("user", " ".join(f"{word} {number}" for word in WORDS))
        for number in range(8_000)
    ]
    index = WordIndex()
    index.extend(messages[:MANY])  # loads what reads words
    tracemalloc.start()
    index.extend(messages)
    stays, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most - stays < stays
