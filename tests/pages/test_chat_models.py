"""Chat with models that fail or answer over HTTP."""

from __future__ import annotations

import socket

import pytest
from streamlit.testing.v1 import AppTest

from tests.models.openai_server import OpenAIServer, status, text
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
def test_an_unreachable_model_is_one_sentence_and_the_message_stays(
    chat: AppTest, closed_address: str
) -> None:
    use_model(chat, "Chat model", closed_address)
    say(chat, FACT)
    assert page_of(chat) == "chat"
    (sentence,) = sentences(chat.error)
    assert "Traceback" not in sentence
    assert KEY not in sentence
    assert bubbles(chat) == [("user", FACT)]
    chat.run()
    assert bubbles(chat) == [("user", FACT)]
    assert sentences(chat.error) == [sentence]


@pytest.mark.slow
def test_the_kept_message_is_answered_by_another_model(
    chat: AppTest, closed_address: str
) -> None:
    say(chat, FACT)
    use_model(chat, "Chat model", closed_address)
    say(chat, QUESTION)
    assert [who for who, _ in bubbles(chat)] == ["user", "assistant", "user"]
    kept = bubbles(open_page("chat", chat=chat_link(chat)))
    assert kept[-1] == ("user", QUESTION)
    labelled(chat.selectbox, "Chat model").select("offline").run()
    assert not chat.error, "another model has not failed yet"
    click(chat, "Retry")
    assert [who for who, _ in bubbles(chat)] == ["user", "assistant"] * 2
    assert "3,000 euros" in bubbles(chat)[-1][1]
    assert not chat.error


def test_a_refused_key_is_said_without_the_key(
    chat: AppTest, server: OpenAIServer
) -> None:
    server.then(status(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"))
    use_model(chat, "Chat model", server.api_base)
    say(chat, FACT)
    (sentence,) = sentences(chat.error)
    assert "key" in sentence
    assert KEY not in sentence


def test_retry_replaces_the_reply(chat: AppTest, server: OpenAIServer) -> None:
    server.then(text("The first ", "answer."), text("The second ", "answer."))
    use_model(chat, "Chat model", server.api_base)
    say(chat, FACT)
    assert bubbles(chat) == [("user", FACT), ("assistant", "The first answer.")]
    click(chat, "Retry")
    assert bubbles(chat) == [("user", FACT), ("assistant", "The second answer.")]
    chat.run()
    assert bubbles(chat) == [("user", FACT), ("assistant", "The second answer.")]


def test_what_the_page_shows_is_what_the_provider_got(
    chat: AppTest, server: OpenAIServer
) -> None:
    use_model(chat, "Chat model", server.api_base)
    say(chat, FACT)
    sent = [
        (message["role"], message["content"])
        for message in server.requests[-1].body["messages"]
    ]
    assert sent == [("system", "You are a helpful assistant."), ("user", FACT)]


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
