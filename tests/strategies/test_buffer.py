"""Full buffer: sends everything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, conversations


def test_every_request_sends_the_log_so_far() -> None:
    messages = [
        Message(role, f"{role} {i}")
        for i, role in enumerate(["user", "assistant", "user", "user", "assistant"])
    ]
    run = memviz.replay(messages, memviz.strategy("buffer"), model=None)
    assert [list(record.context.messages) for record in run.turns] == [
        messages[:1],
        messages[:4],
    ]
    assert [
        [block.kind for block in record.context.blocks] for record in run.turns
    ] == [
        ["input"],
        ["history", "input"],
    ]
    assert run.compactions == ()


@given(
    messages=conversations(),
    counter=st.sampled_from(COUNTERS),
    system_prompt=st.sampled_from(["", "Be kind."]),
)
def test_agrees_with_the_reference(
    messages: list[Message], counter: str, system_prompt: str
) -> None:
    run, _ = compare("buffer", {}, messages, ["raise"], counter, system_prompt)
    assert all("over_budget" not in record.flags for record in run.turns)
