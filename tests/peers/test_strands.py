"""Pipelines against the conversation managers of Strands, as memviz runs them."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message

pytest.importorskip("strands")

from strands.agent.conversation_manager import SummarizingConversationManager

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
from tests.peers.libraries.strands_agent import requests_of_an_agent
from tests.strategies.conversations import answered


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
        memviz.strategy(
            "strands_managers", window_tokens=10 * tens, keep_messages=kept
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
        memviz.strategy("strands_managers", rule="sliding_window", window_size=size),
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


@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=24),
    window_tokens=st.integers(20, 120),
    kept=st.integers(1, 6),
    share=st.sampled_from([10, 30, 80]),
)
def test_an_agent_sends_the_same(
    sizes: list[int], window_tokens: int, kept: int, share: int
) -> None:
    """An agent at work, its hooks, its counts and its model, where the strategy has the manager alone."""
    texts = [f"{number} ".ljust(size, "x") for number, size in enumerate(sizes)]
    roles = ["user", "assistant"] * len(texts)
    rule = memviz.strategy(
        "strands_managers",
        window_tokens=window_tokens,
        keep_messages=kept,
        summary_percent=share,
    )
    said = [Message(role, text) for role, text in zip(roles, texts, strict=False)]
    run = memviz.replay(
        answered(said),
        rule,
        model=memviz.ScriptedModel(f"summary {n}" for n in count(1)),
        counter=len,
    )
    manager = SummarizingConversationManager(
        summary_ratio=share / 100,
        preserve_recent_messages=kept,
        proactive_compression=True,
    )
    assert [
        [(one.role, one.content) for one in record.context.messages]
        for record in run.requests
    ] == requests_of_an_agent(texts, manager, window_tokens)
