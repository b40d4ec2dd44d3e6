"""Compare: one question to all settings, and where each had its answer from."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.asking import FLIGHT, ask, cards, sources
from tests.pages.chatting import KEY, use_model
from tests.pages.comparing import FIRST, replayed
from tests.pages.driving import (
    click,
    labelled,
    open_page,
    page_of,
    read_request,
    sentences,
    turn_shown,
)

BUFFER, WINDOW, SUMMARY = FIRST
QUESTION_LABEL = "One question to all settings"
CODE = "QX7R4M"
PASSPORT = "What is the date on which Finn's old passport expires?"


@pytest.fixture
def compare() -> AppTest:
    return open_page("compare")


def test_every_setting_answers_a_question_and_says_where_it_had_that_from(
    compare: AppTest,
) -> None:
    click(compare, FLIGHT)  # a question of the conversation is one click away
    assert labelled(compare.text_input, QUESTION_LABEL).value == FLIGHT
    assert sources(compare) == {
        BUFFER: "word for word",
        WINDOW: "not in context",
        SUMMARY: "in the summary",
    }
    answers = {card.label: card.answer for card in cards(compare)}
    assert CODE in answers[BUFFER]
    assert CODE in answers[SUMMARY]
    assert "do not know" in answers[WINDOW]
    captions = sentences(compare.caption)
    assert f"Asked: {FLIGHT}" in captions
    assert any(
        caption.startswith("Message 15 of turn 8: ") and CODE in caption
        for caption in captions
    )
    record = memviz.ask(replayed(FIRST[WINDOW]), FLIGHT)
    sent = f"{record.total_tokens:,} tokens sent · 9 messages word for word"
    assert sent in captions
    # The full buffer's source says where the window finds it.
    labels = [button.label for button in compare.button]
    assert any(label.startswith("Bring turn 8 back") for label in labels)

    ask(compare, "   ")
    assert not compare.error
    example = labelled(compare.text_input, QUESTION_LABEL).placeholder
    assert example == PASSPORT, "an empty field asks what stands in it as an example"
    assert any(said.endswith(f": {PASSPORT}") for said in sentences(compare.caption))
    assert sources(compare) == {
        BUFFER: "word for word",
        WINDOW: "not in context",
        SUMMARY: "not in context",
    }


@pytest.mark.slow
def test_what_the_model_recalled_by_itself_is_said(compare: AppTest) -> None:
    labelled(compare.selectbox, "Strategy").select("summary_only").run()
    ask(compare, FLIGHT)
    label = cards(compare)[0].label
    assert label.startswith("Summary only")
    assert cards(compare)[0].source == "recalled"
    assert CODE in cards(compare)[0].answer
    assert any(
        "recalled · 2 calls" in caption for caption in sentences(compare.caption)
    )


@pytest.mark.slow
def test_settings_that_are_the_same_are_asked_once_and_shown_once_each(
    compare: AppTest, server: OpenAIServer
) -> None:
    use_model(compare, "Chat model", server.api_base)
    labelled(compare.selectbox, "Strategy").select("window").run()
    ask(compare, FLIGHT)
    assert [card.label for card in cards(compare)] == [WINDOW, f"{WINDOW} (2)", SUMMARY]
    assert len(server.requests) == 2
    assert any("is asked 2 times" in caption for caption in sentences(compare.caption))


@pytest.mark.slow
def test_a_wrong_key_is_asked_with_once_and_the_rest_when_it_is_mended(
    compare: AppTest, server: OpenAIServer
) -> None:
    use_model(compare, "Chat model", server.api_base)
    server.then(text("At seven."), status(401, f"Wrong key: {KEY}", "invalid_api_key"))
    ask(compare, "When do we leave?")
    assert len(server.requests) == 2
    (sentence,) = sentences(compare.error)
    assert KEY not in sentence
    labelled(compare.text_input, "API key").set_value("another").run()
    assert not compare.error, "with another key they count as not yet asked"
    server.otherwise = text("At eight.")
    click(compare, "Ask with")
    assert not compare.error
    assert len(server.requests) == 4, "the first setting had answered"
    assert [card.answer for card in cards(compare)] == [
        "At seven.",
        "At eight.",
        "At eight.",
    ]


@pytest.mark.slow
def test_a_model_that_fails_is_a_sentence_for_each_setting(
    compare: AppTest, server: OpenAIServer
) -> None:
    server.then(status(400, f"No {KEY}"), text("At eight."), status(400, f"No {KEY}"))
    use_model(compare, "Chat model", server.api_base)
    ask(compare, "When do we leave?")
    assert page_of(compare) == "compare"
    assert len(sentences(compare.error)) == 2
    assert all(KEY not in sentence for sentence in sentences(compare.error))
    assert [(card.label, card.answer) for card in cards(compare)] == [
        (WINDOW, "At eight.")
    ]
    assert {f"**{BUFFER}**", f"**{SUMMARY}**"} <= set(sentences(compare.markdown))
    server.otherwise = text("At nine.")
    click(compare, "Try again")
    assert [card.answer for card in cards(compare)] == [
        "At nine.",
        "At eight.",
        "At nine.",
    ]


def test_a_model_that_nobody_knows_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # AppTest can only choose what is listed; a user may type any name
    monkeypatch.setattr(
        "memviz.dashboard.ui.controls.pickers.known_models",
        lambda: ("offline", "no such model"),
    )
    compare = open_page("compare")
    labelled(compare.selectbox, "Chat model").select("no such model").run()
    ask(compare, FLIGHT)
    assert page_of(compare) == "compare"
    (sentence,) = sentences(compare.error)
    assert "no such model" in sentence


@pytest.mark.slow
def test_questions_and_answers_are_text(compare: AppTest, server: OpenAIServer) -> None:
    said = "Pay $5 or $6 for <script>alert(1)</script> **now** :red[x]"
    server.then(*[text(said)] * 3)  # one for each setting, whichever asks first
    use_model(compare, "Chat model", server.api_base)
    ask(compare, said + "?")
    (answer,) = {
        element.proto.body
        for element in compare.get("html")
        if "Pay $5" in element.proto.body
    }
    assert (
        "&lt;script&gt;alert(1)&lt;/script&gt; <strong>now</strong> :red[x]" in answer
    )
    for element in (*compare.caption, *compare.markdown):
        unescaped = re.sub(r"\\.", "", element.value)
        assert not any(
            piece in unescaped for piece in ("$5", "<script", "**now", ":red[")
        )


@pytest.mark.slow
def test_a_lost_answer_is_brought_back_for_what_the_button_says(
    compare: AppTest,
) -> None:
    ask(compare, PASSPORT)
    assert sources(compare) == {
        BUFFER: "word for word",
        WINDOW: "not in context",
        SUMMARY: "not in context",
    }
    buttons = [
        button for button in compare.button if button.label.startswith("Bring turn")
    ]
    assert len(buttons) == 2, "the full buffer lost nothing"
    lost = [
        said
        for said in sentences(compare.caption)
        if said.startswith(("Not sent since", "Lost in version"))
    ]
    assert len(lost) == 2
    said = re.fullmatch(
        r"Bring turn 6 back: \+(\d+) tokens, \+\$0\.0\d+",
        buttons[0].label.replace("\\", ""),
    )
    assert said
    buttons[0].click().run()
    assert sources(compare) == {
        BUFFER: "word for word",
        WINDOW: "recalled",
        SUMMARY: "not in context",
    }
    assert "9 July 2027" in cards(compare)[1].answer
    read_request(compare)
    assert turn_shown(compare) == 46
    assert labelled(compare.selectbox, "Setting").value == 1
    run = replayed(FIRST[WINDOW])
    without, with_turn = (
        memviz.ask(run, PASSPORT, recalls=recalls)
        for recalls in ([], [memviz.Recall(turns=[6])])
    )
    assert with_turn.total_tokens - without.total_tokens == int(said[1])
    size = f"{without.total_tokens:,} → {with_turn.total_tokens:,} tokens (+{said[1]})"
    shown = [
        html.proto.body
        for html in compare.get("html")
        if "Asked again with turn 6: " in html.proto.body
    ]
    assert len(shown) == 1, "in the card of the setting that was asked again alone"
    assert size in shown[0]
    assert "▼" in shown[0], "the sign of a recall on the charts"
    assert f"Before: {without.reply}" in sentences(compare.caption)
    ask(compare, FLIGHT)
    assert not any(
        caption.startswith("Before: ") for caption in sentences(compare.caption)
    )
    labelled(compare.number_input, "Window size").set_value(4).run()
    assert set(sources(compare)) == {BUFFER, SUMMARY}, "an answer goes with its setting"
    compare.button(key="remove-0").click().run()
    assert set(sources(compare)) == {SUMMARY}
    labelled(compare.selectbox, "Conversation").select("sample-tutoring").run()
    assert not cards(compare)
    assert not any("Asked" in caption for caption in sentences(compare.caption))
