"""Recall on the chat page: choose, see the price, send, and it is gone again."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.driving import (
    blocks,
    click,
    labelled,
    open_page,
    say,
    sentences,
    texts,
)

pytestmark = pytest.mark.one_library

BUDGET = "My budget for the trip is 3,000 euros."


@pytest.fixture
def chat() -> AppTest:
    """A talk in which the budget has left the window."""
    session = open_page("chat")
    labelled(session.selectbox, "Strategy").select("window").run()
    labelled(session.number_input, "Window size").set_value(2).run()
    for text in (
        BUDGET,
        "I like trains.",
        "The weather is fine today.",
        "We leave on a Monday.",
    ):
        say(session, text)
    return session


def recalled(session: AppTest) -> bool:
    return any("<b>Recalled</b>" in block for block in blocks(session))


def last_reply(session: AppTest) -> str:
    return session.chat_message[-1].text[0].value


def ask(session: AppTest) -> str:
    say(session, "What is my budget for the trip?")
    return last_reply(session)


def test_a_dropped_fact_comes_back_for_one_request(chat: AppTest) -> None:
    assert "3,000" not in ask(chat)
    labelled(chat.text_input, "Turns").set_value("1").run()
    assert any(BUDGET in text for text in texts(chat))
    click(chat, "Recall 2 messages")
    assert any("2 messages recalled" in text.value for text in chat.markdown)
    assert "3,000" in ask(chat)
    assert recalled(chat)
    say(chat, "Thank you.")
    assert not recalled(chat)


@pytest.mark.slow
def test_the_button_under_a_dropped_turn_recalls_it(chat: AppTest) -> None:
    chat.button(key="recall-turn-1").click().run()
    assert "3,000" in ask(chat)


@pytest.mark.slow
def test_pinned_messages_go_along_until_unpinned(chat: AppTest) -> None:
    chat.button(key="recall-turn-1").click().run()
    chat.button(key="recall-pin").click().run()
    for _ in range(2):
        say(chat, "And then?")
        assert recalled(chat)
    chat.button(key="recall-unpin").click().run()
    say(chat, "And then?")
    assert not recalled(chat)


@pytest.mark.slow
def test_clear_takes_everything_back(chat: AppTest) -> None:
    chat.button(key="recall-turn-1").click().run()
    chat.button(key="recall-clear").click().run()
    say(chat, "And then?")
    assert not recalled(chat)


@pytest.mark.slow
def test_words_and_last_messages_find_what_they_name(chat: AppTest) -> None:
    labelled(chat.text_input, "Words").set_value("trains, MONDAY").run()
    assert any(
        "I like trains." in text and "We leave on a Monday." in text
        for text in texts(chat)
    )
    labelled(chat.text_input, "Words").set_value("").run()
    labelled(chat.number_input, "Last messages").set_value(2).run()
    click(chat, "Recall 2 messages")
    assert any(
        "sent word for word anyway" in caption for caption in sentences(chat.caption)
    )


@pytest.mark.slow
def test_a_list_that_cannot_be_read_says_which_piece(chat: AppTest) -> None:
    labelled(chat.text_input, "Turns").set_value("one").run()
    assert any("'one'" in error for error in sentences(chat.error))


@pytest.mark.slow
def test_turns_that_do_not_exist_are_named(chat: AppTest) -> None:
    labelled(chat.text_input, "Turns").set_value("1, 77").run()
    assert any("turn 77" in caption for caption in sentences(chat.caption))


@pytest.mark.slow
def test_a_setting_without_recall_says_so(chat: AppTest) -> None:
    labelled(chat.selectbox, "Strategy").select("summary_only").run()
    labelled(chat.toggle, "Enable recall").set_value(False).run()
    assert any(
        "Recall is switched off" in caption for caption in sentences(chat.caption)
    )
