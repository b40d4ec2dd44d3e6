"""Chat: what the model recalls and thinks by itself, and what waits for the next request."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import memviz
from tests.models.openai_server import OpenAIServer, text
from tests.pages.chatting import bubbles, chat_link, chat_of, choose, use_model
from tests.pages.driving import (
    blocks,
    figures,
    labelled,
    metric,
    open_page,
    page_of,
    say,
    sentences,
    texts,
)
from tests.pages.markup import WORD_JOINER

BUDGET = "My budget for the trip is 3,000 euros."
TRAINS = "I like trains."
QUESTION = "What is my budget for the trip?"
CALL = 'recall_conversation({"turn_numbers": [1]})'
MARKUP = "<script>alert(1)</script> **fat** $5 $6 :red[x]"


@pytest.fixture
def chat() -> AppTest:
    """A talk under a strategy that is made for recalling; the next question needs it."""
    return chat_of(memviz.strategy("summary_only"), BUDGET, TRAINS)


def opened_by_click(session: AppTest, label: str) -> list[Any]:
    """The expanders whose label begins with ``label``. Fails if one of them is open from the start."""
    found = [
        expander for expander in session.expander if expander.label.startswith(label)
    ]
    assert not any(expander.proto.expanded for expander in found)
    return found


def request(session: AppTest) -> dict[str, Any]:
    """The last request with its tools, as the inspector shows it."""
    return json.loads(
        next(code.value for code in session.code if code.language == "json")
    )


def has_recalled(session: AppTest) -> bool:
    return any("<b>Recalled</b>" in block for block in blocks(session))


def tool_call(name: str, **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return [{"index": 0, "id": "c1", "type": "function", "function": function}]


def think(session: AppTest) -> AppTest:
    return labelled(session.toggle, "Enable reflective thinking").set_value(True).run()


# The model recalls


def test_the_model_recalls_by_itself_and_the_exchange_is_shown(chat: AppTest) -> None:
    assert not opened_by_click(chat, "The model recalled")
    before = int(metric(chat, "Sent").replace(",", ""))
    say(chat, QUESTION)
    assert "3,000 euros" in bubbles(chat)[-1][1]
    # The exchange is no bubble.
    assert [who for who, _ in bubbles(chat)] == ["user", "assistant"] * 3
    assert has_recalled(chat)
    (expander,) = opened_by_click(chat, "The model recalled: 1 call")
    assert [code.value for code in expander.code] == [CALL]
    assert "Recalled 2 messages" in " ".join(sentences(expander.caption))

    (earlier,) = opened_by_click(chat, "1 call of the model before this one")
    (sentence,) = sentences(earlier.caption)
    last = sum(trace["x"][0] for trace in figures(chat)[0]["data"])
    sent = int(metric(chat, "Sent").replace(",", "")) - before - last
    assert sent > 0
    assert earlier.label == f"1 call of the model before this one: {sent:,} tokens sent"
    assert sentence.startswith(f"1. It asked to recall: {sent:,} tokens sent, ")
    assert sentence.endswith("no cost.")

    shown = request(chat)
    assert [tool["function"]["name"] for tool in shown["tools"]] == [
        "recall_conversation"
    ]
    call, result = shown["messages"][-2:]
    assert call["tool_calls"][0]["function"] == {
        "name": "recall_conversation",
        "arguments": '{"turn_numbers": [1]}',
    }
    assert (result["role"], result["tool_call_id"]) == (
        "tool",
        call["tool_calls"][0]["id"],
    )
    (tools,) = [block for block in blocks(chat) if "<b>Tools</b>" in block]
    assert "offered: recall_conversation" in tools
    assert "message 6" in tools  # the call is a message of the conversation

    again = restarted(chat)
    (expander,) = opened_by_click(again, "The model recalled: 1 call")
    assert [code.value for code in expander.code] == [CALL]
    assert bubbles(again) == bubbles(chat)
    say(again, "Thank you.")
    assert not has_recalled(again), "the next request holds nothing of it"
    assert not any("tool_calls" in message for message in request(again)["messages"])
    assert len(opened_by_click(again, "The model recalled")) == 1
    assert not opened_by_click(again, "1 call of the model before")


# The model thinks


def test_thoughts_are_shown_with_rounds_tokens_and_cost_and_are_in_one_request_alone(
    chat: AppTest,
) -> None:
    think(chat)
    say(chat, QUESTION)
    (expander,) = opened_by_click(chat, "The model thought: 2 rounds, ")
    said = [node.value for node in expander.text]
    assert said == [
        "The summary of turn 1 mentions this; I look at the turn itself.",
        "I can answer from what I was sent.",
    ]
    assert CALL in [code.value for code in expander.code]
    tokens = metric(chat, "Thinking")
    assert expander.label.endswith(f", {tokens} tokens")
    assert sentences(expander.caption)[-1] == f"Tokens written: {tokens}. No cost."
    assert "3,000 euros" in bubbles(chat)[-1][1]
    names = [tool["function"]["name"] for tool in request(chat)["tools"]]
    assert sorted(names) == ["continue_thinking", "recall_conversation"]
    assert opened_by_click(chat, "2 calls of the model before this one")
    say(chat, "Thank you.")
    assert "I look at the turn itself" not in json.dumps(request(chat))


def test_what_a_round_of_thinking_cost_is_said(server: OpenAIServer) -> None:
    session = think(choose(open_page("chat"), "summary_only"))
    use_model(session, "Chat model", server.api_base)
    server.then(
        text(
            "I think of $5.",
            tools=[
                tool_call(
                    "continue_thinking", continue_thinking=False, summary="Greeted."
                )
            ],
        ),
        text("Hello."),
    )
    say(session, "Hi.")
    assert page_of(session) == "chat"
    (expander,) = opened_by_click(session, "The model thought: 1 round, 100 tokens")
    cost = expander.caption[-1].value
    assert "Tokens written: 100. Cost \\$0\\.00" in cost
    assert cost.count("$") == cost.count(r"\$")
    assert [node.value for node in expander.text] == ["I think of $5."]
    assert bubbles(session)[-1] == ("assistant", "Hello.")


@pytest.mark.slow
def test_parameters_that_only_matter_live_are_shown_here_and_not_in_a_replay() -> None:
    chat = choose(open_page("chat"), "summary_only")
    labels = [control.label for control in chat.number_input]
    compare = open_page("compare")
    labelled(compare.selectbox, "Strategy").select("summary_only").run()
    replayed = [control.label for control in compare.number_input]
    parameters = [
        parameter
        for parameter in memviz.strategies()["summary_only"].parameters()
        if parameter.live_only
    ]
    titles = [parameter.title for parameter in parameters if parameter.is_number]
    assert len(titles) == 3
    for title in titles:
        assert any(label.startswith(title) for label in labels)
        assert not any(label.startswith(title) for label in replayed)
    labelled(compare.button_group, "Replies").set_value("free-run").run()
    assert all(
        any(c.label.startswith(title) for c in compare.number_input) for title in titles
    )


# Recalling under other strategies


@pytest.fixture
def window() -> AppTest:
    """A talk in which the budget has left the window."""
    window = memviz.strategy("window", window_size=2)
    return chat_of(window, BUDGET, TRAINS, "The weather is fine today.")


@pytest.mark.slow
def test_the_model_may_be_let_recall_under_any_strategy(window: AppTest) -> None:
    say(window, QUESTION)
    assert "3,000" not in bubbles(window)[-1][1]
    labelled(window.toggle, "Let the model recall").set_value(True).run()
    say(window, QUESTION)
    assert "3,000 euros" in bubbles(window)[-1][1]
    (expander,) = opened_by_click(window, "The model recalled: 1 call")
    assert "recall_conversation" in expander.code[0].value
    assert [tool["function"]["name"] for tool in request(window)["tools"]] == [
        "recall_conversation"
    ]
    labelled(window.toggle, "Let the model recall").set_value(False).run()
    say(window, QUESTION)
    assert len(opened_by_click(window, "The model recalled")) == 1
    assert not any("<b>Tools</b>" in block for block in blocks(window))


def test_the_switch_is_there_where_the_strategy_has_none() -> None:
    session = open_page("chat")
    for strategy in ("window", "summary_buffer"):
        choose(session, strategy)
        assert not labelled(session.toggle, "Let the model recall").value
    choose(session, "summary_only")
    assert "Let the model recall" not in [toggle.label for toggle in session.toggle]
    labelled(session.toggle, "Enable recall").set_value(False).run()
    assert "Let the model recall" not in [toggle.label for toggle in session.toggle]


# What waits for the next request


def tray(session: AppTest) -> str:
    """What the tray says waits; empty where it is not there."""
    return next(
        (
            said
            for said in sentences(session.markdown)
            if "recalled, " in said and "tokens" in said
        ),
        "",
    )


@pytest.mark.slow
def test_what_waits_survives_a_restart_and_what_is_taken_back_stays_away(
    window: AppTest,
) -> None:
    window.button(key="recall-turn-1").click().run()
    window.button(key="recall-clear").click().run()
    again = restarted(window)
    assert not tray(again)
    say(again, QUESTION)
    assert not has_recalled(again)
    for is_pinned in (False, True):
        again.button(key="recall-turn-1").click().run()
        if is_pinned:
            again.button(key="recall-pin").click().run()
        waiting = tray(again)
        assert "2 messages recalled" in waiting
        again = restarted(again)
        assert tray(again) == waiting
        assert any(BUDGET in said and "1 · user" in said for said in texts(again))
        unpin = [button for button in again.button if button.key == "recall-unpin"]
        assert bool(unpin) == is_pinned
        say(again, QUESTION)
        assert "3,000 euros" in bubbles(again)[-1][1]
        say(again, "Thank you.")
        assert has_recalled(again) == is_pinned
        assert bool(tray(again)) == is_pinned


def restarted(session: AppTest) -> AppTest:
    """The same chat on a server that has just started."""
    st.cache_resource.clear()
    return open_page("chat", chat=chat_link(session))


# Text stays text


@pytest.mark.slow
def test_thoughts_calls_and_results_are_text(
    chat: AppTest, server: OpenAIServer
) -> None:
    think(chat)
    use_model(chat, "Chat model", server.api_base)
    server.then(
        text(MARKUP, tools=[tool_call("recall_conversation", **{MARKUP: 1})]),
        text(
            MARKUP,
            tools=[
                tool_call("continue_thinking", continue_thinking=False, summary=MARKUP)
            ],
        ),
        text(tools=[tool_call(MARKUP, q=MARKUP)], finish_reason="tool_calls"),
        text(MARKUP),
    )
    say(chat, MARKUP)
    assert page_of(chat) == "chat"
    assert bubbles(chat)[-1] == ("assistant", MARKUP.replace("**", "")), (
        "emphasis is drawn, and nothing else"
    )
    assert opened_by_click(chat, "The model thought: 2 rounds")
    assert opened_by_click(chat, "The model recalled: 1 call")
    told = [sentence.replace(WORD_JOINER, "") for sentence in sentences(chat.caption)]
    assert (
        sum(MARKUP in sentence for sentence in told) == 2
    )  # of the wrong argument, and of the wrong tool
    for element in (*chat.caption, *chat.markdown, *chat.error, *chat.warning):
        unescaped = re.sub(r"\\.", "", element.value)
        assert not any(
            piece in unescaped for piece in ("<script", "**fat", "$5 $6", ":red[")
        )
    for html in blocks(chat):
        assert "<script" not in html
