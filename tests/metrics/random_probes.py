"""Random runs with probes that fit them, for property tests."""

from __future__ import annotations

from dataclasses import replace

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


@st.composite
def answers_of(draw: st.DrawFn, messages: list[Message]) -> str:
    """Some words of some message, or one of the fixed ones."""
    words = draw(st.sampled_from(messages)).content.split()
    if not words or draw(st.booleans()):
        return draw(st.sampled_from(FIXED))
    start = draw(st.integers(0, len(words) - 1))
    return " ".join(words[start : start + draw(st.integers(1, 3))])


@st.composite
def probes_of(draw: st.DrawFn, messages: list[Message]) -> tuple[Probe, ...]:
    """Probes about these messages, sensible or not: without evidence, or with evidence that is not there."""
    text = answers_of(messages)
    positions = st.one_of(
        st.integers(0, len(messages) - 1), st.sampled_from([0, 0, -1, len(messages)])
    )
    probe = st.builds(
        Probe,
        question=st.just("?"),
        answers=st.lists(text, min_size=1, max_size=3).map(tuple),
        evidence=st.lists(positions, max_size=3).map(tuple),
        category=st.sampled_from(["single fact", "number", "updated fact"]),
        stale=st.lists(text, max_size=2).map(tuple),
    )
    found = draw(st.lists(probe, max_size=5))
    # one fact that outdates another is tested by hand
    answers = {normal_tokens(answer) for one in found for answer in one.answers}
    fresh = [
        tuple(old for old in one.stale if normal_tokens(old) not in answers)
        for one in found
    ]
    return tuple(
        replace(one, stale=stale) for one, stale in zip(found, fresh, strict=True)
    )


@st.composite
def runs(draw: st.DrawFn, id: str) -> Run:
    """A random conversation under the strategy ``id``, with recalls and a summarizer that may fail."""
    messages = draw(conversations(max_messages=18))
    picks = st.lists(st.integers(0, len(messages) - 1), min_size=1, max_size=4)
    last = turn_numbers(messages)[-1]
    recalls = {
        turn: Recall(messages=draw(picks))
        for turn in range(1, last + 1)
        if draw(st.booleans())
    }
    return memviz.replay(
        messages,
        memviz.strategy(id, **small_parameters(id)),
        model=summarizer(draw(outcomes)),
        counter="chars4",
        system_prompt=draw(st.sampled_from([None, "Be brief, the budget is 42."])),
        recalls=recalls,
        repair_tool_pairs=draw(st.booleans()),
    )


@st.composite
def odd_runs(draw: st.DrawFn) -> Run:
    """A random conversation under a strategy that uses everything pieces and effects allow."""
    return memviz.replay(
        draw(conversations(max_messages=18)),
        draw(odd_strategies),
        model=summarizer(draw(outcomes)),
        counter="chars4",
        system_prompt=draw(st.sampled_from([None, "Be brief, the budget is 42."])),
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
