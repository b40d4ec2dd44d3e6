"""Token buffer: the longest suffix of the log within ``max_tokens``."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations
from tests.tables import for_each

SIZED = [
    Message(role, "x" * 4 * tokens)
    for role, tokens in [("user", 5), ("assistant", 7), ("user", 3)]
]  # chars4


@for_each(
    ("max_tokens", "sent", "flags"),
    [
        (1, [2], ("over_budget",)),
        (2, [2], ("over_budget",)),
        (3, [2], ()),
        (9, [2], ()),
        (10, [1, 2], ()),
        (14, [1, 2], ()),
        (15, [0, 1, 2], ()),
    ],
)
def test_longest_suffix_within_the_budget(
    max_tokens: int, sent: list[int], flags: tuple[str, ...]
) -> None:
    strategy = memviz.strategy("token_buffer", max_tokens=max_tokens)
    run = memviz.replay(answered(SIZED), strategy, model=None, counter="chars4")
    record = run.turns[-1]
    assert list(record.context.messages) == [SIZED[i] for i in sent]
    assert record.flags == flags


def test_messages_without_tokens_belong_to_the_longest_suffix() -> None:
    messages = [
        Message("user", "hello"),
        Message("assistant", ""),
        Message("assistant", ""),
        Message("user", "hello"),
    ]
    strategy = memviz.strategy("token_buffer", max_tokens=1)
    run = memviz.replay(answered(messages), strategy, model=None, counter="o200k_base")
    assert list(run.turns[-1].context.messages) == messages[1:]


def test_only_content_counts_toward_the_budget() -> None:
    """Neither the system prompt, nor the format's overhead, nor a tool call's arguments."""
    call = {
        "id": "a",
        "function": {
            "name": "look_up",
            "arguments": '{"q": "a long question about rain"}',
        },
    }
    messages = [
        Message("user", "abcd"),
        Message("assistant", "abcd", tool_calls=(call,)),
        Message("tool", "abcd", tool_call_id="a"),
        Message("user", "abcd"),
    ]
    strategy = memviz.strategy("token_buffer", max_tokens=4)
    run = memviz.replay(
        answered(messages),
        strategy,
        model=None,
        counter="chars4",
        system_prompt="a system prompt of some length",
    )
    assert list(run.turns[-1].context.messages[1:]) == messages
    assert run.turns[-1].flags == ()


@given(
    messages=conversations(),
    max_tokens=st.integers(1, 60),
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], max_tokens: int, counter: str
) -> None:
    run, _ = compare(
        "token_buffer",
        {"max_tokens": max_tokens},
        messages,
        ["raise"],
        counter,
        "Be kind.",
    )
    for record in run.turns:
        assert ("over_budget" in record.flags) == (record.tokens["input"] > max_tokens)
