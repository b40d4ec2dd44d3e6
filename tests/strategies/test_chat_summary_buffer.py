"""LlamaIndex's buffer: before each request, what does not fit the limit with the summary is summarized."""

from __future__ import annotations

from itertools import takewhile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from memviz import MemvizError, Message, ScriptedModel
from memviz.core.errors import SystemPromptTooLargeError
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations, outcomes


def sized(*tokens: int) -> list[Message]:
    """User and assistant in turn, each message of so many chars4 tokens, told apart by a letter."""
    return [
        Message("user" if i % 2 == 0 else "assistant", chr(97 + i) * 4 * n)
        for i, n in enumerate(tokens)
    ]


def replay(
    messages: list[Message], limit: int, *summaries: str, **options: object
) -> memviz.Run:
    strategy = memviz.strategy("chat_summary_buffer", token_limit=limit)
    options.setdefault("model", ScriptedModel(summaries))
    return memviz.replay(answered(messages), strategy, counter="chars4", **options)


def test_acts_before_the_request_and_not_after_each_message() -> None:
    """4 + 4 + 4 > 10 at the second request. Two messages would fit, but the older is the assistant's."""
    messages = sized(4, 4, 4, 40)
    run = replay(messages, 10, "sums")
    assert [
        (c.after_message, list(c.summarized), c.reason) for c in run.compactions
    ] == [(2, [0, 1], "12 tokens > 10")]
    assert list(run.turns[1].context.messages) == [
        Message("system", "sums"),
        messages[2],
    ]


def test_summary_counts_in_the_budget_of_the_next_request() -> None:
    """Request 3 holds summary 1 + 4 + 3 + 2: within 10. With a summary of 2 it is 11, and c, d go."""
    messages = sized(4, 4, 4, 3, 2)
    assert len(replay(messages, 10, "sums").compactions) == 1
    run = replay(messages, 10, "long sum", "sums")
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (2, [0, 1])
    ], "only the summary is left"
    run = replay(sized(4, 4, 4, 5, 2), 10, "long sum", "sums")
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (2, [0, 1]),
        (4, [2, 3]),
    ]


def test_no_call_when_only_the_summary_itself_is_left_over() -> None:
    messages = sized(4, 4, 4, 3, 2)
    model = ScriptedModel(["a summary of 20 tokens" * 4])
    run = replay(messages, 10, model=model)
    assert len(model.requests) == 1
    assert [block.kind for block in run.turns[2].context.blocks] == [
        "summary",
        "history",
        "input",
    ]
    assert run.turns[2].context.blocks[1].indices == (2, 3)


def test_oldest_kept_message_is_never_the_assistants_or_a_tools() -> None:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    messages = [
        Message("user", "a" * 16),
        Message("assistant", "b" * 4, tool_calls=(call,)),
        Message("tool", "c" * 4, tool_call_id="a"),
        Message("assistant", "d" * 4),
        Message("user", "e" * 4),
    ]
    run = replay(messages, 6, "sums")
    assert [list(c.summarized) for c in run.compactions] == [[0, 1, 2, 3]]
    assert list(run.turns[1].context.messages) == [
        Message("system", "sums"),
        messages[4],
    ]
    assert run.turns[1].flags == ()


def test_a_conversation_that_the_assistant_opened_loses_the_greeting_at_once() -> None:
    messages = [Message("assistant", "Hi!"), Message("user", "Hello")]
    run = replay(messages, 1000, "greeting")
    assert [list(c.summarized) for c in run.compactions] == [[0]]


def test_input_over_the_limit_is_summarized_and_sent_besides() -> None:
    messages = sized(2, 2, 30, 2, 2)
    run = replay(messages, 10, "sum1", "sum2")
    assert list(run.compactions[0].summarized) == [0, 1, 2]
    assert list(run.turns[1].context.messages) == [
        Message("system", "sum1"),
        messages[2],
    ]
    assert run.turns[1].flags == ("over_budget",)
    assert messages[2] not in run.turns[2].context.messages


def test_without_a_summarizer_what_does_not_fit_is_dropped() -> None:
    messages = sized(4, 4, 4, 4, 4)
    run = replay(messages, 10, model=None)
    assert [list(record.context.messages) for record in run.turns] == [
        messages[:1],
        messages[2:3],
        messages[4:],
    ]
    assert run.summaries == ()
    assert run.fates()[2, :5].tolist() == [memviz.Fate.DROPPED] * 4 + [
        memviz.Fate.VERBATIM
    ]


def test_what_the_summarizer_gets() -> None:
    model = ScriptedModel(["first summary", "second summary"])
    strategy = memviz.strategy("chat_summary_buffer", token_limit=8)
    run = memviz.replay(
        answered(sized(4, 4, 4, 4, 4)), strategy, model=model, counter="chars4"
    )
    first, second = model.requests
    assert [m.role for m in first] == [m.role for m in second] == ["system", "user"]
    assert "concise summary" in first[0].content
    transcript = first[1].content
    assert transcript.lower().startswith("transcript so far")
    assert (
        0
        < transcript.index("user: " + "a" * 16)
        < transcript.index("assistant: " + "b" * 16)
    )
    assert "c" * 16 not in transcript
    assert (
        0
        < second[1].content.index("system: first summary")
        < second[1].content.index("user: " + "c" * 16)
    )
    assert run.compactions[1].prompt.endswith(second[1].content)
    assert run.turns[2].context.messages[0] == Message("system", "second summary")


def test_own_summarize_prompt_is_used() -> None:
    model = ScriptedModel(["sums"])
    strategy = memviz.strategy(
        "chat_summary_buffer", token_limit=8, summarize_prompt="In one word, please."
    )
    memviz.replay(answered(sized(4, 4, 4)), strategy, model=model, counter="chars4")
    assert model.requests[0][0] == Message("system", "In one word, please.")


def test_system_prompt_counts_only_when_asked_to() -> None:
    messages, prompt = sized(2, 2, 2, 1), "p" * 20
    counted = memviz.strategy(
        "chat_summary_buffer", token_limit=6, count_initial_tokens=True
    )
    run = memviz.replay(
        messages,
        counted,
        model=ScriptedModel(["s", "t"]),
        counter="chars4",
        system_prompt=prompt,
    )
    assert list(run.turns[1].context.messages)[-1] == messages[2]
    assert [list(c.summarized) for c in run.compactions] == [[0], [1, 2]]
    uncounted = memviz.strategy("chat_summary_buffer", token_limit=6)
    run = memviz.replay(
        messages,
        uncounted,
        model=ScriptedModel([]),
        counter="chars4",
        system_prompt=prompt,
    )
    assert run.compactions == ()


def test_system_prompt_over_the_limit_is_an_error() -> None:
    strategy = memviz.strategy(
        "chat_summary_buffer", token_limit=5, count_initial_tokens=True
    )
    memviz.replay(
        sized(1),
        strategy,
        model=ScriptedModel(["s"]),
        counter="chars4",
        system_prompt="p" * 20,
    )
    with pytest.raises(MemvizError, match="token_limit"):
        memviz.replay(
            sized(1),
            strategy,
            model=ScriptedModel(["s"]),
            counter="chars4",
            system_prompt="p" * 24,
        )


@given(
    messages=conversations(),
    limit=st.integers(4, 90),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
    count_initial_tokens=st.booleans(),
)
@example(
    [Message("system", "s" * 16), Message("user", "")], 4, ["good"], "chars4", True
)
def test_agrees_with_the_reference(
    messages: list[Message],
    limit: int,
    plan: list[str],
    counter: str,
    count_initial_tokens: bool,
) -> None:
    parameters = {"token_limit": limit, "count_initial_tokens": count_initial_tokens}
    messages = answered(messages)
    leading = takewhile(lambda message: message.role == "system", messages)
    initial_tokens = sum(
        map(memviz.counter(counter), ["Hi.", *(message.content for message in leading)])
    )
    if count_initial_tokens and initial_tokens > limit:
        with pytest.raises(SystemPromptTooLargeError):
            compare("chat_summary_buffer", parameters, messages, plan, counter, "Hi.")
        return
    run, _ = compare("chat_summary_buffer", parameters, messages, plan, counter, "Hi.")
    for record in run.turns:
        counted = record.tokens["input"] + (
            record.tokens["system"] if count_initial_tokens else 0
        )
        if counted > limit:
            assert "over_budget" in record.flags
        if counted + record.tokens["history"] + record.tokens["summary"] <= limit:
            assert "over_budget" not in record.flags
