"""Pages in another language: which one is read, what follows it, and that no English is left."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import parse_qs

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from memviz import Message, replay
from memviz.core.background import BackgroundWork
from memviz.core.conversation import Log
from memviz.core.text.wording import counted
from memviz.core.translation import language_now, use_language
from memviz.dashboard.reporting.report import html_report
from memviz.dashboard.ui.controls.selected_request import TURN_KEY
from memviz.dashboard.ui.shell.language import language_of
from memviz.engine.run import Run
from memviz.strategies import strategies, strategy
from memviz.strategies.prompts import PROMPTS
from memviz.transcripts.samples import bundled, sample
from tests.pages.driving import open_address, open_page
from tests.pages.shown import shown_texts, texts_of_html

QUICK_PAGES = (
    "compare", "chat", "lessons", "library", "guide?strategy=summary_buffer", "guide?view=glossary",
)  # fmt: skip
SLOW_PAGES = (
    "compare?stage=on", "compare?present=on", "costs", "memory_map", "retention", "summaries",
    "facts?view=kept&present=on", "lessons?lesson=first-look", "guide", "tune",
)  # fmt: skip
PAGES = (
    *QUICK_PAGES,
    *(pytest.param(address, marks=pytest.mark.slow) for address in SLOW_PAGES),
)
"""All pages and views, as addresses. A text without a mark is found by tests/test_translations.py as well."""
NAMES = re.compile(
    r"LangChain|LlamaIndex|AutoGen|Agent Framework|Anthropic|OpenAI|Strands|Google ADK|Gemini CLI|Claude Code|"
    r"Amazon Bedrock|Vercel AI SDK|LM Studio|Cherry Studio|Copilot Chat|Roo Code|"
    r"Noto Sans|Segoe UI|DejaVu Sans|JSON lines|memviz ui|"
    r"Prompt [Cc]aching|API guides|Page (?:Up|Down)|Home End|[A-Z]\w*[A-Z]\w*"
)
CODE = re.compile(r"`[^`]*`|'pip install [^']*'|“at most 60 words”")
"""Commands, and what a built-in model obeys in a prompt."""
TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? +[A-Za-z]{2,}")
QUOTED_CHARS = 30


@pytest.mark.usefixtures("checked_figures")
@pytest.mark.parametrize("address", PAGES)
def test_no_english_sentence_is_left(address: str) -> None:
    page, _question_mark, query = address.partition("?")
    session = open_address(page, {"lang": ["zh"], **parse_qs(query)})
    assert not session.exception
    assert english_of(shown_texts(session)) == []


def test_no_english_sentence_is_left_in_a_report() -> None:
    transcript = sample("chinese")
    run = replay(transcript, strategy("summary_buffer", max_token_limit=1500))
    with use_language("zh"):
        report = html_report([run], transcript)
    assert english_of(texts_of_html(report)) == []


def english_of(texts: Iterable[str]) -> list[str]:
    """Those with two English words after each other, besides names, code and quotes."""
    return [text for text in dict.fromkeys(texts) if english_in(text)]


def english_in(text: str) -> bool:
    without_addresses = re.sub(r"\]\([^)]*\)|:material/\w+:", "]", text)
    without_names = NAMES.sub("", CODE.sub("", without_addresses))
    return bool(TWO_WORDS.search(without_names)) and not is_quoted(text)


def is_quoted(text: str) -> bool:
    """Whether it begins as something that was said, asked, answered or told a model."""
    return " ".join(text.split())[:QUOTED_CHARS] in quotes()


@cache
def quotes() -> str:
    said = [prompt.instruction for prompt in PROMPTS]
    said += [cls().instruction for cls in strategies().values()]
    for transcript in bundled().values():
        said += [message.content for message in transcript.messages]
        for probe in transcript.probes:
            said += [probe.question, *probe.answers]
    return " ".join(" ".join(said).split())


def test_an_english_sentence_is_found() -> None:
    assert english_in("Sends the whole conversation")
    assert not english_in("LangChain 的 SummarizationMiddleware")
    assert not english_in(sample("trip").messages[0].content[:90])
    chart = """<p title="Word for word">发送</p><script>{"data": [{"text": ["6 messages taken in"]}]}</script>"""
    assert english_of(texts_of_html(chart)) == ["6 messages taken in", "Word for word"]


def title_of(session: AppTest) -> str:
    return str(session.title[0].value)


def test_the_address_comes_before_the_choice_and_the_choice_before_the_browser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    english = "What is in the window right now?"
    chinese = "窗口里现在有什么？"
    assert title_of(open_address("live", {})) == english
    monkeypatch.setattr(ContextProxy, "locale", property(lambda self: "zh-CN"))
    session = open_address("live", {})
    assert title_of(session) == chinese
    session.session_state["reading"].chosen = "en"
    assert title_of(session.run()) == english
    session.query_params["lang"] = "zh"
    assert title_of(session.run()) == chinese
    assert title_of(open_address("live", {"lang": ["en"]})) == english


def test_a_language_that_nobody_knows_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ContextProxy, "locale", property(lambda self: "xx-YY"))
    session = open_address("guide", {"lang": ["<b>"]})
    assert title_of(session) == "How does each strategy remember?"
    assert session.session_state["reading"].chosen == ""
    assert language_of("test session id") == "en"


@pytest.mark.slow
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
