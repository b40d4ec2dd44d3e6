"""Conversations in which a question looks something up, and its scores by a slow reference."""

from __future__ import annotations

from collections import Counter
from math import log as ln

import numpy as np

from memviz import Message
from memviz.core.small_embedding import DIMENSIONS
from memviz.core.text.words import count_content_words


def turns(*said: str) -> list[Message]:
    """A turn of each text, answered without a word of it."""
    return [
        message
        for text in said
        for message in (Message("user", text), Message("assistant", "Noted."))
    ]


FILLER = [f"Remark {number} on nothing." for number in range(6)]


def said(message: Message) -> str:
    return f"{message.name}: {message.content}" if message.name else message.content


def slow_scores(
    messages: list[Message], query: str, start: int, stop: int
) -> dict[int, float]:
    """BM25 from its formula, with every message read anew."""
    texts = {
        p: count_content_words(said(messages[p]))
        for p in range(start, stop)
        if messages[p].role in ("user", "assistant") and not messages[p].tool_calls
    }
    texts = {p: words for p, words in texts.items() if words}
    if not texts:
        return {}
    mean = max(1, sum(sum(words.values()) for words in texts.values()) / len(texts))
    holding = Counter(word for words in texts.values() for word in words)
    scores = {}
    for position, words in texts.items():
        damping = 0.9 * (0.6 + 0.4 * sum(words.values()) / mean)
        score = 0.0
        for word in sorted(count_content_words(query)):
            rarity = ln(1 + (len(texts) - holding[word] + 0.5) / (holding[word] + 0.5))
            score += rarity * words[word] * 1.9 / (words[word] + damping)
        if score:
            scores[position] = score
    return scores


def embed_by_letters(text: str) -> np.ndarray:
    """A stand-in for an embedding: texts of the same letters mean the same."""
    counts = np.zeros(DIMENSIONS, np.float32)
    for letter in text.encode():
        counts[letter] += 1
    return counts / (np.linalg.norm(counts) or 1)


def slow_nearness(
    messages: list[Message], query: str, start: int, stop: int
) -> dict[int, float]:
    """Cosines by that stand-in, one after the other."""
    asked = embed_by_letters(query)
    found = {}
    for position in range(start, stop):
        message = messages[position]
        if message.role in ("user", "assistant") and not message.tool_calls:
            cosine = float(sum(asked * embed_by_letters(said(message))))
            if cosine > 0:
                found[position] = cosine
    return found
