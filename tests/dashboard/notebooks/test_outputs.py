"""Notebooks show of each value what its records say."""

from __future__ import annotations

import pytest

import memviz
from memviz import Message
from memviz.core.text.wording import dollars
from memviz.dashboard.notebooks import outputs
from memviz.dashboard.notebooks.outputs import output_of
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.transcripts.samples import sample
from memviz.tuning.pricing_assumptions import PricingAssumptions

TRIP = sample("trip")


@pytest.fixture(scope="module")
def run() -> memviz.Run:
    return memviz.replay(TRIP, memviz.strategy("summary_buffer", max_token_limit=1500))


def test_a_run_has_its_numbers_its_chart_and_every_request_as_animation(
    run: memviz.Run,
) -> None:
    output = output_of(run)
    use = count_token_use(run)
    usd = PricingAssumptions.of().cost(count_traffic(run)).total_usd
    known = int(memviz.retention(run, TRIP.probes).retained[-1].sum())
    assert usd is not None
    assert output.title == run.label
    assert output.numbers[:4] == (
        f"{use.requests} requests",
        f"{use.sent_tokens:,} tokens sent",
        f"largest request {use.peak_tokens:,}",
        f"{use.summarizations} summarizations",
    )
    assert output.numbers[4].startswith(f"{dollars(usd)} at the prices of ")
    assert output.numbers[5] == f"{known} of {len(TRIP.probes)} facts known at the end"
    (picture,) = output.pictures
    assert len(picture.figure.data[0].x) == use.requests
    assert output.stage is not None
    assert len(output.stage["steps"]) == use.requests
    assert len(output.stage["facts"]) == len(TRIP.probes)


def test_facts_that_memviz_proposed_are_called_guessed(run: memviz.Run) -> None:
    alone = memviz.replay(TRIP.messages, run.strategy)
    assert alone.probes == ()
    assert run.probes == TRIP.probes
    (numbers,) = [words for words in output_of(alone).numbers if "fact" in words]
    assert "guessed facts known at the end" in numbers


def test_of_a_long_conversation_no_facts_are_guessed(
    run: memviz.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "MOST_MESSAGES_GUESSED", len(run.log) - 1)
    alone = memviz.replay(TRIP.messages, run.strategy)
    assert [words for words in output_of(alone).numbers if "fact" in words] == []
    assert [words for words in output_of(run).numbers if "fact" in words]


def test_a_run_without_a_request_says_so() -> None:
    chat = memviz.Chat(memviz.strategy("buffer"))
    output = output_of(chat.run)
    assert output.numbers == ("no request was sent yet",)
    assert output.pictures == ()


def test_kept_facts_have_their_lives_and_what_ended_them(run: memviz.Run) -> None:
    retention = memviz.retention(run, TRIP.probes)
    output = output_of(retention)
    known = int(retention.retained[-1].sum())
    assert output.numbers[0] == f"{known} of {len(TRIP.probes)} facts known at the end"
    (picture,) = output.pictures
    rows = {
        row for trace in picture.figure.data if trace.type == "bar" for row in trace.y
    }
    assert len(rows) == len(TRIP.probes)


def test_of_many_facts_those_that_were_lost_are_drawn_first(
    run: memviz.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    retention = memviz.retention(run, TRIP.probes)
    was_lost = (retention.state == memviz.FactState.LOST).any(axis=0)
    lost = set(was_lost.nonzero()[0].tolist())
    assert 0 < len(lost) < len(TRIP.probes)
    monkeypatch.setattr(outputs, "MOST_LIVES", len(lost))
    output = output_of(retention)
    (picture,) = output.pictures
    lives = [trace for trace in picture.figure.data if trace.type == "bar"]
    assert {probe for trace in lives for probe in trace.customdata} == lost
    assert (
        output.sentence
        == f"The lives of {len(lost)} of {len(TRIP.probes)} facts are drawn, those that were lost first."
    )


def test_facts_of_some_requests_alone_have_no_lives(run: memviz.Run) -> None:
    assert (
        output_of(
            memviz.metrics.retention.retention.retention(
                run, TRIP.probes, requests=[3, 4]
            )
        ).pictures
        == ()
    )
    assert output_of(memviz.retention(run, [])).pictures == ()


def test_a_sweep_says_which_setting_to_take_and_marks_it() -> None:
    sweep = memviz.sweep(TRIP, {"window": {"window_size": [4, 40]}, "buffer": {}})
    output = output_of(sweep)
    best = sweep.best()
    assert output.title == best.headline
    assert output.sentence == best.why
    assert output.numbers[:2] == ("3 settings", "1 conversation")
    (picture,) = output.pictures
    places = [
        x for trace in picture.figure.data if trace.customdata for x in trace.customdata
    ]
    assert sorted(places) == [0, 1, 2]
    (ring,) = [trace for trace in picture.figure.data if trace.name == "Recommended"]
    assert best.row is not None
    assert ring.x[0] == best.row["usd"]


def test_a_sweep_in_which_nothing_fits_says_so() -> None:
    sweep = memviz.sweep(TRIP, {"window": {"window_size": [2]}})
    output = output_of(sweep)
    assert output.title == "No setting fits"
    assert "No setting keeps 90%" in output.sentence


def test_a_value_that_notebooks_do_not_show_is_refused() -> None:
    with pytest.raises(TypeError, match="no Message"):
        output_of(Message("user", "hello"))
