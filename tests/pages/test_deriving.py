"""Chat while its memory is derived: the conversation is there, with how far it is and a way back."""

from __future__ import annotations

import re
from time import monotonic, sleep

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from benchmarks.synthetic.generator import generate
from memviz.dashboard.ui.chat import deriving
from memviz.dashboard.ui.chat.transcript import WAIT_FOR_MEMORY
from memviz.dashboard.ui.controls.chat_state import MESSAGES_SHOWN
from memviz.engine import background_replay
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Transcript
from tests.models.openai_server import OpenAIServer, slow, status, text
from tests.pages.chatting import FACT, PLAN, bubbles, chat_link, use_model
from tests.pages.driving import (
    TIMEOUT_SECONDS,
    click,
    figures,
    finished,
    labelled,
    open_page,
    say,
    sentences,
)

TURNS = 80
OPENED_WITH = memviz.strategy("summary_buffer", max_token_limit=500)
SILENCE_SECONDS = 20
SOON_SECONDS = 5


@pytest.fixture
def talk(request: pytest.FixtureRequest) -> Transcript:
    """A conversation of the test's own: one that was read before is replayed too quickly to be looked at."""
    return generate(TURNS, seed=len(request.node.name))


@pytest.fixture
def id(talk: Transcript, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(deriving, "AT_ONCE_SECONDS", 0.0)
    return Workspace().store.add_conversation(talk)


def newest(talk: Transcript) -> list[tuple[str, str]]:
    return [
        (message.role, message.content) for message in talk.messages[-MESSAGES_SHOWN:]
    ]


def derived(page: AppTest) -> AppTest:
    """The page once its memory is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deriving, "AT_ONCE_SECONDS", TIMEOUT_SECONDS / 2)
        return finished(page.run())


def is_deriving(page: AppTest) -> bool:
    assert not page.exception, [error.message for error in page.exception]
    stops = [button for button in page.button if button.label == "Stop"]
    assert bool(stops) == page.chat_input[0].disabled
    return bool(stops)


@pytest.mark.slow
def test_the_conversation_is_there_before_its_memory(talk: Transcript, id: str) -> None:
    page = open_page("chat", chat=id)
    assert is_deriving(page)
    assert bubbles(page) == newest(talk)
    assert page.chat_input[0].placeholder == WAIT_FOR_MEMORY
    (bar,) = page.get("progress")
    assert bar.proto.text.startswith(f"Deriving the memory from {TURNS:,} turns: turn ")
    assert not figures(page)
    click(page, "Show 30 earlier")
    page.switch_page(
        "pages/library.py"
    ).run()  # another page can be looked at meanwhile
    derived(page.switch_page("pages/chat.py"))
    assert len(bubbles(page)) == 2 * MESSAGES_SHOWN
    assert not page.chat_input[0].disabled
    run = memviz.replay(talk, OPENED_WITH, repair_tool_pairs=True)
    assert f"Last request: {run.turns[-1].total_tokens:,} tokens" in " ".join(
        sentences(page.markdown)
    )


@pytest.mark.slow
def test_stop_goes_back_to_the_conversation_before_or_to_a_new_chat(id: str) -> None:
    page = say(open_page("chat"), FACT)
    before, link = bubbles(page), chat_link(page)
    labelled(page.selectbox, "Conversation").set_value(id).run()
    assert is_deriving(page)
    click(page, "Stop")
    assert not is_deriving(page)
    assert (bubbles(page), chat_link(page)) == (before, link)
    assert Workspace().store.chat_run(id) is None
    page = click(open_page("chat", chat=id), "Stop")
    assert not is_deriving(page)
    assert not bubbles(page)
    assert labelled(page.selectbox, "Conversation").value == ""


@pytest.mark.slow
def test_a_setting_is_left_by_a_stop_or_taken_back_or_else_what_was_sent_waits_for_it(
    talk: Transcript, id: str
) -> None:
    page = derived(open_page("chat", chat=id))
    drawn = sentences(page.markdown)
    labelled(page.selectbox, "Strategy").select("summary_only").run()
    assert is_deriving(page)
    assert bubbles(page) == newest(talk)
    click(page, "Stop")
    assert not is_deriving(page)
    assert labelled(page.selectbox, "Strategy").value == OPENED_WITH.id
    assert sentences(page.markdown) == drawn

    labelled(page.selectbox, "Strategy").select("summary_only").run()
    assert is_deriving(page)
    labelled(page.selectbox, "Strategy").select(OPENED_WITH.id).run()
    labelled(page.number_input, "Max token limit").set_value(500).run()
    assert sentences(derived(page).markdown) == drawn

    labelled(page.selectbox, "Strategy").select("summary_only")
    say(page, FACT)
    assert is_deriving(page)
    derived(page)
    assert [who for who, _ in bubbles(page)][-2:] == ["user", "assistant"]
    assert bubbles(page)[-2] == ("user", FACT)
    assert Workspace().store.entry(id).message_count == 2 * TURNS + 2


@pytest.mark.slow
def test_what_was_said_in_another_tab_meanwhile_is_there(id: str) -> None:
    page, other = (open_page("chat", chat=id) for _ in range(2))
    assert is_deriving(page)
    said = bubbles(say(derived(other), FACT))
    assert bubbles(derived(page)) == said
    assert bubbles(say(page, PLAN))[:-2] == said[2:]


@pytest.mark.slow
def test_a_replay_that_the_server_has_no_memory_for_says_so(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_replay, "TURNS_BETWEEN_LOOKS", 20)
    monkeypatch.setattr(
        background_replay, "resident_bytes", lambda: background_replay.MOST_BYTES + 1
    )
    page = open_page("chat", chat=id)
    while is_deriving(page):
        page.run()
    assert sentences(page.error) == [background_replay.OUT_OF_MEMORY]
    assert not bubbles(page)


@pytest.mark.slow
def test_stop_does_not_wait_for_a_silent_summarizer(
    id: str, server: OpenAIServer
) -> None:
    server.otherwise = slow(SILENCE_SECONDS)
    page = use_model(open_page("chat"), "Summarizer", server.api_base)
    labelled(page.number_input, "Timeout").set_value(SILENCE_SECONDS).run()
    labelled(page.selectbox, "Conversation").set_value(id).run()
    assert not server.requests, "what it costs is said first"
    click(page, "Derive with")
    assert is_deriving(page)
    while not server.requests:
        sleep(0.05)
    click(page, "Show 30 earlier")
    assert is_deriving(page)
    assert len(server.requests) == 1, "another click does not begin the work again"
    begun = monotonic()
    click(page, "Stop")
    assert not is_deriving(page)
    assert not bubbles(page)
    assert monotonic() - begun < SOON_SECONDS
    server.otherwise = text("A summary.")


def test_a_short_conversation_is_there_at_once() -> None:
    page = open_page("chat", chat="sample-trip")
    assert not is_deriving(page)
    assert figures(page)


@pytest.mark.slow
def test_a_summarizer_that_no_call_reaches_is_asked_once_and_again_when_one_says_so(
    server: OpenAIServer,
) -> None:
    server.otherwise = status(401, "Incorrect API key")
    page = use_model(open_page("chat"), "Summarizer", server.api_base)
    labelled(page.selectbox, "Conversation").set_value("sample-trip").run()
    assert not server.requests, "what it costs is said first"
    assert any(
        re.match(r"At most \$0\.\d+\.", said) for said in sentences(page.caption)
    )
    finished(click(page, "Derive with"))
    (sentence,) = sentences(page.error)
    assert "was refused" in sentence
    assert len(server.requests) == 1
    page.run()
    assert len(server.requests) == 1, "another click on the page asks nobody"
    finished(click(page, "Try again with"))
    assert len(server.requests) == 2
    server.otherwise = text("A summary.")
    labelled(page.text_input, "API key").set_value("another").run()
    assert not page.error
    assert len(server.requests) == 2, "it counts as not yet tried"
    finished(click(page, "Derive with"))
    assert not page.error
    assert bubbles(page)
