"""Pipelines against the compaction strategies of Microsoft's Agent Framework, as memviz runs them."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ToolCall

pytest.importorskip("agent_framework")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    KnownDifference,
    calls_tools,
    input_longer_than,
    judge,
    late_system,
    pipeline,
)
from tests.peers.libraries.agent_framework_client import requests_of_a_client
from tests.strategies.conversations import answered
from tests.tool_loops import loops

SYSTEM = late_system("a late system message stays, and is not counted")

GROUPS = KnownDifference("a call counts as one with its results", calls_tools)


def here(rule: str, **parameters: Any) -> memviz.Strategy:
    return memviz.strategy("agent_framework_compaction", rule=rule, **parameters)


@given(messages=ANY, kept=st.integers(1, 8), more=st.integers(0, 6))
def test_summarization(messages: list[Message], kept: int, more: int) -> None:
    judge(
        messages,
        here("summarization", keep_messages=kept, spare_messages=more),
        pipeline(f"summarize at {kept + more + 1} messages, keep {kept} messages"),
        [SYSTEM, ALONE, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, kept=st.integers(1, 8), more=st.integers(0, 6))
def test_truncation(messages: list[Message], kept: int, more: int) -> None:
    judge(
        messages,
        here("truncation", keep_messages=kept, spare_messages=more),
        pipeline(f"drop at {kept + more + 1} messages, keep at most {kept} messages"),
        [SYSTEM, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, kept=st.integers(1, 8))
def test_sliding_window(messages: list[Message], kept: int) -> None:
    judge(
        messages,
        here("sliding_window", keep_groups=kept),
        memviz.strategy("window", window_size=kept),
        [SYSTEM, GROUPS, input_longer_than(kept)],
    )


@given(
    turns=st.lists(st.booleans(), min_size=1, max_size=9),
    rule=st.sampled_from(
        ["summarization", "truncation", "sliding_window", "tool_results"]
    ),
    kept=st.integers(1, 6),
    more=st.integers(0, 4),
)
def test_a_chat_client_sends_the_same(
    turns: list[bool], rule: str, kept: int, more: int
) -> None:
    """A chat client that has the strategy as its own, where memviz applies it to messages of the log."""
    parameters = {"keep_messages": kept, "spare_messages": more, "keep_groups": kept}
    messages = answered(conversation(turns))
    model = memviz.ScriptedModel(f"summary {n}" for n in count(1))
    run = memviz.replay(messages, here(rule, **parameters), model=model, counter=len)
    stops = [record.memory.length for record in run.requests]
    assert [
        [(one.role, one.content) for one in record.context.messages]
        for record in run.requests
    ] == requests_of_a_client(messages, stops, here(rule, **parameters))


def conversation(turns: list[bool]) -> list[Message]:
    """A turn each, with a call of a tool where one is wanted."""
    messages = []
    for number, calls_tool in enumerate(turns):
        messages.append(Message("user", f"question {number}"))
        if calls_tool:
            call = ToolCall(f"c{number}", "look_up", "{}")
            messages.append(Message("assistant", "", tool_calls=(call,)))
            result = f"result {number}"
            messages.append(Message("tool", result, tool_call_id=f"c{number}"))
        messages.append(Message("assistant", f"answer {number}"))
    return messages


def test_a_line_in_place_of_a_call_and_its_result_is_a_compaction() -> None:
    run = memviz.replay(
        loops(3, 2), here("tool_results", keep_groups=2), counter="chars4"
    )
    reworded = [(one.kind, one.summarized) for one in run.compactions]
    assert reworded == [
        ("evicted", range(1, 3)),
        ("evicted", range(3, 5)),
        ("evicted", range(7, 9)),
        ("evicted", range(9, 11)),
    ]
