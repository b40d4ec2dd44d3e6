"""Arguments of tool calls that were said before: by hand, and against a plain search."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Run
from memviz.core.messages import RECALL_EXCHANGE
from memviz.metrics.requests.message_text import list_argument_values, read_message
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.tool_argument_recall import (
    ToolArgumentRecall,
    measure_tool_argument_recall,
)
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.naive_retention import said, spans, texts
from tests.metrics.random_probes import odd_runs, runs
from tests.strategies.conversations import conversations
from tests.tables import for_each


def call(
    text: str = "",
    meta: dict[str, object] | None = None,
    name: str = "book",
    **arguments: object,
) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return Message(
        "assistant", text, tool_calls=({"id": "1", "function": function},), meta=meta
    )


def result(text: str) -> Message:
    return Message("tool", text, tool_call_id="1")


def run_of(*messages: Message, id: str = "buffer", **parameters: int) -> Run:
    return memviz.replay(messages, memviz.strategy(id, **parameters), counter="chars4")


TALK = (
    Message("user", "My reservation is KA7I60 and I like seat 14C."),
    Message("assistant", "Noted."),
    Message("user", "And the city is München."),
    Message("assistant", "Fine."),
    Message("user", "Book it."),
    call(
        reservation="KA7I60",
        where={"city": "München", "seats": ["14C", "15C"]},
        express=True,
        bags=2,
        note=None,
    ),
    result("Done, ticket TKT-991."),
    call(ticket="TKT-991", reservation="KA7I60"),
    result("Sent."),
    Message("assistant", "It is done."),
)


def test_every_value_that_was_said_before_is_needed_and_trivial_ones_are_not() -> None:
    found = measure_tool_argument_recall(run_of(*TALK)).arguments
    assert [
        (one.position, one.turn, one.name, one.value, one.last_seen) for one in found
    ] == [
        (5, 3, "reservation", "KA7I60", 0),
        (5, 3, "where.city", "München", 2),
        (5, 3, "where.seats.0", "14C", 0),
        (7, 3, "ticket", "TKT-991", 6),
        (7, 3, "reservation", "KA7I60", 5),
    ]
    assert {one.tool for one in found} == {"book"}
    assert {one.source for one in found} == {Knowledge.VERBATIM}


def test_what_left_the_context_is_missing_unless_the_turn_said_it_again() -> None:
    needed = measure_tool_argument_recall(run_of(*TALK, id="window", window_size=3))
    assert [one.in_context for one in needed.arguments] == [
        False,
        True,
        False,
        True,
        True,
    ]
    assert needed.share == 3 / 5


def test_a_value_that_only_a_summary_holds_is_in_context_by_the_summary() -> None:
    model = memviz.ScriptedModel(["Reservation KA7I60.", "City München.", "Booked."])
    run = memviz.replay(
        TALK,
        memviz.strategy("summary_only"),
        model=model,
        counter="chars4",
        system_prompt="14C is best",
    )
    sources = [one.source for one in measure_tool_argument_recall(run).arguments]
    assert sources == [
        Knowledge.SUMMARY,
        Knowledge.SUMMARY,
        Knowledge.SYSTEM,
        Knowledge.VERBATIM,
        Knowledge.VERBATIM,
    ]


@for_each("value", [True, None, 7, 42, "ab", "?!", "", 3.5, "7 b", "茶"])
def test_trivial_values_are_left_out(value: object) -> None:
    talk = (Message("user", f"True None 7 42 ab ?! 3.5 7 b 茶 {value}"), call(x=value))
    assert measure_tool_argument_recall(run_of(*talk)) == ToolArgumentRecall()


@for_each(
    ("value", "said_as"),
    [(123, "123"), ("茶馆", "开茶馆吧"), (1250.5, "1,250.50"), ("abc", "ABC!")],
)
def test_other_values_count_however_they_are_spelled(
    value: object, said_as: str
) -> None:
    (found,) = measure_tool_argument_recall(
        run_of(Message("user", said_as), call(x=value))
    ).arguments
    assert (found.value, found.last_seen) == (str(value), 0)


def test_the_call_itself_is_no_source_and_recalls_are_no_calls() -> None:
    assert (
        measure_tool_argument_recall(
            run_of(Message("user", "Hi"), call("I book ABC123", code="ABC123"))
        ).share
        is None
    )
    recall = call(
        meta={RECALL_EXCHANGE: True}, name="recall_conversation", message_indices=[100]
    )
    assert not measure_tool_argument_recall(
        run_of(Message("user", "Number 100"), recall)
    ).arguments
    before = (
        Message("assistant", "ABC123"),
        call(code="ABC123"),
        Message("user", "Hi"),
    )
    assert not measure_tool_argument_recall(run_of(*before)).arguments, (
        "there was no request yet"
    )


def test_arguments_that_are_no_json_are_one_value() -> None:
    odd = Message(
        "assistant",
        "x",
        tool_calls=(
            {"id": "1", "function": {"name": "f", "arguments": "{broken ABC"}},
        ),
    )
    assert list_argument_values(odd.tool_calls[0]) == [("", "{broken ABC")]
    (found,) = measure_tool_argument_recall(
        run_of(Message("user", "broken abc"), odd)
    ).arguments
    assert found.name == ""


def test_values_are_read_as_json_and_deep_ones_too() -> None:
    deep: object = "München\nHbf"
    for _ in range(400):
        deep = [deep]
    message = call("text", at=deep)
    assert read_message(message) == "text\nMünchen\nHbf"
    scalar = Message(
        "assistant",
        "",
        tool_calls=({"id": "1", "function": {"name": "f", "arguments": "5"}},),
    )
    assert list_argument_values(scalar.tool_calls[0]) == [("", 5)]


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_they_are_those_of_a_plain_search(id: str, data: st.DataObject) -> None:
    are_those_of_a_plain_search(data.draw(runs(id)))


@given(run=odd_runs())
def test_of_what_is_cleared_or_cut_only_what_is_left_is_in_the_context(
    run: Run,
) -> None:
    are_those_of_a_plain_search(run)


def are_those_of_a_plain_search(run: Run) -> None:
    wanted = []
    for position, message in enumerate(run.log):
        record = next(
            (
                record
                for record in reversed(run.requests)
                if record.log_length <= position
            ),
            None,
        )
        seen = [p for p in range(position) if spans(said(run.log[p]), ("rain",))]
        if message.tool_calls and seen and record is not None:
            behind = range(record.log_length, position)
            found = [text for held in texts(record).values() for text in held] + [
                said(run.log[p]) for p in behind
            ]
            wanted.append(
                (position, seen[-1], any(spans(text, ("rain",)) for text in found))
            )
    needed = measure_tool_argument_recall(run)
    assert [
        (one.position, one.last_seen, one.in_context) for one in needed.arguments
    ] == wanted


@given(messages=conversations())
def test_a_full_buffer_never_misses_one(messages: list[Message]) -> None:
    assert measure_tool_argument_recall(run_of(*messages)).share in (1, None)
