"""Sliding window: the last ``window_size`` messages of the log."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations
from tests.tables import for_each

FIVE = [
    Message("user" if i % 2 == 0 else "assistant", f"message {i}") for i in range(5)
]


@for_each(
    ("window_size", "sent"),
    [(1, [4]), (2, [3, 4]), (3, [2, 3, 4]), (5, [0, 1, 2, 3, 4]), (9, [0, 1, 2, 3, 4])],
)
def test_the_input_is_one_of_the_window(window_size: int, sent: list[int]) -> None:
    run = memviz.replay(
        answered(FIVE), memviz.strategy("window", window_size=window_size), model=None
    )
    assert list(run.turns[-1].context.messages) == [FIVE[i] for i in sent]


def test_half_a_turn_and_later_system_messages_fall_out_like_any_other_but_leading_ones_stay() -> (
    None
):
    messages = [
        Message("system", "rules"),
        FIVE[0],
        Message("system", "an alert"),
        *FIVE[1:],
    ]
    strategy = memviz.strategy("window", window_size=2)
    run = memviz.replay(
        answered(messages), strategy, model=None, system_prompt="prompt"
    )
    assert [m.content for m in run.turns[-1].context.messages] == [
        "prompt",
        "rules",
        "message 3",
        "message 4",
    ]


@given(
    messages=conversations(),
    window_size=st.integers(1, 8),
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], window_size: int, counter: str
) -> None:
    compare(
        "window", {"window_size": window_size}, messages, ["raise"], counter, "Be kind."
    )
