"""Summaries plus recall: one summary a turn, all of them sent, no history."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, conversations, outcomes

HEADING = "=== ACCUMULATED MEMORY SUMMARIES ==="
TALK = [
    Message("user" if i % 2 == 0 else "assistant", f"message {i}") for i in range(6)
]


def test_hand_worked_case() -> None:
    model = ScriptedModel(["they met", "they ate", "they left"])
    run = memviz.replay(
        TALK, memviz.strategy("summary_only"), model=model, system_prompt="prompt"
    )
    assert [[m.content for m in record.context.messages] for record in run.turns] == [
        ["prompt", "message 0"],
        ["prompt", f"{HEADING}\n[Turn 1] they met", "message 2"],
        ["prompt", f"{HEADING}\n[Turn 1] they met\n[Turn 2] they ate", "message 4"],
    ]
    assert [
        (c.after_message, list(c.summarized), c.summary) for c in run.compactions
    ] == [
        (1, [0, 1], "they met"),
        (3, [2, 3], "they ate"),
        (5, [4, 5], "they left"),
    ]
    assert [len(record.compactions) for record in run.turns] == [0, 1, 1], (
        "the last one is in no record"
    )
    assert [(v.version, v.turn) for v in run.summaries] == [(1, 1), (2, 2), (3, 3)]


def test_summarizer_gets_that_turn_alone() -> None:
    model = ScriptedModel(["they met", "they ate", "they left"])
    memviz.replay(TALK, memviz.strategy("summary_only"), model=model)
    second = "\n".join(m.content for m in model.requests[1])
    assert "user: message 2" in second
    assert "assistant: message 3" in second
    assert not any(
        other in second for other in ("message 0", "message 1", "message 4", "they met")
    )


def test_entries_of_the_list_stay_in_their_first_generation() -> None:
    run = memviz.replay(
        TALK, memviz.strategy("summary_only"), model=ScriptedModel(["a", "b", "c"])
    )
    assert run.generations().tolist() == [
        [0] * 6,
        [1, 1, 0, 0, 0, 0],
        [1, 1, 1, 1, 0, 0],
    ]


def test_turn_zero_gets_no_summary() -> None:
    model = ScriptedModel(["they met", "they ate", "they left"])
    run = memviz.replay(
        [Message("assistant", "Welcome"), *TALK],
        memviz.strategy("summary_only"),
        model=model,
    )
    assert [list(c.summarized) for c in run.compactions] == [[1, 2], [3, 4], [5, 6]]
    assert run.fates()[0].tolist()[:2] == [memviz.Fate.DROPPED, memviz.Fate.VERBATIM]


def test_a_turn_whose_summary_failed_is_sent_verbatim_until_it_has_one() -> None:
    talk = [*TALK, Message("user", "message 6"), Message("assistant", "message 7")]
    model = ScriptedModel(
        [RuntimeError("no"), "they met", "they ate", "they left", "they slept"]
    )
    run = memviz.replay(talk, memviz.strategy("summary_only"), model=model)
    assert [m.content for m in run.turns[1].context.messages] == [
        "message 0",
        "message 1",
        "message 2",
    ]
    assert [m.content for m in run.turns[2].context.messages] == [
        f"message {i}" for i in range(5)
    ]
    assert [m.content for m in run.turns[3].context.messages] == [
        f"{HEADING}\n[Turn 1] they met\n[Turn 2] they ate\n[Turn 3] they left",
        "message 6",
    ]
    assert [(v.turn, v.text) for v in run.summaries] == [
        (1, "they met"),
        (2, "they ate"),
        (3, "they left"),
        (4, "they slept"),
    ]


def test_open_turn_gets_no_summary() -> None:
    model = ScriptedModel(["they met"])
    run = memviz.replay(TALK[:3], memviz.strategy("summary_only"), model=model)
    assert [list(c.summarized) for c in run.compactions] == [[0, 1]]


@given(
    messages=conversations(),
    plan=outcomes,
    on=st.booleans(),
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], plan: list[str], on: bool, counter: str
) -> None:
    compare(
        "summary_only",
        {"enable_summarization": on},
        messages,
        plan,
        counter,
        "Be kind.",
    )
