"""Pipelines against the compaction strategies of Microsoft's Agent Framework."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

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
from tests.peers.libraries.agent_framework import CompactionAtWork

SYSTEM = late_system("a late system message stays, and is not counted")

GROUPS = KnownDifference("a call counts as one with its results", calls_tools)


def opens(name: str, **arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return CompactionAtWork(name, arguments, ask, counter)

    return made


@given(messages=ANY, kept=st.integers(1, 8), more=st.integers(0, 6))
def test_summarization(messages: list[Message], kept: int, more: int) -> None:
    judge(
        messages,
        opens("SummarizationStrategy", target_count=kept, threshold=more),
        pipeline(f"summarize at {kept + more + 1} messages, keep {kept} messages"),
        [SYSTEM, ALONE, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, kept=st.integers(1, 8), more=st.integers(0, 6))
def test_truncation(messages: list[Message], kept: int, more: int) -> None:
    judge(
        messages,
        opens("TruncationStrategy", max_n=kept + more, compact_to=kept),
        pipeline(f"drop at {kept + more + 1} messages, keep at most {kept} messages"),
        [SYSTEM, DAMAGED, input_longer_than(kept)],
    )


@given(messages=ANY, kept=st.integers(1, 8))
def test_sliding_window(messages: list[Message], kept: int) -> None:
    judge(
        messages,
        opens("SlidingWindowStrategy", keep_last_groups=kept),
        memviz.strategy("window", window_size=kept),
        [SYSTEM, GROUPS, input_longer_than(kept)],
    )
