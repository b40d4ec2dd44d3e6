"""Pipelines against the middleware of deepagents, which cuts old arguments and summarizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Message, ToolCall
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("deepagents")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    input_longer_than,
    input_of_more_tokens_than,
    judge,
    pipeline,
)
from tests.peers.libraries.deepagents_middleware import MiddlewareAtWork

LONG = 30
"""Arguments of more characters are cut."""


def opens(**arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return MiddlewareAtWork(arguments, ask, counter)

    return made


def writes_files(message: Message) -> Message:
    """``message`` with calls of the one tool whose arguments the library cuts, long ones."""
    calls = tuple(
        ToolCall(call.id, "write_file", '{"text": "%s"}' % ("word " * 10))
        for call in message.tool_calls
    )
    return replace(message, tool_calls=calls)


def cut_or_not(message: Message) -> Message:
    """``message`` with arguments that only say whether they were cut: each has its own words for it."""
    calls = tuple(
        ToolCall(call.id, call.name, "whole" if len(call.arguments) > 60 else "cut")
        for call in message.tool_calls
    )
    return replace(message, tool_calls=calls)


@given(
    messages=ANY,
    least=st.integers(5, 60),
    more=st.integers(0, 60),
    kept=st.integers(1, 60),
)
def test_cuts_and_summarizes(
    messages: list[Message], least: int, more: int, kept: int
) -> None:
    cutting = {
        "trigger": ("tokens", least),
        "keep": ("tokens", kept),
        "max_length": LONG,
    }
    judge(
        [writes_files(message) for message in messages],
        opens(
            trigger=("tokens", least + more),
            keep=("tokens", kept),
            truncate_args_settings=cutting,
        ),
        pipeline(
            f"cut arguments over {LONG} characters to 20 at {least} tokens, keep {kept} tokens",
            f"summarize at {least + more} tokens, keep {kept} tokens",
        ),
        [ALONE, DAMAGED, input_of_more_tokens_than(kept)],
        normal=cut_or_not,
    )


@given(messages=ANY, most=st.integers(2, 12), kept=st.integers(1, 8))
def test_summarizes(messages: list[Message], most: int, kept: int) -> None:
    judge(
        messages,
        opens(trigger=("messages", most), keep=("messages", kept)),
        pipeline(f"summarize at {most} messages, keep {kept} messages"),
        [ALONE, DAMAGED, input_longer_than(kept)],
    )
