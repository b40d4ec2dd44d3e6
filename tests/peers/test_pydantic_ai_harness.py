"""Pipelines against the compactions of pydantic-ai-harness, as memviz runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, ToolCall
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library
from memviz.strategies.pydantic_ai_compaction import CompactionAtWork

pytest.importorskip("pydantic_ai_harness.compaction")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    KnownDifference,
    input_longer_than,
    judge,
    pipeline,
    results_waited_for,
)
from tests.peers.libraries.pydantic_ai_agent import requests_of_an_agent
from tests.strategies.conversations import answered
from tests.strategies.read_talks import talks
from tests.tool_loops import loops

READ = ("read_file", "mcp__files__Read")


def file_of(call: Any) -> str | None:
    """The file that a call reads."""
    if call.tool_name not in READ or ".py" not in str(call.args):
        return None
    return f"{call.tool_name} {call.args}"


def under_own_ids(messages: list[Message]) -> list[Message]:
    """The messages with an id for each call that no other has: the library takes equal ids for one call."""
    found = []
    caller = -1
    for position, message in enumerate(messages):
        if message.role == "assistant":
            caller = position
        calls = tuple(
            replace(call, id=f"{position} {call.id}") for call in message.tool_calls
        )
        id = message.tool_call_id
        own = None if id is None else f"{caller} {id}"
        found.append(replace(message, tool_calls=calls, tool_call_id=own))
    return found


FIRST = "keep the first user message"
MOST = st.integers(3, 12)
KEPT = st.integers(1, 8)


NEVER_REACHED = 1_000_000
"""Tokens that no conversation here has."""


def here(rule: str, **parameters: Any) -> memviz.Strategy:
    return memviz.strategy("pydantic_ai_compaction", rule=rule, **parameters)


def of_messages(rule: str, most: int, kept: int) -> memviz.Strategy:
    """A compaction that acts past so many messages, whatever their tokens."""
    return here(
        rule, trigger_tokens=NEVER_REACHED, trigger_messages=most, keep_messages=kept
    )


@given(messages=ANY, most=MOST, kept=KEPT)
def test_sliding_window(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        of_messages("sliding_window", most, kept),
        pipeline(f"drop at {most + 1} messages, keep {kept} messages, {FIRST}"),
        [ALONE, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, most=st.integers(1, 80), kept=st.integers(0, 4))
def test_clearing(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        here("clear_tool_results", trigger_tokens=most, keep_results=kept),
        pipeline(
            f'clear tool results as "[tool result cleared]" at {most + 1} tokens, keep {kept} results'
        ),
        [DAMAGED, results_waited_for(kept)],
    )


def deduplicating(**trigger: int) -> Callable[[Ask, Counter], Library]:
    """A compaction that memviz does not offer to choose, put to work as those that it does."""

    def of(model: Any, tokenizer: Any) -> Any:
        kinds = import_module("pydantic_ai_harness.compaction")
        return kinds.DeduplicateFileReads(
            file_key=file_of, tokenizer=tokenizer, **trigger
        )

    rule: Any = SimpleNamespace(compaction=of)
    return lambda ask, counter: CompactionAtWork(rule, ask, counter)


def reads_a_whole_file_after_a_part(log: Log) -> bool:
    """Lines of a file are read, and all of it later."""
    reads = [call for m in log for call in m.tool_calls if call.name == "read_file"]
    parts = [number for number, call in enumerate(reads) if "offset" in call.arguments]
    whole = [n for n, call in enumerate(reads) if call.arguments == '{"path": "a.py"}']
    return bool(parts) and bool(whole) and parts[0] < whole[-1]


WHOLE = KnownDifference(
    "one key says what was read, so that the whole file is something else than its parts",
    reads_a_whole_file_after_a_part,
)


@given(messages=talks.map(under_own_ids), most=st.integers(0, 80))
def test_older_reads(messages: list[Message], most: int) -> None:
    """The program says what a file is. Here it says what memviz takes for one."""
    trigger = {"max_tokens": most} if most else {}
    at = f" at {most + 1} tokens" if most else ""
    judge(
        messages,
        deduplicating(**trigger),
        pipeline(f'supersede older reads as "[superseded file read]"{at}'),
        [WHOLE],
    )


@given(messages=ANY, most=MOST, kept=KEPT)
def test_summarizing(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        of_messages("summarizing", most, kept),
        pipeline(f"summarize at {most + 1} messages, keep {kept} messages, {FIRST}"),
        [ALONE, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, most=st.integers(1, 120), results=st.integers(0, 3), kept=KEPT)
def test_tiers(messages: list[Message], most: int, results: int, kept: int) -> None:
    judge(
        messages,
        here("tiered", trigger_tokens=most, keep_results=results, keep_messages=kept),
        pipeline(
            f'clear tool results as "[tool result cleared]" at {most + 1} tokens, keep {results} results',
            f"summarize at {most + 1} tokens, keep {kept} messages, {FIRST}",
        ),
        [ALONE, DAMAGED, results_waited_for(results), input_longer_than(kept)],
    )


@given(
    calls=st.lists(st.integers(0, 2), min_size=1, max_size=8),
    most=st.integers(1, 80),
    kept=st.integers(0, 4),
)
def test_an_agent_sends_the_same(calls: list[int], most: int, kept: int) -> None:
    """An agent whose capability it is, with tools and a model, where memviz has the capability alone."""
    messages = answered(conversation(calls))
    rule = here("clear_tool_results", trigger_tokens=most, keep_results=kept)
    run = memviz.replay(messages, rule, model=None, counter=len)
    stops = [record.memory.length for record in run.requests]
    assert [
        [(one.role, one.content) for one in record.context.messages]
        for record in run.requests
    ] == requests_of_an_agent(messages, stops, rule)


def conversation(calls: list[int]) -> list[Message]:
    """A turn each, with so many calls of a tool one after another."""
    messages = []
    for turn, number in enumerate(calls):
        messages.append(Message("user", f"question {turn}"))
        for at in range(number):
            id = f"c{turn}-{at}"
            call = ToolCall(id, "look_up", "{}")
            messages.append(Message("assistant", "", tool_calls=(call,)))
            messages.append(
                Message("tool", f"result {id}", name="look_up", tool_call_id=id)
            )
        messages.append(Message("assistant", f"answer {turn}"))
    return messages


def test_what_it_clears_is_a_compaction() -> None:
    rule = here("clear_tool_results", trigger_tokens=50, keep_results=2)
    run = memviz.replay(loops(3, 2), rule, counter="chars4")
    cleared = [
        (one.kind, one.after_message, *one.summarized) for one in run.compactions
    ]
    assert cleared == [
        ("cleared", 8, 2),
        ("cleared", 10, 4),
        ("cleared", 14, 8),
        ("cleared", 16, 10),
    ]
    assert all(one.tokens_after < one.tokens_before for one in run.compactions)
