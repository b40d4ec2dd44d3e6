"""Chat with models that fail or answer over HTTP."""

from __future__ import annotations

import socket

import pytest
from streamlit.testing.v1 import AppTest

from tests.models.openai_server import OpenAIServer, text
from tests.pages.chatting import (
    FACT,
    KEY,
    PLAN,
    QUESTION,
    bubbles,
    chat_link,
    choose,
    use_model,
)
from tests.pages.driving import (
    click,
    labelled,
    metric,
    open_page,
    page_of,
    say,
    sentences,
)


@pytest.fixture
def chat() -> AppTest:
    return open_page("chat")


@pytest.fixture
def closed_address() -> str:
    """Where nothing listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}/v1"


@pytest.mark.slow
def test_a_message_that_an_unreachable_model_leaves_stays_and_another_one_answers(
    chat: AppTest, closed_address: str
) -> None:
    say(chat, FACT)
    use_model(chat, "Chat model", closed_address)
    say(chat, QUESTION)
    assert page_of(chat) == "chat"
    (sentence,) = sentences(chat.error)
    assert "Traceback" not in sentence
    assert KEY not in sentence
    said = bubbles(chat)
    assert [who for who, _ in said] == ["user", "assistant", "user"]
    chat.run()
    assert bubbles(chat) == said
    assert sentences(chat.error) == [sentence]
    kept = bubbles(open_page("chat", chat=chat_link(chat)))
    assert kept[-1] == ("user", QUESTION)
    labelled(chat.selectbox, "Chat model").select("offline").run()
    assert not chat.error, "another model has not failed yet"
    click(chat, "Retry")
    assert [who for who, _ in bubbles(chat)] == ["user", "assistant"] * 2
    assert "3,000 euros" in bubbles(chat)[-1][1]
    assert not chat.error


def test_the_provider_gets_what_the_page_shows_and_retry_replaces_its_reply(
    chat: AppTest, server: OpenAIServer
) -> None:
    server.then(text("The first ", "answer."), text("The second ", "answer."))
    use_model(chat, "Chat model", server.api_base)
    say(chat, FACT)
    assert bubbles(chat) == [("user", FACT), ("assistant", "The first answer.")]
    sent = [
        (message["role"], message["content"])
        for message in server.requests[-1].body["messages"]
    ]
    assert sent == [("system", "You are a helpful assistant."), ("user", FACT)]
    click(chat, "Retry")
    assert bubbles(chat) == [("user", FACT), ("assistant", "The second answer.")]
    chat.run()
    assert bubbles(chat) == [("user", FACT), ("assistant", "The second answer.")]


@pytest.mark.slow
def test_a_summarizer_that_fails_loses_nothing(
    chat: AppTest, closed_address: str
) -> None:
    choose(chat, "summary", "Buffer size", 1)
    use_model(chat, "Summarizer", closed_address)
    for message in (FACT, PLAN):
        say(chat, message)
    say(chat, QUESTION)
    assert page_of(chat) == "chat"
    assert "3,000 euros" in bubbles(chat)[-1][1]
    assert metric(chat, "Summaries") == "0"
    (failed,) = [sentence for sentence in sentences(chat.error) if "failed" in sentence]
    assert "the next try is in turn 4" in failed


@pytest.mark.slow
def test_a_summarizer_that_failed_is_asked_at_once_at_another_address(
    chat: AppTest, closed_address: str, server: OpenAIServer
) -> None:
    choose(chat, "summary", "Buffer size", 1)
    use_model(chat, "Summarizer", closed_address)
    for message in (FACT, PLAN):
        say(chat, message)
    assert metric(chat, "Summaries") == "0"
    use_model(chat, "Summarizer", server.api_base)
    say(chat, QUESTION)
    assert metric(chat, "Summaries") != "0"
    assert server.requests


def test_compare_asks_before_it_calls_a_summarizer_that_may_cost_money(
    server: OpenAIServer,
) -> None:
    compare = open_page("compare")
    use_model(compare, "Summarizer", server.api_base)
    assert not server.requests
    assert any(button.label.startswith("Replay with") for button in compare.button)
