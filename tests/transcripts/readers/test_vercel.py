"""UI messages of Vercel's AI SDK: steps, tools that hold their results, and the shapes of versions 4 and 5."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.document import Document
from memviz.transcripts.readers.vercel import VercelUi
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HI = {"id": "1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
STEP = {"type": "step-start"}


def text(text):
    return {"type": "text", "text": text}


def tool(id, **more):
    return {"type": "tool-f", "toolCallId": id, "state": "x", "input": {}, **more}


def reply(*parts, **more):
    item = {"id": "2", "role": "assistant", "parts": list(parts), **more}
    return load_transcript(json.dumps([HI, item]).encode(), "vercel_ui")


def brief(transcript):
    return [(message.role, message.content) for message in transcript.messages]


@for_each("name", ["v5.json", "lines.jsonl", "chat.json"])
def test_version_5(name):
    transcript = load_transcript(SAMPLES / f"vercel_ui__{name}")
    assert transcript.format == "vercel_ui"
    assert brief(transcript) == [
        ("system", "Be warm."),
        ("user", "[image: cat.png]\nWhat breed?"),
        ("assistant", "Looking."),
        ("tool", '{"best": "Maine Coon"}'),
        ("tool", "too blurry"),
        ("assistant", "A Maine Coon."),
    ]
    assert transcript.messages[1].meta == {"time": "2024-07-03T09:46:40+00:00"}
    assert transcript.messages[2].meta == {
        "time": "2024-07-03T09:46:45+00:00",
        "reasoning": "Ask both.",
    }
    assert transcript.messages[2].tool_calls == (
        ToolCall("c1", "breeds", '{"q": "tabby"}'),
        ToolCall("c2", "size", "{}"),
    )
    assert [(m.tool_call_id, m.meta) for m in transcript.messages[3:5]] == [
        ("c1", None),
        ("c2", {"is_error": True}),
    ]
    assert transcript.warnings == ()


def test_a_chat_has_a_title_and_a_time():
    transcript = load_transcript(SAMPLES / "vercel_ui__chat.json")
    assert (transcript.title, transcript.held_at.isoformat()) == (
        "Cats",
        "2024-07-03T09:46:40+00:00",
    )


def test_version_4():
    transcript = load_transcript(SAMPLES / "vercel_ui__v4.json")
    assert brief(transcript) == [
        ("user", "Sum it.\n[file: list.csv]"),
        ("assistant", ""),
        ("tool", "5"),
        ("assistant", "It is 5."),
    ]
    assert transcript.messages[1].tool_calls == (
        ToolCall("k", "add", '{"a": 2, "b": 3}'),
    )
    assert transcript.messages[1].meta["reasoning"] == "Add them."


def test_version_4_before_parts():
    call = {
        "state": "result",
        "toolCallId": "k",
        "toolName": "add",
        "args": {"a": 2},
        "result": "two",
    }
    items = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Done.", "toolInvocations": [call]},
    ]
    transcript = load_transcript(json.dumps(items).encode(), "vercel_ui")
    assert brief(transcript) == [
        ("user", "hi"),
        ("assistant", ""),
        ("tool", "two"),
        ("assistant", "Done."),
    ]


def test_each_step_is_a_message_of_its_own():
    transcript = reply(
        STEP, text("a"), tool("x", output=1), STEP, tool("y", output=2), STEP, text("b")
    )
    assert brief(transcript)[1:] == [
        ("assistant", "a"),
        ("tool", "1"),
        ("assistant", ""),
        ("tool", "2"),
        ("assistant", "b"),
    ]
    assert [m.tool_call_id for m in transcript.messages if m.role == "tool"] == [
        "x",
        "y",
    ]


def test_text_after_a_result_is_a_new_message_also_without_a_step():
    assert brief(reply(tool("x", output=None), text("b")))[1:] == [
        ("assistant", ""),
        ("tool", ""),
        ("assistant", "b"),
    ]


def test_a_call_without_a_result_yet_and_one_that_was_denied():
    assert brief(reply(tool("x"))) == [("user", "hi"), ("assistant", "")]
    denied = tool("x", approval={"id": "p", "approved": False, "reason": "not now"})
    assert brief(reply(denied))[2] == ("tool", "not now")


def test_what_is_for_the_screen_is_no_text():
    parts = [
        {"type": "source-url", "url": "u"},
        {"type": "source-document", "title": "t"},
        {"type": "data-x", "data": 1},
    ]
    transcript = reply(text("a"), *parts, text("b"))
    assert (brief(transcript)[1], transcript.warnings) == (("assistant", "a\nb"), ())
    assert transcript.messages[1].meta == {"sources": parts[:2], "data": parts[2:]}


def test_an_unknown_part_is_named_and_told():
    transcript = reply({"type": "hologram"})
    assert transcript.messages[1].content == "[hologram]"
    assert transcript.warnings == (
        "content of a kind that is not known is shown by its name only: index 1.",
    )


def test_an_unknown_role_is_left_out_and_counted():
    items = [HI, {"role": "critic", "parts": []}, 3]
    transcript = load_transcript(json.dumps(items).encode(), "vercel_ui")
    assert (
        "imported 1 of 3 messages: index 1 has the unknown role 'critic', index 2 is a number"
        in transcript.warnings[0]
    )


@for_each(
    "foreign",
    [
        [{"role": "user", "parts": [{"text": "hi"}]}],
        [{"role": "user", "parts": [{"type": "hologram"}]}],
        [{"role": "user", "content": "hi"}],
        [{"role": "model", "parts": [{"type": "text", "text": "x"}]}],
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]},
    ],
)
def test_the_messages_of_others_are_not_claimed(foreign):
    assert not VercelUi().recognise(Document(json.dumps(foreign).encode()))


def test_another_file_is_refused_with_what_was_found():
    with pytest.raises(
        TranscriptError, match="messages with parts was expected, found a number"
    ):
        load_transcript(b"3", "vercel_ui")
