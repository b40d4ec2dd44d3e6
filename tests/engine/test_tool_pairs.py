"""Recalled messages of which a call or its result is missing: what can stand by itself is sent."""

from __future__ import annotations

import json

import pytest

import memviz
from memviz import Message, Recall, ScriptedModel, ToolCall
from memviz.core.forms import WithCalls
from memviz.core.pieces import Picked
from memviz.engine.recall_tokens import count_recalled_tokens
from memviz.metrics.requests.broken_pairs import count_refused_requests
from tests.engine.calling import check_accepted

FIRST = ToolCall("a", "look_up", '{"q": "rain"}')
SECOND = ToolCall("b", "look_up", '{"q": "sun"}')


def talk(text: str, *answered: ToolCall) -> list[Message]:
    """Three turns. In the first one both tools are called, and only some calls are ever answered."""
    results = [
        Message("tool", f"Result {call.id}.", tool_call_id=call.id) for call in answered
    ]
    return [
        Message("user", "Rain or sun?"),
        Message("assistant", text, tool_calls=(FIRST, SECOND)),
        *results,
        Message("user", "Thanks."),
        Message("assistant", "You are welcome."),
        Message("user", "And now?"),
        Message("assistant", "Rain."),
    ]


def replayed(messages: list[Message], recall: Recall) -> memviz.Run:
    return memviz.replay(
        messages,
        memviz.strategy("window", window_size=1),
        counter=len,
        recalls={3: recall},
        repair_tool_pairs=True,
    )


def test_the_text_of_a_recalled_message_whose_call_nobody_answered_is_sent() -> None:
    record = replayed(talk("I will look."), Recall(turns=[1])).turns[-1]
    sent = record.context.messages
    assert [message.content for message in sent] == [
        "Rain or sun?",
        "I will look.",
        "And now?",
    ]
    assert not any(message.tool_calls for message in sent)
    assert record.parts.pieces[:2] == (
        Picked((0,)),
        Picked((1,), form=WithCalls()),
    )
    assert record.tokens["recalled"] == len("Rain or sun?" + "I will look.")
    assert "tools" not in record.tokens
    assert [block.kind for block in record.context.blocks] == ["recalled", "input"]
    without = record.parts.with_recalled(())
    assert count_recalled_tokens(record) > record.tokens["recalled"]
    assert without.recalled == ()


def test_answered_calls_of_a_recalled_message_are_sent_with_their_results() -> None:
    messages = talk("I will look.", SECOND)
    sent = replayed(messages, Recall(turns=[1])).turns[-1].context.messages
    check_accepted(sent)
    assert [message.tool_calls for message in sent] == [(), (SECOND,), (), ()]
    assert "Result b." in [message.content for message in sent]


@pytest.mark.parametrize("recalled", [[1], [1, 3]])
def test_a_call_whose_result_was_not_recalled_is_left_out(recalled: list[int]) -> None:
    messages = talk("I will look.", FIRST, SECOND)
    sent = replayed(messages, Recall(messages=recalled)).turns[-1].context.messages
    check_accepted(sent)
    assert sent[0].content == "I will look."
    assert [message.role for message in sent[1:-1]] == ["tool"] * (len(recalled) - 1)


def test_a_message_of_calls_alone_that_nobody_answered_is_left_out() -> None:
    sent = replayed(talk(""), Recall(turns=[1])).turns[-1].context.messages
    assert [message.content for message in sent] == ["Rain or sun?", "And now?"]


def test_it_is_never_sent_twice_where_the_history_holds_it() -> None:
    model = ScriptedModel(["Yes."])
    chat = memviz.Chat(memviz.strategy("buffer"), model=model, counter=len)
    chat.log.extend(talk("I will look.")[:-2])
    chat.recall(turns=[1])
    record = chat.send("And now?")
    assert record.parts.recalled == ()
    assert [message.content for message in model.requests[-1]].count(
        "I will look."
    ) == 1


def test_it_stands_before_an_open_tool_call() -> None:
    messages = talk("I will look.")
    again = ToolCall("c", "look_up", "{}")
    messages[-1:] = [
        Message("assistant", "", tool_calls=(again,)),
        Message("tool", "Rain.", tool_call_id="c"),
        Message("assistant", "Rain."),
    ]
    sent = replayed(messages, Recall(turns=[1])).requests[-1].context.messages
    check_accepted(sent)
    assert [message.content for message in sent[:2]] == [
        "Rain or sun?",
        "I will look.",
    ]


def test_the_books_hold_and_a_run_survives_a_file() -> None:
    run = replayed(talk("I will look."), Recall(turns=[1]))
    assert memviz.verify(run) == ()
    assert count_refused_requests(run) == 0
    again = memviz.Run.from_dict(json.loads(json.dumps(run.to_dict())), len)
    assert again.turns[-1].parts == run.turns[-1].parts
    assert again.turns[-1].tokens == run.turns[-1].tokens
