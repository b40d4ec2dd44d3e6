"""Open WebUI's export: the branch in use, thoughts and tool calls in the text of replies, and old lists."""

import html
import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.base import RecordedEvent
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES


def message(id, parent, role="user", content="hi", **more):
    return {
        id: {"id": id, "parentId": parent, "role": role, "content": content, **more}
    }


def load(*messages, current="end"):
    tree = {}
    for each in messages:
        tree |= each
    return load_transcript(
        json.dumps(
            [
                {
                    "title": "T",
                    "chat": {"history": {"messages": tree, "currentId": current}},
                }
            ]
        ).encode()
    )


def reply(content):
    return load(message("a", None), message("end", "a", "assistant", content)).messages[
        1:
    ]


def brief(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def test_what_a_reply_is_based_on_and_why_it_failed_is_kept_beside_it():
    sources = [{"source": {"name": "web"}, "document": ["a passage"]}]
    said = {
        "role": "assistant",
        "content": "",
        "error": {"content": "It broke."},
        "sources": sources,
    }
    chat = {"chat": {"messages": [{"role": "user", "content": "Hi"}, said]}}
    transcript = load_transcript(json.dumps([chat]).encode())
    assert transcript.messages[1].meta == {
        "sources": sources,
        "error": {"content": "It broke."},
    }


@for_each("key", ["contextSummary", "context_summary"])
def test_a_summary_is_a_compaction_before_the_message_that_was_answered_with_it(key):
    said = {key: "They met.", "timestamp": 1_720_000_000}
    chat = load(
        message("a", None),
        message("b", "a", "assistant", "Hello"),
        message("c", "b", content="And?", **said),
        message("end", "c", "assistant", "Well."),
    )
    assert [message.content for message in chat.messages] == [
        "hi",
        "Hello",
        "And?",
        "Well.",
    ]
    assert chat.events == (
        RecordedEvent("compaction", 2, "They met.", time="2024-07-03T09:46:40+00:00"),
    )


def test_a_summary_that_the_user_asked_for_comes_after_the_reply_that_has_it():
    chat = load(
        message("a", None),
        message("end", "a", "assistant", "Hello", contextSummary="They met."),
    )
    assert [(event.after_message, event.text) for event in chat.events] == [
        (2, "They met.")
    ]


@for_each("nothing", ["", "  ", None, 3])
def test_a_summary_without_text_is_none(nothing):
    assert load(message("end", None, contextSummary=nothing)).events == ()


def test_a_chat_with_everything():
    transcript = load_transcript(SAMPLES / "open_webui__tree.json")
    assert (transcript.format, transcript.title, transcript.system_prompt) == (
        "open_webui",
        "Clock",
        "Be exact.",
    )
    assert transcript.held_at.isoformat() == "2024-07-03T09:46:40+00:00"
    assert brief(transcript) == [
        ("user", "What time is it?\n[image]\n[file: notes.txt]\nTea at four."),
        ("assistant", "Let me see."),
        ("tool", "12:00"),
        ("assistant", "It is noon."),
        ("user", "Thanks <details>!</details>"),
        ("assistant", "Welcome.\n<details><summary>More</summary>Text</details>"),
    ]
    first = transcript.messages[1]
    assert first.meta == {
        "time": "2024-07-03T09:46:42+00:00",
        "model": "m1",
        "reasoning": "Is it <b>?\nYes.",
    }
    assert first.tool_calls == (ToolCall("call_9", "clock", '{"zone": "UTC"}'),)
    assert transcript.messages[2].tool_call_id == "call_9"
    assert transcript.warnings == (
        "1 message of another branch was left out: only the branch that was continued last is read.",
    )


def test_an_old_chat_is_a_list():
    transcript = load_transcript(SAMPLES / "open_webui__list.json")
    assert (transcript.title, transcript.system_prompt) == ("Old chat", "Be calm.")
    assert brief(transcript) == [("user", "Hi"), ("assistant", "Hello")]
    assert transcript.warnings == ()


def test_without_a_current_message_the_newest_is_taken_and_told():
    messages = [
        message("a", None),
        message("b", "a", "assistant", "old", timestamp=1_700_000_001),
    ]
    transcript = load(
        *messages,
        message("c", "a", "assistant", "new", timestamp=1_700_000_002),
        current=None,
    )
    assert brief(transcript) == [("user", "hi"), ("assistant", "new")]
    assert "does not say which branch" in transcript.warnings[0]


def test_a_cycle_ends_and_is_told():
    transcript = load(message("a", "end"), message("end", "a", "assistant"))
    assert len(transcript.messages) == 2
    assert transcript.warnings == (
        "the messages form a cycle, so each was taken once.",
    )


def test_calls_side_by_side_are_of_one_message_and_after_a_text_of_the_next():
    def call(id, result):
        arguments = html.escape(json.dumps('{"n": 1}'))
        outcome = html.escape(json.dumps(json.dumps(result)))
        attributes = f'id="{id}" name="f" arguments="{arguments}" result="{outcome}"'
        return f'<details type="tool_calls" done="true" {attributes}>\n</details>\n'

    messages = reply(
        call("a", [1]) + call("b", {"x": "<y>"}) + "So.\n" + call("c", "z")
    )
    assert [(m.role, m.content) for m in messages] == [
        ("assistant", ""),
        ("tool", "[1]"),
        ("tool", '{"x": "<y>"}'),
        ("assistant", "So."),
        ("tool", '"z"'),
    ]
    assert [[c.id for c in m.tool_calls] for m in messages] == [
        ["a", "b"],
        [],
        [],
        ["c"],
        [],
    ]
    assert messages[0].tool_calls[0].arguments == '{"n": 1}'


def test_a_result_in_the_body_and_code_that_was_run():
    body = '<details type="tool_calls" done="true" id="a" name="f" arguments="{}">\n'
    body += "<summary>x</summary>\n{&quot;k&quot;: 1}\n</details>"
    assert reply(body)[1].content == '{"k": 1}'
    code = '<details type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;4&quot;}">\n'
    code += "<summary>Analyzed</summary>\n```python\n2+2\n```\n</details>"
    messages = reply(code + "\nFour.")
    assert messages[0].tool_calls == (
        ToolCall("", "code_interpreter", '{"code": "2+2"}'),
    )
    assert [m.content for m in messages] == ["", '{"stdout": "4"}', "Four."]


def test_a_call_that_is_not_done_has_no_result():
    messages = reply(
        '<details type="tool_calls" done="false" id="a" name="f" arguments="{}"><summary>x</summary></details>'
    )
    assert [m.role for m in messages] == ["assistant"]


@for_each(
    "text",
    [
        '<details type="reasoning" done="false">\n> never ends',
        "a <details> b",
        "  kept  \n",
    ],
)
def test_other_text_is_kept_as_it_is(text):
    assert [m.content for m in reply(text)] == [text]


def test_a_reply_full_of_openings_is_read_in_time():
    assert len(reply("<details " * 100_000)[0].content) == 900_000
    assert len(reply("<details>" * 100_000)[0].content) == 900_000


def test_an_unknown_role_is_left_out_and_counted():
    transcript = load(message("a", None), message("end", "a", "critic"))
    assert transcript.warnings == (
        "imported 1 of 2 messages: message end has the unknown role 'critic'.",
    )


def test_another_file_is_refused_with_what_was_found():
    with pytest.raises(
        TranscriptError,
        match="chats with a history of messages was expected, found a number",
    ):
        load_transcript(b"3", "open_webui")
