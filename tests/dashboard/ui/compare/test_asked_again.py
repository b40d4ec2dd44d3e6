"""What brings a lost answer back: which turns, how many tokens, and which questions are offered."""

from __future__ import annotations

import memviz
from memviz.dashboard.ui.compare.answers import (
    LONGEST_SUGGESTED,
    describe_loss,
    find_stating_positions,
    plan_bringing_back,
    suggest_questions,
)
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.recalls import BroughtBack
from memviz.metrics.answer_sources import AnswerSource
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import sample

CODE = Probe("What is the code?", ("QX7R4M",), (14,), "single fact")


def test_short_questions_about_what_was_said_first_are_offered() -> None:
    late = Probe("What is the gate?", ("B4",), (40,), "single fact")
    long = Probe("W" * LONGEST_SUGGESTED + "?", ("x",), (0,), "single fact")
    nowhere = Probe("What?", ("x",), (), "single fact")
    assert suggest_questions([late, long, CODE, nowhere]) == [
        CODE.question,
        late.question,
    ]
    assert suggest_questions([]) == []


def test_first_comes_a_question_whose_answer_one_of_the_settings_has_lost() -> None:
    trip = sample("trip")
    settings = [
        ("buffer", {}),
        ("window", {"window_size": 10}),
        ("summary_buffer", {"max_token_limit": 1500}),
    ]
    runs = [
        memviz.replay(trip, memviz.strategy(id, **parameters))
        for id, parameters in settings
    ]
    first = suggest_questions(trip.probes, runs)[0]
    assert first == "What is the date on which Finn's old passport expires?"
    assert (
        suggest_questions(trip.probes)[0] != first
    )  # said earlier, and repeated in the last turn in other words
    for run in runs:
        known = "9 July 2027" in memviz.ask(run, first).reply
        assert known is (run is runs[0])


def test_the_fact_asked_for_says_where_it_stands_else_what_another_setting_found() -> (
    None
):
    found = {
        0: AnswerSource("verbatim", 30, "…", 1.0),
        1: AnswerSource(),
        2: AnswerSource("summary", None, "…", 1.0),
    }
    assert find_stating_positions(" what is the CODE? ", [CODE], found) == (14,)
    assert find_stating_positions("And the gate?", [CODE], found) == (30,)
    assert find_stating_positions("And the gate?", [CODE], {1: AnswerSource()}) == ()


def test_a_lost_fact_says_which_version_lost_it_or_since_when_it_is_not_sent() -> None:
    said = [
        ("The code is QX7R4M.", "Noted."),
        *((f"Question {n}?", f"Answer {n}.") for n in range(6)),
    ]
    talk = [
        memviz.Message(role, text)
        for pair in said
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    fact = Probe("What is the code?", ("QX7R4M",), (0,), "single fact")
    writer = memviz.ScriptedModel(["The code is QX7R4M.", *["Nothing of note."] * 9])
    summary = memviz.replay(
        talk, memviz.strategy("summary", buffer_size=1), model=writer
    )
    lost = next(
        n for n, one in enumerate(summary.turns) if one.parts.summaries.start == 1
    )
    assert describe_loss(summary, fact) == (
        f"Lost in version 2 of the summary, before the request of turn {summary.turns[lost].turn}."
    )
    window = memviz.replay(talk, memviz.strategy("window", window_size=2))
    first = next(
        one.turn
        for one in window.turns
        if all("QX7" not in m.content for m in one.context.messages)
    )
    assert describe_loss(window, fact) == f"Not sent since turn {first}."
    assert describe_loss(memviz.replay(talk, memviz.strategy("buffer")), fact) == ""


def test_it_adds_what_asking_again_sends_more() -> None:
    trip = sample("trip")
    run = memviz.replay(
        list(trip.messages), memviz.strategy("window", window_size=10), counter="chars4"
    )
    asked = memviz.ask(run, "What is the flight booking code?")
    found = plan_bringing_back(run, asked, (14,), prices_in_force())
    assert found is not None
    again = memviz.ask(
        run,
        "What is the flight booking code?",
        recalls=[memviz.Recall(turns=found.turns)],
    )
    assert again.total_tokens - asked.total_tokens == found.tokens > 0
    assert plan_bringing_back(run, again, (14,), prices_in_force()) is None, (
        "it has the turn already"
    )


def test_a_price_that_is_unknown_is_not_named() -> None:
    assert BroughtBack((3,), 1337, None).label == "Bring turn 3 back: +1,337 tokens"
    assert (
        BroughtBack((3,), 337, 0.0004).label
        == "Bring turn 3 back: +337 tokens, +$0.0004"
    )
