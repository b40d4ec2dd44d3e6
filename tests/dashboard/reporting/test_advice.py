"""The report says what each setting still knows, what it costs, and which one does best."""

from __future__ import annotations

from dataclasses import replace

import pytest

import memviz
from memviz import Message, Run
from memviz.core.text.wording import dollars
from memviz.dashboard.reporting import facts as report_facts
from memviz.dashboard.reporting.report import html_report
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import life_lines
from memviz.transcripts.samples import sample
from memviz.tuning.constraints import Constraints
from memviz.tuning.grounds import OFFLINE_SUMMARIES
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.dashboard.reporting.reading import Element, read, rows
from tests.tool_loops import loops

TRIP = sample("trip")
SETTINGS = [
    memviz.strategy("buffer"),
    memviz.strategy("window"),
    memviz.strategy("summary", buffer_size=6),
]


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return [memviz.replay(TRIP, setting, model="offline") for setting in SETTINGS]


@pytest.fixture(scope="module")
def page(runs: list[Run]) -> Element:
    return read(html_report(runs, TRIP))


def section(page: Element, id: str) -> Element:
    return page.one("section", id=id)


def table(page: Element, id: str, number: int = 0) -> dict[str, list[str]]:
    return {
        name: cells for name, *cells in rows(section(page, id).all("table")[number])[1:]
    }


def swept() -> memviz.Sweep:
    return memviz.sweep(
        TRIP,
        {
            "buffer": {},
            "window": {"window_size": [10]},
            "summary": {"buffer_size": [6]},
        },
    )


@pytest.mark.slow
def test_facts_kept_are_those_of_a_sweep_over_the_same_settings(page: Element) -> None:
    found = table(page, "facts")
    shares = swept().by_setting()
    assert found["Facts kept, on average over the requests"] == [
        f"{share:.0%}" for share in shares["retention"]
    ]
    last = [f"{round(share * 18)} of 18 facts" for share in shares["final_retention"]]
    assert found["Facts kept by the last request"] == last


def test_every_fact_says_when_which_setting_lost_it_and_why(
    page: Element, runs: list[Run]
) -> None:
    body = rows(section(page, "facts").all("table")[1])[1:]
    assert len(body) == len(TRIP.probes)
    for at, run in enumerate(runs):
        lives = life_lines(run, memviz.retention(run, TRIP.probes))
        for life, row in zip(lives, body, strict=True):
            assert TRIP.probes[life.probe].answers[0] in row[0]
            last, fate = life.spans[-1], row[2 + at]
            assert fate.startswith(f"lost at turn {last.first_turn}: ") == (
                last.state is Knowledge.LOST
            ), fate
    lost = [
        [row[2 + at] for row in body if row[2 + at].startswith("lost")]
        for at in range(3)
    ]
    assert not lost[0], "a full buffer loses nothing"
    assert all(fate.endswith("no longer sent") for fate in lost[1])
    assert any("not in the summary of messages" in fate for fate in lost[2])


def test_costs_name_both_models_and_what_they_assume(
    page: Element, runs: list[Run]
) -> None:
    found, assumptions = table(page, "costs"), PricingAssumptions.of()
    costs = [assumptions.cost(count_traffic(run)) for run in runs]
    assert found["Both, US dollars"] == [
        dollars(cost.total_usd or 0.0) for cost in costs
    ]
    assert found["Chat model, US dollars"] == [
        dollars(cost.main_usd or 0.0) for cost in costs
    ]
    assert found["Summarizer, US dollars"] == [
        dollars(cost.summarizer_usd or 0.0) for cost in costs
    ]
    assert found["Summarizer: tokens read"][:2] == ["0", "0"]
    words = section(page, "costs").words
    assert "the prices of openai/gpt-5-mini and a pause of 1 min between turns" in words
    assert "USD per million tokens" in words
    assert "Prompt cache: " in words


def test_the_recommendation_is_that_of_a_sweep_with_its_grounds(page: Element) -> None:
    best, words = swept().best(0.9), section(page, "advice").words
    assert best.answer in words
    assert all(sentence in words for sentence in best.grounds.sentences)
    assert "Measured on 18 known facts." in words
    assert (
        "openai/gpt-5-mini and a pause of 1 min between turns, shorter than its prompt cache lasts."
        in words
    )


def test_whose_summaries_the_facts_rest_on_is_said_beside_them_also_of_one_setting(
    runs: list[Run],
) -> None:
    assert (
        OFFLINE_SUMMARIES in section(read(html_report(runs[2:], TRIP)), "facts").words
    )
    assert (
        OFFLINE_SUMMARIES
        not in section(read(html_report(runs[:2], TRIP)), "facts").words
    ), "nothing is summarized"


def test_a_replay_says_that_its_costs_are_estimated(page: Element) -> None:
    assert (
        "No model was called; these costs are estimated" in section(page, "costs").words
    )
    assert "not called" not in page.words


def test_other_prices_and_wishes_count(runs: list[Run]) -> None:
    sonnet, asked = (
        PricingAssumptions.of("anthropic/claude-sonnet-4-5", pause_seconds=600),
        Constraints(0.6, 3000),
    )
    page = read(html_report(runs, TRIP, assumptions=sonnet, constraints=asked))
    assert (
        "anthropic/claude-sonnet-4-5 and a pause of 10 min"
        in section(page, "costs").words
    )
    assert (
        swept().priced(sonnet).best(0.6, 3000).answer in section(page, "advice").words
    )
    assert (
        "keep 60% of the facts with at most 3,000 tokens in a request"
        in section(page, "advice").words
    )


def test_what_cannot_be_known_is_said_in_a_sentence() -> None:
    short = memviz.Transcript(
        (memviz.Message("user", "Hello."), memviz.Message("assistant", "Hi.")),
        title="Short",
    )
    page = read(
        html_report(
            [memviz.replay(short, SETTINGS[0])],
            short,
            assumptions=PricingAssumptions(None, None),
        )
    )
    assert (
        "What each setting still knows could not be measured"
        in section(page, "facts").words
    )
    assert (
        "Unknown, and so are the dollars that need it: " in section(page, "costs").words
    )
    assert table(page, "costs")["Both, US dollars"] == ["unknown"]
    assert (
        "There is no recommendation: it takes two settings"
        in section(page, "advice").words
    )


def test_a_setting_that_answered_for_itself_is_not_measured_on_the_facts_of_another_conversation(
    runs: list[Run],
) -> None:
    own = [
        replace(message, content="Own words.")
        if message.role == "assistant"
        else message
        for message in runs[0].log
    ]
    free = memviz.replay(own, SETTINGS[1])
    page = read(html_report([runs[0], runs[2], free], TRIP))
    assert (
        table(page, "facts")["Facts kept, on average over the requests"][2]
        == "not measured"
    )
    assert "1 setting answered for itself" in section(page, "facts").words
    assert "Asked of 2 settings" in section(page, "advice").words


def test_of_many_facts_some_are_looked_for_and_that_is_said(
    runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_facts, "MAX_FACTS", 6)
    page = read(html_report(runs[:1], TRIP))
    assert "6 of the 18 facts were looked for" in section(page, "facts").words
    assert len(rows(section(page, "facts").all("table")[1])) == 1 + 6


def test_a_fact_that_is_lost_within_a_tool_loop_names_the_call() -> None:
    said = (Message("user", "My booking code is QX77Z."), *loops(2, 4)[1:])
    probe = memviz.Probe("What is the booking code?", ("QX77Z",), (0,), "code")
    run = memviz.replay(said, memviz.strategy("window", window_size=4), model=None)
    lost = next(
        record for record in run.requests if "QX77Z" not in str(record.context.messages)
    )
    assert (lost.turn, lost.call) == (1, 3)
    page = read(html_report([run], memviz.Transcript(said, probes=(probe,))))
    (row,) = rows(page.one("details", class_="fates"))[1:]
    assert row[2] == "lost at turn 1, call 3: no longer sent"
