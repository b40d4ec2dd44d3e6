"""Pages in another language: which one is read, what follows it, and that no English is left."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from memviz import Message, replay
from memviz.core.background import BackgroundWork
from memviz.core.conversation import Log
from memviz.core.text.wording import counted
from memviz.core.translation import language_now, use_language
from memviz.dashboard.ui.controls.selected_request import TURN_KEY
from memviz.dashboard.ui.shell.language import language_of
from memviz.engine.run import Run
from memviz.strategies import strategy
from tests.pages.driving import open_address, open_page

READ_IN_CHINESE = ("guide",)
"""Pages whose rooms are all translated."""
NAMES = re.compile(
    r"LangChain|LlamaIndex|AutoGen|Agent Framework|Anthropic|OpenAI|Strands|Google ADK|Gemini CLI|[A-Z]\w*[A-Z]\w*"
)
THREE_WORDS = re.compile(r"[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,}){2,}")
SHOWN = ("title", "header", "subheader", "markdown", "caption", "info", "warning")


def texts_of(session: AppTest) -> Iterator[str]:
    for kind in SHOWN:
        for one in session.get(kind):
            yield str(one.value)
    for kind in ("button", "selectbox", "text_input", "number_input", "toggle"):
        for one in session.get(kind):
            yield f"{one.label}\n{getattr(one, 'help', '') or ''}"


@pytest.mark.parametrize("page", READ_IN_CHINESE)
def test_no_english_sentence_is_left(page: str) -> None:
    session = open_address(page, {"lang": ["zh"]})
    left = [text for text in texts_of(session) if english_in(text)]
    assert left == []


def english_in(text: str) -> bool:
    without_addresses = re.sub(r"\]\([^)]*\)|:material/\w+:", "]", text)
    return bool(THREE_WORDS.search(NAMES.sub("", without_addresses)))


def test_an_english_sentence_is_found() -> None:
    assert english_in("Sends the whole conversation")
    assert not english_in("LangChain 的 SummarizationMiddleware")


def title_of(session: AppTest) -> str:
    return str(session.title[0].value)


def test_the_address_comes_before_the_choice_and_the_choice_before_the_browser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    english = "How does each strategy remember?"
    chinese = "每种策略怎么记？"
    assert title_of(open_address("guide", {})) == english
    monkeypatch.setattr(ContextProxy, "locale", property(lambda self: "zh-CN"))
    session = open_address("guide", {})
    assert title_of(session) == chinese
    session.session_state["reading"].chosen = "en"
    assert title_of(session.run()) == english
    session.query_params["lang"] = "zh"
    assert title_of(session.run()) == chinese
    assert title_of(open_address("guide", {"lang": ["en"]})) == english


def test_a_language_that_nobody_knows_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ContextProxy, "locale", property(lambda self: "xx-YY"))
    session = open_address("guide", {"lang": ["<b>"]})
    assert title_of(session) == "How does each strategy remember?"
    assert session.session_state["reading"].chosen == ""
    assert language_of("test session id") == "en"


def test_settings_and_turn_stay_when_another_language_is_chosen() -> None:
    session = open_page("compare")
    session.button(key="add-setting").click().run()
    session.session_state["compare"].settings[1].turn_to("summary")
    session.run()
    before = session.session_state["compare"].view()
    turn = session.session_state[TURN_KEY]
    session.session_state["reading"].chosen = "zh"
    session.run()
    assert not session.exception
    assert len(before.study.settings) == 4
    assert session.session_state["compare"].view() == before
    assert session.session_state[TURN_KEY] == turn


def test_readers_of_chinese_begin_with_a_chinese_conversation_and_chinese_lessons() -> (
    None
):
    session = open_address("compare", {"lang": ["zh"]})
    assert session.session_state["compare"].conversation_id == "sample-chinese"
    lessons = open_address("lessons", {"lang": ["zh"]})
    assert "**初识对话记忆**" in [one.value for one in lessons.markdown]
    assert "**A first look at a memory**" in [
        one.value for one in open_page("lessons").markdown
    ]


def test_a_kept_picture_is_kept_for_each_language() -> None:
    run = replay(Log((Message("user", "Hello"),)), strategy("buffer"))
    said = [pictured(run, code) for code in ("en", "zh", "en", "zh")]
    assert said == ["1 turn", "1 轮", "1 turn", "1 轮"]


def pictured(run: Run, code: str) -> str:
    with use_language(code):
        return run.once("words", lambda: counted(1, "turn"), is_picture=True)


class Counting(BackgroundWork):
    said = ""

    def begin(self) -> None:
        self._begin()

    def _work(self) -> None:
        self.said = f"{language_now()} {counted(2, 'turn')}"


def test_work_in_a_thread_speaks_the_language_of_who_began_it() -> None:
    work = Counting("counting")
    with use_language("zh"):
        work.begin()
    assert work.wait(5)
    assert work.said == "zh 2 轮"
