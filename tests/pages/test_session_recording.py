"""What live models replied on the pages is saved as a recording, which plays all of it again: another session, without
a key and without a network, sees the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memviz.storage.workspace import Workspace
from tests.models.openai_server import OpenAIServer, text
from tests.pages.asking import FLIGHT, ask, cards
from tests.pages.chatting import FACT, KEY, bubbles, use_model
from tests.pages.downloads import named
from tests.pages.driving import (
    labelled,
    open_page,
    say,
    sentences,
    token_lines,
    walk_to,
)
from tests.pages.free_running import answer

Writers = dict[str, Callable[[], str | bytes]]
SESSION = "recording:session"


@pytest.fixture
def server(server: OpenAIServer) -> OpenAIServer:
    """A model that never says the same twice, so that a reply that is played is known for the one that was given."""
    numbers = count(1)

    def numbered(handler: Any) -> None:
        text(f"Reply {next(numbers)} of the served model.")(handler)

    server.otherwise = numbered
    return server


def open_what_was_saved(made: Writers, server: OpenAIServer) -> int:
    """Open the recording of the session in the Library; returns how often the server was asked until then."""
    content = named(made, ".recording")
    assert KEY not in content
    assert server.api_base not in content
    Workspace().recordings.open(content.encode(), "session.recording")
    made.clear()
    return len(server.requests)


def played_by(session: AppTest, *pickers: str) -> AppTest:
    """The page with the recording in these pickers."""
    for picker in pickers:
        labelled(session.selectbox, picker).select(SESSION).run()
    return session


@pytest.mark.slow
def test_a_free_run(short: str, server: OpenAIServer, made: Writers) -> None:
    def opened() -> AppTest:
        query = {"setting": "summary", "replies": "free-run"}
        return open_page("compare", conversation=short, **query)

    live = answer(use_model(opened(), "Chat model", server.api_base))
    asked = open_what_was_saved(made, server)
    assert asked
    again = answer(played_by(opened(), "Chat model"))
    assert token_lines(again) == token_lines(live)
    for turn in (1, 4):
        told = [card.answer for card in cards(walk_to(live, turn))]
        assert told
        assert all(words.startswith("Reply ") for words in told)
        assert [card.answer for card in cards(walk_to(again, turn))] == told
    assert len(server.requests) == asked


@pytest.mark.slow
def test_a_chat(server: OpenAIServer, made: Writers) -> None:
    live = use_model(open_page("chat"), "Chat model", server.api_base)
    for words in (FACT, "And what is my budget?"):
        say(live, words)
    asked = open_what_was_saved(made, server)
    assert asked == 2
    again = played_by(open_page("chat"), "Chat model")
    for words in (FACT, "And what is my budget?"):
        say(again, words)
    assert bubbles(again) == bubbles(live)
    assert bubbles(again)[-1] == ("assistant", "Reply 2 of the served model.")
    assert len(server.requests) == asked


@pytest.mark.slow
def test_a_question_to_all_settings_plays_where_recordings_are_played_first(
    server: OpenAIServer, made: Writers
) -> None:
    live = ask(use_model(open_page("compare"), "Chat model", server.api_base), FLIGHT)
    asked = open_what_was_saved(made, server)
    again = ask(open_page("compare"), FLIGHT)
    assert [card.answer for card in cards(again)] == [
        card.answer for card in cards(live)
    ]
    assert any(
        text.startswith(":blue-badge[recorded · ") for text in sentences(again.markdown)
    )
    assert "No recording holds" not in " ".join(sentences(again.caption))
    assert len(server.requests) == asked
