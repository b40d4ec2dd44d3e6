"""Settings on pages that compare vectors of an embedding model: offered with what they cost, asked on a click."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.models import openai_server as answers
from tests.models.openai_server import OpenAIServer
from tests.pages.chatting import (
    FACT,
    PLAN,
    QUESTION,
    bubbles,
    chat_link,
    choose,
    use_model,
)
from tests.pages.driving import (
    click,
    finished,
    labelled,
    open_page,
    say,
    sentences,
    token_lines,
)
from tests.pages.tuning import open_sweep, points, told


def setting(strategy: str, model: str) -> str:
    return f"{strategy} " + json.dumps(
        {"embedding_percent": 50, "embedding_model": model}
    )


RETRIEVAL = setting("retrieval", "openai/text-embedding-3-small")
FACTS = setting("facts_store", "openai/text-embedding-3-small")
SECRET = "a-key-that-nobody-may-see"
KEY_AS_NAME = "sk-0123456789abcdef0123"


@pytest.fixture
def server(server: OpenAIServer) -> OpenAIServer:
    server.otherwise = answers.vectors
    return server


def reach(page: AppTest, server: OpenAIServer) -> AppTest:
    labelled(page.text_input, "API key").set_value(SECRET)
    return labelled(page.text_input, "Base URL").set_value(server.api_base).run()


def texts_asked(server: OpenAIServer) -> list[str]:
    return [text for one in server.requests for text in one.body["input"]]


def offers_vectors(page: AppTest) -> bool:
    return any(one.label.startswith("Ask for vectors with") for one in page.button)


def with_budget(page: AppTest, usd: float) -> AppTest:
    return labelled(page.number_input, "Budget (USD)").set_value(usd).run()


def test_vectors_are_asked_for_on_a_click_once_and_then_the_replay_is_free(
    server: OpenAIServer, database: Path, short: str
) -> None:
    page = open_page("compare", conversation=short, setting=RETRIEVAL)
    reach(page, server)
    assert not page.error
    assert "was not asked for all vectors" in " ".join(sentences(page.markdown))
    said = " ".join(sentences(page.caption))
    foretold = re.search(r"(\d+) texts are asked for first\. At most \$0\.00", said)
    assert foretold
    click(with_budget(page, 0.0), "Ask for vectors with")
    assert "allows no further call" in sentences(page.error)[0]
    assert not server.requests

    server.otherwise = answers.status(401, f"Incorrect API key: {SECRET}")
    click(with_budget(page, 1.0), "Ask for vectors with")
    (refused,) = sentences(page.error)
    assert "was refused" in refused
    assert SECRET not in refused
    assert len(server.requests) == 1
    server.requests.clear()
    server.otherwise = answers.vectors
    click(page, "Ask for vectors with")
    assert not page.error
    assert [len(line) for line in token_lines(page).values()] == [4]
    asked = texts_asked(server)
    assert len(asked) == len(set(asked)) == int(foretold[1])
    assert not offers_vectors(page)

    other = RETRIEVAL.replace("50", "70")
    again = open_page("compare", conversation=short, setting=other)
    assert [len(line) for line in token_lines(again).values()] == [4]
    assert len(texts_asked(server)) == len(asked)
    files = [one for one in database.parent.rglob("*") if one.is_file()]
    assert SECRET.encode() not in b"".join(one.read_bytes() for one in files)


def test_no_bound_is_given_where_texts_are_asked_for_that_nobody_knows_yet_and_no_key_is_a_name(
    short: str,
) -> None:
    several = RETRIEVAL.replace("50", '50, "query_messages": 3')
    page = open_page("compare", conversation=short, setting=several)
    said = " ".join(sentences(page.caption))
    assert "Texts that are written during the replay are asked for then." in said
    assert "At most $" not in said
    labelled(page.text_input, "Embedding model").set_value(KEY_AS_NAME).run()
    assert "is 'an API key'; allowed is the name of a model" in sentences(page.error)[0]
    shown = sentences([*page.markdown, *page.caption, *page.error])
    assert KEY_AS_NAME not in " ".join(shown)
    assert KEY_AS_NAME not in json.dumps(page.query_params)


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
    assert not page.error
    assert [len(line) for line in token_lines(page).values()] == [4]
    use_model(page, "Summarizer", server.api_base, SECRET)
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


def test_a_sweep_asks_on_a_click_and_then_measures_what_it_missed(
    server: OpenAIServer, short: str
) -> None:
    values = {
        f"{strategy}.{name}": value
        for strategy in ("retrieval", "facts_store")
        for name, value in (
            ("top_k", '["5"]'),
            ("embedding_percent", '["0", "50"]'),
            ("embedding_model", "openai/swept"),
        )
    }
    page = open_sweep(
        "buffer", "retrieval", "facts_store", over=json.dumps([short]), **values
    )
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
    assert len(points(page)) == 5
    assert SECRET not in json.dumps(page.query_params)
    labelled(page.text_input, "Embedding model").set_value(KEY_AS_NAME).run()
    assert "is 'an API key'; allowed is the name of a model" in sentences(page.error)[0]
    assert KEY_AS_NAME not in told(page) + json.dumps(page.query_params)
    assert KEY_AS_NAME not in repr(page.session_state["linked"])


def chatting_with(page: AppTest, name: str) -> AppTest:
    choose(page, "Retrieval", "Embedding percent", 50)
    return labelled(page.text_input, "Embedding model").set_value(name).run()


def test_a_chat_asks_for_each_new_message_once_it_was_agreed_to_and_once_more_where_that_failed(
    server: OpenAIServer,
) -> None:
    page = chatting_with(open_page("chat"), "openai/text-embedding-3-small")
    assert offers_vectors(page)
    page = say(page, FACT)
    assert not sentences(page.error)
    assert not server.requests
    assert len(bubbles(page)) == 1
    click(reach(page, server), "Ask for vectors with")
    assert not page.error
    # Of the reply as well, which the next request may hold.
    assert texts_asked(server) == [said for _who, said in bubbles(page)]
    assert len(bubbles(page)) == 2
    assert not offers_vectors(page)

    server.requests.clear()
    page = say(with_budget(page, 0.0), QUESTION)
    assert any("allows no further call" in one for one in sentences(page.error))
    assert not server.requests
    assert len(bubbles(page)) == 3
    server.otherwise = answers.status(401, f"Incorrect API key: {SECRET}")
    click(with_budget(page, 1.0), "Retry")
    assert any("was refused" in one for one in sentences(page.error))
    assert SECRET not in " ".join(sentences([*page.error, *page.markdown]))

    server.requests.clear()
    server.otherwise = answers.vectors
    click(page, "Ask for vectors with")
    assert not page.error
    assert len(bubbles(page)) == 4
    assert texts_asked(server) == [said for _who, said in bubbles(page)][2:]
    again = open_page("chat", chat=chat_link(page))
    assert len(bubbles(again)) == 4
    assert not again.error


def test_a_saved_conversation_is_offered_before_its_memory_is_derived_with_vectors(
    server: OpenAIServer, short: str
) -> None:
    page = chatting_with(open_page("chat", chat=short), "openai/derived")
    foretold = re.search(r"(\d+) texts are asked for first\.", told(page))
    assert foretold
    click(reach(page, server), "Ask for vectors with")
    assert not page.error
    texts = int(foretold[1])
    assert len(texts_asked(server)) == texts
    page = say(page, PLAN)
    assert not page.error
    assert texts_asked(server)[texts:] == [said for _who, said in bubbles(page)[-2:]]
    assert "The next reply. The price of openai/derived" in told(page)
