"""Summary buffer: past ``max_token_limit`` tokens, keep what fits into half of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations, outcomes
from tests.tables import for_each


def sized(*tokens: int) -> list[Message]:
    """User and assistant in turn, each message of so many chars4 tokens."""
    return [
        Message("user" if i % 2 == 0 else "assistant", "x" * 4 * n)
        for i, n in enumerate(tokens)
    ]


def replay(messages: list[Message], limit: int, *summaries: str) -> memviz.Run:
    strategy = memviz.strategy("summary_buffer", max_token_limit=limit)
    return memviz.replay(
        messages, strategy, model=ScriptedModel(summaries), counter="chars4"
    )


@for_each(
    ("tokens", "limit", "summarized"),
    [
        ((4, 4, 2), 10, None),  # 10 is not more than 10
        (
            (4, 4, 3),
            10,
            [0, 1],
        ),  # 11 > 10; half is 5: message 2 (3) fits, message 1 would make 7
        ((4, 2, 3, 2), 10, [0, 1]),  # 11 > 10; 2 + 3 = 5 fits exactly
        (
            (1, 1, 9),
            10,
            [0, 1],
        ),  # the newest alone is over half and is kept all the same
        ((50,), 10, None),  # there is only one
        ((9, 2), 10, [0]),
        (
            (2, 2, 2, 2, 3, 1),
            11,
            [0, 1, 2, 3],
        ),  # 12 > 11; half of 11 is 5: 1 + 3 fit, 2 more do not
    ],
)
def test_hand_worked_cuts(
    tokens: tuple[int, ...], limit: int, summarized: list[int] | None
) -> None:
    run = replay(sized(*tokens), limit, "short")
    assert [list(c.summarized) for c in run.compactions] == (
        [] if summarized is None else [summarized]
    )


def test_keeps_at_least_one_and_summarizes_at_least_one() -> None:
    run = replay(answered(sized(5, 6, 20)), 10, "one", "two", "three")
    assert [(c.after_message, list(c.summarized)) for c in run.compactions] == [
        (1, [0]),
        (2, [1]),
        (3, [2]),
    ]
    assert [m.content for m in run.turns[-1].context.messages] == [
        "Summary of earlier conversation: two",
        "x" * 80,
    ]
    assert run.turns[-1].flags == ("over_budget",)


def test_summary_does_not_count_toward_the_limit() -> None:
    """6 + 5 fires and keeps 5; then 5 + 2 + 3 is 10, not more, whatever the summary's size."""
    run = replay(sized(6, 5, 2, 3), 10, "a summary of far more than ten tokens " * 5)
    assert [list(c.summarized) for c in run.compactions] == [[0]]


@given(
    messages=conversations(),
    limit=st.integers(1, 80),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], limit: int, plan: list[str], counter: str
) -> None:
    run, _ = compare(
        "summary_buffer",
        {"max_token_limit": limit},
        messages,
        plan,
        counter,
        "Be kind.",
    )
    for record in run.turns:
        if record.tokens["input"] > limit:
            assert "over_budget" in record.flags
        if record.tokens["input"] + record.tokens["history"] <= limit:
            assert "over_budget" not in record.flags
