"""Small runs for the tests of charts."""

from __future__ import annotations

from itertools import count

import memviz
from memviz import Message, ModelError, Run, ScriptedModel

MARKUP = "<script>alert(1)</script> <b>fat</b> %{x} {y} <a href='x'>link</a> &amp;"


def run_of(
    id: str = "summary",
    *,
    messages: int = 12,
    script: list[str | ModelError] | None = None,
    **parameters: int,
) -> Run:
    """A conversation of ``messages`` messages of 20 to 60 characters, under ``id``, counted by chars4."""
    defaults = {"summary": {"buffer_size": 2}}
    said = [
        Message(("user", "assistant")[n % 2], f"{n:<20}" * (1 + n % 3))
        for n in range(messages)
    ]
    model = ScriptedModel(script or (f"Summary number {n}" for n in count(1)))
    strategy = memviz.strategy(id, **(parameters or defaults.get(id, {})))
    return memviz.replay(
        said, strategy, model=model, counter="chars4", system_prompt="Be brief."
    )


def run_of_markup() -> Run:
    """One whose messages, summaries and errors are full of markup."""
    said = [Message(("user", "assistant")[n % 2], f"{n} {MARKUP}") for n in range(12)]
    script = ScriptedModel([MARKUP, ModelError(MARKUP), *[MARKUP * 3] * 9])
    return memviz.replay(
        said, memviz.strategy("summary", buffer_size=1), model=script, counter="chars4"
    )


def places_of(run: Run) -> list[int]:
    """Return the places of the requests of ``run`` on the axis: a step a request, and one for a turn that nobody
    answered."""
    turns = [record.turn for record in run.requests]
    steps = [
        turn
        for turn in range(1, max(turns, default=0) + 1)
        for _ in range(max(1, turns.count(turn)))
    ]
    return [place for place, turn in enumerate(steps, start=1) if turn in turns]
