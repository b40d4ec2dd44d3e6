"""Requests of conversations with tools, counted once more from the messages alone: how many there are, and the tokens
of each, with whole messages and without anything that memviz adds up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Run, Strategy
from memviz.metrics.cost.cost import price_traffic
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.models.registry import model
from memviz.transcripts.base import Transcript
from memviz.transcripts.loading import load_file
from tests.engine.probes import REPRESENTATIVES, Digest, small
from tests.metrics.requests.tool_loops import tool_loop
from tests.real_conversations import FOLDER, MISSING, is_there, real_conversations
from tests.tables import for_each

COUNT = memviz.counter("o200k_base")
FORMAT, PRIMER = (
    4,
    3,
)  # tokens that the chat format adds to each message, and to each request
needs_data = pytest.mark.skipif(not is_there(), reason=MISSING)


def requests_called_for(messages: Sequence[Message]) -> list[int]:
    """The turn of every request, read off the roles: each run of the assistant's messages answers one, and what
    nobody answered is none."""
    turns: list[int] = []
    turn, before = 0, ""
    for message in messages:
        if message.role == "user" and before != "user":
            turn += 1
        if message.role == "assistant" and before != "assistant" and turn:
            turns.append(turn)
        before = message.role
    return turns


@cache
def tokens(text: str) -> int:
    return COUNT(text)


def written(message: Message) -> int:
    """Tokens of the text and of the tool calls of a message."""
    return tokens(message.content) + sum(
        tokens(call.name) + tokens(call.arguments) for call in message.tool_calls
    )


def sent_tokens(run: Run) -> list[int]:
    """Input tokens of every request, from the messages that are sent."""
    found = []
    for record in run.requests:
        messages = record.context.messages
        names = sum(tokens(message.name) + 1 for message in messages if message.name)
        found.append(
            sum(written(message) + FORMAT for message in messages) + PRIMER + names
        )
    return found


def replies(messages: Sequence[Message], run: Run) -> list[int]:
    """Tokens of what the assistant wrote in answer to each request."""
    found, position = [], 0
    for record in run.requests:
        position = record.log_length
        total = 0
        while position < len(messages) and messages[position].role == "assistant":
            total += written(messages[position])
            position += 1
        found.append(total)
    return found


def check(
    said: Sequence[Message] | Transcript,
    strategy: Strategy,
    summarizer: memviz.Model | None,
) -> Run:
    """Hold every count of the run against the plain one."""
    run = memviz.replay(said, strategy, model=summarizer, counter=COUNT.name)
    messages = list(run.log)
    turns, sent, answered = (
        requests_called_for(messages),
        sent_tokens(run),
        replies(messages, run),
    )
    assert [record.turn for record in run.requests] == turns
    assert [record.total_tokens for record in run.requests] == sent
    assert [record.reply_tokens for record in run.requests] == answered
    found = count_traffic(run)
    assert (
        found.turns.tolist(),
        found.input_tokens.tolist(),
        found.output_tokens.tolist(),
    ) == (turns, sent, answered)
    whole, use, by_turn = run.frame(), count_token_use(run), run.frame(by="turn")
    assert (whole["turn"].tolist(), whole["total_tokens"].tolist()) == (turns, sent)
    assert by_turn["requests"].tolist() == [
        turns.count(turn) for turn in sorted(set(turns))
    ]
    assert by_turn["total_tokens"].sum() == sum(sent) == use.sent_tokens
    largest = run.requests[sent.index(max(sent))]
    assert (use.requests, use.peak_tokens) == (len(sent), max(sent))
    assert (use.peak_turn, use.peak_call) == (largest.turn, largest.call)
    paid = price_traffic(
        count_traffic(run), None, None, cache=None, pause_seconds=0
    ).frame()
    paid = paid[
        paid["requests"] > 0
    ]  # what is summarized in a turn that nobody answered has a row of its own
    assert paid["requests"].tolist() == by_turn["requests"].tolist()
    assert paid["input_tokens"].tolist() == by_turn["total_tokens"].tolist()
    return run


def real_with_tools() -> list[Transcript]:
    every = [
        transcript for found in real_conversations().values() for transcript in found
    ]
    return [one for one in every if any(message.tool_calls for message in one.messages)]


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("id", REPRESENTATIVES)
def test_every_real_conversation_with_tools(id: str) -> None:
    found = real_with_tools()
    assert len(found) > 10
    assert (
        sum(
            check(one, memviz.strategy(id), model("offline")).has_calls for one in found
        )
        > 10
    )


@cache
def first_airline_talk() -> Transcript:
    file = load_file(FOLDER / "tau_bench_airline_20.json")
    return next(iter(file.transcripts))


@needs_data
@for_each("id", REPRESENTATIVES)
def test_the_first_real_conversation_with_small_limits(id: str) -> None:
    run = check(first_airline_talk(), small(id), Digest())
    assert (len(run.requests), len(run.turns)) == (15, 7)


@given(
    calls=st.lists(st.integers(1, 12), min_size=1, max_size=5), seed=st.integers(0, 9)
)
@for_each("id", REPRESENTATIVES)
def test_generated_tool_loops(id: str, calls: list[int], seed: int) -> None:
    run = check(tool_loop(calls, seed), small(id), Digest())
    assert [len(record.requests) for record in run.turns] == calls


@for_each("id", REPRESENTATIVES)
def test_a_long_loop_in_one_turn(id: str) -> None:
    size = 40
    run = check(tool_loop([size]), small(id), Digest())
    assert [(record.turn, record.call) for record in run.requests] == [
        (1, call) for call in range(1, size + 1)
    ]
    assert (
        len(check(tool_loop([2, size, 1]), memviz.strategy(id), None).requests)
        == size + 3
    )
