"""What a model that a visitor chooses may use of the server: its keys, and its network."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from memviz.models.access import (
    ALLOW_ENVIRONMENT_KEYS,
    ALLOW_PRIVATE_BASE_URLS,
)
from tests.models.openai_server import OpenAIServer
from tests.pages.chatting import FACT, bubbles
from tests.pages.driving import labelled, open_page, say, sentences

NAME = "openai/gpt-5-mini"
OPERATORS_KEY = "sk-of-the-operator-0123456789"


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a server that others reach, unless somebody says otherwise."""
    monkeypatch.setenv(ALLOW_ENVIRONMENT_KEYS, "0")
    monkeypatch.setenv(ALLOW_PRIVATE_BASE_URLS, "0")


@pytest.fixture
def operators(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> OpenAIServer:
    """The address and the key that the environment has."""
    monkeypatch.setenv("OPENAI_API_KEY", OPERATORS_KEY)
    monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
    return server


def chosen() -> AppTest:
    session = open_page("chat")
    return labelled(session.selectbox, "Chat model").select(NAME).run()


def test_on_this_machine_an_empty_key_field_uses_the_environments_key(
    operators: OpenAIServer,
) -> None:
    session = chosen()
    assert "environment variable" in labelled(session.text_input, "API key").help
    assert [who for who, _ in bubbles(say(session, FACT))] == ["user", "assistant"]
    assert operators.requests[0].headers["authorization"] == f"Bearer {OPERATORS_KEY}"


@pytest.mark.usefixtures("shared")
def test_on_a_shared_server_it_does_not(operators: OpenAIServer) -> None:
    session = chosen()
    assert "does not lend" in labelled(session.text_input, "API key").help
    (sentence,) = sentences(say(session, FACT).error)
    assert f"Model {NAME} needs an API key" in sentence
    assert operators.requests == []


@pytest.mark.usefixtures("shared")
def test_on_a_shared_server_a_base_url_reaches_nothing_private(
    server: OpenAIServer,
) -> None:
    session = chosen()
    labelled(session.text_input, "API key").set_value(
        "sk-of-a-visitor-0123456789"
    ).run()
    labelled(session.text_input, "Base URL").set_value(server.api_base).run()
    (sentence,) = sentences(say(session, FACT).error)
    assert "not open to visitors" in sentence
    assert server.requests == []
