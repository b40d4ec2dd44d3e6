"""ChatGPT's export: the branch in use, hidden nodes, tool calls as nodes, and every type of content."""

import io
import json
import zipfile

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import Message, ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

T = 1_700_000_000


def node(
    id,
    parent,
    role="user",
    content="hi",
    n=0,
    name=None,
    recipient="all",
    weight=1.0,
    **metadata,
):
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    message = {
        "author": {"role": role, "name": name},
        "create_time": T + n,
        "content": content,
        "weight": weight,
    }
    message |= {"recipient": recipient, "metadata": metadata}
    return {id: {"id": id, "parent": parent, "children": [], "message": message}}


def load(*nodes, current="end", **more):
    mapping = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    for each in nodes:
        mapping |= each
    conversation = {
        "title": "Talk",
        "create_time": T,
        "mapping": mapping,
        "current_node": current,
        **more,
    }
    return load_transcript(json.dumps([conversation]).encode())


def only(content, role="assistant", **more):
    nodes = [node("u", "root"), node("end", "u", role, content, **more)]
    transcript = load(*nodes)
    return transcript.messages[-1], transcript.warnings


def brief(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def test_the_branch_in_use_with_its_tools():
    transcript, greeting = load_file(
        SAMPLES / "chatgpt_export__tools_and_branches.json"
    ).transcripts
    assert transcript.format == "chatgpt_export"
    assert (transcript.title, greeting.title) == ("Knots", "Greeting")
    assert transcript.held_at.isoformat() == "2023-11-14T22:13:20+00:00"
    assert brief(transcript) == [
        ("user", "[image]\nWhich knot is this?\n[file: log.pdf]"),
        ("assistant", "A bowline."),
        ("user", "How long is the rope in feet?"),
        ("assistant", ""),
        ("tool", "39.37"),
        ("assistant", "About 39 feet."),
        ("user", "Find a shop."),
        ("assistant", ""),
        ("tool", "1. Quay Ropes"),
        ("assistant", ""),
        ("tool", "Quay Ropes\nOpen until six.\nPrices\nTwo a metre."),
        ("assistant", "Quay Ropes, open until six."),
        ("user", "Remember that."),
        ("assistant", ""),
        ("tool", "Model set context updated."),
        ("assistant", "I will."),
    ]
    assert transcript.messages[1].meta == {
        "time": "2023-11-14T22:13:24+00:00",
        "model": "gpt-5",
        "reasoning": "Looking\nA loop with a turn.\nDeciding\nIt is a bowline.",
    }
    assert transcript.messages[3].tool_calls == (
        ToolCall("call1", "python", "12 / 0.3048"),
    )
    assert (transcript.messages[4].tool_call_id, transcript.messages[4].name) == (
        "call1",
        "python",
    )
    assert transcript.messages[10].tool_call_id == "call3"
    assert transcript.warnings == (
        "3 messages of other branches were left out: only the branch that was continued last is read.",
    )
    assert greeting.warnings == ()


def test_without_current_node_the_newest_leaf_is_taken_and_a_lost_parent_is_found_among_the_children():
    transcript = load_transcript(
        SAMPLES / "chatgpt_export__single_without_current_node.json"
    )
    assert brief(transcript) == [
        ("user", "First\nSecond"),
        ("assistant", "Hello"),
        ("user", "[super_widget]"),
    ]
    assert any(
        "does not say which branch" in warning for warning in transcript.warnings
    )


def test_of_leaves_of_one_time_the_deepest_is_taken():
    nodes = [
        node("a", "root"),
        node("b", "a", "assistant", "ok"),
        node("x", "root", content="other"),
    ]
    assert brief(load(*nodes, current="gone")) == [("user", "hi"), ("assistant", "ok")]
    later = node("x", "root", content="later", n=9)
    assert brief(load(*nodes, later, current=None)) == [("user", "later")]


def test_a_cycle_ends_and_is_told():
    transcript = load(node("a", "end"), node("end", "a", "assistant", "ok"))
    assert brief(transcript) == [("user", "hi"), ("assistant", "ok")]
    assert transcript.warnings == (
        "the messages form a cycle, so each was taken once.",
    )


def test_a_parent_that_is_not_in_the_file_is_told():
    transcript = load(node("end", "gone"))
    assert transcript.warnings == (
        "what came before this message is not in the file: node end.",
    )


@for_each(
    "hidden",
    [
        {"role": "system", "content": ""},
        {"role": "assistant", "content": ""},
        {
            "role": "system",
            "content": "secret",
            "is_visually_hidden_from_conversation": True,
        },
        {"role": "user", "content": "secret", "weight": 0},
        {
            "role": "user",
            "content": {
                "content_type": "user_editable_context",
                "user_profile": "secret",
            },
        },
        {
            "role": "system",
            "content": {
                "content_type": "model_editable_context",
                "model_set_context": "secret",
            },
        },
        {
            "role": "assistant",
            "content": {
                "content_type": "reasoning_recap",
                "content": "Thought for 2 seconds",
            },
        },
        {
            "role": "tool",
            "content": "file text",
            "name": "f",
            "is_visually_hidden_from_conversation": True,
        },
    ],
)
def test_hidden_nodes_are_no_messages(hidden):
    transcript = load(
        node("u", "root"), node("h", "u", **hidden), node("end", "h", "assistant", "ok")
    )
    assert brief(transcript) == [("user", "hi"), ("assistant", "ok")]
    assert transcript.warnings == ()


def test_what_a_reply_quotes_is_kept_beside_it():
    quotes = [{"metadata": {"title": "Owls", "text": "a passage"}}]
    transcript = load(
        node("u", "root"), node("end", "u", "assistant", "So", citations=quotes)
    )
    assert transcript.messages[1].meta["citations"] == quotes


def test_what_the_model_was_told_about_the_user_is_the_system_prompt():
    told = {
        "content_type": "user_editable_context",
        "user_profile": "I sail.",
        "user_instructions": "Be brief.",
    }
    memory = {
        "content_type": "model_editable_context",
        "model_set_context": "1. Owns a dinghy.",
    }
    transcript = load(
        node("u", "root", "user", told),
        node("m", "u", "system", memory),
        node("again", "m", "user", told),
        node("end", "again"),
    )
    assert transcript.system_prompt == "I sail.\nBe brief.\n1. Owns a dinghy."
    assert brief(transcript) == [("user", "hi")]


def test_a_system_message_that_is_shown_stays():
    assert brief(load(node("s", "root", "system", "Be brief."), node("end", "s")))[
        0
    ] == ("system", "Be brief.")


@for_each(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": ["a", "b"]}, "a\nb"),
        ({"content_type": "code", "language": "python", "text": "1 + 1"}, "1 + 1"),
        ({"content_type": "system_error", "name": "E", "text": "Broken."}, "Broken."),
        ({"content_type": "sonic_webpage", "url": "u", "text": "A page."}, "A page."),
        ({"content_type": "new_kind", "parts": ["still text"]}, "still text"),
        (
            {
                "content_type": "multimodal_text",
                "parts": [{"content_type": "audio_asset_pointer"}],
            },
            "[audio]",
        ),
    ],
)
def test_content_becomes_text(content, text):
    message, warnings = only(content, role="user")
    assert (message.content, warnings) == (text, ())


def test_a_message_of_the_user_without_text_is_noted():
    message, warnings = only(
        {"content_type": "text", "parts": None, "text": "x"}, role="user"
    )
    assert (message.content, warnings) == (
        "",
        ("a message of the user has no text: node end.",),
    )


def test_content_of_an_unknown_type_is_named_and_told():
    message, warnings = only({"content_type": "hologram", "shape": 3})
    assert message.content == "[hologram]"
    assert warnings == (
        "content of a kind that is not known is shown by its name only: node end.",
    )


def test_calls_in_a_row_are_of_one_message_and_get_their_own_results():
    transcript = load(
        node("u", "root"),
        node("c1", "u", "assistant", "one", recipient="python"),
        node("c2", "c1", "assistant", "two", recipient="web"),
        node("r1", "c2", "tool", "web result", name="web"),
        node("end", "r1", "tool", "python result", name="python"),
    )
    assert transcript.messages[1].tool_calls == (
        ToolCall("c1", "python", "one"),
        ToolCall("c2", "web", "two"),
    )
    assert [(m.tool_call_id, m.content) for m in transcript.messages[2:]] == [
        ("c2", "web result"),
        ("c1", "python result"),
    ]
    assert transcript.warnings == ()


def test_the_hidden_result_of_a_call_that_is_shown_is_kept():
    nodes = [node("u", "root"), node("c", "u", "assistant", "x", recipient="web")]
    transcript = load(
        *nodes,
        node(
            "end",
            "c",
            "tool",
            "r",
            name="web",
            is_visually_hidden_from_conversation=True,
        ),
    )
    assert brief(transcript)[-1] == ("tool", "r")


def test_thoughts_of_a_reply_that_never_came_stay_before_the_next_question():
    thoughts = {"content_type": "thoughts", "thoughts": [{"content": "Hm."}]}
    transcript = load(
        node("u", "root"), node("t", "u", "assistant", thoughts), node("end", "t")
    )
    assert brief(transcript) == [("user", "hi"), ("assistant", ""), ("user", "hi")]
    assert transcript.messages[1].meta["reasoning"] == "Hm."


def test_an_unknown_role_is_left_out_and_counted():
    transcript = load(node("u", "root"), node("end", "u", "critic"))
    assert transcript.warnings == (
        "imported 1 of 2 messages: node end has the unknown role 'critic'.",
    )


def test_an_empty_conversation_does_not_stop_the_others():
    empty = {
        "title": None,
        "mapping": {"r": {"id": "r", "message": None, "parent": None}},
        "current_node": "r",
    }
    full = {"title": None, "mapping": node("u", None), "current_node": "u"}
    loaded = load_file(json.dumps([empty, full]).encode(), name="conversations.json")
    assert [transcript.title for transcript in loaded.transcripts] == [
        "conversations, conversation 2"
    ]
    assert "no messages" in str(loaded.failures[0])


def test_a_zip_with_numbered_files():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number in range(2):
            conversation = {
                "title": f"T{number}",
                "mapping": node("u", None),
                "current_node": "u",
            }
            archive.writestr(
                f"conversations-00{number}.json", json.dumps([conversation])
            )
        archive.writestr(
            "user.json", json.dumps({"id": "user-1", "email": "a@b.example"})
        )
        archive.writestr(
            "message_feedback.json", json.dumps([{"id": "f", "rating": "thumbsUp"}])
        )
        archive.writestr(
            "shared_conversations.json",
            json.dumps([{"id": "s", "conversation_id": "c", "title": "T"}]),
        )
    loaded = load_file(data.getvalue(), name="export.zip")
    assert [transcript.title for transcript in loaded.transcripts] == ["T0", "T1"]
    assert (loaded.warnings, loaded.failures) == ((), ())


def test_markup_and_special_tokens_stay_text():
    hostile = "<script>alert(1)</script> <|endoftext|> **User:** \u202e"
    assert only(hostile, role="user")[0] == Message(
        "user", hostile, meta={"time": "2023-11-14T22:13:20+00:00"}
    )


def test_another_file_is_refused_with_what_was_found():
    with pytest.raises(
        TranscriptError,
        match="a mapping of nodes was expected, found an object with 'a'",
    ):
        load_transcript(b'{"a": 1}', "chatgpt_export")
