"""Recall on the chat page: choose, see the price, send, and it is gone again."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from tests.pages.chatting import chat_of
from tests.pages.driving import (
    blocks,
    click,
    labelled,
    say,
    sentences,
    texts,
)

pytestmark = pytest.mark.one_library

BUDGET = "My budget for the trip is 3,000 euros."


@pytest.fixture
def chat() -> AppTest:
    """A talk in which the budget has left the window."""
    window = memviz.strategy("window", window_size=2)
    said = ("I like trains.", "The weather is fine today.", "We leave on a Monday.")
    return chat_of(window, BUDGET, *said)


def recalled(session: AppTest) -> bool:
    return any("<b>Recalled</b>" in block for block in blocks(session))


def last_reply(session: AppTest) -> str:
    return session.chat_message[-1].text[0].value


def ask(session: AppTest) -> str:
    say(session, "What is my budget for the trip?")
    return last_reply(session)


def test_a_dropped_fact_comes_back_for_one_request_or_until_it_is_unpinned(
    chat: AppTest,
) -> None:
    assert "3,000" not in ask(chat)
    labelled(chat.text_input, "Turns").set_value("1").run()
    assert any(BUDGET in text for text in texts(chat))
    click(chat, "Recall 2 messages")
    assert any("2 messages recalled" in text.value for text in chat.markdown)
    assert "3,000" in ask(chat)
    assert recalled(chat)
    say(chat, "Thank you.")
    assert not recalled(chat)
    chat.button(key="recall-turn-1").click().run()
    chat.button(key="recall-pin").click().run()
    for _ in range(2):
        say(chat, "And then?")
        assert recalled(chat)
    chat.button(key="recall-unpin").click().run()
    say(chat, "And then?")
    assert not recalled(chat)


@pytest.mark.slow
def test_what_is_looked_for_is_found_or_it_is_said_why_not(chat: AppTest) -> None:
    labelled(chat.text_input, "Turns").set_value("one").run()
    assert any("'one'" in error for error in sentences(chat.error))
    labelled(chat.text_input, "Turns").set_value("1, 77").run()
    assert any("turn 77" in caption for caption in sentences(chat.caption))
    labelled(chat.text_input, "Turns").set_value("")
    labelled(chat.text_input, "Words").set_value("trains, MONDAY").run()
    assert any(
        "I like trains." in text and "We leave on a Monday." in text
        for text in texts(chat)
    )
    labelled(chat.text_input, "Words").set_value("")
    labelled(chat.number_input, "Last messages").set_value(2).run()
    click(chat, "Recall 2 messages")
    assert any(
        "sent word for word anyway" in caption for caption in sentences(chat.caption)
    )
    labelled(chat.selectbox, "Strategy").select("summary_only").run()
    labelled(chat.toggle, "Enable recall").set_value(False).run()
    assert any(
        "Recall is switched off" in caption for caption in sentences(chat.caption)
    )
