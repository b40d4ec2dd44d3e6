"""Pipelines against the compactions of pydantic-ai-harness."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("pydantic_ai_harness.compaction")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    input_longer_than,
    judge,
    pipeline,
    results_waited_for,
)
from tests.peers.libraries.pydantic_ai import CompactionAtWork

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
