"""Running summary: past 2 x ``buffer_size`` messages, all but the last ``buffer_size`` are summarized."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations, outcomes

TALK = [
    Message("user" if i % 2 == 0 else "assistant", f"message {i}") for i in range(9)
]


def test_hand_worked_case() -> None:
    """buffer_size 2: fires at 5 messages not summarized, keeps 2, so then every 3 messages."""
    model = ScriptedModel(["first summary", "second summary"])
    run = memviz.replay(
        answered(TALK), memviz.strategy("summary", buffer_size=2), model=model
    )
    fired = [
        (c.after_message, list(c.summarized), c.reason, c.summary)
        for c in run.compactions
    ]
    assert fired == [
        (4, [0, 1, 2], "5 messages > 2 x 2", "first summary"),
        (7, [3, 4, 5], "5 messages > 2 x 2", "second summary"),
    ]
    assert [m.content for m in run.turns[2].context.messages] == [
        "Summary of earlier conversation: first summary",
        "message 3",
        "message 4",
    ]
    assert [m.content for m in run.turns[4].context.messages] == [
        "Summary of earlier conversation: second summary",
        "message 6",
        "message 7",
        "message 8",
    ]
    assert run.turns[2].context.messages[0].role == "system"
    assert [(v.version, v.turn, v.text, list(v.covers)) for v in run.summaries] == [
        (1, 3, "first summary", [0, 1, 2]),
        (2, 4, "second summary", [0, 1, 2, 3, 4, 5]),
    ]


def test_what_the_summarizer_gets() -> None:
    model = ScriptedModel(["first summary", "second summary"])
    run = memviz.replay(TALK, memviz.strategy("summary", buffer_size=2), model=model)
    (first,), (second,) = model.requests
    assert first.role == second.role == "user"
    instruction, _, lines = first.content.partition("\n\n")
    assert "concise" in instruction
    assert "summary" in instruction
    assert lines == "user: message 0\nassistant: message 1\nuser: message 2"
    assert second.content.split("\n\n", 1)[1].splitlines() == [
        "system: Previous summary: first summary",
        "assistant: message 3",
        "user: message 4",
        "assistant: message 5",
    ]
    assert [c.prompt for c in run.compactions] == [first.content, second.content]


def test_no_summary_below_the_trigger() -> None:
    run = memviz.replay(
        TALK[:4], memviz.strategy("summary", buffer_size=2), model=ScriptedModel([])
    )
    assert run.compactions == ()
    assert list(run.turns[-1].context.messages) == TALK[:3]


def test_generations_grow_each_time_the_summary_is_summarized_again() -> None:
    strategy = memviz.strategy("summary", buffer_size=2)
    run = memviz.replay(answered(TALK), strategy, model=ScriptedModel(["one", "two"]))
    assert run.generations()[4, :9].tolist() == [2, 2, 2, 1, 1, 1, 0, 0, 0]


@given(
    messages=conversations(),
    buffer_size=st.integers(1, 4),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], buffer_size: int, plan: list[str], counter: str
) -> None:
    run, _ = compare(
        "summary", {"buffer_size": buffer_size}, messages, plan, counter, "Be kind."
    )
    assert all("over_budget" not in record.flags for record in run.turns)
    assert all(c.reason.endswith(f"> 2 x {buffer_size}") for c in run.compactions)
