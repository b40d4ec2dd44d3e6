"""Pipelines against the compactions of pydantic-ai-harness."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Log, Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

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
from tests.peers.libraries.pydantic_ai import CompactionAtWork
from tests.strategies.test_pipeline_superseded import talks

READ = ("read_file", "mcp__files__Read")


def file_of(call: Any) -> str | None:
    """The file that a call reads."""
    if call.tool_name not in READ or ".py" not in str(call.args):
        return None
    return f"{call.tool_name} {call.args}"


def reads_twice_at_once(log: Log) -> bool:
    """One message calls a tool twice with the same arguments."""
    return any(
        len({(call.name, call.arguments) for call in message.tool_calls})
        < len(message.tool_calls)
        for message in log
    )


READ_TWICE_AT_ONCE = KnownDifference(
    "what a library changes in the input stands beside the whole input here, and the input has a file twice",
    reads_twice_at_once,
)


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


def opens(name: str, **arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return CompactionAtWork(name, arguments, ask, counter)

    return made


@given(messages=ANY, most=MOST, kept=KEPT)
def test_sliding_window(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        opens("SlidingWindowCompaction", max_messages=most, keep_messages=kept),
        pipeline(f"drop at {most + 1} messages, keep {kept} messages, {FIRST}"),
        [ALONE, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, most=st.integers(1, 80), kept=st.integers(0, 4))
def test_clearing(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        opens("ClearToolResults", max_tokens=most, keep_pairs=kept, placeholder="[x]"),
        pipeline(
            f'clear tool results as "[x]" at {most + 1} tokens, keep {kept} results'
        ),
        [DAMAGED, results_waited_for(kept)],
    )


@given(messages=talks.map(under_own_ids), most=st.integers(0, 80))
def test_older_reads(messages: list[Message], most: int) -> None:
    """The program says what a file is. Here it says what memviz takes for one."""
    trigger = {"max_tokens": most} if most else {}
    at = f" at {most + 1} tokens" if most else ""
    judge(
        messages,
        opens("DeduplicateFileReads", file_key=file_of, **trigger),
        pipeline(f'supersede older reads as "[superseded file read]"{at}'),
        [READ_TWICE_AT_ONCE],
    )


@given(messages=ANY, most=MOST, kept=KEPT)
def test_summarizing(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        opens("SummarizingCompaction", max_messages=most, keep_messages=kept),
        pipeline(f"summarize at {most + 1} messages, keep {kept} messages, {FIRST}"),
        [ALONE, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, most=st.integers(1, 120), results=st.integers(0, 3), kept=KEPT)
def test_tiers(messages: list[Message], most: int, results: int, kept: int) -> None:
    clearing = {"max_tokens": 1, "keep_pairs": results, "placeholder": "[x]"}
    judge(
        messages,
        opens(
            "TieredCompaction",
            target_tokens=most,
            tiers=[
                ("ClearToolResults", clearing),
                ("SummarizingCompaction", {"max_messages": 1, "keep_messages": kept}),
            ],
        ),
        pipeline(
            f'clear tool results as "[x]" at {most + 1} tokens, keep {results} results',
            f"summarize at {most + 1} tokens, keep {kept} messages, {FIRST}",
        ),
        [ALONE, DAMAGED, results_waited_for(results), input_longer_than(kept)],
    )
