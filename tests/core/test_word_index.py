"""Scores of texts that are equal by the formula, whatever the order in which their words are added up."""

from __future__ import annotations

from memviz import Message
from memviz.core.text.words import content_words
from memviz.core.word_index import WordIndex

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
