"""Models on this machine: found with a click, chosen with another, and reached without a key of another provider."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from memviz.dashboard.ui.compare.tokens import OF_WINDOW, PERCENT_KEY
from memviz.dashboard.ui.controls.local_models import ANOTHER_PORT, FIND, NOT_HERE
from memviz.dashboard.ui.shell.views import COMPARE_VIEW
from memviz.models.access import ALLOW_PRIVATE_BASE_URLS
from memviz.models.names import RECORDED_FIRST
from tests.models.local_programs import PAGE, Routes, llama_cpp, port, serving, vllm
from tests.models.openai_server import OpenAIServer, text
from tests.pages.chatting import FACT, bubbles
from tests.pages.driving import click, figures, labelled, open_page, say, sentences

NAME = "llamafile/small"
USERS_KEY = "sk-of-the-user-at-openai-0123456789"


def replying(routes: Routes) -> Routes:
    return Routes(
        {**routes.replies, "/v1/chat/completions": text("Noted.")}, routes.otherwise
    )


def found_at(server: OpenAIServer, page: str = "chat") -> AppTest:
    """The page, once somebody has looked for models at this server's port too."""
    session = click(open_page(page), FIND)
    return labelled(session.text_input, ANOTHER_PORT).set_value(str(port(server))).run()


def fields(session: AppTest) -> dict[str, str | None]:
    return {field.label: field.value for field in session.text_input}


def test_a_model_is_looked_for_on_a_click_chosen_with_its_address_and_answers() -> None:
    with serving(replying(llama_cpp("/models/small.gguf"))) as server:
        assert ANOTHER_PORT not in fields(open_page("chat"))
        assert server.requests == [], "nothing is asked before the click"
        session = found_at(server)
        assert "small" in str([text.value for text in session.markdown])
        captions = sentences(session.caption)
        assert "llama.cpp · 2,048 tokens of context" in captions
        session = click(session, "For answers")
        assert labelled(session.selectbox, "Chat model").value == NAME
        assert labelled(session.selectbox, "Summarizer").value == RECORDED_FIRST
        assert fields(session)["Base URL"] == server.api_base
        assert bubbles(say(session, FACT))[-1] == ("assistant", "Noted.")
        assert server.requests[-1].body["model"] == "small"
        # AppTest's first run knows no value that persists.
        session.switch_page("pages/library.py").run().run()
        assert labelled(session.selectbox, "Chat model").value == NAME
        assert fields(session)["Base URL"] == server.api_base

        # Else the key that is entered for another model would be sent to this machine's server.
        labelled(session.selectbox, "Chat model").select("openai/gpt-5-mini").run()
        assert fields(session)["Base URL"] == ""
        labelled(session.text_input, "Base URL").set_value(server.api_base).run()
        labelled(session.selectbox, "Chat model").select("openai/gpt-5").run()
        assert fields(session)["Base URL"] == server.api_base, "what is typed stays"


def test_a_summarizer_is_chosen_likewise() -> None:
    with serving(llama_cpp("/models/small.gguf")) as server:
        session = click(found_at(server, "compare"), "For summaries")
    assert labelled(session.selectbox, "Summarizer").value == NAME
    assert labelled(session.selectbox, "Chat model").value == RECORDED_FIRST
    chosen = labelled(session.button, "For summaries")
    assert chosen.disabled


@pytest.mark.slow
def test_a_key_of_another_provider_does_not_go_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", USERS_KEY + "-in-the-environment")
    with serving(replying(vllm("small"))) as server:
        session = (
            labelled(open_page("chat").selectbox, "Chat model")
            .select("openai/gpt-5-mini")
            .run()
        )
        session = labelled(session.text_input, "API key").set_value(USERS_KEY).run()
        session = click(session, FIND)
        session = (
            labelled(session.text_input, ANOTHER_PORT)
            .set_value(str(port(server)))
            .run()
        )
        session = click(session, "For answers")
        assert fields(session)["API key"] == ""
        assert bubbles(say(session, FACT))[-1] == ("assistant", "Noted.")
    assert USERS_KEY not in str(server.requests)


def test_something_else_at_the_port_and_other_machines_are_one_sentence() -> None:
    with serving(PAGE) as server:
        session = found_at(server)
        told = " ".join(sentences(session.caption))
        assert (
            f"127.0.0.1:{port(server)} answers, and is no server of models."
            in told.replace("\\", "")
        )
    session = (
        labelled(session.text_input, ANOTHER_PORT).set_value("example.com:80").run()
    )
    (sentence,) = sentences(session.error)
    assert "no address of this machine" in sentence


@pytest.mark.slow
def test_percent_of_the_window_knows_its_window_once_its_prices_count() -> None:
    with serving(llama_cpp("tiny.gguf", window=1234)) as server:
        session = found_at(server, "costs")
    session = (
        labelled(session.selectbox, "Prices of the chat model")
        .select("llamafile/tiny")
        .run()
    )
    session.session_state[COMPARE_VIEW], session.session_state[PERCENT_KEY] = (
        "tokens",
        OF_WINDOW,
    )
    layout = figures(session.run())[0]["layout"]
    assert "llamafile/tiny" in str(layout)
    assert "1,234" in str(layout)


def test_names_of_models_are_text() -> None:
    with serving(vllm("**bold**[a](x)")) as server:
        session = found_at(server)
    (shown,) = [
        element.value for element in session.markdown if "bold" in element.value
    ]
    assert "\\*\\*bold\\*\\*" in shown


def test_visitors_of_a_shared_server_do_not_look_around_on_its_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(ALLOW_PRIVATE_BASE_URLS, "0")
    session = open_page("chat")
    assert FIND not in [button.label for button in session.button]
    assert NOT_HERE in [caption.value for caption in session.caption]
