"""Observations and their condensing, on a conversation counted by hand, and against a slow reference."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ScriptedModel
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations, outcomes

TALK = [
    Message("user" if i % 2 == 0 else "assistant", f"message {i} " * 4)
    for i in range(7)
]
TOKENS = 10
"""Of each message of the talk, counted by chars4."""


def observed(talk: list[Message], answers: list[str], **parameters: int) -> memviz.Run:
    strategy = memviz.strategy("observations", **parameters)
    return memviz.replay(talk, strategy, model=ScriptedModel(answers), counter="chars4")


def test_completed_turns_are_observed_and_too_many_observations_condensed() -> None:
    answers = ["- saw one thing", "- saw another thing", "- both", "- the end"]
    run = observed(
        answered(TALK), answers, observe_tokens=2 * TOKENS, reflect_tokens=11
    )
    assert [list(c.summarized) for c in run.compactions[:3]] == [
        [0, 1],
        [2, 3],
        [2, 3],
    ]
    assert [c.reason for c in run.compactions[:3]] == [
        "30 tokens > 20",
        "30 tokens > 20",
        "12 tokens > 11",
    ]
    assert [version.text for version in run.summaries[:3]] == [
        "Turn 1\n- saw one thing",
        "Turn 1\n- saw one thing\nTurn 2\n- saw another thing",
        "- both",
    ]
    sent = run.requests[2].context.messages
    assert sent[0].content == "Observations of the conversation so far:\n- both"
    assert list(sent[1:]) == TALK[4:5]
    assert run.generations()[2, :4].tolist() == [2] * 4


def test_the_observer_reads_the_messages_alone_and_the_reflector_the_observations() -> (
    None
):
    run = observed(
        answered(TALK),
        ["- one", "- two", "- both", "- three", "- all"],
        observe_tokens=20,
        reflect_tokens=5,
    )
    first, second, third = (one.prompt for one in run.compactions[:3])
    assert first.endswith(f"\n\nuser: {TALK[0].content}\nassistant: {TALK[1].content}")
    assert "- one" not in second
    assert third.endswith("\n\nsystem: Previous summary: Turn 1\n- one\nTurn 2\n- two")
    assert "at most 2 tokens" in third


def test_observations_stand_under_the_dates_of_their_messages() -> None:
    days = [datetime(2027, 6, day, tzinfo=UTC) for day in (1, 2, 3)]
    talk = [
        Message("user", "x" * 80, meta={"time": days[0].isoformat()}),
        Message("assistant", "y", meta={"time": days[1].isoformat()}),
        Message("user", "z" * 80, meta={"time": days[2].isoformat()}),
    ]
    assert talk[0].said_at == days[0]
    run = observed(answered(talk), ["- saw"] * 2, observe_tokens=20, reflect_tokens=119)
    assert run.summaries[0].text == "Date: 2027-06-01 to 2027-06-02\n- saw"


@given(
    messages=conversations(),
    observe=st.integers(5, 60),
    reflect=st.integers(5, 60),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], observe: int, reflect: int, plan: list[str], counter: str
) -> None:
    parameters = {"observe_tokens": observe, "reflect_tokens": reflect}
    compare("observations", parameters, messages, plan, counter, "Be kind.")
