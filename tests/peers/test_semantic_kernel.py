"""Pipelines against the history reducers of Semantic Kernel."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Log, Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("semantic_kernel.contents.history_reducer")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    KnownDifference,
    input_longer_than,
    judge,
    late_system,
    pipeline,
)
from tests.peers.libraries.semantic_kernel_reducers import ReducerAtWork

SYSTEM = late_system("the first late system message stays")


def opens(name: str, **arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return ReducerAtWork(name, arguments, ask, counter)

    return made


def calls_again_behind_a_result(log: Log) -> bool:
    """Some call follows a result at once."""
    for before, message in pairwise(log):
        if before.role == "tool" and message.tool_calls:
            return True
    return False


def known(kept: int, more: int) -> list[KnownDifference]:
    """What both reducers do otherwise."""

    def looks_back(log: Log) -> bool:
        return more > 0

    return [
        SYSTEM,
        ALONE,
        KnownDifference(
            "in a loop of tools it goes back to the first call of the loop",
            calls_again_behind_a_result,
        ),
        DAMAGED,
        input_longer_than(kept),
        KnownDifference(
            "with a threshold it looks back as far for a message of the user to begin with",
            looks_back,
        ),
    ]


@given(messages=ANY, kept=st.integers(1, 8), more=st.sampled_from([0, 0, 1, 4]))
def test_truncation(messages: list[Message], kept: int, more: int) -> None:
    judge(
        messages,
        opens("truncation", target_count=kept, threshold_count=more),
        pipeline(f"drop at {kept + more + 1} messages, keep {kept} messages"),
        known(kept, more),
    )


@given(messages=ANY, kept=st.integers(1, 8), more=st.sampled_from([0, 0, 1, 4]))
def test_summarization(messages: list[Message], kept: int, more: int) -> None:
    judge(
        messages,
        opens(
            "summarization",
            target_count=kept,
            threshold_count=more,
            include_function_content_in_summary=True,
        ),
        pipeline(f"summarize at {kept + more + 1} messages, keep {kept} messages"),
        known(kept, more),
    )
