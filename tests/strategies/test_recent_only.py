"""Recent turns: the summaries of all turns, then the last ``recent_rounds`` completed turns, then the input."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations, outcomes

HEADING = "=== ACCUMULATED MEMORY SUMMARIES ==="
TALK = [
    Message("user" if i % 2 == 0 else "assistant", f"message {i}") for i in range(7)
]


def test_hand_worked_case() -> None:
    model = ScriptedModel(["they met", "they ate", "they left", "they slept"])
    run = memviz.replay(
        answered(TALK), memviz.strategy("recent_only", recent_rounds=1), model=model
    )
    assert [[m.content for m in record.context.messages] for record in run.turns] == [
        ["message 0"],
        [f"{HEADING}\n[Turn 1] they met", "message 0", "message 1", "message 2"],
        [
            f"{HEADING}\n[Turn 1] they met\n[Turn 2] they ate",
            "message 2",
            "message 3",
            "message 4",
        ],
        [
            f"{HEADING}\n[Turn 1] they met\n[Turn 2] they ate\n[Turn 3] they left",
            "message 4",
            "message 5",
            "message 6",
        ],
    ]
    assert [list(c.summarized) for c in run.compactions] == [
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7],
    ]


def test_with_summarization_off_only_the_turns() -> None:
    strategy = memviz.strategy(
        "recent_only", recent_rounds=2, enable_summarization=False
    )
    model = ScriptedModel([])
    run = memviz.replay(answered(TALK), strategy, model=model)
    assert list(run.turns[3].context.messages) == TALK[2:]
    assert model.requests == []
    assert (
        run.fates()[3, :7].tolist()
        == [memviz.Fate.DROPPED] * 2 + [memviz.Fate.VERBATIM] * 5
    )


def test_a_turn_is_taken_whole_whatever_it_holds() -> None:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    messages = [
        Message("user", "old"),
        Message("assistant", "old answer"),
        Message("user", "first half"),
        Message("user", "second half"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "rain", tool_call_id="a"),
        Message("assistant", "It rains."),
        Message("user", "new, first half"),
        Message("user", "new, second half"),
    ]
    strategy = memviz.strategy(
        "recent_only", recent_rounds=1, enable_summarization=False
    )
    record = memviz.replay(answered(messages), strategy, model=None).turns[-1]
    assert list(record.context.messages) == messages[2:]
    assert record.flags == ()
    assert [(block.kind, block.indices) for block in record.context.blocks] == [
        ("history", (2, 3, 4, 5, 6)),
        ("input", (7, 8)),
    ]


@given(
    messages=conversations(),
    rounds=st.integers(1, 4),
    plan=outcomes,
    on=st.booleans(),
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], rounds: int, plan: list[str], on: bool, counter: str
) -> None:
    parameters = {"recent_rounds": rounds, "enable_summarization": on}
    compare("recent_only", parameters, messages, plan, counter, "Be kind.")
