"""Pipelines against the compaction strategies of inspect_ai."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("inspect_ai.model")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    INPUT_SUMMARIZED,
    judge,
    late_system,
    pipeline,
    results_waited_for,
)
from tests.peers.libraries.inspect_compaction import CompactionAtWork

SYSTEM = late_system("a late system message stays")

RAISES = (
    "RuntimeError: Compaction insufficient",
    "where what is left is still more than the threshold it raises, and the task ends",
)


def opens(name: str, **arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return CompactionAtWork(name, arguments, ask, counter)

    return made


@given(messages=ANY, most=st.integers(40, 300), kept=st.integers(0, 3))
def test_edit(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        opens("CompactionEdit", threshold=most, keep_tool_uses=kept),
        pipeline(
            f'clear tool results as "(Tool result removed)" at {most + 1} tokens, keep {kept} results'
        ),
        [SYSTEM, DAMAGED, results_waited_for(kept)],
        raises=RAISES,
    )


@given(messages=ANY, most=st.integers(40, 300))
def test_summary(messages: list[Message], most: int) -> None:
    judge(
        messages,
        opens("CompactionSummary", threshold=most),
        pipeline(f"summarize at {most + 1} tokens, keep the first user message"),
        [SYSTEM, ALONE, INPUT_SUMMARIZED],
        raises=RAISES,
    )
