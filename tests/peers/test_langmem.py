"""A pipeline against langmem's summarization of short-term memory."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("langmem")

from tests.peers.judging import ANY, DAMAGED, INPUT_SUMMARIZED, judge, pipeline
from tests.peers.libraries.langmem_summaries import SummariesAtWork


def opens(**arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return SummariesAtWork(arguments, ask, counter)

    return made


@given(messages=ANY, most=st.integers(5, 80))
def test_summarizes(messages: list[Message], most: int) -> None:
    judge(
        messages,
        opens(max_tokens=most, max_summary_tokens=1),
        pipeline(f"summarize at {most} tokens"),
        [INPUT_SUMMARIZED, DAMAGED],
        raises=(
            "ValueError: Message with ID",
            "where results stand apart from their call it takes a message for one that it has summarized, and raises",
        ),
    )
