"""Requests to the OpenAI chat API, and objects with messages that people save."""

from datetime import UTC, datetime

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from tests.tables import for_each
from tests.transcripts.readers.openai_files import (
    as_json,
    calls,
    recognised,
    said,
    sample,
    survives_junk,
)

TALK = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def test_messages_with_what_is_saved_beside_them():
    transcript = sample("chat_request__saved.json")
    assert (transcript.title, transcript.description) == (
        "Boat trip",
        "Two days on the lake.",
    )
    assert transcript.system_prompt == "Answer in one line."
    assert transcript.held_at == datetime(2025, 6, 1, 8, tzinfo=UTC)
    assert (transcript.format, transcript.warnings) == ("chat_request", ())
    assert said(transcript) == [
        ("user", "My boat is called Kittiwake."),
        ("assistant", "A fine name."),
        ("user", "Is it windy?\n[image]"),
        ("assistant", ""),
        ("tool", "flat"),
        ("tool", "4 knots"),
        ("assistant", "Four knots, no waves."),
    ]
    assert calls(transcript.messages[3]) == [
        ("c1", "wind", '{"place": "lake"}'),
        ("c2", "waves", "{}"),
    ]
    assert [message.tool_call_id for message in transcript.messages[4:6]] == [
        "c2",
        "c1",
    ]


def test_what_the_model_thought_is_beside_its_message():
    assert sample("chat_request__saved.json").messages[3].meta == {
        REASONING: "I should look up the wind."
    }


def test_a_long_thought_is_kept_whole_and_other_forms_of_it_are_dropped():
    said = {
        "role": "assistant",
        "content": "Yes.",
        "reasoning": "hm " * 2000,
        "reasoning_details": [{"data": "x"}],
    }
    transcript = load_transcript(as_json({"messages": [TALK[0], said]}))
    assert transcript.messages[1].meta == {REASONING: "hm " * 2000}
    assert transcript.warnings == ()


def test_a_system_prompt_in_blocks():
    assert sample("chat_request__system.json").system_prompt == "Be kind."


def test_nothing_but_messages():
    transcript = load_transcript(as_json({"messages": TALK}), name="talk.json")
    assert (transcript.format, transcript.title) == ("chat_request", "talk")
    assert said(transcript) == [("user", "Hi"), ("assistant", "Hello")]


def test_a_setting_that_is_called_like_what_other_products_have():
    assert recognised(as_json({"messages": TALK, "store": True, "metadata": {}})) == [
        "chat_request"
    ]


def test_an_empty_conversation_is_refused_as_empty():
    with pytest.raises(TranscriptError, match="the conversation has no messages"):
        load_transcript(as_json({"messages": []}))


@for_each(
    "beside",
    [
        {"probes": []},
        {"custom_id": "a", "response": {}},
        {"projectHash": "a", "sessionId": "b"},
        {"system": "Be kind.", "max_tokens": 9},
        {"choices": [{"message": TALK[1]}]},
        {"conversations": [{"from": "human", "value": "Hi"}]},
    ],
)
def test_objects_of_other_kinds_are_not_taken(beside):
    assert "chat_request" not in recognised(as_json({"messages": TALK, **beside}))


@for_each(
    "message",
    [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
        },
        {"role": "user", "parts": [{"type": "text", "text": "Hi"}]},
        {"type": "human", "content": "Hi"},
    ],
)
def test_messages_of_other_kinds_are_not_taken(message):
    assert "chat_request" not in recognised(as_json({"messages": [message]}))


def test_a_forced_format_says_what_was_expected():
    with pytest.raises(
        TranscriptError,
        match="an object with a list of messages was expected, found a list of 2",
    ):
        load_transcript(as_json(TALK), "chat_request")


def test_one_message_that_is_none_is_counted():
    transcript = load_transcript(as_json({"messages": [*TALK, {"content": "x"}, 5]}))
    assert len(transcript.messages) == 2
    assert transcript.warnings == (
        "imported 2 of 4 messages: index 2 has no role, index 3 is a number, not an object.",
    )


def test_a_message_of_somebody_unknown_refuses_the_conversation():
    with pytest.raises(
        TranscriptError,
        match="1 of 3 messages cannot be read: index 2 has the unknown role 'critic'",
    ):
        load_transcript(
            as_json({"messages": [*TALK, {"role": "critic", "content": "x"}]})
        )


def test_junk_anywhere():
    assert survives_junk("chat_request") > 200
