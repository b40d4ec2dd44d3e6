"""Compare with answers of a model's own: asked only when told to, kept, and shown beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import memviz
from memviz.engine.run import Run
from memviz.storage.store import Store
from memviz.transcripts.samples import sample
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.asking import cards, sources
from tests.pages.chatting import KEY, use_model
from tests.pages.comparing import FIRST, replayed, sent
from tests.pages.driving import (
    click,
    inspected,
    labelled,
    open_page,
    page_of,
    sentences,
    token_lines,
    walk_to,
)
from tests.pages.free_running import QUESTIONS, answer, as_free_run
from tests.pages.markup import WORD_JOINER

BUFFER, WINDOW, SUMMARY = FIRST


@pytest.fixture
def compare() -> AppTest:
    return as_free_run(open_page("compare"))


def open_free_run(conversation: str) -> AppTest:
    return open_page("compare", conversation=conversation, replies="free-run")


def open_short(short: str, server: OpenAIServer) -> AppTest:
    """The short conversation, to be answered anew by the server's model."""
    return use_model(open_free_run(short), "Chat model", server.api_base)


def panel(session: AppTest) -> str:
    """What the panel says that asks whether to answer; empty where there is none."""
    return next(
        (
            said
            for said in sentences(session.markdown)
            if "Each setting answers for itself" in said
        ),
        "",
    )


def estimate(session: AppTest) -> str:
    return next(
        said for said in sentences(session.caption) if said.startswith("Likely")
    )


def is_free_run(strategy: memviz.Strategy) -> Run:
    trip = sample("trip")
    return memviz.free_run(
        list(trip.messages), strategy, system_prompt=trip.system_prompt
    )


def on_the_page(session: AppTest) -> str:
    """Everything the page shows, apart from what the user typed into fields, without escapes."""
    nodes = [
        str(node.proto)
        for node in (*session.main, *session.sidebar)
        if node.type != "text_input"
    ]
    return "".join(nodes).replace("\\", "")


def test_nothing_is_answered_before_it_is_asked_for(compare: AppTest) -> None:
    assert "0 of 138 turns answered so far" in panel(compare)
    assert "138 requests: about" in estimate(compare)
    assert "at no cost" in estimate(compare)
    assert not compare.get("plotly_chart")
    assert not cards(compare)
    assert "A [free run]" in sentences(compare.caption)[0]
    assert "comes on top" not in estimate(compare)
    labelled(compare.selectbox, "Strategy").select("summary_only").run()
    assert "comes on top" in estimate(compare), "of recalls and thoughts of the model"


@pytest.mark.slow
def test_the_click_answers_under_every_setting_for_other_sessions_too_and_replies_as_recorded_come_back(
    compare: AppTest,
) -> None:
    answer(compare)
    assert page_of(compare) == "compare"
    assert not panel(compare)
    runs = {label: is_free_run(strategy) for label, strategy in FIRST.items()}
    lines = {label: sent(run) for label, run in runs.items()}
    assert token_lines(compare) == lines
    assert len(compare.metric) == 3
    walk_to(compare, 35)
    answers_stand_beside_each_other(compare, runs)
    st.cache_resource.clear()  # as after a restart
    other = as_free_run(open_page("compare"))
    assert not panel(other)
    assert token_lines(other) == lines
    walk_to(other, 35)
    assert cards(other) == cards(compare) != []
    labelled(compare.button_group, "Replies").set_value("replayed").run()
    assert token_lines(compare) == {
        label: sent(replayed(strategy)) for label, strategy in FIRST.items()
    }
    assert not cards(compare)


def answers_stand_beside_each_other(compare: AppTest, runs: dict[str, Run]) -> None:
    """Those of turn 35, with where each came from and what was asked."""
    assert {card.label: card.answer for card in cards(compare)} == {
        label: run.turns[34].reply for label, run in runs.items()
    }
    known = {
        "word for word",
        "recalled",
        "in the summary",
        "system prompt",
        "not in context",
    }
    assert set(sources(compare)) == set(FIRST)
    assert set(sources(compare).values()) <= known
    asked = runs[BUFFER].turns[34].context.messages[-1].content
    assert " ".join(asked.split()) in [
        said.replace(WORD_JOINER, "") for said in sentences(compare.caption)
    ]
    assert asked in inspected(compare)


@pytest.mark.slow
def test_where_an_answer_came_from_is_told_by_setting(short: str) -> None:
    session = open_free_run(short)
    labelled(session.number_input, "Window size").set_value(2).run()
    answer(session)
    walk_to(session, 4)
    assert sources(session) == {
        BUFFER: "word for word",
        "Sliding window · 2 messages": "not in context",
        SUMMARY: "word for word",
    }


@pytest.mark.slow
def test_only_a_setting_that_is_new_is_answered(
    short: str, server: OpenAIServer
) -> None:
    session = answer(open_short(short, server))
    assert len(server.requests) == 3 * len(QUESTIONS)
    click(session, "Add a setting")
    assert len(server.requests) == 3 * len(QUESTIONS)
    assert "0 of 4 turns answered so far" in panel(session)
    assert "4 requests" in estimate(session)
    assert len(token_lines(session)) == 3  # what was answered stays on the page
    answer(session)
    assert len(server.requests) == 4 * len(QUESTIONS)
    assert not panel(session)
    assert len(token_lines(session)) == 4
    labelled(session.number_input, "Window size").set_value(4).run()
    assert "0 of 4 turns" in panel(session), "a setting that was changed is new as well"
    labelled(session.number_input, "Window size").set_value(10).run()
    assert not panel(session)


def test_a_paid_model_says_its_price_and_is_not_called(server: OpenAIServer) -> None:
    session = open_free_run("sample-trip")
    labelled(session.selectbox, "Chat model").set_value("openai/gpt-4o-mini").run()
    labelled(session.text_input, "Base URL").set_value(server.api_base).run()
    assert "about $" in estimate(session)
    assert "at list price" in estimate(session)
    source = next(
        caption.value
        for caption in session.caption
        if caption.value.startswith("Likely")
    )
    assert (
        source.count("$") == source.count(r"\$") == 3
    )  # a pair of plain ones would be read as a formula
    assert (
        labelled(session.button, "Answer with").label.replace("\\", "")
        == "Answer with openai/gpt-4o-mini"
    )
    assert not server.requests
    assert not session.get("plotly_chart")


WRONG_KEY = status(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")
BROKEN = status(500, f"Broken. {KEY}", Retry_After="0")


@pytest.mark.slow
def test_a_failure_keeps_what_was_answered_before_and_it_goes_on_from_there(
    short: str, server: OpenAIServer, database: Path
) -> None:
    failures = [BROKEN] * 3  # so often it is tried
    server.then(text("First."), text("Second."), *failures)
    session = answer(open_short(short, server))
    assert page_of(session) == "compare"
    (sentence,) = sentences(session.error)
    assert "What was answered before is kept" in sentence
    assert "Traceback" not in sentence
    assert not [button for button in session.button if button.label == "Stop"]
    assert len(token_lines(session)[BUFFER]) == 2
    st.cache_resource.clear()  # as after a restart
    again = open_short(short, server)
    assert "2 of 12 turns answered so far" in panel(again)
    assert len(token_lines(again)[BUFFER]) == 2
    assert labelled(again.button, "Go on with")
    answer(again)
    assert not again.error
    assert not panel(again)
    assert len(server.requests) == 2 + len(failures) + 10
    assert {len(line) for line in token_lines(again).values()} == {4}
    walk_to(again, 2)
    assert cards(again)[0].answer == "Second."
    assert "Second." in on_the_page(again)
    for page in (session, again):
        assert KEY not in on_the_page(page)
    assert not any(
        KEY.encode() in file.read_bytes() for file in database.parent.glob("memviz.db*")
    )


@pytest.mark.slow
def test_a_summarizer_that_no_call_reaches_ends_it_and_it_goes_on_once_that_is_mended(
    short: str, server: OpenAIServer
) -> None:
    server.otherwise = WRONG_KEY
    session = open_free_run(short)
    session.selectbox(key="strategy-0").select("summary").run()
    labelled(session.number_input, "Buffer size").set_value(1).run()
    use_model(session, "Summarizer", server.api_base)
    answer(session)
    assert len(server.requests) == 1, (
        "every other summary would have failed in the same way"
    )
    assert len(session.error) == 1
    server.otherwise = text("A short summary.")
    click(session, "Try again")
    assert not session.error
    assert not panel(session)
    assert len(server.requests) > 1
    assert {len(line) for line in token_lines(session).values()} == {4}


def test_a_conversation_without_a_user_is_a_sentence(database: Path) -> None:
    transcript = memviz.Transcript(
        (memviz.Message("assistant", "Anyone?"),), title="Nobody", format="messages"
    )
    nobody = Store(database).add_conversation(transcript)
    session = open_free_run(nobody)
    assert page_of(session) == "compare"
    (sentence,) = sentences(session.info)
    assert "no message of a user" in sentence


@pytest.mark.slow
def test_a_recall_is_part_of_what_is_answered_anew(
    short: str, server: OpenAIServer
) -> None:
    session = open_short(short, server)
    labelled(session.number_input, "Window size").set_value(2).run()
    labelled(session.number_input, "Into the request of turn").set_value(4)
    labelled(session.text_input, "Turns to bring back").set_value("1")
    next(button for button in session.button if button.label == "Add").click().run()
    answer(session)
    contents = [
        [message["content"] for message in request.body["messages"]]
        for request in server.requests
    ]
    assert [said for said in contents if said[-1] == QUESTIONS[3]][1] == [
        "Hello there.",
        QUESTIONS[0],
        "Hello there.",
        QUESTIONS[3],  # the window's one, and the first turn
    ]


@pytest.mark.slow
def test_a_free_run_is_made_again_with_one_click_and_the_first_is_kept(
    short: str, server: OpenAIServer
) -> None:
    session = open_short(short, server)
    server.otherwise = text("The first time.")
    answer(session)
    asked = len(server.requests)
    assert asked == 3 * len(QUESTIONS)
    assert any("At most" in said for said in sentences(session.caption)), (
        "what it will cost is said before"
    )
    server.otherwise = text("The second time.")
    click(session, "Answer again")
    assert len(server.requests) == 2 * asked
    assert "The second time." in on_the_page(session)
    session.segmented_control(key="free-take").set_value(0).run()
    assert "The first time." in on_the_page(session)
    assert len(server.requests) == 2 * asked
    again = open_short(short, server)
    assert [
        control.options
        for control in again.segmented_control
        if control.key == "free-take"
    ] == [["Run 1", "Run 2"]]
