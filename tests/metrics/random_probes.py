"""Random runs with probes that fit them, for property tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

from hypothesis import strategies as st

import memviz
from memviz import Message, Recall, Run
from memviz.core.text.containment import normal_tokens
from memviz.transcripts.base import Probe
from tests.metrics.odd_strategies import odd_strategies
from tests.strategies.conversations import (
    conversations,
    outcomes,
    small_parameters,
    summarizer,
)
from tests.strategies.reference import turn_numbers

FIXED = (
    "42",
    "budget",
    "LISBON",
    "summary 2",
    "details",
    "家",
    "rain",
    "m1",
    "cat 42",
    "",
    "!?",
    "be brief",
    "the",
)


CATEGORIES = ("single fact", "number", "updated fact")
PROMPTS = (None, "Be brief, the budget is 42.")
DRAWN = st.binary(min_size=64, max_size=64)
"""What probes and recalls are picked by. To draw bytes is one step of Hypothesis, and each step takes long."""


def picker(drawn: bytes) -> Callable[[Sequence[Any]], Any]:
    """A function that picks one of several options by the next of these bytes; behind the last they begin again."""
    numbers = cycle(drawn)
    return lambda options: options[next(numbers) % len(options)]


def probes_of(messages: list[Message]) -> st.SearchStrategy[tuple[Probe, ...]]:
    """Probes about these messages, sensible or not: without evidence, or with evidence that is not there."""
    return DRAWN.map(lambda drawn: picked_probes(drawn, messages))


def picked_probes(drawn: bytes, messages: list[Message]) -> tuple[Probe, ...]:
    pick = picker(drawn)
    sensible = range(len(messages))
    positions = (sensible, (0, 0, -1, len(messages)))

    def text() -> str:
        """Some words of some message, or one of the fixed ones."""
        words = pick(messages).content.split()
        if not words or pick((False, True)):
            return pick(FIXED)
        start = pick(range(len(words)))
        return " ".join(words[start : start + pick((1, 2, 3))])

    def probe() -> Probe:
        answers = tuple(text() for _ in range(pick((1, 2, 3))))
        evidence = tuple(pick(pick(positions)) for _ in range(pick((0, 1, 2, 3))))
        category = pick(CATEGORIES)
        stale = tuple(text() for _ in range(pick((0, 1, 2))))
        return Probe("?", answers, evidence, category, stale)

    probes = [probe() for _ in range(pick(range(6)))]
    # one fact that outdates another is tested by hand
    answers = {normal_tokens(answer) for one in probes for answer in one.answers}
    fresh = [
        tuple(old for old in one.stale if normal_tokens(old) not in answers)
        for one in probes
    ]
    return tuple(
        replace(one, stale=stale) for one, stale in zip(probes, fresh, strict=True)
    )


@st.composite
def runs(draw: st.DrawFn, id: str) -> Run:
    """A random conversation under the strategy ``id``, with recalls and a summarizer that may fail."""
    messages = draw(conversations(max_messages=18))
    pick = picker(draw(DRAWN))
    positions = range(len(messages))
    recalls = {
        turn: Recall(messages=[pick(positions) for _ in range(pick((1, 2, 3, 4)))])
        for turn in range(1, turn_numbers(messages)[-1] + 1)
        if pick((False, True))
    }
    return memviz.replay(
        messages,
        memviz.strategy(id, **small_parameters(id)),
        model=summarizer(draw(outcomes)),
        counter="chars4",
        system_prompt=pick(PROMPTS),
        recalls=recalls,
        repair_tool_pairs=pick((False, True)),
    )


@st.composite
def odd_runs(draw: st.DrawFn) -> Run:
    """A random conversation under a strategy that uses everything pieces and effects allow."""
    return memviz.replay(
        draw(conversations(max_messages=18)),
        draw(odd_strategies),
        model=summarizer(draw(outcomes)),
        counter="chars4",
        system_prompt=draw(st.sampled_from(PROMPTS)),
    )


@st.composite
def probed_odd_runs(draw: st.DrawFn) -> tuple[Run, tuple[Probe, ...]]:
    """Such a run and probes about its conversation."""
    run = draw(odd_runs())
    return run, draw(probes_of(list(run.log)))


@st.composite
def probed_runs(draw: st.DrawFn, id: str) -> tuple[Run, tuple[Probe, ...]]:
    """A random run and probes about its conversation."""
    run = draw(runs(id))
    return run, draw(probes_of(list(run.log)))
