"""Chat: what was typed is stored before a model is asked, and stays where its conversation was deleted elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import memviz
from memviz.storage.store import Store
from memviz.storage.workspace import Workspace
from tests.models.openai_server import OpenAIServer, chunk, status, text
from tests.pages.chatting import (
    FACT,
    KEY,
    PLAN,
    QUESTION,
    bubbles,
    chat_link,
    chat_of,
    use_model,
)
from tests.pages.driving import (
    click,
    labelled,
    open_page,
    page_of,
    say,
    sentences,
    texts,
)

UNANSWERED = "Not answered yet"


@pytest.fixture
def chat() -> AppTest:
    return open_page("chat")


@pytest.fixture
def talked() -> AppTest:
    """A chat of one turn."""
    return chat_of(memviz.strategy("buffer"), FACT)


def badges(session: AppTest) -> str:
    return " ".join(markdown.value for markdown in session.markdown)


def delete(database: Path, session: AppTest, *, for_good: bool = False) -> str:
    """Delete the open conversation as another tab does."""
    id, store = chat_link(session), Store(database)
    store.delete(id)
    if for_good:
        assert store.purge(0) == 1
    return id


def stored_texts(database: Path, id: str) -> list[str]:
    return [message.content for message in Store(database).conversation(id).messages]


class TestStoredFirst:
    def test_a_first_message_is_stored_before_the_model_is_asked_and_although_it_fails(
        self, chat: AppTest, server: OpenAIServer, database: Path
    ) -> None:
        seen: list[list[str]] = []

        def look(handler: object) -> None:
            titles = {
                entry.title: entry.id for entry in Store(database).conversations()
            }
            seen.append(stored_texts(database, titles[PLAN]))
            text("In May, then.")(handler)  # type: ignore[arg-type]

        use_model(chat, "Chat model", server.api_base)
        wrong_key = f"Incorrect API key provided: {KEY}"
        server.then(status(401, wrong_key, "invalid_api_key"), look)
        say(chat, FACT)
        (sentence,) = sentences(chat.error)
        assert "key" in sentence
        assert KEY not in sentence
        assert bubbles(open_page("chat", chat=chat_link(chat))) == [("user", FACT)]
        assert UNANSWERED in badges(chat)
        assert labelled(chat.selectbox, "Conversation").value == chat_link(chat)
        say(click(chat, "New chat"), PLAN)
        assert seen == [[PLAN]]
        assert stored_texts(database, chat_link(chat)) == [PLAN, "In May, then."]

    def test_after_a_restart_it_is_marked_and_can_be_retried(
        self, database: Path
    ) -> None:
        waiting = memviz.Chat(memviz.strategy("buffer"))
        waiting.say(QUESTION)
        id = Workspace(database).new_chat(waiting)
        session = open_page("chat", chat=id)
        assert bubbles(session) == [("user", QUESTION)]
        assert UNANSWERED in badges(session)
        assert [button.label for button in session.button].count("Retry") == 1
        click(session, "Retry")
        assert [who for who, _ in bubbles(session)] == ["user", "assistant"]
        assert UNANSWERED not in badges(session)
        assert len(stored_texts(database, id)) == 2

    def test_another_message_may_be_sent_instead(self, database: Path) -> None:
        waiting = memviz.Chat(memviz.strategy("buffer"))
        waiting.say(FACT)
        id = Workspace(database).new_chat(waiting)
        session = say(open_page("chat", chat=id), QUESTION)
        assert [who for who, _ in bubbles(session)] == ["user", "user", "assistant"]
        assert "3,000 euros" in bubbles(session)[-1][1]
        assert UNANSWERED not in badges(session)

    @pytest.mark.slow
    def test_what_had_arrived_of_a_failed_reply_is_shown(
        self, chat: AppTest, server: OpenAIServer
    ) -> None:
        def cut_off(handler: object) -> None:
            handler.start_events()  # type: ignore[attr-defined]
            handler.send_event(chunk({"content": "Half an ans"}))  # type: ignore[attr-defined]
            handler.server.closing.wait(0.1)  # type: ignore[attr-defined]
            handler.reset_connection()  # type: ignore[attr-defined]

        server.then(cut_off)
        use_model(chat, "Chat model", server.api_base)
        say(chat, FACT)
        assert "Half an ans" in texts(chat)
        assert chat.error
        assert bubbles(open_page("chat", chat=chat_link(chat))) == [("user", FACT)]

    @pytest.mark.slow
    def test_a_sample_that_is_gone_on_with_is_stored_first_as_well(
        self, server: OpenAIServer, database: Path
    ) -> None:
        session = open_page("chat", chat="sample-trip")
        server.otherwise = status(400, "No.")
        use_model(session, "Chat model", server.api_base)
        say(session, QUESTION)
        assert chat_link(session) != "sample-trip"
        assert stored_texts(database, chat_link(session))[-1] == QUESTION


class TestDeletedElsewhere:
    def test_it_is_said_at_the_next_run_and_nothing_is_lost(
        self, talked: AppTest, database: Path
    ) -> None:
        before = bubbles(talked)
        delete(database, talked)
        talked.run()
        assert "deleted elsewhere" in badges(talked)
        assert bubbles(talked) == before
        assert {"Restore", "Start a new one"} <= {
            button.label for button in talked.button
        }
        assert page_of(talked) == "chat"
        click(talked, "Start a new one")
        assert not bubbles(talked), "nothing was typed meanwhile"
        assert not labelled(talked.selectbox, "Conversation").value

    @pytest.mark.slow
    @pytest.mark.parametrize("for_good", [False, True])
    def test_restored_it_has_what_was_typed_meanwhile_and_its_reply(
        self, talked: AppTest, database: Path, for_good: bool
    ) -> None:
        id = delete(database, talked, for_good=for_good)
        say(talked, QUESTION)
        assert bubbles(talked)[-1] == ("user", QUESTION)
        assert "deleted elsewhere" in badges(talked)
        click(talked, "Restore")
        assert "deleted elsewhere" not in badges(talked)
        assert chat_link(talked) == id
        assert "3,000 euros" in bubbles(talked)[-1][1]
        assert stored_texts(database, id) == [said for _, said in bubbles(talked)]
        assert not talked.error

    def test_a_new_one_begins_with_what_was_typed(
        self, talked: AppTest, database: Path
    ) -> None:
        id = delete(database, talked)
        say(talked, PLAN)
        click(talked, "Start a new one")
        assert chat_link(talked) != id
        assert [said for who, said in bubbles(talked) if who == "user"] == [PLAN]
        assert [who for who, _ in bubbles(talked)] == ["user", "assistant"]
        assert not Store(database).exists(id)
        assert stored_texts(database, chat_link(talked))[0] == PLAN

    @pytest.mark.slow
    def test_restored_elsewhere_it_simply_goes_on(
        self, talked: AppTest, database: Path
    ) -> None:
        id = delete(database, talked)
        say(talked, QUESTION)
        Store(database).restore(id)
        talked.run()
        assert "deleted elsewhere" not in badges(talked)
        assert stored_texts(database, id)[-1] == QUESTION
        click(talked, "Retry")
        assert "3,000 euros" in bubbles(talked)[-1][1]

    @pytest.mark.slow
    def test_deleted_while_the_model_answers(
        self, talked: AppTest, server: OpenAIServer, database: Path
    ) -> None:
        id, seen = chat_link(talked), []

        def delete_meanwhile(handler: object) -> None:
            seen.append(Store(database).delete(id))
            text("Too late.")(handler)  # type: ignore[arg-type]

        server.then(delete_meanwhile)
        use_model(talked, "Chat model", server.api_base)
        say(talked, PLAN)
        assert seen
        assert bubbles(talked)[-2:] == [("user", PLAN), ("assistant", "Too late.")]
        assert "deleted elsewhere" in badges(talked)
        assert not talked.error
        click(talked, "Restore")
        assert stored_texts(database, id)[-2:] == [PLAN, "Too late."]

    def test_other_controls_work_on_what_is_on_the_page(self, database: Path) -> None:
        page = chat_of(memviz.strategy("buffer"), FACT, PLAN)
        delete(database, page)
        page.run()
        for label in ("Recall", "Undo turn"):
            click(page, label)
            assert page_of(page) == "chat"
            assert not page.error
            assert "deleted elsewhere" in badges(page)

    def test_a_link_to_one_that_is_gone_says_so(
        self, talked: AppTest, database: Path
    ) -> None:
        id = delete(database, talked)
        st.cache_resource.clear()
        session = open_page("chat", chat=id)
        assert "was deleted" in sentences(session.warning)[0]
        assert not bubbles(session)
        assert not session.run().warning
