"""Summaries: rewording a version, and trying prompts on what it was made of."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz import Chat
from memviz.models.access import TRUST_EVERYONE
from memviz.storage.workspace import Workspace
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.chatting import KEY, use_model
from tests.pages.driving import click, labelled, open_page, page_of, sentences, texts
from tests.storage.stored_runs import stored_runs

WORDING = "The total budget of the family is 9,876 euros."


@pytest.fixture
def page() -> AppTest:
    return open_page("summaries")


def wording(session: AppTest) -> str:
    return labelled(session.text_area, "Your wording").value


def reword(session: AppTest, new: str = WORDING) -> AppTest:
    labelled(session.text_area, "Your wording").set_value(new).run()
    return click(session, "Replay with my wording")


def settings(session: AppTest) -> list[str]:
    return labelled(session.segmented_control, "Setting").options


def offers_to_compare(session: AppTest) -> bool:
    labels = [button.label for button in session.button]
    return any(label.startswith("Compare with the wording") for label in labels)


def is_reworded(session: AppTest) -> bool:
    return any(label.endswith("reworded") for label in settings(session))


def test_the_conversation_is_replayed_with_ones_own_wording_until_that_is_taken_back(
    page: AppTest,
) -> None:
    before = wording(page)
    assert before != WORDING
    assert not offers_to_compare(page)
    reword(page)
    assert wording(page) == WORDING
    assert is_reworded(page)
    (edited,) = [
        entry
        for entry in stored_runs(Workspace().store, "sample-trip")
        if entry.strategy_id == "summary_buffer"
    ][1:]
    assert edited.request_count == 46

    again = open_page("summaries")
    assert wording(again) == WORDING, "it is there after a reload"
    click(again, "Take my wording back")
    assert wording(again) == before
    assert not is_reworded(again)
    assert wording(open_page("summaries")) == before


@pytest.mark.slow
def test_the_setting_stands_beside_itself_with_the_wording_as_it_was(
    page: AppTest,
) -> None:
    before = wording(page)
    reword(page)
    for limit, has_edits in ((900, False), (1500, True)):
        labelled(page.number_input, "Max token limit").set_value(limit).run()
        assert is_reworded(page) == has_edits
    click(page, "Compare with the wording as it was")
    assert [
        label for label in settings(page) if label.startswith("Summary buffer")
    ] == [
        "Summary buffer · 1,500 tokens · 120 words · reworded",
        "Summary buffer · 1,500 tokens · 120 words",
    ]
    assert wording(page) == WORDING
    labelled(page.segmented_control, "Setting").set_value(3).run()
    assert wording(page) == before
    assert not offers_to_compare(page)
    labelled(page.segmented_control, "Setting").set_value(2).run()
    assert "stands in the sidebar" in "".join(sentences(page.caption))
    assert page_of(click(page, "See both in Compare")) == "compare"


@pytest.mark.slow
def test_where_others_reach_the_server_a_wording_stays_with_its_visitor(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = wording(page)
    monkeypatch.setenv(TRUST_EVERYONE, "1")
    reword(page)
    assert wording(page) == WORDING
    assert wording(open_page("summaries")) == before


def test_a_chat_as_it_was_held_is_reworded_in_chat() -> None:
    workspace = Workspace()
    chat = Chat(memviz.strategy("summary", buffer_size=1))
    for number in range(4):
        chat.send(f"My code number {number} is QX{number}R.")
    chat.change_strategy(memviz.strategy("window"))
    chat.send("And now?")
    id = workspace.new_chat(chat)
    workspace.save_chat(id, chat, "offline")
    session = open_page("summaries", conversation=id)
    chosen = labelled(session.segmented_control, "Setting")
    chosen.set_value(len(chosen.options) - 1).run()
    assert chosen.options[-1].startswith("Chat as it was held")
    assert chosen.options[-1].endswith(f", then {memviz.strategy('window').label}")
    assert page_of(session) == "summaries"
    click(session, "Open the chat")
    assert page_of(session) == "chat"
    assert labelled(session.selectbox, "Conversation").value == id


def test_two_prompts_give_two_summaries_with_their_tokens_and_facts(
    page: AppTest,
) -> None:
    before = wording(page)
    click(page, "Try both")
    heads = [
        value
        for value in sentences(page.markdown)
        if re.match(r"\*\*Summary [AB]:", value)
    ]
    assert [head.split(":")[0] for head in heads] == ["**Summary A", "**Summary B"]
    survive = next(
        value
        for value in sentences(page.markdown)
        if value.startswith("**Facts that survive**")
    )
    kept_by_a = int(survive.split("A ")[1].split(",")[0])
    table = next(table.value for table in page.table if "A" in table.value.columns)
    assert kept_by_a == (table["A"] == "kept").sum()
    assert kept_by_a == (table["in the run"] == "kept").sum(), (
        "A is the prompt that the run was made with"
    )
    assert wording(page) == before
    labelled(page.selectbox, "Prompt A").set_value("Short").run()
    instruction = labelled(page.text_area, "What the summarizer is told, A")
    assert "at most 60 words" in instruction.value
    instruction.set_value("Summarize in at most 5 words.").run()
    click(page, "Try both")
    assert any(0 < len(value.split()) <= 5 for value in texts(page))


@pytest.mark.slow
def test_a_real_summarizer_is_asked_on_a_click_alone_and_its_failure_is_said(
    server: OpenAIServer,
) -> None:
    session = open_page("summaries")
    use_model(session, "Summarizer", server.api_base)
    assert server.requests == []
    click(session, "Replay with")
    labelled(session.segmented_control, "Setting").set_value(2).run()
    asked = len(server.requests)
    assert asked
    server.script.extend([text("A short one."), status(400, "not this one")])
    click(session, "Try both")
    assert len(server.requests) == asked + 2
    assert "A short one." in texts(session)
    assert any("It failed" in value for value in sentences(session.error))
    server.script.append(text("A second one."))
    click(session, "Try again with")
    assert len(server.requests) == asked + 3, "only what failed is asked for again"
    assert {"A short one.", "A second one."} <= {*texts(session)}
    assert not any(button.label.startswith("Try again") for button in session.button)
    reword(session)
    assert len(server.requests) == asked + 3, (
        "later summaries cost money, so they wait for a click"
    )
    click(session, "Replay with")
    assert wording(session) == WORDING


@pytest.mark.slow
def test_the_second_prompt_is_not_tried_where_it_would_fail_as_the_first_did(
    server: OpenAIServer,
) -> None:
    session = open_page("summaries")
    use_model(session, "Summarizer", server.api_base)
    click(session, "Replay with")
    labelled(session.segmented_control, "Setting").set_value(2).run()
    server.requests.clear()
    server.otherwise = status(401, f"Incorrect API key: {KEY}", "invalid_api_key")
    click(session, "Try both")
    assert len(server.requests) == 1
    (sentence,) = sentences(session.error)
    assert "was refused" in sentence
    assert sentence.endswith("No other call was made.")
    assert KEY not in sentence
    assert not any(
        value.startswith("**Summary A") for value in sentences(session.markdown)
    ), "there is none"
    server.then(text("A short one."))
    click(session, "Try again with")
    assert len(server.requests) == 3
    assert "A short one." in texts(session)
    assert len(session.error) == 1
    survive = next(
        value
        for value in sentences(session.markdown)
        if value.startswith("**Facts that survive**")
    )
    assert ", B " not in survive, "nothing is counted of what was not written"
    labelled(session.text_input, "API key").set_value("another").run()
    assert not session.error, "with another key nothing has failed yet"
    assert not any(button.label.startswith("Try again") for button in session.button)
    server.otherwise = text("A summary.")
    click(session, "Try both")
    assert len(server.requests) == 5
    assert not session.error


@pytest.mark.slow
def test_facts_of_a_conversation_without_labels_are_proposed() -> None:
    said = [
        "My locker code is QX7R4M and the gym costs 75 euros.",
        "Noted: a locker in the gym.",
        "Tell me about stretching for runners in the morning.",
        "Stretch your calves and your hips.",
        "Which shoes are good for gravel roads in winter?",
        "Shoes with a deep tread.",
        "Is QX7R4M still my locker code at the gym?",
        "Yes, the locker code is QX7R4M.",
    ]
    roles = ("user", "assistant")
    messages = tuple(
        memviz.Message(roles[n % 2], content) for n, content in enumerate(said * 2)
    )
    id = Workspace().store.add_conversation(memviz.Transcript(messages))
    session = open_page("summaries")
    labelled(session.selectbox, "Conversation").set_value(id).run()
    labelled(session.number_input, "Max token limit").set_value(60).run()
    labelled(session.segmented_control, "Setting").set_value(2).run()
    session.select_slider[0].set_value(0).run()
    click(session, "Try both")
    table = next(table.value for table in session.table if "A" in table.value.columns)
    assert any("QX7R4M" in row for row in table.index)
