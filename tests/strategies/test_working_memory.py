"""A document that is rewritten, on a conversation counted by hand, and against a slow reference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations, outcomes

TALK = [
    Message("user" if i % 2 == 0 else "assistant", f"message {i}") for i in range(7)
]


def test_hand_worked_case() -> None:
    model = ScriptedModel(["# First", "# Second"])
    strategy = memviz.strategy("working_memory", newest_messages=1, every_messages=3)
    run = memviz.replay(answered(TALK), strategy, model=model)
    assert [[m.content for m in record.context.messages] for record in run.turns] == [
        ["message 0"],
        ["message 0", "message 1", "message 2"],
        ["<working_memory>\n# First\n</working_memory>", "message 4"],
        [
            "<working_memory>\n# First\n</working_memory>",
            "message 4",
            "message 5",
            "message 6",
        ],
    ]
    assert [list(c.summarized) for c in run.compactions] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_who_rewrites_reads_the_form_and_the_document_before() -> None:
    model = ScriptedModel(["# Mine\nRed.", "# Mine\nBlue.", "# Mine"])
    strategy = memviz.strategy(
        "working_memory", every_messages=2, template="# Mine", summary_words=90
    )
    run = memviz.replay(answered(TALK), strategy, model=model)
    first, second = (one.prompt for one in run.compactions[:2])
    assert first.startswith(
        "Keep a document in this form:\n# Mine\n\nRewrite the whole"
    )
    assert "Previous summary" not in first
    assert "\n\nsystem: Previous summary: # Mine\nRed.\nuser: message" in second


def test_an_open_turn_is_not_taken_in() -> None:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    asked = [Message("user", "Rain?"), Message("assistant", "", tool_calls=(call,))]
    talk = [
        *asked,
        Message("tool", "Yes.", tool_call_id="a"),
        Message("assistant", "Yes."),
    ]
    strategy = memviz.strategy("working_memory", newest_messages=1, every_messages=1)
    run = memviz.replay(talk, strategy, model=ScriptedModel(["It rains."]))
    assert [list(c.summarized) for c in run.compactions] == [[0, 1, 2, 3]]
    assert [len(record.context.messages) for record in run.requests] == [1, 3]


@given(
    messages=conversations(),
    newest=st.integers(1, 4),
    every=st.integers(1, 4),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], newest: int, every: int, plan: list[str], counter: str
) -> None:
    parameters = {"newest_messages": newest, "every_messages": every}
    compare("working_memory", parameters, messages, plan, counter, "Be kind.")
