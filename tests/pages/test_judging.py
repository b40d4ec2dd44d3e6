"""Ask a model on the Facts page: nothing is asked before one says so, and what was answered is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.engine.judging import Judging
from memviz.metrics.answer_scores import score_answers
from memviz.models.access import TRUST_EVERYONE
from memviz.transcripts.samples import sample
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.chatting import KEY, use_model
from tests.pages.comparing import FIRST, replayed
from tests.pages.driving import labelled, open_page, sentences, texts
from tests.pages.facts import opened, save, told
from tests.pages.judging import ask, only_the_buffer, results

TRIP = sample("trip")
PROBES = (
    memviz.Probe("What is the budget?", ("3,000 euros",), (0,), "number"),
    memviz.Probe("How do we go?", ("train",), (2,), "single fact"),
)
SAID = ("My budget is 3,000 euros.", "Noted.", "We go by train.", "Noted.")


@pytest.fixture
def short(database: Path) -> str:
    """A conversation of two turns with two facts."""
    return save(database, *SAID, probes=PROBES)


def asked(session: AppTest) -> bool:
    return any("Answer contained" in table.value.index for table in session.table)


def estimate(session: AppTest) -> str:
    return next(
        said for said in sentences(session.caption) if said.startswith("Likely")
    )


def test_nothing_is_asked_before_one_says_so() -> None:
    page = open_page("retention")
    assert not asked(page)
    assert estimate(page).startswith("Likely 54 questions: about ")
    assert estimate(page).endswith("at no cost.")


@pytest.mark.slow
def test_the_offline_model_answers_every_question_under_every_setting() -> None:
    page = ask(open_page("retention"))
    runs = [replayed(strategy) for strategy in FIRST.values()]
    judging = Judging(runs, TRIP.probes, model="offline")
    list(judging.steps())
    scores = score_answers(judging.results, 3)
    shown = results(page)
    assert shown["Answer contained"] == [f"{one.containing} of 18" for one in scores]
    assert shown["Token F1, mean"] == [f"{one.mean_f1:.2f}" for one in scores]
    assert shown["Could be known"] == ["18 of 18", "7 of 18", "12 of 18"]
    assert not {"Judged right", "Failed", "Cost"} & set(shown), (
        "nobody judged, nothing failed, nothing was paid"
    )
    assert "Answers: :gray-badge[built-in model] 54." in sentences(page.caption)
    assert scores[0].containing > scores[1].containing
    assert not page.error
    with pytest.raises(KeyError):
        page.button(key="judged-ask")


@pytest.mark.slow
def test_where_others_reach_the_server_answers_stay_with_their_visitor(
    short: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRUST_EVERYONE, "1")
    page = ask(open_page("retention", conversation=short))
    assert asked(page)
    assert not asked(open_page("retention", conversation=short))


@pytest.mark.slow
def test_only_the_settings_and_questions_that_are_chosen_and_answers_are_kept(
    short: str, server: OpenAIServer
) -> None:
    session = only_the_buffer(opened(short))
    labelled(session.slider, "Questions").set_value(1).run()
    assert estimate(session).startswith("Likely 1 question: ")
    ask(session)
    assert results(session)["Answer contained"] == ["1 of 1"]
    labelled(session.slider, "Questions").set_value(2).run()
    assert not asked(session)
    labelled(session.slider, "Questions").set_value(1).run()
    assert asked(session)  # kept for these settings, models and facts

    again = opened(short)
    labelled(again.button_group, "Settings").set_value([]).run()
    assert "Choose a setting to ask." in told(again)
    labelled(again.slider, "Questions").set_value(1)
    only_the_buffer(again)
    assert results(again) == results(session), "they are there after a reload"
    with pytest.raises(KeyError):
        again.button(key="judged-ask")
    use_model(again, "Chat model", server.api_base)
    assert not asked(again), "another model is another question"
    assert not server.requests


@pytest.mark.slow
def test_answers_to_one_question_stand_beside_each_other(short: str) -> None:
    session = ask(opened(short))
    assert not [said for said in texts(session) if "3,000" in said]
    labelled(session.selectbox, "Answers to one question").select(0).run()
    assert "Accepted: 3,000 euros" in told(session)
    assert len([said for said in texts(session) if "3,000" in said]) == 3


@pytest.mark.slow
def test_a_judge_is_asked_too_and_its_verdicts_count(
    short: str, server: OpenAIServer
) -> None:
    session = only_the_buffer(opened(short))
    labelled(session.toggle, "Let a model judge").set_value(True).run()
    use_model(session, "Judge", server.api_base)
    assert "2 verdicts" in estimate(session)
    assert not server.requests
    server.then(text("RIGHT"), text("WRONG"))
    ask(session)
    assert len(server.requests) == 2
    assert results(session)["Judged right"] == ["1 of 2"]
    assert "3,000 euros" in str(server.requests[0])
    labelled(session.selectbox, "Answers to one question").select(1).run()
    assert "judged wrong" in "".join(sentences(session.markdown))


@pytest.mark.slow
def test_a_failure_keeps_what_was_answered_and_it_goes_on_from_there(
    short: str, server: OpenAIServer
) -> None:
    session = only_the_buffer(opened(short))
    use_model(session, "Chat model", server.api_base)
    server.then(
        text("3,000 euros it is."),
        status(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"),
    )
    ask(session)
    (sentence,) = sentences(session.error)
    assert "What was answered before is kept" in sentence
    assert KEY not in sentence
    session.run()
    assert "1 of 2 answers so far" in told(session)
    assert results(session)["Answer contained"] == ["1 of 1"]
    assert labelled(session.button, "Go on with")
    server.then(text("By train."))
    ask(session)
    assert results(session)["Answer contained"] == ["2 of 2"]
    assert len(server.requests) == 3
    assert not session.error
