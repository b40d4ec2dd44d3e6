"""Chat: deciding on a summary before it is used, rewriting it later, undoing it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memviz.storage.workspace import Workspace
from tests.models.openai_server import OpenAIServer, status, text
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


def test_it_stops_and_shows_what_and_the_proposal_and_goes_on_after_the_decision() -> (
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
    assert "3,100 euros" in proposed(session)
    assert f"user: {FACT}" in texts(session)
    text = proposed(session)
    click(session, "Use it")
    assert not waits(session)
    assert summary_in_force(session) == text
    assert session.chat_message[-1].avatar  # the reply that had to wait is there
    assert session.chat_message[-1].name == "assistant"


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
    id = session.query_params["chat"]
    again = open_page("chat", chat=id[0] if isinstance(id, list) else id)
    assert summary_in_force(again) == "The budget is 4,200 euros."


def chat_of(session: AppTest) -> str:
    id = session.query_params["chat"]
    return id[0] if isinstance(id, list) else id


def test_after_a_reload_the_chat_still_asks_and_the_same_proposal_waits() -> None:
    session = chat_that_asks()
    text = proposed(session)
    again = open_page("chat", chat=chat_of(session))
    assert labelled(again.toggle, "Ask before").value is True
    assert waits(again)
    assert proposed(again) == text
    click(again, "Skip")
    assert not waits(again)
    assert labelled(open_page("chat").toggle, "Ask before").value is False, (
        "it belongs to the conversation"
    )


def asks(session: AppTest) -> bool:
    return labelled(session.toggle, "Ask before").value


def reloaded(session: AppTest) -> AppTest:
    """The address of the page, opened by a browser session that knows nothing else."""
    parts = {
        name: texts if isinstance(texts, list) else [texts]
        for name, texts in session.query_params.items()
    }
    return open_address("chat", parts)


@pytest.mark.slow
@pytest.mark.parametrize("address", [{}, {"chat": "sample-trip"}])
def test_what_is_not_saved_yet_asks_after_a_reload_as_well(
    address: dict[str, str],
) -> None:
    session = open_page("chat", **address)
    labelled(session.toggle, "Ask before").set_value(True).run()
    again = reloaded(session)
    assert asks(again)
    assert not sentences(again.warning)
    assert asks(reloaded(again))
    labelled(again.toggle, "Ask before").set_value(False).run()
    assert not asks(reloaded(again))


@pytest.mark.parametrize("said", [[], [FACT]])
def test_that_the_model_may_recall_outlives_a_reload(said: list[str]) -> None:
    session = (
        labelled(open_page("chat").toggle, "Let the model recall").set_value(True).run()
    )
    for message in said:
        say(session, message)
    again = reloaded(session)
    assert labelled(again.toggle, "Let the model recall").value is True
    labelled(again.toggle, "Let the model recall").set_value(False).run()
    assert labelled(reloaded(again).toggle, "Let the model recall").value is False


def test_what_could_not_be_stored_asks_after_a_reload_as_well(database: Path) -> None:
    session = labelled(open_page("chat").toggle, "Ask before").set_value(True).run()
    with sqlite3.connect(database) as connection:
        connection.execute(
            "create trigger no_more before insert on message begin select raise(abort, 'full'); end"
        )
    say(session, FACT)
    assert session.chat_message
    assert "chat" not in session.query_params
    assert asks(reloaded(session))


def test_a_saved_chat_has_the_switch_and_its_address_does_not() -> None:
    session = labelled(open_page("chat").toggle, "Ask before").set_value(True).run()
    say(session, FACT)
    assert "review" not in session.query_params
    assert asks(reloaded(session))
    labelled(session.toggle, "Ask before").set_value(False).run()
    stale = open_page("chat", chat=chat_of(session), review="True")
    assert not asks(stale), "what is stored counts"


def test_skip_sends_everything_word_for_word() -> None:
    session = chat_that_asks()
    click(session, "Skip")
    assert not waits(session)
    assert not [area for area in session.text_area if area.label.startswith("Version")]


def test_written_again_with_another_prompt() -> None:
    session = chat_that_asks()
    first = proposed(session)
    labelled(session.text_area, "What the summarizer is told").set_value(
        "Summarize in at most 6 words."
    ).run()
    labelled(
        [b for b in session.button if b.key == "review-again"], "Write again"
    ).click().run()
    assert proposed(session) != first
    assert len(proposed(session).split()) <= 6
    assert any(value.startswith("Draft 2.") for value in sentences(session.caption))


@pytest.mark.slow
def test_choosing_a_prompt_fills_in_its_text() -> None:
    session = chat_that_asks()
    labelled(session.selectbox, "Prompt").set_value("List of facts").run()
    assert labelled(session.text_area, "What the summarizer is told").value.startswith(
        "List every fact"
    )


@pytest.mark.slow
def test_a_failing_summarizer_is_said_and_ones_own_summary_can_be_used(
    server: OpenAIServer,
) -> None:
    session = open_page("chat")
    labelled(session.number_input, "Max token limit").set_value(160).run()
    labelled(session.toggle, "Ask before").set_value(True).run()
    labelled(session.selectbox, "Summarizer").set_value("openai/gpt-5-mini").run()
    labelled(session.text_input, "API key").set_value("a-key").run()
    labelled(session.text_input, "Base URL").set_value(server.api_base).run()
    server.script.append(status(401, "wrong key"))
    say(session, FACT)
    while not waits(session):
        say(session, FILLER)
    (failed,) = [
        value for value in sentences(session.error) if "The summarizer failed" in value
    ]
    assert "choose another summarizer" in failed
    reasons = [value for value in sentences(session.caption) if "reason:" in value]
    assert len(reasons) == 1
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


def test_a_summary_in_force_can_be_rewritten_and_that_undone() -> None:
    session = chat_that_asks()
    click(session, "Use it")
    old = summary_in_force(session)
    labelled(session.text_area, "Version").set_value("The budget is 5,000 euros.").run()
    click(session, "Save my wording")
    assert summary_in_force(session) == "The budget is 5,000 euros."
    click(session, "Undo the edit")
    assert summary_in_force(session) == old
    click(session, "Undo the last summarization")
    assert not [area for area in session.text_area if area.label.startswith("Version")]
    assert labelled(session.toggle, "Ask before").value is True


def test_an_empty_wording_is_refused_in_a_sentence() -> None:
    session = chat_that_asks()
    click(session, "Use it")
    labelled(session.text_area, "Version").set_value("  ").run()
    click(session, "Save my wording")
    assert any("The summary is empty" in value for value in sentences(session.error))


def test_editing_a_bundled_sample_makes_a_conversation_of_ones_own() -> None:
    session = open_page("chat", chat="sample-trip")
    labelled(session.text_area, "Version").set_value("The budget is 5,000 euros.").run()
    click(session, "Save my wording")
    assert labelled(session.selectbox, "Conversation").value != "sample-trip"
    assert summary_in_force(session) == "The budget is 5,000 euros."
    assert Workspace().held_chat("sample-trip") is None


@pytest.mark.slow
@pytest.mark.parametrize("strategy_id", ["summary_only", "recent_only"])
def test_an_entry_of_a_list_can_be_chosen_and_rewritten(strategy_id: str) -> None:
    session = open_page("chat")
    labelled(session.selectbox, "Strategy").set_value(strategy_id).run()
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
