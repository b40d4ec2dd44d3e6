"""Questions on runs: the right answer is what the records say, looked up here without the code that asks."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Run
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.cheapest import ask_for_cheapest, run_race
from memviz.dashboard.stage.predictions import predictions, staged_runs
from memviz.dashboard.stage.question import (
    KINDS,
    Question,
    summarizing_candidates,
)
from memviz.dashboard.stage.what_stays import (
    ask_if_known,
    ask_what_stays,
    knowing_candidates,
    staying_candidates,
)
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe, Transcript
from memviz.transcripts.samples import bundled, sample
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.dashboard.stage.reading import (
    in_words,
    records_by_step,
    summarized,
    used_tokens,
    verbatim,
)
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.naive_retention import cell
from tests.metrics.random_probes import probed_odd_runs, probed_runs
from tests.strategies.conversations import (
    conversations,
    outcomes,
    small_parameters,
    summarizer,
)

SETTINGS = (
    ("buffer", {}), ("window", {}), ("summary", {"buffer_size": 8}), ("summary_buffer", {"max_token_limit": 1500}),
    ("fifo_facts", {"token_limit": 6000, "flush_percent": 60}),
)  # fmt: skip
PRICES = PricingAssumptions.of("openai/gpt-5-mini")
FEWER = {"household": 10}
"""The number of questions of a conversation that is too short for twelve. It is recorded under one setting alone, so
the built-in model summarizes here."""
AFFIRMED = ("SYSTEM", "SUMMARY", "RECALLED", "VERBATIM")
"""Where an answer stands that a request knows; one that is only denied or outdated is not known."""


def as_settings(*runs: Run) -> list[SettingRun]:
    return [
        SettingRun(run, run.strategy.label, index) for index, run in enumerate(runs)
    ]


@cache
def recorded_runs(id: str) -> tuple[Run, ...]:
    is_recorded = id in memviz.recordings() and id not in FEWER
    model = f"recording:{id}" if is_recorded else "offline"
    return tuple(
        memviz.replay(sample(id), memviz.strategy(strategy, **parameters), model=model)
        for strategy, parameters in SETTINGS
    )


@cache
def bundled_questions(id: str) -> list[Question]:
    return predictions(as_settings(*recorded_runs(id)), sample(id), assumptions=PRICES)


def hold(questions: list[Question], runs: list[Run], probes: tuple[Probe, ...]) -> None:
    """Every question has the answer that the records have."""
    steps = records_by_step(runs)
    for question in questions:
        assert (
            0 <= question.answer < len(question.choices) == len(set(question.choices))
        )
        right = question.choices[question.answer]
        if question.setting is None:
            continue
        run = runs[question.setting]
        number = steps[question.setting][question.step]
        if question.kind == "summarizes":
            assert (right == "Yes") == summarized(run, number), question
        elif question.kind == "stays":
            assert right == in_words(verbatim(run, number)), question
        else:
            (probe,) = [one for one in probes if f"“{one.question}”" in question.text]
            assert (right == "Yes") == (
                cell(run, run.requests[number], probe).state in AFFIRMED
            )


def distinct(probes: tuple[Probe, ...]) -> tuple[Probe, ...]:
    """The probes with questions that tell them apart."""
    return tuple(
        Probe(f"Number {at}?", one.answers, one.evidence, one.category, one.stale)
        for at, one in enumerate(probes)
    )


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_answers_are_what_the_records_say_under_every_strategy(
    id: str, data: st.DataObject
) -> None:
    run, probes = data.draw(probed_runs(id))
    probes = distinct(probes)
    transcript = Transcript(tuple(run.log), probes=probes)
    questions = predictions(as_settings(run), transcript, at_most=30)
    hold(questions, [run], probes)
    assert all(question.kind != "cheapest" for question in questions)


@given(probed_odd_runs())
def test_answers_hold_under_strategies_that_use_all_that_there_is(
    probed: tuple[Run, tuple[Probe, ...]],
) -> None:
    run, probes = probed[0], distinct(probed[1])
    hold(
        predictions(
            as_settings(run), Transcript(tuple(run.log), probes=probes), at_most=30
        ),
        [run],
        probes,
    )


@given(messages=conversations(max_messages=24), plan=outcomes)
def test_several_settings_are_asked_about_on_one_axis(
    messages: list[Message], plan: list[str]
) -> None:
    runs = [
        memviz.replay(
            messages,
            memviz.strategy(id, **small_parameters(id)),
            model=summarizer(plan),
            counter="chars4",
        )
        for id in ("buffer", "summary", "window", "summary_buffer")
    ]
    questions = predictions(
        as_settings(*runs), Transcript(tuple(runs[0].log)), at_most=20
    )
    hold(questions, runs, ())
    for question in questions:
        if question.kind == "cheapest":
            turn = int(question.text.split()[-1].strip("?"))
            used = [used_tokens(run, turn) for run in runs]
            assert used[question.answer] == min(used)
            assert question.choices[question.answer] in question.reason


@given(data=st.data())
def test_every_candidate_is_a_question_that_the_records_answer(
    data: st.DataObject,
) -> None:
    id = data.draw(st.sampled_from(REPRESENTATIVES))
    run, probes = data.draw(probed_runs(id))
    probes = distinct(probes)
    (staged,) = staged_runs(as_settings(run))
    candidates = [
        *summarizing_candidates(staged),
        *staying_candidates(staged),
        *knowing_candidates(staged, retention(run, probes)),
    ]
    for candidate in candidates:
        question = candidate.question()
        if question is None:
            continue
        assert (question.step, question.setting) == (candidate.step, 0)
        if candidate.side is not None:
            assert (question.choices[question.answer] == "Yes") == candidate.side
        hold([question], [run], probes)


@pytest.mark.parametrize(
    "id", ["trip", "support", pytest.param("chinese", marks=pytest.mark.slow)]
)
def test_answers_are_what_the_records_say_of_a_bundled_conversation(id: str) -> None:
    hold(bundled_questions(id), list(recorded_runs(id)), sample(id).probes)


@pytest.mark.parametrize(
    "id",
    [
        id if id in ("trip", "support") else pytest.param(id, marks=pytest.mark.slow)
        for id in bundled()
    ],
)
class TestOfABundledConversation:
    @pytest.mark.slow
    def test_there_are_enough_and_no_two_stand_together_or_ask_for_one_fact(
        self, id: str
    ) -> None:
        questions = bundled_questions(id)
        steps = [question.step for question in questions]
        assert len(questions) == FEWER.get(id, 12)
        assert steps == sorted(set(steps))
        facts = [
            question.text.split("“")[1]
            for question in questions
            if question.kind == "knows"
        ]
        assert len(facts) == len(set(facts))

    def test_they_are_spread_over_the_run_the_kinds_and_the_settings(
        self, id: str
    ) -> None:
        questions, last = bundled_questions(id), len(recorded_runs(id)[0].requests)
        assert {question.kind for question in questions} == set(KINDS)
        for part in range(3):
            assert any(
                part * last / 3 <= question.step < (part + 1) * last / 3
                for question in questions
            )
        assert len({question.setting for question in questions}) >= 4

    def test_always_yes_wins_no_more_than_always_no(self, id: str) -> None:
        for kind in ("summarizes", "knows"):
            answers = Counter(
                one.choices[one.answer]
                for one in bundled_questions(id)
                if one.kind == kind
            )
            assert abs(answers["Yes"] - answers["No"]) <= 1, (kind, answers)

    def test_the_cheapest_is_that_of_the_costs(self, id: str) -> None:
        runs, (question, *_) = (
            recorded_runs(id),
            [one for one in bundled_questions(id) if one.kind == "cheapest"],
        )
        turn = int(question.text.split()[-1].strip("?"))
        usd = [
            PRICES.cost(count_traffic(run))
            .frame()
            .set_index("turn")
            .cumulative_usd[turn]
            for run in runs
        ]
        assert question.answer == usd.index(min(usd))
        assert question.step <= max(records_by_step(list(runs))[0])

    def test_what_was_shown_before_does_not_say_that_a_fact_is_gone(
        self, id: str
    ) -> None:
        steps = records_by_step(list(recorded_runs(id)))
        for question in bundled_questions(id):
            if question.kind == "knows" and question.setting is not None:
                run = recorded_runs(id)[question.setting]
                (probe,) = [
                    one
                    for one in sample(id).probes
                    if f"“{one.question}”" in question.text
                ]
                before = run.requests[steps[question.setting][question.step] - 1]
                assert cell(run, before, probe).state != "LOST"


def test_no_is_asked_near_the_limit() -> None:
    for question in bundled_questions("trip"):
        if (
            question.kind == "summarizes"
            and question.setting == 3
            and question.choices[question.answer] == "No"
        ):
            held = int(question.reason.split(" has ")[1].split()[0].replace(",", ""))
            assert 0.75 * 1500 <= held <= 1500


@pytest.mark.slow
def test_given_facts_are_not_looked_up_again() -> None:
    runs = recorded_runs("trip")
    known = [retention(run, sample("trip").probes) for run in runs]
    bare = Transcript(sample("trip").messages)
    assert predictions(as_settings(*runs), bare, known, PRICES) == bundled_questions(
        "trip"
    )
    assert all(
        question.kind != "knows" for question in predictions(as_settings(*runs), bare)
    )


def cheapest_by(
    turn: int, runs: tuple[Run, ...], prices: PricingAssumptions | None = None
) -> Question:
    race = run_race(staged_runs(as_settings(*runs)), prices)
    assert race is not None
    return ask_for_cheapest(race, turn)


def test_without_prices_the_cheapest_is_told_in_tokens() -> None:
    runs = recorded_runs("trip")
    question = cheapest_by(30, runs)
    used = [used_tokens(run, 30) for run in runs]
    assert question.answer == used.index(min(used))
    assert f"{min(used):,} tokens" in question.reason
    assert cheapest_by(30, runs, PricingAssumptions(None, None)) == question


def test_what_the_summarizer_reads_and_writes_counts() -> None:
    runs = recorded_runs("trip")[2:4]
    question = cheapest_by(46, runs)
    for run in runs:
        assert f"{used_tokens(run, 46):,} tokens" in question.reason


def test_the_system_prompt_is_no_message_that_stays() -> None:
    messages = [Message("system", "Be kind."), Message("system", "Be brief.")]
    messages += [
        Message(role, f"{role} {turn}")
        for turn in range(12)
        for role in ("user", "assistant")
    ]
    (staged,) = staged_runs(
        as_settings(memviz.replay(messages, memviz.strategy("window", window_size=5)))
    )
    question = ask_what_stays(staged, 8)
    assert question is not None
    assert question.choices[question.answer] == "messages 15 to 19"


def test_a_summary_is_asked_about_where_it_was_written() -> None:
    staged = staged_runs(as_settings(*recorded_runs("trip")))[2]
    (question,) = [
        one.question() for one in summarizing_candidates(staged) if one.step == 8
    ]
    assert question is not None
    assert (question.step, question.setting, question.choices[question.answer]) == (
        8,
        2,
        "Yes",
    )
    assert "17 messages > 16, twice the 8 that stay" in question.reason
    assert question.as_data() == {
        "step": 8,
        "setting": 2,
        "text": question.text,
        "choices": ["Yes", "No"],
        "answer": 0,
        "reason": question.reason,
    }


def test_words_of_the_conversation_stay_text() -> None:
    odd = "<b>What</b>\n is *it*?"
    probes = (Probe(odd, ("x",), (4,), "name"),)
    run = recorded_runs("trip")[1]
    (staged,) = staged_runs(as_settings(run))
    question = ask_if_known(staged, retention(run, probes), 19, 0)
    assert "“<b>What</b> is *it*?”" in question.text
    assert "\n" not in question.text


def test_one_setting_has_no_cheapest() -> None:
    assert run_race(staged_runs(as_settings(recorded_runs("trip")[0])), None) is None


def test_of_nothing_nothing_is_asked() -> None:
    empty = memviz.Chat(memviz.strategy("buffer"), model="offline").run
    assert predictions([], Transcript(())) == []
    assert predictions(as_settings(empty), Transcript(tuple(empty.log))) == []
    assert (
        predictions(as_settings(*recorded_runs("trip")), sample("trip"), at_most=0)
        == []
    )


def test_only_steps_that_are_shown_are_asked_about() -> None:
    shown = range(10, 25)
    runs = recorded_runs("trip")
    questions = predictions(
        as_settings(*runs), sample("trip"), assumptions=PRICES, steps=shown
    )
    assert len(questions) >= 8
    assert all(question.step in shown for question in questions)
    hold(questions, list(runs), sample("trip").probes)


def test_without_facts_none_is_asked_for() -> None:
    runs = recorded_runs("trip")
    found = predictions(as_settings(*runs), sample("trip"), [None] * len(runs), PRICES)
    assert {question.kind for question in found} == set(KINDS) - {"knows"}
