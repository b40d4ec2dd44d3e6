"""Talk on the chat page, with the offline model or with one behind an address."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from streamlit.testing.v1 import AppTest

from memviz import Chat, Strategy
from memviz.storage.workspace import Workspace
from tests.pages.driving import labelled, open_page

FACT = "My budget is 3,000 euros and my daughter Mira is allergic to nuts."

PLAN = "We want to travel in May, by train."

QUESTION = "What is my budget?"


def chat_of(strategy: Strategy, *said: str) -> AppTest:
    """The page of a saved chat in which a user said this: one run of the page for all of it."""
    chat = Chat(strategy)
    for text in said:
        chat.send(text)
    workspace = Workspace()
    id = workspace.new_chat(chat)
    workspace.save_chat(id, chat, "offline")
    return open_page("chat", chat=id)


def bubbles(session: AppTest) -> list[tuple[str, str]]:
    """Who said what, as the page shows it: without the marks of styles."""
    return [
        (message.name, said)
        for message in session.chat_message
        if (said := words_of(message))
    ]


def words_of(message: Any) -> str:
    """What a bubble says. What has styles is drawn as HTML."""
    if message.text:
        return str(message.text[0].value)
    drawn = message.get("html")
    return unescape(re.sub(r"<[^>]*>", "", drawn[0].proto.body)) if drawn else ""


def choose(
    session: AppTest, strategy: str, parameter: str = "", value: int = 0
) -> AppTest:
    labelled(session.selectbox, "Strategy").select(strategy).run()
    return (
        labelled(session.number_input, parameter).set_value(value).run()
        if parameter
        else session
    )


def chat_link(session: AppTest) -> str:
    """The id by which the address names the chat."""
    link = session.query_params.get("chat")
    assert link, "the address does not name the chat"
    return str(link)


KEY = "a-key-that-nobody-may-see"


def use_model(session: AppTest, picker: str, api_base: str, key: str = KEY) -> AppTest:
    """Point a model picker at an address: its fields are there once the model is chosen."""
    labelled(session.selectbox, picker).select("openai/gpt-5-mini").run()
    labelled(session.text_input, "API key").set_value(key)
    labelled(session.text_input, "Base URL").set_value(api_base)
    return labelled(session.number_input, "Timeout").set_value(2).run()
