"""LangChain's own ContextEditingMiddleware inside memviz."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message
from tests.strategies.conversations import COUNTERS, answered
from tests.strategies.libraries.conversations import TOOLS, conversations
from tests.tool_loops import loops

pytest.importorskip("langchain.agents.middleware")

from tests.strategies.libraries import langchain_runner


@given(
    messages=conversations(),
    counter=st.sampled_from(COUNTERS),
    trigger=st.integers(0, 80),
    keep=st.integers(0, 4),
    clear_at_least=st.sampled_from([0, 0, 1, 5, 10, 30]),
    excluded=st.sampled_from([(), (), TOOLS[:1], TOOLS[1:]]),
)
def test_requests_are_those_of_an_agent(
    messages: list[Message],
    counter: str,
    trigger: int,
    keep: int,
    clear_at_least: int,
    excluded: Any,
) -> None:
    assume(any(message.role == "user" for message in messages))
    messages = answered(messages)
    rule = memviz.strategy(
        "langchain_context_editing",
        trigger_tokens=trigger,
        keep_results=keep,
        clear_at_least_tokens=clear_at_least,
        excluded_tools=", ".join(excluded),
    )
    run = memviz.replay(messages, rule, counter=counter)
    assert clearings(run) == clearings(own_run(messages, rule, counter))
    theirs = langchain_runner.cleared_requests(
        messages,
        memviz.counter(counter),
        trigger=trigger,
        keep=keep,
        clear_at_least=clear_at_least,
        exclude_tools=excluded,
    )
    assert [list(record.context.messages) for record in run.requests] == theirs


def own_run(messages: list[Message], rule: memviz.Strategy, counter: str) -> memviz.Run:
    """The run of memviz's own strategy with the same parameters."""
    return memviz.replay(
        messages,
        memviz.strategy("clear_tool_results", **rule.model_dump()),
        counter=counter,
    )


def clearings(run: memviz.Run) -> list[Any]:
    """What was cleared before which request, and what it saved."""
    return [
        (
            one.kind,
            one.after_message,
            one.summarized[0],
            one.tokens_before,
            one.tokens_after,
        )
        for one in run.compactions
    ]


def test_a_result_that_it_clears_is_known_as_cleared_and_not_as_words_of_its_own() -> (
    None
):
    rule = memviz.strategy(
        "langchain_context_editing", trigger_tokens=0, keep_results=1
    )
    run = memviz.replay(loops(3, 2), rule, counter="chars4")
    results = [at for at, one in enumerate(run.log) if one.role == "tool"]
    fates = run.fates()[-1]
    assert {Fate(fates[at]).name for at in results[:-1]} == {"CLEARED"}
    assert not any(piece.kind == "line" for piece in run.requests[-1].context.blocks)
