"""What readers of role lists make of messages that are odd but legal, or slightly broken."""

import json

import pytest

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.core.messages import Message, ToolCall
from memviz.transcripts import load_file, load_transcript
from tests.tables import for_each

HI = {"role": "user", "content": "hi"}


def load(*items, format=None):
    return load_transcript(json.dumps(items).encode(), format)


def only(item):
    transcript = load(HI, item)
    return transcript.messages[1], transcript.warnings


def test_a_plain_list_is_read_as_it_is():
    transcript = load(HI, {"role": "assistant", "content": "hello", "name": "bot"})
    assert transcript.messages == (
        Message("user", "hi"),
        Message("assistant", "hello", name="bot"),
    )
    assert transcript.format == "role_content"
    assert (
        load({**HI, "name": "bob"}, {"role": "system", "content": "x"}).format
        == "openai_messages"
    )
    assert transcript.warnings == ()


def test_json_lines_split_at_line_feeds_only():
    text = "".join(
        json.dumps({**HI, "content": word}, ensure_ascii=False) + "\r\n\r\n"
        for word in ("a\u2028b", "c\x85d")
    )
    transcript = load_transcript(text.encode())
    assert [message.content for message in transcript.messages] == [
        "a\u2028b",
        "c\x85d",
    ]
    assert transcript.format == "role_content"


def test_one_line_is_a_conversation_of_one_message():
    transcript = load_transcript(json.dumps(HI).encode())
    assert (transcript.format, transcript.messages) == (
        "role_content",
        (Message("user", "hi"),),
    )


def test_an_object_with_messages_may_bring_its_title():
    saved = {
        "model": "m",
        "title": "Trip",
        "language": "fr",
        "system_prompt": "Be brief.",
        "messages": [HI],
    }
    transcript = load_transcript(json.dumps(saved).encode())
    assert (transcript.title, transcript.language, transcript.system_prompt) == (
        "Trip",
        "fr",
        "Be brief.",
    )


@for_each(
    ("alias", "role"), [("developer", "system"), ("function", "tool"), ("User", "user")]
)
def test_role_aliases(alias, role):
    message, _ = only({"role": alias, "content": "x"})
    assert message.role == role


@for_each(
    ("content", "text"),
    [
        (None, ""),
        ([], ""),
        (
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, "c"],
            "a\nb\nc",
        ),
        (
            [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": "data:x"}},
            ],
            "see\n[image]",
        ),
        ([{"type": "input_audio", "input_audio": {"data": "AAAA"}}], "[audio]"),
        (
            [{"type": "file", "file": {"file_id": "f", "filename": "plan.pdf"}}],
            "[file: plan.pdf]",
        ),
        ([{"type": "file", "file": {"file_id": "f"}}], "[file]"),
        ([{"type": "refusal", "refusal": "No."}], "No."),
    ],
)
def test_content_becomes_text(content, text):
    message, warnings = only({"role": "assistant", "content": content})
    assert (message.content, warnings) == (text, ())


@for_each(
    ("content", "text"),
    [
        (42, "42"),
        (True, "true"),
        ({"a": "é"}, '{"a": "é"}'),
        ([["nested"]], '["nested"]'),
        ([{"n": 1}], '{"n": 1}'),
    ],
)
def test_content_that_is_no_text_is_kept_as_json_and_reported(content, text):
    message, warnings = only({"role": "assistant", "content": content})
    assert message.content == text
    assert warnings == ("content that is not text was read as JSON text: index 1.",)


def test_a_refusal_and_the_transcript_of_the_audio_are_both_read():
    spoken = {
        "role": "assistant",
        "content": None,
        "audio": {"id": "a", "transcript": "Sorry."},
    }
    assert only({**spoken, "refusal": "I cannot."})[0].content == "I cannot.\nSorry."
    assert only({**spoken, "refusal": "Sorry."})[0].content == "Sorry."


@for_each(
    ("beside", "key"),
    [
        ({"text": "Something else."}, "'text'"),
        ({"message": "Something else.", "body": "x"}, "'message'"),
        ({"refusal": "I cannot."}, "'refusal or audio'"),
        ({"audio": {"transcript": "Sorry."}}, "'refusal or audio'"),
    ],
)
def test_a_text_beside_a_content_that_says_something_else_is_kept_and_named(
    beside, key
):
    message, warnings = only({"role": "assistant", "content": "x", **beside})
    assert (
        message.content,
        message.meta["text" if "text" in beside else next(iter(beside))],
    ) == (
        "x",
        next(iter(beside.values())),
    )
    assert any(
        "something else under" in warning and key in warning for warning in warnings
    )


@for_each("same", ["x", " x\n", "", None, 3])
def test_a_text_beside_a_content_that_says_the_same_is_no_finding(same):
    message, warnings = only({"role": "assistant", "content": "x", "text": same})
    assert (
        message.content,
        [warning for warning in warnings if "something else" in warning],
    ) == ("x", [])


def test_refusal_and_audio_stand_in_for_missing_content():
    assert (
        only({"role": "assistant", "content": None, "refusal": "I cannot."})[0].content
        == "I cannot."
    )
    assert (
        only({"role": "assistant", "audio": {"id": "a", "transcript": "Hello!"}})[
            0
        ].content
        == "Hello!"
    )
    assert only({"role": "assistant", "audio": {"id": "a"}})[0].content == "[audio]"


def test_tool_calls_of_every_age():
    calls = [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "f", "arguments": '{"a": 1}'},
        },
        {
            "id": "c2",
            "type": "function",
            "function": {"name": "g", "arguments": {"b": 2}},
        },
        {"id": "c3", "type": "custom", "custom": {"name": "h", "input": "free text"}},
    ]
    message, _ = only(
        {
            "role": "assistant",
            "tool_calls": calls,
            "function_call": {"name": "old", "arguments": "{}"},
        }
    )
    assert message.tool_calls == (
        ToolCall("c1", "f", '{"a": 1}'),
        ToolCall("c2", "g", '{"b": 2}'),
        ToolCall("c3", "h", "free text"),
        ToolCall("", "old", "{}"),
    )


def test_a_call_without_a_name_keeps_its_message_its_arguments_and_its_result():
    nameless = {"id": "c2", "function": {"name": "", "arguments": '{"q": 1}'}}
    item = {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {"id": "c1", "function": {"name": "f", "arguments": "{}"}},
            nameless,
            "g",
            None,
        ],
    }
    transcript = load(
        HI, item, {"role": "tool", "tool_call_id": "c2", "content": "2"}, HI
    )
    assert transcript.messages[1].content == "Let me look."
    assert transcript.messages[1].tool_calls == (
        ToolCall("c1", "f", "{}"),
        ToolCall("c2", "unnamed", '{"q": 1}'),
    )
    assert transcript.messages[2].tool_call_id == "c2"
    assert transcript.warnings[:3] == (
        "a tool call without a name is called 'unnamed': index 1.",
        "a tool call that is a text, not an object, was left out: index 1.",
        "a tool call that is null, not an object, was left out: index 1.",
    )


def test_tool_calls_that_are_no_list_leave_the_text_alone():
    message, warnings = only({"role": "assistant", "content": "x", "tool_calls": 3})
    assert (message.content, message.tool_calls) == ("x", ())
    assert (
        "a value of tool_calls that is a number, not a list, was left out: index 1."
        in warnings
    )


def test_calls_without_results_are_reported_but_not_at_the_end():
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    result = {"role": "tool", "tool_call_id": "c", "content": "1"}
    assert load(HI, call, result).warnings == ()
    assert load(HI, call).warnings == ()
    assert load(HI, call, HI).warnings == ("a tool call has no result: index 1.",)
    assert load(HI, result, HI).warnings == (
        "a tool result answers no call before it: index 1.",
    )


def test_small_unknown_fields_are_kept_and_large_ones_reported():
    message, warnings = only(
        {
            "role": "assistant",
            "content": "x",
            "model": "m",
            "refusal": None,
            "blob": "y" * 3000,
        }
    )
    assert message.meta == {"model": "m"}
    assert warnings == (
        "fields too large to keep beside the text were left out: index 1.",
    )


@for_each(
    "thoughts",
    [
        {"thinking": "Hm.\nSo."},
        {
            "reasoning_details": [
                {"type": "reasoning.text", "text": "Hm."},
                {"type": "x", "summary": "So."},
                {"data": "e"},
            ]
        },
    ],
)
def test_thoughts_under_any_name(thoughts):
    message, _ = only({"role": "assistant", "content": "x", **thoughts})
    assert message.meta == {"reasoning": "Hm.\nSo."}


def test_labels_that_are_no_text():
    message, warnings = only(
        {"role": "tool", "content": "x", "name": ["n"], "tool_call_id": 7}
    )
    assert (message.name, message.tool_call_id) == (None, "7")
    assert "a name that is not text was left out: index 1." in warnings


@for_each(
    ("item", "reason"),
    [
        ({"content": "who am I?"}, "has no role"),
        ("hi", "is a text, not an object"),
        (
            {"role": "assistant", "tool_calls": 3},
            "has a value of tool_calls that is a number, not a list",
        ),
        (
            {"role": "assistant", "tool_calls": ["c"]},
            "has a tool call that is a text, not an object",
        ),
    ],
)
def test_a_broken_message_is_left_out_with_its_place_and_the_count(item, reason):
    transcript = load(HI, item, {"role": "assistant", "content": "ok"})
    assert [message.content for message in transcript.messages] == ["hi", "ok"]
    assert transcript.warnings == (f"imported 2 of 3 messages: index 1 {reason}.",)


def test_in_json_lines_the_place_is_the_line():
    lines = [json.dumps(HI), "", json.dumps({"content": "x"}), json.dumps(HI)]
    transcript = load_transcript("\n".join(lines).encode())
    assert transcript.warnings == ("imported 2 of 3 messages: line 3 has no role.",)


def test_every_name_of_a_role_is_read_as_in_tables_and_texts():
    names = [
        "human",
        "AI",
        "customer",
        "Agent",
        "user",
        "bot",
        "model",
        "gpt",
        "chatbot",
        "Function-Result",
    ]
    roles = [
        message.role
        for message in load(
            *({"role": name, "content": "x"} for name in names)
        ).messages
    ]
    assert roles == ["user", "assistant"] * 2 + ["user"] + ["assistant"] * 4 + ["tool"]


@for_each("role", ["critic", ["user"], "gardener of the palace"])
def test_a_message_of_somebody_unknown_refuses_the_conversation(role):
    with pytest.raises(
        TranscriptError,
        match=r"1 of 3 messages cannot be read: index 1 has the unknown role",
    ):
        load(HI, {"role": role, "content": "x"}, HI)


def test_unknown_names_are_people_where_it_is_said_who_the_user_is():
    talk = [
        {"role": "system", "content": "s"},
        HI,
        {"role": "Ana", "content": "a"},
        {"role": "Ben", "content": "b"},
    ]
    with pytest.raises(UnclearUserError, match="2 of 4 messages") as caught:
        load(*talk)
    assert caught.value.names == ("user", "Ana", "Ben")
    read = load_transcript(json.dumps(talk).encode(), user="ana").messages
    assert [(m.role, m.name) for m in read] == [
        ("system", None),
        ("assistant", None),
        ("user", "Ana"),
        ("assistant", "Ben"),
    ]


def test_a_name_that_nobody_has_is_said_and_changes_nothing_where_the_roles_are_known():
    transcript = load_transcript(json.dumps([HI]).encode(), user="Cid")
    assert transcript.messages == (Message("user", "hi"),)
    assert transcript.warnings == (
        "nobody is called 'Cid', so the roles are those that the names show.",
    )
    with pytest.raises(UnclearUserError, match="nobody called 'Cid'"):
        load_transcript(
            json.dumps([HI, {"role": "Ana", "content": "a"}]).encode(), user="Cid"
        )


@for_each(
    ("held", "text"),
    [
        ({"text": "I live in Lisbon"}, "I live in Lisbon"),
        ({"message": "a"}, "a"),
        ({"value": "a", "id": 1}, "a"),
        ({"content": None, "text": "a"}, "a"),
        ({"content": "", "text": "a"}, "a"),
        ({"text": [{"type": "text", "text": "a"}, "b"]}, "a\nb"),
        ({"message": {"role": "user", "content": "a"}}, "a"),
        ({"value": 42}, "42"),
        ({"text": ""}, ""),
    ],
)
def test_the_text_is_read_where_it_stands(held, text):
    assert only({"role": "assistant", **held})[0].content == text


def test_a_message_without_any_text_refuses_the_conversation_and_names_its_keys():
    with pytest.raises(
        TranscriptError,
        match="1 of 2 messages cannot be read: index 1 has no text: it has 'role', 'wo",
    ):
        load(HI, {"role": "assistant", "words": "ok"})


def test_no_readable_message_is_an_error():
    with pytest.raises(
        TranscriptError, match="its only message cannot be read: index 0 has no role"
    ):
        load({"content": "x"}, format="openai_messages")
    with pytest.raises(
        TranscriptError, match="there are no messages, found an empty list"
    ):
        load()


def test_a_conversation_without_user_is_read_with_a_warning():
    assert load({"role": "system", "content": "Be terse."}).warnings == (
        "there is no user message, so no turn to replay.",
    )


def test_warnings_stay_few_and_short():
    transcript = load(
        HI,
        *({"role": "user", "content": number} for number in range(1000)),
        *([{}] * 500),
    )
    assert len(transcript.warnings) == 2
    assert all(len(warning) < 200 for warning in transcript.warnings)
    assert any("and 995 more" in warning for warning in transcript.warnings)


def test_lists_of_lists_are_several_conversations():
    talks = [[HI, {"role": "assistant", "content": "a"}], [HI], [{"content": "x"}, HI]]
    loaded = load_file(json.dumps(talks).encode())
    assert [len(transcript.messages) for transcript in loaded.transcripts] == [2, 1, 1]
    assert "index 2, index 0 has no role" in loaded.transcripts[2].warnings[0]


@for_each(
    ("format", "data", "found"),
    [
        ("openai_messages", b"42", "found a number"),
        ("role_content", b'{"turns": 3}', "found an object with 'turns'"),
        (
            "memviz",
            json.dumps(HI).encode() + b"\n" + json.dumps(HI).encode(),
            "found lines that start with an object",
        ),
        (
            "memviz",
            json.dumps([HI]).encode(),
            "found a list of 1 that starts with an object with 'role'",
        ),
    ],
)
def test_a_format_named_wrongly_says_what_was_found(format, data, found):
    with pytest.raises(TranscriptError, match=found) as caught:
        load_transcript(data, format)
    assert caught.value.format == format
