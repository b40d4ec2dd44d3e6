"""A pipeline against the trimmer of tools' outputs of the OpenAI Agents SDK."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Log, Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("agents.extensions")

from tests.peers.judging import (
    ANY,
    DAMAGED,
    UNANSWERED,
    KnownDifference,
    judge,
    pipeline,
)
from tests.peers.libraries.openai_trimmer import TrimmerAtWork

WORTH_IT = 90
"""Outputs of fewer characters become no shorter by the library's words round a preview of so few."""


def opens(**arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return TrimmerAtWork(arguments, ask, counter)

    return made


def longer(message: Message) -> Message:
    """``message`` with its content four times, so that it is worth to be cut."""
    return replace(message, content=message.content * 4)


def short_or_not(message: Message) -> Message:
    """A result that was cut, without the words in which each says so."""
    is_cut = "…" in message.content or message.content.startswith("[Trimmed")
    return replace(message, content="cut") if is_cut else message


def results_in_between(log: Log) -> bool:
    """Some result is long enough to be cut, and too short to become shorter by it."""
    return any(41 < len(m.content) <= WORTH_IT for m in log if m.role == "tool")


def users_in_a_row(log: Log) -> bool:
    """Some user message follows another."""
    roles = [message.role for message in log]
    return ("user", "user") in pairwise(roles)


@given(messages=ANY, turns=st.integers(1, 3))
def test_trims(messages: list[Message], turns: int) -> None:
    judge(
        [longer(message) for message in messages],
        opens(recent_turns=turns, max_output_chars=41, preview_chars=10),
        pipeline(f"shorten tool results to 40 characters, keep {turns} turns"),
        [
            KnownDifference(
                "an output that its preview and the words round it would not make shorter stays",
                results_in_between,
            ),
            KnownDifference(
                "several messages of the user in a row are as many turns",
                users_in_a_row,
            ),
            UNANSWERED,
            DAMAGED,
        ],
        normal=short_or_not,
    )
