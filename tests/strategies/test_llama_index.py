"""LlamaIndex's own memories inside memviz, against the same memories driven without it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, ModelError, ScriptedModel

pytest.importorskip("llama_index.core")

from tests.strategies.conversations import answered
from tests.strategies.libraries import fact_scripts as facts
from tests.strategies.libraries import llama_index_fifo
from tests.strategies.libraries import summary_scripts as buffers
from tests.strategies.libraries.talks import talks
from tests.tables import for_each


def with_input(log: Log, stop: int, given: list[Message]) -> list[Message]:
    """The messages that a memory gives for the request at ``stop``; the input is always sent, and last."""
    said = log[log.input_start(stop) : stop]
    others: list[Message] = []
    left = [*said]
    for message in reversed(given):  # an earlier one may read the same
        if message in left:
            left.remove(message)
        else:
            others.insert(0, message)
    return [*log[: log.system_stop], *others, *said]


@given(
    roles=buffers.roles,
    sizes=buffers.sizes,
    script=buffers.summary_sizes,
    limit=st.integers(1, 60),
)
def test_a_summary_buffer_sends_and_asks_what_it_gives_without_memviz(
    roles: list[str], sizes: list[int], script: list[int], limit: int
) -> None:
    messages = buffers.conversation(roles, sizes)
    model = ScriptedModel(buffers.summaries(script))
    rule = memviz.strategy("llama_index", token_limit=limit)
    run = memviz.replay(messages, rule, model=model, counter=buffers.words)
    llm = buffers.ScriptedLLM(buffers.summaries(script))
    asked = [record.memory.length for record in run.requests]
    requests = buffers.requests_of_the_library(messages, asked, llm, limit, None)
    for record, theirs in zip(run.requests, requests, strict=True):
        sent = [(one.role, one.content) for one in record.context.messages]
        log = run.log
        said = [
            (one.role, one.content)
            for one in log[log.input_start(record.memory.length) : record.memory.length]
        ]
        assert sent == [one for one in theirs if one not in said] + said
    assert [[one.content for one in request] for request in model.requests] == [
        [str(one.content) for one in request] for request in llm.requests
    ]


@pytest.mark.slow
@given(
    messages=talks(),
    plan=facts.PLAN,
    limit=st.integers(1, 80),
    history=st.sampled_from([10, 50, 70, 100]),
    flush=st.sampled_from([1, 10, 40]),
    most=st.integers(1, 4),
)
def test_a_memory_sends_and_asks_what_it_gives_without_memviz(
    messages: list[Message],
    plan: list[str],
    limit: int,
    history: int,
    flush: int,
    most: int,
) -> None:
    """Its own store is a database, and here it has a list."""
    rule = memviz.strategy(
        "llama_index",
        rule="memory",
        token_limit=limit,
        history_percent=history,
        flush_percent=flush,
        max_facts=most,
    )
    model = ScriptedModel(facts.answers(plan))
    messages = answered(messages)
    run = memviz.replay(messages, rule, model=model, counter=facts.words)
    script = facts.answers(plan)
    library = llama_index_fifo.requests(
        messages,
        llama_index_fifo.Parameters(
            limit, history / 100, max(1, int(limit * (flush / 100))), most
        ),
        lambda sent: next(script),
        facts.words,
    )
    for record, sent in zip(run.requests, library.requests, strict=True):
        theirs = sent[run.log.system_stop :]
        assert list(record.context.messages) == with_input(
            run.log, record.memory.length, theirs
        )
    assert [[one.content for one in request] for request in model.requests] == [
        [one.content for one in asked.messages] for asked in library.asked
    ]


def talk(*sizes: int) -> list[Message]:
    return facts.talk(*sizes)


def replayed(messages: list[Message], answers: list[Any], **parameters: Any) -> Any:
    rule = memviz.strategy("llama_index", **parameters)
    return memviz.replay(
        answered(messages), rule, model=ScriptedModel(answers), counter=facts.words
    )


MEMORY = {"rule": "memory", "token_limit": 10, "history_percent": 100}


@for_each("answer", [" ", ModelError("no connection")])
@for_each("parameters", [MEMORY, {"token_limit": 10}])
def test_a_summarizer_that_fails_takes_nothing_out_and_is_asked_again(
    parameters: dict[str, Any], answer: object
) -> None:
    """LlamaIndex has taken the messages out by then."""
    messages = talk(3, 3, 5, 1, 1, 1, 1)
    run = replayed(messages, [answer, *["<fact>a</fact>"] * 9], **parameters)
    first, second, *_ = run.compactions
    assert first.error
    assert list(run.requests[1].context.messages) == messages[:3]
    assert (second.error, second.summarized.start) == (None, 0)
    assert "<fact>a</fact>" in run.requests[-1].context.messages[0].content


def test_an_answer_without_a_fact_was_paid_for_and_the_messages_are_gone() -> None:
    run = replayed(talk(3, 3, 5), ["No facts."], **MEMORY)
    (compaction,) = run.compactions
    assert (compaction.calls, compaction.summary, compaction.answered) == (
        1,
        "",
        "No facts.",
    )
    assert [one.content[0] for one in run.requests[-1].context.messages] == ["c"]


def test_what_adds_no_fact_leaves_the_facts_that_are_known() -> None:
    messages = talk(3, 3, 5, 5, 5)
    run = replayed(messages, ["<fact>a</fact>", "No facts."], **MEMORY)
    assert [one.calls for one in run.compactions] == [1, 1]
    known = "<memory>\n<ExtractedFacts>\n<fact>a</fact>\n</ExtractedFacts>\n</memory>"
    assert [one.summary for one in run.compactions] == [known, known]
    assert run.requests[-1].context.messages[0].content == known


def test_without_facts_nobody_is_asked() -> None:
    run = replayed(talk(3, 3, 5), [], max_facts=0, **MEMORY)
    assert [(one.kind, one.calls) for one in run.compactions] == [("evicted", 0)]


def test_memviz_starts_without_llama_index() -> None:
    script = (
        "import sys, memviz; memviz.strategy('llama_index').reason_not_to_run(); "
        "print([name for name in sys.modules if name.startswith('llama_index')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
