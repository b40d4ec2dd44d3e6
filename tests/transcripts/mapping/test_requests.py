"""Requests that repeat what was said before become one conversation."""

from memviz.core.messages import Message, ToolCall
from memviz.transcripts.mapping.requests import join_requests, make_request


def said(*texts):
    roles = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
    return [Message(roles[text[0]], text) for text in texts]


def joined(*requests, is_one=False, may_be_new=False):
    made = [
        make_request(said(*texts.split()), ({}, str(at)))
        for at, texts in enumerate(requests)
    ]
    threads = join_requests(made, is_one=is_one, may_be_new=may_be_new)
    return [
        " ".join(one.content for one, _ in thread.said) for thread in threads
    ], threads


def test_a_request_goes_on_with_what_it_repeats():
    found, threads = joined("s0 u1 a1", "s0 u1 a1 u2 a2", "s0 u1 a1 u2 a2 u3 a3")
    assert found == ["s0 u1 a1 u2 a2 u3 a3"]
    assert threads[0].events == []


def test_two_conversations_at_the_same_time_stay_two():
    found, _ = joined("u1 a1", "u5 a5", "u1 a1 u2 a2", "u5 a5 u6 a6")
    assert found == ["u1 a1 u2 a2", "u5 a5 u6 a6"]


def test_an_answer_that_was_asked_again_is_a_conversation_of_its_own():
    found, _ = joined("u1 a1", "u1 a2")
    assert found == ["u1 a1", "u1 a2"]


def test_what_a_program_no_longer_sends_is_an_event():
    found, threads = joined(
        "u1 a1 u2 a2 u3 a3",
        "u-notes u3 a3 u4 a4",
        "u-notes u3 a3 u4 a4 u5 a5",
        is_one=True,
    )
    assert found == ["u1 a1 u2 a2 u3 a3 u4 a4 u5 a5"]
    assert threads[0].events == [(6, "u-notes")]


def test_only_requests_of_one_session_may_repeat_the_end_alone():
    assert len(joined("u1 a1 u2 a2", "u2 a2 u3 a3")[0]) == 2
    assert joined("u1 a1 u2 a2", "u2 a2 u3 a3", is_one=True)[0] == ["u1 a1 u2 a2 u3 a3"]


def test_a_turn_that_stands_alone_follows_where_that_may_be():
    assert joined("u1 a1", "u2 a2", is_one=True, may_be_new=True)[0] == ["u1 a1 u2 a2"]
    assert len(joined("u1 a1", "u2 a2", is_one=True)[0]) == 2


def test_the_order_of_arguments_is_nothing_new():
    def call(arguments):
        return Message("assistant", "", tool_calls=(ToolCall("c", "f", arguments),))

    first = make_request([*said("u1"), call('{"a": 1, "b": 2}')], ({}, "0"))
    again = make_request(
        [*said("u1"), call('{"b":2,"a":1}'), *said("t1", "a1")], ({}, "1")
    )
    (thread,) = join_requests([first, again], is_one=False, may_be_new=False)
    assert len(thread.said) == 4


def test_another_system_prompt_is_noted_and_not_said():
    found, threads = joined("s0 u1 a1", "s9 u1 a1 u2 a2")
    assert found == ["s0 u1 a1 u2 a2"]
    assert threads[0].notes
