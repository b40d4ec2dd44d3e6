"""Conversations with tool loops, for the tests of charts: turns that take several calls of the model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import memviz
from memviz import Message, Run, ScriptedModel, ToolCall


def loop(calls: Sequence[int]) -> list[Message]:
    """One turn for each of ``calls``, which takes so many calls of the model: the last one answers."""
    said: list[Message] = []
    for turn, number in enumerate(calls, 1):
        said.append(Message("user", f"Please do task {turn}."))
        for call in range(1, number):
            asked = ToolCall(f"{turn}-{call}", "search", f'{{"q": "thing {call}"}}')
            said.append(Message("assistant", "", tool_calls=(asked,)))
            said.append(
                Message(
                    "tool",
                    f"result {call} of {turn}: " + "data " * (5 + call % 7),
                    tool_call_id=asked.id,
                )
            )
        said.append(Message("assistant", f"Task {turn} is done."))
    return said


def loop_run(
    calls: Sequence[int], id: str = "summary_buffer", **parameters: int
) -> Run:
    """Such a conversation under a strategy that summarizes within its loops."""
    defaults = {
        "summary_buffer": {"max_token_limit": 120},
        "summary": {"buffer_size": 3},
    }
    strategy = memviz.strategy(id, **(parameters or defaults.get(id, {})))
    model = ScriptedModel(f"Summary number {n}" for n in count(1))
    return memviz.replay(
        loop(calls), strategy, model=model, counter="chars4", system_prompt="Be brief."
    )
