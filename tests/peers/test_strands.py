"""Pipelines against the conversation managers of Strands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("strands")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    KnownDifference,
    Request,
    calls_tools,
    input_longer_than,
    judge,
    nowhere,
    pipeline,
)
from tests.peers.libraries.strands import ManagerAtWork


def opens(name: str, window_tokens: int = 100, **arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return ManagerAtWork(name, arguments, ask, counter, window_tokens)

    return made


def holds_at_most_three(theirs: list[Request], ours: list[Request]) -> bool:
    """The first request that differs has at most a summary and two messages of the conversation in theirs."""
    differing = [one for one, other in zip(theirs, ours, strict=True) if one != other]
    return sum(isinstance(m, int) or m.role != "system" for m in differing[0]) <= 3


AT_LEAST_ONE = KnownDifference(
    "of three messages or fewer it summarizes one, though that is more than 30 %",
    nowhere,
    holds_at_most_three,
)


@given(messages=ANY, tens=st.integers(2, 12), kept=st.integers(1, 8))
def test_summarizing(messages: list[Message], tens: int, kept: int) -> None:
    judge(
        messages,
        opens(
            "SummarizingConversationManager",
            10 * tens,
            preserve_recent_messages=kept,
            proactive_compression=True,
        ),
        pipeline(
            f"summarize at {7 * tens} tokens, keep at most 70% of messages, keep at most {kept} messages"
        ),
        [AT_LEAST_ONE, ALONE, DAMAGED, input_longer_than(kept)],
    )


def sends_an_end_of_it(theirs: list[Request], ours: list[Request]) -> bool:
    """Each request of theirs is the end of ours, which has more in front; both have the same system prompt."""
    for request, other in zip(theirs, ours, strict=True):
        said = [m for m in request if isinstance(m, int) or m.role != "system"]
        more = [m for m in other if isinstance(m, int) or m.role != "system"]
        if said != more[len(more) - len(said) :]:
            return False
    return True


@given(messages=ANY, size=st.integers(1, 10))
def test_sliding_window(messages: list[Message], size: int) -> None:
    judge(
        messages,
        opens("SlidingWindowConversationManager", window_size=size, per_turn=True),
        memviz.strategy("window", window_size=size),
        [
            KnownDifference(
                "what it keeps begins at a message of the user, and it trims again only when there are more than "
                "that once more",
                nowhere,
                sends_an_end_of_it,
            ),
            KnownDifference(
                "in a loop of tools without a message of the user it begins at a call with its result, or keeps all",
                calls_tools,
            ),
        ],
    )
