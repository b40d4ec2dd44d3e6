"""Chat: deciding on a summary before it is used, rewriting it later, undoing it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memviz.storage.workspace import Workspace
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.chatting import use_model
from tests.pages.driving import (
    click,
    labelled,
    open_address,
    open_page,
    say,
    sentences,
    texts,
)
from tests.pages.reviewing import FACT, FILLER


def chat_that_asks() -> AppTest:
    """A chat under a small summary buffer that stops before each summarization."""
    session = open_page("chat")
    labelled(session.number_input, "Max token limit").set_value(160).run()
    labelled(session.toggle, "Ask before").set_value(True).run()
    say(session, FACT)
    for _ in range(6):
        if waits(session):
            return session
        say(session, FILLER)
    raise AssertionError("nothing was due")


def waits(session: AppTest) -> bool:
    return session.chat_input[0].disabled


def labels(session: AppTest) -> list[str]:
    popovers = [block.proto.popover.label for block in session.get("popover")]
    return [*(button.label for button in session.button), *popovers]


def proposed(session: AppTest) -> str:
    return labelled(session.text_area, "Proposed summary").value


def summary_in_force(session: AppTest) -> str:
    return labelled(session.text_area, "Version").value


def versions(session: AppTest) -> list[str]:
    """The labels of the fields that hold a summary in force."""
    areas = [area.label for area in session.text_area]
    return [label for label in areas if label.startswith("Version")]


def test_it_stops_with_a_proposal_goes_on_and_the_summary_can_be_rewritten_and_undone() -> (
    None
):
    session = chat_that_asks()
    assert any(
        "Before the summarization of messages 1 to" in value
        for value in sentences(session.markdown)
    )
    assert any(
        "It is due because" in value and "> 160" in value
        for value in sentences(session.caption)
    )
    text = proposed(session)
    assert "3,100 euros" in text
    assert f"user: {FACT}" in texts(session)
    click(session, "Use it")
    assert not waits(session)
    assert summary_in_force(session) == text
    assert session.chat_message[-1].avatar  # the reply that had to wait is there
    assert session.chat_message[-1].name == "assistant"

    labelled(session.text_area, "Version").set_value("  ").run()
    click(session, "Save my wording")
    assert any("The summary is empty" in value for value in sentences(session.error))
    labelled(session.text_area, "Version").set_value("The budget is 5,000 euros.").run()
    click(session, "Save my wording")
    assert summary_in_force(session) == "The budget is 5,000 euros."
    click(session, "Undo the edit")
    assert summary_in_force(session) == text
    click(session, "Undo the last summarization")
    assert not versions(session)
    assert asks(session)


@pytest.mark.slow
def test_ones_own_wording_is_what_the_model_gets_and_it_is_kept(
    database: object,
) -> None:
    session = chat_that_asks()
    labelled(session.text_area, "Proposed summary").set_value(
        "The budget is 4,200 euros."
    ).run()
    click(session, "Use my wording")
    assert summary_in_force(session) == "The budget is 4,200 euros."
    say(session, "What is the budget?")
    if waits(session):
        click(session, "Skip")
    assert any("4,200 euros" in text for text in texts(session))
    again = open_page("chat", chat=chat_of(session))
    assert summary_in_force(again) == "The budget is 4,200 euros."


def chat_of(session: AppTest) -> str:
    id = session.query_params["chat"]
    return id[0] if isinstance(id, list) else id


def test_after_a_reload_the_same_proposal_waits_is_written_again_and_skipped() -> None:
    session = chat_that_asks()
    first = proposed(session)
    again = reloaded(session)
    assert asks(again)
    assert waits(again)
    assert proposed(again) == first
    labelled(again.selectbox, "Prompt").set_value("List of facts").run()
    instruction = labelled(again.text_area, "What the summarizer is told")
    assert instruction.value.startswith("List every fact")
    instruction.set_value("Summarize in at most 6 words.").run()
    again.button(key="review-again").click().run()
    assert proposed(again) != first
    assert len(proposed(again).split()) <= 6
    assert any(value.startswith("Draft 2.") for value in sentences(again.caption))
    click(again, "Skip")
    assert not waits(again)
    assert not versions(again), "all is sent word for word"
    assert not asks(open_page("chat")), "it belongs to the conversation"


RECALL = "Let the model recall"


def asks(session: AppTest) -> bool:
    return labelled(session.toggle, "Ask before").value


def switches(session: AppTest) -> list[bool]:
    """What is switched on: to ask before a summary, and that the model may recall."""
    return [asks(session), labelled(session.toggle, RECALL).value]


def switch(session: AppTest, is_on: bool) -> AppTest:
    labelled(session.toggle, "Ask before").set_value(is_on)
    return labelled(session.toggle, RECALL).set_value(is_on).run()


def reloaded(session: AppTest) -> AppTest:
    """The address of the page, opened by a browser session that knows nothing else."""
    parts = {
        name: texts if isinstance(texts, list) else [texts]
        for name, texts in session.query_params.items()
    }
    return open_address("chat", parts)


def test_what_is_not_saved_yet_or_cannot_be_asks_after_a_reload_as_well(
    database: Path,
) -> None:
    again = reloaded(switch(open_page("chat"), True))
    assert switches(again) == [True, True]
    assert not sentences(again.warning)
    again = reloaded(again)
    assert switches(again) == [True, True]
    again = reloaded(switch(again, False))
    assert switches(again) == [False, False]
    switch(again, True)
    with sqlite3.connect(database) as connection:
        connection.execute(
            "create trigger no_more before insert on message begin select raise(abort, 'full'); end"
        )
    say(again, FACT)
    assert again.chat_message
    assert "chat" not in again.query_params
    assert asks(reloaded(again))


def test_a_saved_chat_has_the_switches_and_its_address_does_not() -> None:
    session = say(switch(open_page("chat"), True), FACT)
    assert "review" not in session.query_params
    assert switches(reloaded(session)) == [True, True]
    switch(session, False)
    stale = open_page("chat", chat=chat_of(session), review="True")
    assert switches(stale) == [False, False], "what is stored counts"


@pytest.mark.slow
def test_a_failing_summarizer_is_said_and_ones_own_summary_can_be_used(
    server: OpenAIServer,
) -> None:
    session = open_page("chat")
    labelled(session.number_input, "Max token limit").set_value(160).run()
    labelled(session.toggle, "Ask before").set_value(True).run()
    use_model(session, "Summarizer", server.api_base)
    server.script.append(status(401, "wrong key"))
    say(session, FACT)
    while not waits(session):
        say(session, FILLER)
    (failed,) = [
        value for value in sentences(session.error) if "The summarizer failed" in value
    ]
    assert "choose another summarizer" in failed
    assert "Its reason: " in failed
    assert {"Try again", "Write it yourself", "Skip"} <= {*labels(session)}
    assert not [
        area for area in session.text_area if area.label == "Proposed summary"
    ], "there is none to use"
    assert "Use it" not in labels(session)
    server.otherwise = text("A summary at last.")
    click(session, "Try again")
    assert labelled(session.text_area, "Proposed summary").value == "A summary at last."
    assert not session.error
    labelled(session.text_area, "Proposed summary").set_value(
        "Budget 3,100 euros."
    ).run()
    click(session, "Use my wording")
    assert summary_in_force(session) == "Budget 3,100 euros."


def test_editing_a_bundled_sample_makes_a_conversation_of_ones_own() -> None:
    session = switch(open_page("chat", chat="sample-trip"), True)
    assert asks(reloaded(session)), "what is not saved asks after a reload as well"
    labelled(session.text_area, "Version").set_value("The budget is 5,000 euros.").run()
    click(session, "Save my wording")
    assert labelled(session.selectbox, "Conversation").value != "sample-trip"
    assert summary_in_force(session) == "The budget is 5,000 euros."
    assert Workspace().held_chat("sample-trip") is None


@pytest.mark.slow
def test_an_entry_of_a_list_can_be_chosen_and_rewritten() -> None:
    session = open_page("chat")
    labelled(session.selectbox, "Strategy").set_value("summary_only").run()
    say(session, FACT)
    say(session, FILLER)
    entry = labelled(session.selectbox, "Entry")
    assert [option.split(":")[0] for option in entry.options] == ["Turn 2", "Turn 1"]
    assert labelled(session.text_area, "Version").label.startswith("Version 2")
    entry.select_index(1).run()
    labelled(session.text_area, "Version 1").set_value(
        "The budget is 5,000 euros."
    ).run()
    click(session, "Save my wording")
    assert (
        "Turn 1: The budget is 5,000 euros."
        in labelled(session.selectbox, "Entry").options
    )
    say(session, "What is the budget?")
    assert any("5,000 euros" in text for text in texts(session))
