"""A recommendation says no more than its grounds give."""

from __future__ import annotations

import pytest

import memviz
from memviz.core.messages import ToolCall
from memviz.core.text.wording import dollars
from memviz.models.names import DEFAULT_MODEL, OFFLINE
from memviz.transcripts.base import Probe
from memviz.tuning.grounds import (
    FEW_FACTS,
    KEPT_PERCENT,
    OFFLINE_SUMMARIES,
    RECORDED_USD,
    STAND_IN_USD,
    Grounds,
)
from memviz.tuning.recommendation import word_verdict
from tests.tables import for_each
from tests.tuning.random_sweeps import cell, sweep_of


@pytest.mark.parametrize(
    ("guessed", "given", "words"),
    [
        (8, 0, "Measured on 8 guessed facts; check them or add yours."),
        (1, 0, "Measured on 1 guessed fact; check it or add yours."),
        (8, 3, "Measured on 11 facts, 8 of them guessed; check them or add yours."),
        (0, 20, "Measured on 20 known facts."),
        (0, 0, "There was no fact to measure on; add yours."),
    ],
)
def test_how_many_facts_and_whose(guessed: int, given: int, words: str) -> None:
    assert Grounds(guessed, given).sentences == (words,)


def test_whose_summaries_is_said_where_the_offline_model_wrote_them() -> None:
    assert Grounds(8, 0, OFFLINE).sentences[1:] == (
        OFFLINE_SUMMARIES,
        "Where a language model was recorded beside it, under 37 settings, the two agree on 79 % of the facts: the "
        "model kept 91 %, in longer summaries, the built-in model 73 %. With the model's summaries the same settings "
        f"cost 1.6 times as much ($2.45 against $1.50 at the prices of {DEFAULT_MODEL}).",
    )
    assert Grounds(8, 0, "openai/gpt-5-mini").sentences[1:] == (
        "Summaries were written by openai/gpt-5-mini.",
    )
    (played,) = Grounds(8, 0, "recording:trip").sentences[1:]
    assert (
        played
        == "Summaries are those that a language model wrote for the recording trip."
    )


def test_advice_names_the_summarizer_and_how_far_the_recorded_one_differs_in_facts_and_dollars() -> (
    None
):
    messages = [
        memviz.Message(role, f"{role} {turn} " * 8)
        for turn in range(9)
        for role in ("user", "assistant")
    ]
    advice = memviz.sweep(messages, {"summary": {"buffer_size": [2]}}).best().advice
    assert OFFLINE_SUMMARIES in advice
    assert f"the model kept {KEPT_PERCENT} %" in advice
    assert (
        f"{dollars(RECORDED_USD)} against {dollars(STAND_IN_USD)} at the prices of openai/gpt-5-mini"
        in advice
    )
    assert (
        "ummaries"
        not in memviz.sweep(messages, {"window": {"window_size": [4]}}).best().advice
    )


def test_results_of_tools_that_no_fact_comes_from_are_named() -> None:
    """A shipment number that a reply needs is measured, but not where a fact of the user is the only one."""
    call = ToolCall("1", "track", "{}")
    messages = (
        memviz.Message("user", "My door code is 48213. Where is my parcel?"),
        memviz.Message("assistant", "", tool_calls=(call,)),
        memviz.Message("tool", '{"shipment": "SHP-88412"}', tool_call_id="1"),
        memviz.Message("assistant", "On its way."),
        memviz.Message("user", "Under which number?"),
        memviz.Message("assistant", "SHP-88412."),
    )
    code = Probe("Which code?", ("48213",), (0,), "number")
    given = memviz.sweep(
        memviz.Transcript(messages, probes=(code,)), {"window": {}}
    ).best()
    assert given.grounds == Grounds(0, 1, "", 1)
    assert given.grounds.sentence.endswith(
        "what is lost with 1 tool result is not measured."
    )
    assert (
        memviz.sweep(
            memviz.Transcript(messages), {"window": {}}
        ).grounds.unmeasured_results
        == 0
    )


@for_each(
    ("facts", "words"),
    [
        (0, "By cost and size alone, X does best"),
        (1, "On this 1 fact, X does best"),
        (FEW_FACTS - 1, f"On these {FEW_FACTS - 1} facts, X does best"),
        (FEW_FACTS, "Take X"),
    ],
)
def test_few_facts_recommend_nothing(facts: int, words: str) -> None:
    assert word_verdict("X", Grounds(facts)) == words


def test_a_sweep_knows_its_grounds() -> None:
    found = sweep_of([cell(0, [100], [4]), cell(1, [200], [4])]).best()
    assert found.grounds == Grounds(0, 4)
    assert found.advice.startswith(
        "On these 4 facts, Sliding window · 2 messages does best. It keeps 100% of"
    )


def test_a_setting_that_could_not_be_run_takes_no_fact_away() -> None:
    broken = cell(1, [], error="A library is missing.")
    assert sweep_of([cell(0, [100], [4]), broken]).grounds == Grounds(0, 4)


def test_facts_that_memviz_proposed_are_told_from_those_that_were_given() -> None:
    said = (
        "My door code is 48213.",
        "Noted.",
        "What else?",
        "Nothing.",
        "So is it 48213?",
        "48213, yes.",
    )
    messages = [
        memviz.Message(role, text)
        for role, text in zip(("user", "assistant") * 3, said, strict=True)
    ]
    guessed = memviz.sweep(memviz.Transcript(tuple(messages)), {"window": {}})
    assert guessed.grounds.guessed_facts > 0 == guessed.grounds.given_facts
    typed = Probe("Which code?", ("48213",), (0,), "number", by_user=True)
    both = memviz.sweep(
        memviz.Transcript(tuple(messages), probes=(typed,)), {"window": {}}
    )
    assert (both.grounds.guessed_facts, both.grounds.given_facts) == (
        guessed.grounds.guessed_facts,
        1,
    )
    brought = Probe("Which code?", ("48213",), (0,), "number")
    assert memviz.sweep(
        memviz.Transcript(tuple(messages), probes=(brought,)), {"window": {}}
    ).grounds == Grounds(0, 1)


def test_a_summarizer_counts_where_it_wrote_something() -> None:
    messages = [
        memviz.Message(role, f"{role} {turn} " * 8)
        for turn in range(9)
        for role in ("user", "assistant")
    ]
    grid = {"window": {"window_size": [4]}}
    assert memviz.sweep(messages, grid).grounds.summarizer == ""
    assert (
        memviz.sweep(
            messages, {**grid, "summary": {"buffer_size": [2]}}
        ).grounds.summarizer
        == OFFLINE
    )
