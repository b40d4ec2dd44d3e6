"""Settings on pages that compare vectors of an embedding model: offered with what they cost, asked on a click."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memviz.storage.workspace import FIRST_SAMPLE
from tests.models import openai_server as answers
from tests.models.openai_server import OpenAIServer
from tests.pages.chatting import FACT, QUESTION, bubbles, chat_link, choose
from tests.pages.driving import (
    click,
    finished,
    labelled,
    open_page,
    sentences,
    token_lines,
)
from tests.pages.tuning import open_sweep, points, told


def setting(strategy: str, model: str) -> str:
    return f"{strategy} " + json.dumps(
        {"embedding_percent": 50, "embedding_model": model}
    )


# The log of a sample is shared by all tests, and knows the vectors of its messages: each test has a model of its own.
RETRIEVAL = setting("retrieval", "openai/text-embedding-3-small")
WRONG_KEY = setting("retrieval", "openai/text-embedding-3-large")
WITHOUT_BUDGET = setting("retrieval", "openai/text-embedding-ada-002")
FACTS = setting("facts_store", "openai/text-embedding-3-small")
SECRET = "a-key-that-nobody-may-see"


@pytest.fixture
def server(server: OpenAIServer) -> OpenAIServer:
    server.otherwise = answers.vectors
    return server


def reach(page: AppTest, server: OpenAIServer) -> AppTest:
    labelled(page.text_input, "API key").set_value(SECRET).run()
    return labelled(page.text_input, "Base URL").set_value(server.api_base).run()


def texts_asked(server: OpenAIServer) -> list[str]:
    return [text for one in server.requests for text in one.body["input"]]


@pytest.mark.parametrize(
    ("asked_for", "turns", "texts"), [(RETRIEVAL, 46, 92), (FACTS, 4, 5)]
)
def test_vectors_are_asked_for_on_a_click_once_and_then_the_replay_is_free(
    server: OpenAIServer,
    asked_for: str,
    turns: int,
    texts: int,
    database: Path,
    short: str,
) -> None:
    conversation = short if asked_for == FACTS else FIRST_SAMPLE
    page = open_page("compare", conversation=conversation, setting=asked_for)
    reach(page, server)
    assert not page.error
    assert "was not asked for all vectors" in " ".join(sentences(page.markdown))
    if asked_for == RETRIEVAL:
        said = " ".join(sentences(page.caption))
        assert "92 texts are asked for first. At most $0.00" in said
    assert not server.requests
    click(page, "Ask for vectors with")
    assert not page.error
    assert [len(line) for line in token_lines(page).values()] == [turns]
    asked = texts_asked(server)
    assert len(asked) == len(set(asked)) >= texts
    assert not any(button.label.startswith("Ask for vectors") for button in page.button)
    other = asked_for.replace("50", "70")
    again = open_page("compare", conversation=conversation, setting=other)
    assert [len(line) for line in token_lines(again).values()] == [turns]
    assert len(texts_asked(server)) == len(asked)
    files = [one for one in database.parent.rglob("*") if one.is_file()]
    assert SECRET.encode() not in b"".join(one.read_bytes() for one in files)


def test_no_bound_is_given_where_texts_are_asked_for_that_nobody_knows_yet() -> None:
    several = RETRIEVAL.replace("50", '50, "query_messages": 3')
    said = " ".join(sentences(open_page("compare", setting=several).caption))
    assert "Texts that are written during the replay are asked for then." in said
    assert "At most $" not in said


def test_a_wrong_key_is_one_sentence_without_it_and_the_next_click_asks_again(
    server: OpenAIServer,
) -> None:
    server.otherwise = answers.status(401, f"Incorrect API key: {SECRET}")
    page = reach(open_page("compare", setting=WRONG_KEY), server)
    click(page, "Ask for vectors with")
    (said,) = sentences(page.error)
    assert "was refused" in said
    assert SECRET not in said
    assert len(server.requests) == 1
    server.otherwise = answers.vectors
    click(page, "Ask for vectors with")
    assert [len(line) for line in token_lines(page).values()] == [46]


def test_a_key_in_place_of_a_name_is_not_taken(server: OpenAIServer) -> None:
    page = open_page("compare", setting='retrieval {"embedding_percent": 50}')
    key = "sk-0123456789abcdef0123"
    labelled(page.text_input, "Embedding model").set_value(key).run()
    assert "is 'an API key'; allowed is the name of a model" in sentences(page.error)[0]
    assert key not in " ".join(sentences([*page.markdown, *page.caption, *page.error]))
    assert key not in json.dumps(page.query_params)


def test_the_budget_of_the_session_holds(server: OpenAIServer) -> None:
    page = reach(open_page("compare", setting=WITHOUT_BUDGET), server)
    labelled(page.number_input, "Budget (USD)").set_value(0.0).run()
    click(page, "Ask for vectors with")
    assert "allows no further call" in sentences(page.error)[0]
    assert not server.requests


def test_vectors_of_facts_that_a_paid_model_writes_are_asked_for_with_them(
    server: OpenAIServer, short: str
) -> None:
    def answer(handler: object) -> None:
        path = server.requests[-1].path
        fact = answers.text("<fact>Ana flies to Lisbon.</fact>")
        (answers.vectors if path.endswith("/embeddings") else fact)(handler)  # type: ignore[arg-type]

    server.otherwise = answer
    page = open_page("compare", conversation=short, setting=FACTS)
    reach(page, server)
    click(page, "Ask for vectors with")
    labelled(page.selectbox, "Summarizer").select("openai/gpt-5-mini").run()
    labelled(page.text_input, "API key").set_value(SECRET).run()
    labelled(page.text_input, "Base URL").set_value(server.api_base).run()
    assert "Ana flies to Lisbon." not in texts_asked_of_vectors(server)
    click(page, "Replay with")
    assert not page.error
    assert texts_asked_of_vectors(server).count("Ana flies to Lisbon.") == 1
    assert [len(line) for line in token_lines(page).values()] == [4]


def texts_asked_of_vectors(server: OpenAIServer) -> list[str]:
    found = []
    for one in server.requests:
        if one.path.endswith("/embeddings"):
            found += one.body["input"]
    return found


@pytest.mark.parametrize("strategy", ["retrieval", "facts_store"])
def test_a_sweep_asks_on_a_click_and_then_measures_what_it_missed(
    server: OpenAIServer, strategy: str, short: str
) -> None:
    page = open_sweep("buffer", strategy, over=json.dumps([short]))
    labelled(page.multiselect, "Top k").set_value(["5"]).run()
    labelled(page.multiselect, "Embedding percent").set_value(["0", "50", "80"]).run()
    name = labelled(page.text_input, "Embedding model")
    page = finished(name.set_value(f"openai/swept-{strategy}").run())
    assert "was not asked for all vectors" in told(page)
    assert not page.error
    assert not [one for one in page.warning if "was not asked" in one.value]
    assert labelled(page.number_input, "Budget (USD)").value == 1.0
    page = finished(reach(page, server))
    assert not server.requests
    page = finished(click(page, "Ask for vectors with"))
    assert not page.error
    asked = texts_asked(server)
    assert len(asked) == len(set(asked)) >= 5
    assert "was not asked for all vectors" not in told(page)
    assert len(points(page)) == 4
    assert SECRET not in json.dumps(page.query_params)


def test_a_key_in_place_of_a_name_is_not_taken_on_tune_either() -> None:
    page = open_sweep("retrieval")
    labelled(page.multiselect, "Embedding percent").set_value(["50"]).run()
    key = "sk-0123456789abcdef0123"
    page = labelled(page.text_input, "Embedding model").set_value(key).run()
    assert "is 'an API key'; allowed is the name of a model" in sentences(page.error)[0]
    assert key not in told(page) + json.dumps(page.query_params)
    assert key not in repr(page.session_state["linked"])


def chatting_with(page: AppTest, name: str) -> AppTest:
    choose(page, "Retrieval", "Embedding percent", 50)
    return labelled(page.text_input, "Embedding model").set_value(name).run()


def test_a_chat_asks_for_each_new_message_once_it_was_agreed_to(
    server: OpenAIServer,
) -> None:
    page = chatting_with(open_page("chat"), "openai/talked-of")
    assert any(one.label.startswith("Ask for vectors with") for one in page.button)
    page = page.chat_input[0].set_value(FACT).run()
    assert not sentences(page.error)
    assert not server.requests
    assert len(bubbles(page)) == 1
    click(reach(page, server), "Ask for vectors with")
    assert not page.error
    # Of the reply as well, which the next request may hold.
    assert texts_asked(server) == [said for _who, said in bubbles(page)]
    assert len(bubbles(page)) == 2
    page = page.chat_input[0].set_value(QUESTION).run()
    assert not page.error
    assert len(bubbles(page)) == 4
    assert texts_asked(server) == [said for _who, said in bubbles(page)]
    assert not any(button.label.startswith("Ask for vectors") for button in page.button)
    assert "The next reply. The price of openai/talked" in told(page)
    again = open_page("chat", chat=chat_link(page))
    assert len(bubbles(again)) == 4
    assert not again.error


def test_a_chat_whose_embedding_model_fails_offers_it_once_more(
    server: OpenAIServer,
) -> None:
    page = chatting_with(open_page("chat"), "openai/failing")
    click(reach(page, server), "Ask for vectors with")
    server.otherwise = answers.status(401, f"Incorrect API key: {SECRET}")
    page = page.chat_input[0].set_value(FACT).run()
    assert any("was refused" in one for one in sentences(page.error))
    assert SECRET not in " ".join(sentences([*page.error, *page.markdown]))
    server.otherwise = answers.vectors
    click(page, "Ask for vectors with")
    assert not page.error
    assert bubbles(page)[-1][0] == "assistant"


def test_a_saved_conversation_is_offered_before_its_memory_is_derived_with_vectors(
    server: OpenAIServer,
) -> None:
    page = open_page("chat", chat="sample-trip")
    page = chatting_with(page, "openai/derived")
    assert "92 texts are asked for first." in told(page)
    click(reach(page, server), "Ask for vectors with")
    assert not page.error
    assert len(texts_asked(server)) == 92
    page = page.chat_input[0].set_value(QUESTION).run()
    assert texts_asked(server)[92:] == [QUESTION, bubbles(page)[-1][1]]


def test_the_budget_of_the_session_holds_in_a_chat(server: OpenAIServer) -> None:
    page = chatting_with(open_page("chat"), "openai/text-embedding-3-small")
    click(reach(page, server), "Ask for vectors with")
    labelled(page.number_input, "Budget (USD)").set_value(0.0).run()
    page = page.chat_input[0].set_value(FACT).run()
    assert any("allows no further call" in one for one in sentences(page.error))
    assert not server.requests
    assert len(bubbles(page)) == 1
