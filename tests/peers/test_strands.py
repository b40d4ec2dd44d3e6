"""Pipelines against the conversation managers of Strands."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("strands")

from memviz.strategies.libraries.strands import ManagerAtWork
from tests.peers.judging import (
    ANY,
    DAMAGED,
    KnownDifference,
    Request,
    input_longer_than,
    judge,
    nowhere,
    pipeline,
)


def opens(name: str, window_tokens: int = 100, **arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return ManagerAtWork(name, arguments, ask, counter, window_tokens)

    return made


def summarizes_its_summary_alone(requests: list[Request], ours: list[Request]) -> bool:
    """A summary was written, and all messages that were sent before are sent still."""
    for before, now in pairwise(requests):
        said = [one for one in before if not isinstance(one, int)]
        newest = [one for one in now if isinstance(one, int)]
        if newest and newest != [one for one in before if isinstance(one, int)]:
            if all(one in now for one in said):
                return True
    return False


ALONE = KnownDifference(
    "where nothing else may go it summarizes its own summary, again before each request",
    nowhere,
    summarizes_its_summary_alone,
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
        [ALONE, DAMAGED, input_longer_than(kept)],
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
            DAMAGED,
        ],
    )
