"""Talks, and what a summarizer answers about them, for the strategies that list facts as LlamaIndex does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hypothesis import strategies as st

from memviz import Message

PLAN = st.lists(
    st.sampled_from(
        [
            "<facts></facts>",
            "no tags at all",
            "<facts><fact>A{n}</fact>\n <fact>B</fact></facts>",
            "Sure! <fact> C\nin two lines </fact><fact></fact><fact>A1</fact> Anything else?",
            "<fact>D{n}</fact><fact>D{n}</fact><fact>E{n}</fact>",
        ]
    ),
    min_size=1,
)


def words(text: str) -> int:
    return len(text.split())


def answers(plan: list[str]) -> Iterator[str]:
    """What the summarizer answers, call after call."""
    return (plan[n % len(plan)].replace("{n}", str(n)) for n in count(1))


def talk(*sizes: int) -> list[Message]:
    """User and assistant in turn, each message of so many words, told apart by a letter."""
    return [
        Message("user" if i % 2 == 0 else "assistant", " ".join([chr(97 + i)] * n))
        for i, n in enumerate(sizes)
    ]
