"""The OpenAI Responses API: items, pages, requests and responses."""

import json

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING, RecordedEvent
from tests.tables import for_each
from tests.transcripts.readers.openai_files import (
    as_json,
    as_lines,
    calls,
    recognised,
    said,
    sample,
    samples,
    survives_junk,
)


def user(text):
    return {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }


def assistant(text, **fields):
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "content": content, **fields}


def call(id, **fields):
    return {
        "type": "function_call",
        "id": f"fc_{id}",
        "call_id": id,
        "name": "f",
        "arguments": "{}",
        **fields,
    }


def output(id, value="done"):
    return {"type": "function_call_output", "call_id": id, "output": value}


def thought(text):
    return {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": text}],
    }


def read(*items):
    return load_transcript(as_json(items), "openai_responses")


def test_items_become_messages():
    transcript = sample("openai_responses__items.jsonl")
    assert said(transcript) == [
        ("system", "Be brief."),
        ("user", "Pack for Oslo and Rome."),
        ("assistant", "Let me see."),
        ("tool", "sun"),
        ("tool", "snow\n[image]\n[file: oslo.pdf]"),
        ("assistant", "A coat"),
        ("assistant", "and a hat."),
        ("user", "Thanks.\n[file: list.pdf]"),
        ("user", "One more thing?"),
        ("assistant", "No."),
    ]
    assert transcript.warnings == (
        "the summary of a compaction is encrypted, so that nobody can read it: line 14.",
    )


def test_text_and_the_calls_after_it_are_one_message_with_what_was_thought():
    message = sample("openai_responses__items.jsonl").messages[2]
    assert calls(message) == [
        ("call_1", "weather", '{"in": "Oslo"}'),
        ("call_2", "weather", '{"in": "Rome"}'),
    ]
    assert message.meta == {REASONING: "Two cities.\nAsk both."}


def test_results_are_paired_by_call_id_in_any_order():
    log = Log(sample("openai_responses__items.jsonl").messages)
    assert log.tools.results_of == {2: [3, 4]}
    assert log.tools.uncalled == []


def test_a_compaction_is_an_event_where_it_happened():
    assert sample("openai_responses__items.jsonl").events == (
        RecordedEvent("compaction", 8),
    )


def test_thoughts_between_text_and_call_belong_to_the_message_and_encrypted_ones_are_dropped():
    hidden = {
        "type": "reasoning",
        "id": "rs_2",
        "summary": [],
        "encrypted_content": "gAAAA",
    }
    transcript = read(
        user("Go"),
        thought("one"),
        assistant("Well."),
        thought("two"),
        call("c"),
        output("c"),
        hidden,
    )
    assert transcript.messages[1].meta == {REASONING: "one\ntwo"}
    assert transcript.warnings == ()


def test_each_of_two_messages_has_its_own_thoughts():
    transcript = read(
        user("Go"), thought("one"), assistant("A"), thought("two"), assistant("B")
    )
    assert [message.meta for message in transcript.messages[1:]] == [
        {REASONING: "one"},
        {REASONING: "two"},
    ]


def test_a_message_after_a_call_is_another_message():
    transcript = read(user("Go"), call("c"), assistant("Wait."), output("c"))
    assert said(transcript)[1:] == [
        ("assistant", ""),
        ("assistant", "Wait."),
        ("tool", "done"),
    ]


def test_ids_that_are_used_again_stay():
    transcript = read(
        user("Go"), call("c"), output("c", "1"), call("c"), output("c", "2")
    )
    assert Log(transcript.messages).tools.results_of == {1: [2], 3: [4]}


def test_thoughts_after_the_last_item_of_a_reply_belong_to_it():
    transcript = read(user("Go"), assistant("A"), thought("late"), user("And?"))
    assert transcript.messages[1].meta == {REASONING: "late"}
    assert transcript.warnings == ()


def test_thoughts_without_a_reply_are_counted():
    expected = ("what the model thought before no reply was left out.",)
    assert read(user("Go"), thought("hm"), user("And?")).warnings == expected


def test_every_kind_of_tool():
    transcript = sample("openai_responses__tools.json")
    assert calls(transcript.messages[1]) == [
        ("ws_1", "web_search", '{"type": "search", "query": "owl food"}')
    ]
    found = {
        call.name: call.arguments
        for message in transcript.messages
        for call in message.tool_calls
    }
    assert found == {
        "web_search": '{"type": "open_page", "url": "https://example.org/owls"}',
        "file_search": '{"queries": ["owls"]}',
        "code_interpreter": '{"code": "print(6 * 7)"}',
        "image_generation": "{}",
        "mcp_approval_request": '{"name": "buy", "server_label": "shop", "arguments": "{\\"item\\": \\"mouse\\"}"}',
        "buy": '{"item": "mouse"}',
        "run": "ls -l",
        "local_shell": '{"type": "exec", "command": ["pwd"], "env": {}}',
        "shell": '{"commands": ["make"]}',
        "computer": '{"type": "click", "button": "left", "x": 4, "y": 5}',
        "apply_patch": '{"type": "delete_file", "path": "a.txt"}',
        "tool_search": '{"query": "owl"}',
    }
    assert [text for role, text in said(transcript) if role == "tool"] == [
        "https://example.org/owls",
        "[web_search: completed]",
        "[file: owls.txt]\nOwls eat mice.",
        "42\n\n[image]",
        "[image]",
        '{"approve": true}',
        "bought",
        "a.txt",
        "/home",
        "building\nno rule\n[exit code: 2]",
        "[image]",
        "[apply_patch: completed]",
        '[{"type": "function", "name": "hoot"}]',
    ]


def test_every_result_has_its_call_and_every_call_its_result():
    transcript = sample("openai_responses__tools.json")
    tools = Log(transcript.messages).tools
    assert (len(tools.results), tools.uncalled, tools.unanswered) == (13, [], {})
    assert transcript.warnings == ()


def test_what_a_reply_quotes_is_kept_beside_it():
    quote = {"type": "url_citation", "title": "Owls", "url": "u"}
    reply = {
        "role": "assistant",
        "content": [{"type": "output_text", "text": "B", "annotations": [quote]}],
    }
    assert read(user("A"), reply).messages[1].meta == {"annotations": [quote]}


def test_a_summary_of_thoughts_may_be_texts():
    transcript = read(
        user("A"),
        {"type": "reasoning", "id": "r", "summary": ["One.", "Two."]},
        assistant("B"),
    )
    assert transcript.messages[1].meta == {REASONING: "One.\nTwo."}


def test_a_tool_that_is_not_known_yet():
    asked = {
        "type": "teleport_call",
        "id": "tp_1",
        "call_id": "c",
        "action": {"to": "Oslo"},
    }
    transcript = read(
        user("Go"),
        asked,
        {"type": "teleport_call_output", "call_id": "c", "output": "there"},
    )
    assert calls(transcript.messages[1]) == [("c", "teleport", '{"to": "Oslo"}')]
    assert said(transcript)[2] == ("tool", "there")


def test_a_response_with_what_was_asked():
    transcript = sample("openai_responses__response.json")
    assert said(transcript) == [
        ("user", "Tell me all."),
        ("assistant", "It begins with"),
    ]
    assert calls(transcript.messages[1]) == [("call_1", "more", "{}")]
    assert transcript.messages[1].meta == {REASONING: "All is much."}
    assert (transcript.system_prompt, transcript.held_at.year) == ("Be brief.", 2025)
    assert transcript.warnings == ("the reply is incomplete (max_output_tokens).",)


def test_a_response_that_continues_another_says_what_is_missing():
    value = {
        "object": "response",
        "previous_response_id": "resp_0",
        "output": [assistant("Yes.")],
    }
    expected = "what was said before the response that it continues is not in the file."
    assert load_transcript(as_json(value)).warnings[0] == expected


def response(id, before, said, **fields):
    asked = {"role": "user", "content": f"Say {said}"}
    return {
        "object": "response",
        "id": id,
        "previous_response_id": before,
        "input": [asked],
        "output": [assistant(said)],
        **fields,
    }


def test_responses_that_continue_each_other_are_one_conversation():
    rows = [
        response("r1", None, "one"),
        response("s1", None, "other"),
        response("r2", "r1", "two"),
        response("r3", "r2", "three"),
        response("x2", "gone", "lost"),
    ]
    read = load_file(as_json(rows)).transcripts
    texts = [[text for _role, text in said(one)] for one in read]
    assert texts == [
        ["Say one", "one", "Say two", "two", "Say three", "three"],
        ["Say other", "other"],
        ["Say lost", "lost"],
    ]
    missing = ["not in the file" in " ".join(one.warnings) for one in read]
    assert missing == [False, False, True]


def test_a_response_that_failed_is_refused_alone_and_the_others_go_on():
    tool = {"type": "function", "name": "look", "parameters": {}}
    failed = {"error": {"message": "No room."}, "output": []}
    rows = [
        response("r1", None, "one", instructions=None, tools=[]),
        response("r2", "r1", "two", instructions="Be brief.", tools=[tool]),
        response("r3", "r2", "three", **failed),
        response("r4", "r2", "four"),
    ]
    loaded = load_file(as_json(rows))
    (transcript,) = loaded.transcripts
    assert [text for _role, text in said(transcript)][1::2] == ["one", "two", "four"]
    assert transcript.warnings == ()
    assert transcript.system_prompt == "Be brief."
    assert [json.loads(schema)["name"] for schema in transcript.tools] == ["look"]
    (failure,) = loaded.failures
    assert "No room" in str(failure)


@pytest.mark.parametrize(
    "broken",
    [
        {"input": 7},
        {"output": [7]},
        {"output": [{"type": "message", "role": "nobody", "content": "two"}]},
    ],
)
def test_a_response_that_is_broken_is_refused_alone_and_the_others_go_on(broken):
    rows = [
        response("r1", None, "one"),
        response("r2", "r1", "two", **{"input": [], **broken}),
        response("r3", "r2", "three"),
    ]
    loaded = load_file(as_json(rows))
    (transcript,) = loaded.transcripts
    texts = [text for _role, text in said(transcript)]
    assert texts == ["Say one", "one", "Say three", "three"]
    (failure,) = loaded.failures
    assert "index 1" in str(failure)


def test_what_continues_a_first_response_that_is_broken_says_what_is_missing():
    rows = [
        response("r1", None, "one", input=7),
        response("r2", "r1", "two"),
        response("r3", "r2", "three"),
    ]
    loaded = load_file(as_json(rows))
    (transcript,) = loaded.transcripts
    texts = [text for _role, text in said(transcript)]
    assert texts == ["Say two", "two", "Say three", "three"]
    assert "is not in the file" in transcript.warnings[0]
    (failure,) = loaded.failures
    assert "index 0" in str(failure)


def test_a_response_that_branches_off_says_where_its_beginning_is():
    rows = [
        response("r1", None, "one"),
        response("r2", "r1", "two"),
        response("r3", "r1", "three"),
    ]
    main, branch = load_file(as_json(rows)).transcripts
    assert main.warnings == ()
    (warning,) = branch.warnings
    assert "is in another conversation of this file" in warning


def test_a_response_that_failed_is_refused():
    value = {
        "object": "response",
        "status": "failed",
        "error": {"message": "No room."},
        "output": [],
    }
    with pytest.raises(
        TranscriptError, match=r"this response failed: No room\. Send the request again"
    ):
        load_transcript(as_json(value))


def test_requests():
    items, text = (
        sample("openai_responses__request.json"),
        sample("openai_responses__text_request.json"),
    )
    assert said(items) == [
        ("user", "Hello."),
        ("assistant", "Hi."),
        ("user", "Who am I?"),
    ]
    assert items.system_prompt == "Be brief."
    assert said(text) == [("user", "Say hello.")]


def test_instructions_that_are_items_come_first():
    value = {
        "object": "response",
        "instructions": [{"role": "developer", "content": "Be kind."}],
    }
    transcript = load_transcript(as_json({**value, "output": [assistant("Yes.")]}))
    assert (said(transcript)[0], transcript.system_prompt) == (
        ("system", "Be kind."),
        None,
    )


def test_an_object_with_the_items_of_a_new_conversation():
    transcript = load_transcript(
        as_json({"items": [user("A"), assistant("B")], "metadata": {"topic": "x"}})
    )
    assert (transcript.format, said(transcript)) == (
        "openai_responses",
        [("user", "A"), ("assistant", "B")],
    )


def test_lines_of_responses_and_a_stream_of_events():
    assert [
        said(found)
        for found in samples("openai_responses__responses.jsonl").transcripts
    ] == [
        [("assistant", "One.")],
        [("assistant", "Two.")],
    ]
    assert said(sample("openai_responses__stream.jsonl")) == [("assistant", "Hello.")]


CAPITAL = [
    ("user", "Capital of France?"),
    ("assistant", ""),
    ("tool", "Paris"),
    ("assistant", "Paris."),
]


def test_a_page_comes_newest_first():
    transcript = sample("openai_responses__page.json")
    assert said(transcript) == CAPITAL
    assert transcript.warnings == ()


def test_a_page_whose_calls_come_before_their_results_is_oldest_first():
    transcript = sample("openai_responses__page_oldest_first.json")
    assert said(transcript) == CAPITAL
    assert transcript.warnings == (
        "this is one page of several: the others are not in the file.",
    )


def page(*items):
    return load_transcript(
        as_json({"object": "list", "data": items, "has_more": False})
    )


def test_a_page_without_calls_or_times_is_newest_first():
    assert said(page(assistant("B"), user("A"))) == [("user", "A"), ("assistant", "B")]


@for_each("seconds", [(1_750_000_000, 1_750_000_009), (1_750_000_009, 1_750_000_000)])
def test_times_say_the_order_of_a_page(seconds):
    first, second = seconds
    expected = [("user", "A"), ("assistant", "B")]
    found = page(
        {**user("A"), "created_at": first}, {**assistant("B"), "created_at": second}
    )
    assert said(found) == (expected if first < second else expected[::-1])


def test_a_page_of_plain_messages_is_oldest_first():
    plain = [
        {"id": "c-0", "role": "user", "content": "A"},
        {"id": "c-1", "role": "assistant", "content": "B"},
    ]
    assert said(page(*plain)) == [("user", "A"), ("assistant", "B")]


def test_a_list_is_in_order_even_where_a_result_stands_before_its_call():
    transcript = read(output("c"), call("c"), user("A"))
    assert [role for role, _ in said(transcript)] == ["tool", "assistant", "user"]


def test_the_messages_of_a_thread_have_their_times():
    transcript = sample("openai_responses__thread.json")
    assert said(transcript) == [("user", "When is it?"), ("assistant", "In June.")]
    assert transcript.messages[0].meta == {TIME: "2025-06-15T15:06:42+00:00"}


def test_a_reference_to_what_is_not_in_the_file_is_counted():
    transcript = read(
        user("A"), {"type": "item_reference", "id": "msg_7"}, {"id": "msg_8"}
    )
    assert transcript.warnings == (
        "imported 1 of 3 messages: index 1 refers to the item 'msg_7', which is not in the file,"
        " index 2 refers to the item 'msg_8', which is not in the file.",
    )


def test_an_item_without_a_type_is_counted():
    untyped = {**thought("Hm."), "type": None}
    (warning,) = read(user("A"), untyped).warnings
    assert "imported 1 of 2 messages: index 1" in warning


def test_a_reference_to_what_is_there_repeats_nothing():
    assert (
        len(
            read(
                user("A"), assistant("B", id="m"), {"type": "item_reference", "id": "m"}
            ).messages
        )
        == 2
    )


@for_each(
    ("item", "reason"),
    [
        (None, "is null, not an object"),
        ({"type": "message", "content": "x"}, "has no role"),
        ({"type": "novelty", "id": "n"}, "has the type 'novelty', which is not known"),
        ({"note": "x"}, "has no type and no role"),
    ],
)
def test_what_is_no_message_is_counted(item, reason):
    transcript = read(user("A"), item)
    assert transcript.warnings == (f"imported 1 of 2 messages: index 1 {reason}.",)


def test_a_message_of_somebody_unknown_refuses_the_conversation():
    with pytest.raises(TranscriptError, match="index 1 has the unknown role 'critic'"):
        read(user("A"), {"type": "message", "role": "critic", "content": "x"})


def test_a_call_without_a_name_is_kept_for_its_result():
    transcript = read(
        user("A"), call("c", name=None), output("c", "ok"), assistant("B")
    )
    assert calls(transcript.messages[1]) == [("c", "unnamed", "{}")]
    assert said(transcript)[2] == ("tool", "ok")
    assert transcript.warnings == (
        "a tool call without a name is called 'unnamed': index 1.",
    )


def test_messages_of_the_chat_api_between_the_items():
    asked = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "t", "function": {"name": "g"}}],
    }
    transcript = read(
        user("A"),
        asked,
        {"role": "tool", "tool_call_id": "t", "content": "ok"},
        assistant("B"),
    )
    assert calls(transcript.messages[1]) == [("t", "g", "{}")]
    assert said(transcript)[2:] == [("tool", "ok"), ("assistant", "B")]


@for_each(
    "value",
    [
        [{"role": "user", "content": "Hi"}],
        [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": "Hi"}],
                "stop_reason": "x",
            }
        ],
        [{"type": "response_item", "payload": user("Hi")}],
        [
            {"id": "s", "timestamp": "2025-08-18T01:16:13Z", "instructions": None},
            user("Hi"),
            assistant("Hello"),
        ],
        {"model": "text-embedding-3-small", "input": "Hi"},
        {"model": "tts-1", "input": "Hi", "voice": "alloy"},
        {"instruction": "Add.", "input": "1 and 2", "output": "3"},
        {
            "model": "m",
            "input": [{"role": "user", "content": "Hi"}],
            "output": {"role": "assistant", "content": "x"},
        },
        {"object": "list", "data": [{"id": "some-model", "object": "model"}]},
        [{"type": "ai", "content": "Hi"}, {"type": "human", "content": "Hi"}],
    ],
)
def test_other_kinds_are_not_taken(value):
    assert "openai_responses" not in recognised(as_json(value))


def test_one_message_with_a_part_of_this_api_is_enough():
    assert recognised(
        as_json([{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}])
    ) == ["openai_responses"]


def test_a_row_that_is_no_object_is_refused_alone():
    row = {"object": "response", "output": [assistant("Yes.")]}
    loaded = load_file(as_lines(row, [1], row))
    assert [failure.reason for failure in loaded.failures] == [
        "it is a list, not an object."
    ]


def test_a_forced_format_says_what_was_expected():
    with pytest.raises(
        TranscriptError,
        match="a list of items, a request or a response was expected, found a number",
    ):
        load_transcript(as_json(4), "openai_responses")


@pytest.mark.slow
def test_junk_anywhere():
    assert survives_junk("openai_responses") > 1000
