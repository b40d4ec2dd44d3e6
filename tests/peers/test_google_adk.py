"""A pipeline against the context filter of Google's ADK."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Log, Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("google.adk.plugins.context_filter_plugin")

from tests.peers.judging import (
    ANY,
    DAMAGED,
    UNANSWERED,
    KnownDifference,
    judge,
    late_system,
    pipeline,
)
from tests.peers.libraries.adk_filter import FilterAtWork

SYSTEM = late_system("a late system message is a message of the user")


def opens(**arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return FilterAtWork(arguments, ask, counter)

    return made


@given(messages=ANY, kept=st.integers(1, 4))
def test_keeps_invocations(messages: list[Message], kept: int) -> None:
    judge(
        messages,
        opens(num_invocations_to_keep=kept),
        pipeline(f"drop at {kept + 1} turns, keep {kept} turns"),
        [SYSTEM, DAMAGED, UNANSWERED],
    )


@given(messages=ANY, kept=st.integers(1, 3), removed=st.integers(2, 3))
def test_removes_several(messages: list[Message], kept: int, removed: int) -> None:
    def cuts_at_every_turn(log: Log) -> bool:
        return log.turn_count > kept + removed

    judge(
        messages,
        opens(num_invocations_to_keep=kept, remove_amount=removed),
        pipeline(f"drop at {kept + removed} turns, keep {kept} turns"),
        [
            KnownDifference(
                "past the sum of both it cuts at every turn: it counts the whole conversation anew",
                cuts_at_every_turn,
            ),
            SYSTEM,
            DAMAGED,
            UNANSWERED,
        ],
    )
