"""A cell against the metrics of the run that it stands for."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Run, Strategy, Transcript
from memviz.core.counters import counter
from memviz.engine.requests import Requests
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from memviz.tuning.cell import Cell, measure_cell
from memviz.tuning.sweep_conversation import SweepConversation
from tests.engine.probes import REPRESENTATIVES, small
from tests.metrics.odd_strategies import Odd, odd_strategies
from tests.metrics.random_probes import probes_of
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    """A random conversation with a fact at least, so that none is proposed."""
    messages = draw(conversations(max_messages=18))
    fact = Probe("?", ("42",), evidence=(0,), category="number", stale=("LISBON",))
    prompt = draw(st.sampled_from([None, "Be brief, the budget is 42."]))
    return Transcript(
        tuple(messages), system_prompt=prompt, probes=(fact, *draw(probes_of(messages)))
    )


@given(
    transcript=transcripts(),
    plan=st.none() | outcomes,
    name=st.sampled_from(["chars4", "o200k_base"]),
)
@for_each("id", REPRESENTATIVES)
def test_a_cell_holds_what_the_metrics_of_a_replay_say(
    id: str, transcript: Transcript, plan: list[str] | None, name: str
) -> None:
    holds_what_a_replay_says(small(id), transcript, plan, name)


@given(
    strategy=odd_strategies,
    transcript=transcripts(),
    plan=st.none() | outcomes,
    name=st.sampled_from(["chars4", "o200k_base"]),
)
def test_a_cell_of_a_strategy_with_forms_and_notes_in_any_place_does_too(
    strategy: Odd, transcript: Transcript, plan: list[str] | None, name: str
) -> None:
    holds_what_a_replay_says(strategy, transcript, plan, name)


def holds_what_a_replay_says(
    strategy: Strategy, transcript: Transcript, plan: list[str] | None, name: str
) -> None:
    """A cell has the numbers that the records of a replay have, each made when it is asked for."""
    subject = SweepConversation.of(transcript, counter(name))
    made = memviz.replay(
        transcript, strategy, model=plan and summarizer(plan), counter=name
    )
    run = replace(made, requests=Requests.of([*made.requests]))
    whole = memviz.replay(
        transcript,
        strategy,
        model=plan and summarizer(plan),
        counter=name,
        repair_tool_pairs=True,
    )
    kept = retention(run, transcript.probes)
    expected = Cell(
        run.strategy,
        subject.title,
        count_traffic(run),
        retained=kept.retained.sum(axis=1),
        born=kept.born.sum(axis=1),
        facts=len(transcript.probes),
        shares=shares_by_category(kept),
        summarizations=sum(one.is_summarization for one in run.compactions),
        failed_summarizations=sum(one.failed_calls for one in run.compactions),
        over_budget_requests=sum(
            "over_budget" in record.flags for record in run.requests
        ),
        orphaned_requests=sum(
            "orphaned_tool_message" in record.flags for record in run.requests
        ),
        refused_requests=sum(
            "orphaned_tool_message" in record.flags
            or list(record.context.messages) != list(mended.context.messages)
            for record, mended in zip(run.requests, whole.requests, strict=True)
        ),
        sends_everything=sends_what_the_buffer_sends(run),
    )
    found = measure_cell(
        subject, strategy, counter(name), summarizer(plan) if plan else None
    )
    assert {**found.to_dict(), "seconds": 0} == {**expected.to_dict(), "seconds": 0}


def shares_by_category(kept: Retention) -> dict[str, float]:
    """By category the mean over the requests by which any fact of it was stated, one request after the other."""
    shares = {}
    for category in sorted({probe.category for probe in kept.probes}):
        own = [at for at, one in enumerate(kept.probes) if one.category == category]
        of_requests = []
        for retained, born in zip(kept.retained, kept.born, strict=True):
            if born[own].any():
                of_requests.append(retained[own].sum() / born[own].sum())
        if of_requests:
            shares[category] = float(np.mean(of_requests))
    return shares


def sends_what_the_buffer_sends(run: Run) -> bool:
    """Whether every request is the full buffer's, message by message."""
    full = memviz.replay(
        run.log,
        memviz.strategy("buffer"),
        counter=run.counter,
        system_prompt=run.system_prompt,
    )
    pairs = zip(run.requests, full.requests, strict=True)
    return all(
        list(one.context.messages) == list(other.context.messages)
        for one, other in pairs
    )


def test_a_cell_without_facts_counts_tokens_alone() -> None:
    said = Transcript(
        (Message("user", "The code is QX7R4M."), Message("assistant", "Fine."))
    )
    found = measure_cell(
        SweepConversation.of(said, counter("chars4"), retention=False),
        small("window"),
        counter("chars4"),
        None,
    )
    assert (found.facts, found.retained.tolist(), found.born.tolist()) == (0, [0], [0])
    assert found.traffic.input_tokens.tolist() == [19 // 4 + 4 + 3]


def test_a_setting_that_cannot_be_run_says_why() -> None:
    said = Transcript(
        (Message("user", "Hello."),), system_prompt="A prompt of more than one token."
    )
    strict = small("chat_summary_buffer", token_limit=1, count_initial_tokens=True)
    found = measure_cell(
        SweepConversation.of(said, counter("chars4")), strict, counter("chars4"), None
    )
    assert "system prompt" in found.error
    assert found.traffic.turns.size == 0


def test_rules_are_counted_apart_from_other_facts() -> None:
    said = ("Always answer in French.", "Oui.", "My code is 4821.", "D'accord.")
    messages = [
        Message("assistant" if place % 2 else "user", said[place % 4])
        for place in range(4)
    ] + [Message("user", "And now?"), Message("assistant", "Rien.")]
    rule = Probe("Which language?", ("in French",), evidence=(0,), category="rule")
    code = Probe("Which code?", ("4821",), evidence=(2,), category="number")
    transcript = Transcript(tuple(messages), probes=(rule, code))
    subject = SweepConversation.of(transcript, counter("chars4"))
    window = measure_cell(
        subject, memviz.strategy("window", window_size=3), "chars4", None
    )
    # Three requests: the first two hold the rule, the last one only the code.
    assert window.rule_retention == pytest.approx(2 / 3)
    assert window.retention == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert Cell.from_dict(window.to_dict()).rule_retention == window.rule_retention
    without = replace(subject, probes=(code,))
    assert isnan(measure_cell(without, window.strategy, "chars4", None).rule_retention)
