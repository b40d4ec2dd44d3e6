"""What users and models write is text on every page, never markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import memviz
from memviz.storage.store import Store
from tests.page_names import QUESTIONS
from tests.pages.driving import (
    blocks,
    figures,
    in_reading_order,
    inspected,
    labelled,
    open_page,
    read_request,
    request_as_json,
    say,
    sentences,
    texts,
)
from tests.pages.markup import ALL, PIECES, WORD_JOINER, markdown_sources

TAGS = ("p", "/p", "small", "/small", "code", "/code")


def fact(number: int) -> str:
    """A sentence that a summarizer keeps."""
    return f"My budget <script>alert({number})</script> for {ALL} is {number + 1},000 euros.\n"


@pytest.fixture
def conversation(database: Path) -> str:
    messages = [
        memviz.Message("user" if number % 2 == 0 else "assistant", fact(number) * 40)
        for number in range(12)
    ]
    transcript = memviz.Transcript(
        tuple(messages),
        title=ALL,
        description=ALL,
        system_prompt=ALL,
        format="messages",
    )
    return Store(database).add_conversation(transcript)


@pytest.mark.slow
def test_nothing_of_it_reaches_markdown_unescaped(conversation: str) -> None:
    for page in QUESTIONS:
        study = page in ("compare", "summaries", "memory_map", "retention", "costs")
        session = open_page(
            page,
            **{"conversation" if study else "chat": conversation, "try": '["window"]'},
        )
        for source in markdown_sources(session):
            for piece in PIECES:
                assert piece not in source, page


@pytest.mark.slow
def test_titles_and_messages_read_as_they_were_written(conversation: str) -> None:
    library, compare, chat = (
        open_page("library"),
        open_page("compare"),
        open_page("chat", chat=conversation),
    )
    shown = [
        sentence.replace(WORD_JOINER, "") for sentence in sentences(library.markdown)
    ]
    assert f"**{ALL}**" in shown
    assert any(
        ALL in option for option in labelled(compare.selectbox, "Conversation").options
    )
    assert any(ALL in text for text in texts(chat))


@pytest.mark.slow
def test_the_inspector_shows_messages_as_they_were_written(conversation: str) -> None:
    compare = read_request(open_page("compare", conversation=conversation))
    sent = [message["content"][:4000] for message in request_as_json(compare)]
    assert inspected(compare) == in_reading_order(sent)
    for html in blocks(compare):
        assert not set(re.findall(r"<(/?\w+)", html)) - {
            "section",
            "/section",
            "header",
            "/header",
            "b",
            "/b",
            *TAGS,
        }
        assert "<b>fat" not in html


def test_chart_texts_are_escaped(conversation: str) -> None:
    compare = open_page("compare", conversation=conversation)
    tooltips = str(
        [trace.get("text") for figure in figures(compare) for trace in figure["data"]]
    )
    assert "&lt;script&gt;" in tooltips  # the summary's first words hold it
    assert "<script>" not in tooltips
    assert "<b>fat" not in tooltips


def test_chat_shows_markup_as_text(conversation: str) -> None:
    chat = open_page("chat")
    say(chat, ALL)
    assert ALL in texts(chat)
    for source in markdown_sources(chat.run()):
        for piece in PIECES:
            assert piece not in source
    assert not chat.exception
