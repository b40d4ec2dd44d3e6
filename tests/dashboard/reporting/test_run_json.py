"""A run comes back from its JSON as it was, and a request of it can be sent once more."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import nan
from typing import Any

import pytest

import memviz
from memviz import Message, ModelError, Run, ScriptedModel
from memviz.dashboard.reporting.run_tables import request_json, run_json
from memviz.models.base import Reply
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION
from memviz.transcripts.samples import sample
from tests.engine.probes import REPRESENTATIVES
from tests.engine.written_strategies import Tracks, talk
from tests.same_runs import contents
from tests.tables import for_each


@for_each("id", REPRESENTATIVES)
def test_every_strategy_comes_back(id: str) -> None:
    model = ScriptedModel(["one", ModelError("down"), *["Ünï 😀 </script>"] * 60])
    run = memviz.replay(
        sample("trip"),
        memviz.strategy(id),
        model=model,
        recalls={5: memviz.Recall(turns=[1])},
    )
    again = Run.from_dict(json.loads(run_json(run)))
    assert contents(again) == contents(run)
    assert [record.context for record in again.turns] == [
        record.context for record in run.turns
    ]


def test_a_live_chat_comes_back() -> None:
    chat = memviz.Chat(
        memviz.strategy("summary", buffer_size=1), model=memviz.model("offline")
    )
    for question in ("My name is Ada.", "I live in Bonn.", "Where do I live?"):
        chat.send(question)
    chat.recall(turns=[1])
    assert contents(Run.from_dict(json.loads(run_json(chat.run)))) == contents(chat.run)


def test_what_json_does_not_know_does_not_break_it() -> None:
    said = [
        Message(
            "user", "Hi", meta={"at": datetime(2026, 1, 2, tzinfo=UTC), "score": nan}
        )
    ]
    text = run_json(memviz.replay(said, memviz.strategy("buffer"), model=None))
    meta = json.loads(text, parse_constant=lambda name: pytest.fail(name))["messages"][
        0
    ]["meta"]
    assert meta == {"at": "2026-01-02 00:00:00+00:00", "score": None}


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
    chat = memviz.Chat(
        memviz.strategy("buffer"), model=ScriptedModel([Reply("Yes", model="chat-7")])
    )
    chat.send("Well?")
    assert json.loads(request_json(chat.run.requests[0]))["model"] == "chat-7"


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
