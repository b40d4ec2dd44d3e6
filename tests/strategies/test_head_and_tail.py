"""Head and tail against AutoGen's own context, request by request, and the cases that surprise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Log, Message

pytest.importorskip("autogen_core")

from tests.strategies.conversations import answered
from tests.strategies.libraries import autogen_context
from tests.strategies.libraries.talks import talks

CALL = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}


def replay(messages: list[Message], head: int, tail: int) -> memviz.Run:
    return memviz.replay(
        messages,
        memviz.strategy("head_and_tail", head_size=head, tail_size=tail),
        counter="chars4",
    )


def units(messages: list[Message]) -> list[list[Message]]:
    """The messages as AutoGen counts them."""
    found: list[list[Message]] = []
    for message in messages:
        if message.role == "tool" and found and found[-1][0].role == "tool":
            found[-1].append(message)
        else:
            found.append([message])
    return found


def expected(messages: list[Message], head: int, tail: int) -> list[list[Message]]:
    """What AutoGen sends, but with all of the input (rule 2), which AutoGen would count against the tail."""
    sent = []
    log = Log(messages)
    for number, request in enumerate(log.requests()):
        asked = messages[log.input_start(request.stop) : request.stop]
        room = max(tail, len(units(asked)))
        theirs = autogen_context.requests(messages, head, room)[number]
        if theirs[len(theirs) - len(asked) :] != asked:  # results that begin the tail
            assert {message.role for message in units(asked)[0]} == {"tool"}
            behind = len(asked) - len(units(asked)[0])
            theirs = theirs[: len(theirs) - behind] + asked
        sent.append(theirs)
    return sent


@given(messages=talks(), head=st.integers(1, 5), tail=st.integers(1, 6))
def test_sends_what_autogen_sends(
    messages: list[Message], head: int, tail: int
) -> None:
    run = replay(messages, head, tail)
    assert [list(record.context.messages) for record in run.requests] == expected(
        messages, head, tail
    )
    assert not run.compactions


def test_says_how_many_are_skipped() -> None:
    """9 messages before request 5, less 2 and 3: 4 skipped. They are dropped, all others sent word for word."""
    messages = [
        Message("user" if i % 2 == 0 else "assistant", f"m{i}") for i in range(9)
    ]
    run = replay(answered(messages), 2, 3)
    line = Message("user", "Skipped 4 messages.")
    assert list(run.requests[-1].context.messages) == [
        *messages[:2],
        line,
        *messages[6:],
    ]
    fates = [Fate(code) for code in run.fates()[-1, :9]]
    assert fates == [Fate.VERBATIM] * 2 + [Fate.DROPPED] * 4 + [Fate.VERBATIM] * 3
    assert list(run.requests[2].context.messages) == messages[:5], (
        "5 messages are head and tail: nothing is skipped"
    )


def test_results_of_parallel_calls_count_as_one() -> None:
    calls = (
        {"id": i, "function": {"name": "look_up", "arguments": "{}"}} for i in "abc"
    )
    results = [Message("tool", "found", tool_call_id=id) for id in "abc"]
    messages = [
        Message("user", "q"),
        Message("assistant", "", tool_calls=tuple(calls)),
        *results,
    ]
    run = replay([*messages, Message("assistant", "done")], 1, 2)
    assert list(run.requests[-1].context.messages) == messages


def test_a_call_that_ends_the_head_and_results_that_begin_the_tail_are_left_out() -> (
    None
):
    """6 messages, less 2 and 3: "Skipped 1", though 3 are left out: the call at 1, the result at 3 and the one at 2."""
    caller, result = (
        Message("assistant", "", tool_calls=(CALL,)),
        Message("tool", "found", tool_call_id="a"),
    )
    messages = [
        Message("user", "q"),
        caller,
        Message("user", "wait"),
        result,
        Message("assistant", "x"),
        Message("user", "y"),
    ]
    run = replay(answered(messages), 2, 3)
    line = Message("user", "Skipped 1 messages.")
    assert list(run.requests[-1].context.messages) == [
        messages[0],
        line,
        messages[4],
        messages[5],
    ]
    assert run.requests[-1].flags == ()


def test_a_tail_of_one_still_sends_the_results_to_be_answered() -> None:
    """AutoGen takes the results off the tail and sends none; here they are the input, and flagged: no call goes with
    them."""
    caller, result = (
        Message("assistant", "", tool_calls=(CALL,)),
        Message("tool", "found", tool_call_id="a"),
    )
    messages = [
        Message("user", "q"),
        Message("assistant", "x"),
        Message("user", "r"),
        caller,
        result,
        Message("assistant", "done"),
    ]
    run = replay(messages, 1, 1)
    line = Message("user", "Skipped 3 messages.")
    assert autogen_context.requests(messages, 1, 1)[-1] == [messages[0], line]
    assert list(run.requests[-1].context.messages) == [messages[0], line, result]
    assert "orphaned_tool_message" in run.requests[-1].flags


def test_the_system_prompt_is_no_part_of_the_head() -> None:
    messages = [
        Message("system", "Be kind."),
        *(Message("user" if i % 2 == 0 else "assistant", f"m{i}") for i in range(5)),
    ]
    sent = list(replay(answered(messages), 1, 1).requests[-1].context.messages)
    assert sent == [
        messages[0],
        messages[1],
        Message("user", "Skipped 3 messages."),
        messages[5],
    ]
