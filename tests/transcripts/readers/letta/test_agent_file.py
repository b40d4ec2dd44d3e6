"""What a Letta agent file says: words unpacked, events that are nobody's words left out, summaries as events."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import Message, ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from memviz.transcripts.loading import load_file
from tests.tables import for_each


def text(role, words, **more):
    return {"role": role, "content": [{"type": "text", "text": words}], **more}


def packed(kind, **fields):
    return text("user", json.dumps({"type": kind, **fields}))


def call(id, name, **arguments):
    return {
        "id": id,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def load(*messages, **more):
    agent = {
        "agent_type": "memgpt_agent",
        "in_context_message_indices": [],
        "messages": list(messages),
        **more,
    }
    return load_transcript(json.dumps(agent).encode(), "letta")


def bare(transcript):
    return [(message.role, message.content) for message in transcript.messages]


HELLO = packed("user_message", message="Hello", time="now")


def test_the_words_of_the_user_are_unpacked_and_events_are_no_messages():
    alert = packed("system_alert", message="Memory is almost full.")
    read = load(
        packed("login", last_login="Never"),
        HELLO,
        packed("heartbeat", reason="x"),
        alert,
        text("user", "plain"),
    )
    assert bare(read) == [("user", "Hello"), ("user", "plain")]
    assert (read.warnings, read.events) == ((), ())


@for_each(
    "words",
    [
        '{"type": "user_message"}',
        '{"type": "order", "message": "x"}',
        "{not json",
        "[1]",
        '{"a": 1}',
    ],
)
def test_json_that_is_no_event_stays_as_the_user_wrote_it(words):
    assert bare(load(text("user", words))) == [("user", words)]


def test_the_argument_of_send_message_is_the_reply_and_its_result_is_no_message():
    reply = text(
        "assistant",
        "Be kind.",
        tool_calls=[call("a", "send_message", message="Hi!")],
        model="m",
    )
    read = load(
        HELLO,
        reply,
        text("tool", '{"status": "OK", "message": "None"}', tool_call_id="a"),
    )
    assert read.messages[1:] == (
        Message("assistant", "Hi!", meta={"model": "m", REASONING: "Be kind."}),
    )


def test_other_calls_beside_a_reply_stay_calls_and_ids_may_be_used_again():
    first = text(
        "assistant",
        "",
        tool_calls=[
            call("a", "send_message", message="One"),
            call("b", "search", q="é"),
        ],
    )
    second = text("assistant", "I look.", tool_calls=[call("a", "search", q="2")])
    done = [
        text("tool", "sent", tool_call_id="a"),
        text("tool", "found", tool_call_id="b"),
    ]
    read = load(HELLO, first, *done, second, text("tool", "found 2", tool_call_id="a"))
    assert bare(read)[1:] == [
        ("assistant", "One"),
        ("tool", "found"),
        ("assistant", ""),
        ("tool", "found 2"),
    ]
    assert read.messages[1].tool_calls == (ToolCall("b", "search", '{"q": "\\u00e9"}'),)
    assert read.messages[3].meta == {REASONING: "I look."}
    assert read.warnings == ()


def test_a_reply_that_cannot_be_read_stays_a_call():
    broken = {"id": "a", "function": {"name": "send_message", "arguments": "{"}}
    read = load(
        HELLO,
        text("assistant", "", tool_calls=[broken]),
        text("tool", "failed", tool_call_id="a"),
    )
    assert read.messages[1].tool_calls == (ToolCall("a", "send_message", "{"),)
    assert bare(read)[2] == ("tool", "failed")


def test_an_agent_without_send_message_answers_in_its_text():
    item = text("assistant", "Wait.", tool_calls=[call("a", "clock")])
    read = load(
        HELLO, item, text("tool", "six", tool_call_id="a"), text("assistant", "Six.")
    )
    assert bare(read)[1:] == [
        ("assistant", "Wait."),
        ("tool", "six"),
        ("assistant", "Six."),
    ]


def test_the_first_system_message_is_the_prompt_and_later_ones_of_its_kind_are_no_messages():
    prompts = [
        text("system", "You are Mo.\n<memory_blocks>1"),
        text("system", "You are Mo.\n<memory_blocks>2"),
    ]
    read = load(prompts[0], HELLO, prompts[1], text("system", "Speak French."))
    assert read.system_prompt == "You are Mo.\n<memory_blocks>1"
    assert read.warnings == (
        "later copies of the system prompt, with an edited memory, were left out: index 2.",
    )
    assert bare(read) == [("user", "Hello"), ("system", "Speak French.")]


def test_without_a_system_message_the_prompt_is_that_of_the_agent():
    assert load(HELLO, system="You are Mo.").system_prompt == "You are Mo."


NOTE = "Note: prior messages (3 of 5 total messages) have been hidden from view due to conversation memory constraints."


@for_each(
    ("message", "summary"),
    [
        (
            f"{NOTE}\nThe following is a summary of the previous 3 messages:\n They met.",
            "They met.",
        ),
        (
            f"{NOTE}\nThe following is a summary of the previous messages:\nThey met.",
            "They met.",
        ),
        (
            "Note: 3 prior messages with the user have been hidden from view due to conversation memory constraints.",
            "",
        ),
    ],
)
def test_an_alert_of_hidden_messages_is_a_compaction(message, summary):
    stats = {
        "trigger": "overflow",
        "context_tokens_before": 50,
        "context_tokens_after": 9,
    }
    read = load(
        HELLO, packed("system_alert", message=message, compaction_stats=stats), HELLO
    )
    (event,) = read.events
    assert (event.kind, event.after_message, event.text) == ("compaction", 1, summary)
    assert (event.reason, event.tokens_before, event.tokens_after) == (
        "overflow",
        50,
        9,
    )
    assert bare(read) == [("user", "Hello")] * 2


def test_parts_hold_thoughts_calls_results_and_images():
    reply = {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "reasoning": "Hm.", "is_native": True},
            {"type": "redacted_reasoning", "data": "x"},
            {"type": "tool_call", "id": "a", "name": "clock", "input": {"zone": "UTC"}},
        ],
    }
    result = {
        "role": "tool",
        "content": [
            {
                "type": "tool_return",
                "tool_call_id": "a",
                "content": "six",
                "is_error": False,
            }
        ],
    }
    seen = {
        "role": "user",
        "content": [{"type": "text", "text": "See"}, {"type": "image", "source": {}}],
    }
    read = load(seen, reply, result)
    assert bare(read) == [("user", "See\n[image]"), ("assistant", ""), ("tool", "six")]
    assert read.messages[1].tool_calls == (ToolCall("a", "clock", '{"zone": "UTC"}'),)
    assert read.messages[1].meta == {REASONING: "Hm."}


def test_one_tool_message_may_hold_the_results_of_several_calls():
    returns = [
        {"tool_call_id": "b", "func_response": "2"},
        {"tool_call_id": "a", "func_response": "1"},
    ]
    calls = text("assistant", "", tool_calls=[call("a", "x"), call("b", "y")])
    read = load(
        HELLO, calls, {"role": "tool", "content": None, "tool_returns": returns}
    )
    assert [
        (message.tool_call_id, message.content) for message in read.messages[2:]
    ] == [("b", "2"), ("a", "1")]


def test_an_approval_asks_for_a_call_and_its_answer_is_no_message():
    ask = {
        "role": "approval",
        "content": [{"type": "text", "text": ""}],
        "tool_calls": [call("a", "rm")],
    }
    answer = {
        "role": "approval",
        "content": [],
        "approve": True,
        "approval_request_id": "m",
    }
    read = load(HELLO, ask, answer, text("tool", "gone", tool_call_id="a"))
    assert bare(read)[1:] == [("assistant", ""), ("tool", "gone")]


ASKED = {
    "role": "approval",
    "content": [],
    "tool_calls": [call("a", "rm"), call("b", "ls"), call("c", "pwd")],
}
ANSWERED = {
    "role": "approval",
    "content": None,
    "approvals": [
        {
            "type": "tool",
            "tool_call_id": "a",
            "status": "success",
            "tool_return": "removed",
        },
        {
            "type": "approval",
            "tool_call_id": "b",
            "approve": False,
            "reason": "Not here.",
        },
        {"type": "approval", "tool_call_id": "c", "approve": True, "reason": "Go on."},
    ],
}
RETURNS = [
    ("a", "removed"),
    ("b", "Error: denied. User reason: Not here."),
    ("c", "/home"),
]


def results(transcript):
    return [
        (message.tool_call_id, message.content)
        for message in transcript.messages
        if message.role == "tool"
    ]


def test_a_result_that_came_with_an_approval_is_no_second_one():
    returned = [{"tool_call_id": id, "func_response": words} for id, words in RETURNS]
    tool = text("tool", RETURNS[0][1], tool_call_id="a", tool_returns=returned)
    read = load(HELLO, ASKED, ANSWERED, tool, text("assistant", "Done."))
    assert results(read) == RETURNS
    assert read.messages[4].meta == {"approval": "Go on."}
    assert read.warnings == ()


@for_each("after", [(), (text("assistant", "Done."),), (HELLO,)])
def test_what_the_user_decided_is_the_result_where_no_tool_answers(after):
    read = load(HELLO, ASKED, ANSWERED, *after)
    assert results(read) == [("a", "removed"), ("b", "[denied: Not here.]")]
    assert (
        "why the user allowed a call, which has no result, was left out: index 2."
        in read.warnings
    )


def test_an_answer_of_older_files_denies_the_call_that_was_asked_for():
    ask = {"role": "approval", "content": [], "tool_calls": [call("a", "rm")]}
    answer = {
        "role": "approval",
        "content": [],
        "approve": False,
        "denial_reason": "No!",
        "approval_request_id": "m",
    }
    assert results(load(HELLO, ask, answer, HELLO)) == [("a", "[denied: No!]")]


def test_a_result_without_the_id_of_its_call_is_kept():
    calls = text("assistant", "", tool_calls=[call("a", "x"), call("b", "x")])
    returned = [{"tool_call_id": "b", "func_response": "2"}, {"func_response": "1"}]
    assert results(
        load(HELLO, calls, {"role": "tool", "content": [], "tool_returns": returned})
    ) == [
        ("b", "2"),
        (None, "1"),
    ]


def test_what_a_tool_printed_is_kept_beside_its_result():
    returned = [
        {"tool_call_id": "a", "func_response": "2", "stdout": ["adding"], "stderr": []}
    ]
    calls = text("assistant", "", tool_calls=[call("a", "x")])
    read = load(HELLO, calls, {"role": "tool", "content": [], "tool_returns": returned})
    assert read.messages[2].meta == {"stdout": ["adding"]}


def test_a_part_of_an_unknown_kind_is_named():
    read = load(
        HELLO, {"role": "assistant", "content": [{"type": "novelty", "novelty": "x"}]}
    )
    assert bare(read)[1] == ("assistant", "[novelty]")
    assert "shown by its name only: index 1" in read.warnings[0]


def test_a_result_may_hold_an_image():
    parts = [{"type": "text", "text": "Look:"}, {"type": "image", "source": {}}]
    returned = [{"tool_call_id": "a", "tool_return": parts}]
    calls = text("assistant", "", tool_calls=[call("a", "x")])
    assert results(
        load(HELLO, calls, {"role": "tool", "content": [], "tool_returns": returned})
    ) == [("a", "Look:\n[image]")]


def test_what_is_no_message_is_counted():
    (warning,) = load(HELLO, 3, {"role": "robot", "content": []}).warnings
    assert "imported 1 of 3" in warning
    assert "robot" in warning


def test_every_agent_of_the_second_version_is_a_conversation():
    agents = [
        {"name": name, "in_context_message_ids": [], "messages": [HELLO]}
        for name in ("a", "b")
    ]
    loaded = load_file(json.dumps({"agents": agents, "blocks": []}).encode())
    assert [(read.title, read.format) for read in loaded.transcripts] == [
        ("a", "letta"),
        ("b", "letta"),
    ]


def test_another_object_is_refused():
    with pytest.raises(TranscriptError, match="an agent"):
        load_transcript(b'{"messages": []}', "letta")
