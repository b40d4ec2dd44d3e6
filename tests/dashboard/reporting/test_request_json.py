"""A request as it can be sent again."""

from __future__ import annotations

import json
from typing import Any

import memviz
from memviz import Message, ScriptedModel
from memviz.dashboard.reporting.request_json import request_json
from memviz.models.base import Reply
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION
from tests.engine.written_strategies import Tracks, talk

CALL = {"id": "c1", "function": {"name": "look_up", "arguments": '{"q": "Ä"}'}}
SAID = [
    Message("user", "Ünï <b>", name="Mira", meta={"secret": 1}),
    Message("assistant", "", tool_calls=(CALL,)),  # type: ignore[arg-type]
    Message("tool", "found", tool_call_id="c1"),
    Message("assistant", "Done."),
    Message("user", "And now?"),
    Message("assistant", "Nothing."),
]


def test_the_messages_that_were_sent_and_nothing_else() -> None:
    run = memviz.replay(
        SAID, memviz.strategy("buffer"), model=None, system_prompt="Be brief."
    )
    text = request_json(run.turns[1])
    assert json.loads(text) == {
        "messages": [message.to_request() for message in run.turns[1].context.messages]
    }
    assert json.loads(text)["messages"][1] == {
        "role": "user",
        "content": "Ünï <b>",
        "name": "Mira",
    }
    assert "secret" not in text


def test_the_model_where_one_is_known() -> None:
    run = memviz.replay(SAID, memviz.strategy("buffer"), model=None)
    assert (
        json.loads(request_json(run.requests[0], "gpt-5-mini"))["model"] == "gpt-5-mini"
    )
    chat = memviz.Chat(
        memviz.strategy("buffer"), model=ScriptedModel([Reply("Yes", model="chat-7")])
    )
    chat.send("Well?")
    assert json.loads(request_json(chat.run.requests[0]))["model"] == "chat-7"
    assert json.loads(request_json(chat.run.requests[0], "other"))["model"] == "other"


def test_nobody_is_sent_to_the_offline_model() -> None:
    chat = memviz.Chat(memviz.strategy("buffer"), model=memviz.model("offline"))
    chat.send("My name is Ada.")
    assert chat.run.turns[0].facts is not None
    assert "model" not in json.loads(request_json(chat.run.requests[0]))


def test_the_tools_that_were_offered() -> None:
    chat = memviz.Chat(memviz.strategy("summary_only"), model=memviz.model("offline"))
    chat.send("My name is Ada.")
    sent: dict[str, Any] = json.loads(request_json(chat.run.requests[0]))
    names = chat.run.turns[0].parts.tools
    assert names
    known = {
        tool.name: tool.to_request()
        for tool in (RECALL_CONVERSATION, CONTINUE_THINKING)
    }
    assert sent["tools"] == [known[name] for name in names]


def test_every_call_of_a_turn_is_a_request_of_its_own() -> None:
    run = memviz.replay(SAID, memviz.strategy("buffer"), model=None)
    roles = [
        [message["role"] for message in json.loads(request_json(one))["messages"]]
        for one in run.requests
    ]
    assert roles == [
        ["user"],
        ["user", "assistant", "tool"],
        ["user", "assistant", "tool", "assistant", "user"],
    ]


def test_messages_in_a_form_are_those_that_were_sent() -> None:
    strategy = memviz.strategy(
        "clear_tool_results", trigger_tokens=0, keep_results=0, clear_arguments=True
    )
    run = memviz.replay(SAID, strategy, model=None)
    assert json.loads(request_json(run.requests[-1]))["messages"][1:3] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "look_up", "arguments": "{}"},
                }
            ],
        },
        {"role": "tool", "content": "[cleared]", "tool_call_id": "c1"},
    ]


def test_notes_stand_where_they_were_sent_and_lines_among_the_messages() -> None:
    run = memviz.replay(
        talk(3),
        Tracks(),
        model=ScriptedModel(["A.", "B.", "Work.", "C.", "Work 2."]),
        system_prompt="Be brief.",
    )
    assert json.loads(request_json(run.requests[-1]))["messages"] == [
        {"role": "system", "content": "Be brief.\nA.\nB."},
        {"role": "user", "content": "Work."},
        {"role": "user", "content": "user 2"},
    ]
    run = memviz.replay(
        talk(6), memviz.strategy("head_and_tail", head_size=1, tail_size=2), model=None
    )
    assert json.loads(request_json(run.requests[-1]))["messages"] == [
        {"role": "user", "content": "user 0"},
        {"role": "user", "content": "Skipped 8 messages."},
        {"role": "assistant", "content": "assistant 4"},
        {"role": "user", "content": "user 5"},
    ]
