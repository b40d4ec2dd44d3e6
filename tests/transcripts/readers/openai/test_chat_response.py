"""Responses of the OpenAI chat API."""

from datetime import UTC, datetime

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
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

NO_USER = "there is no user message, so no turn to replay."


def response(*messages, **beside):
    choices = [
        {"index": index, "message": message} for index, message in enumerate(messages)
    ]
    return {"object": "chat.completion", "choices": choices, **beside}


def test_the_reply_is_the_choice_number_0_and_the_others_are_counted():
    transcript = sample("chat_response__choices.json")
    assert said(transcript) == [("assistant", "Let me check.")]
    assert calls(transcript.messages[0]) == [("c1", "look", '{"at": "shelf"}')]
    assert transcript.warnings == ("of 2 choices only the first was imported.", NO_USER)


def test_the_time_and_what_the_model_thought():
    transcript = sample("chat_response__choices.json")
    assert transcript.held_at == datetime(2025, 6, 15, 15, 6, 40, tzinfo=UTC)
    assert transcript.messages[0].meta == {
        TIME: "2025-06-15T15:06:40+00:00",
        REASONING: "Needs a look.",
    }


def test_lines_are_conversations_and_what_was_asked_may_be_beside():
    asked, refused, spoken = samples("chat_response__lines.jsonl").transcripts
    assert said(asked) == [("user", "Count."), ("assistant", "One.")]
    assert said(refused) == [("assistant", "I would rather not.")]
    assert said(spoken) == [("assistant", "Three, spoken.")]


def test_the_bytes_of_a_spoken_reply_are_dropped_without_a_word():
    spoken = samples("chat_response__lines.jsonl").transcripts[2]
    assert "data" not in spoken.messages[0].meta["audio"]
    assert spoken.warnings == (NO_USER,)


def test_a_page_of_responses():
    assert [
        said(found) for found in samples("chat_response__page.json").transcripts
    ] == [
        [("assistant", "One.")],
        [("assistant", "Two.")],
    ]


@for_each("choices", [[], [{}], [{"text": "old"}], [None], "x"])
def test_without_a_message_it_is_not_recognised_and_refused_where_it_is_forced(choices):
    data = as_json({"object": "chat.completion", "choices": choices})
    assert recognised(data) == []
    with pytest.raises(TranscriptError, match="it has no choice with a message"):
        load_transcript(data, "chat_response")


def test_a_row_that_is_no_response_is_refused_alone():
    reply = {"role": "assistant", "content": "Yes."}
    data = as_lines(response(reply), {"error": {"message": "x"}}, response(reply))
    assert (
        load_transcript(data, conversation=2)
        .warnings[-1]
        .startswith("chat_response, conversation 2, line 2: it")
    )


def test_the_place_of_a_reply_that_is_no_message():
    with pytest.raises(
        TranscriptError, match="choices index 0 has the unknown role 'critic'"
    ):
        load_transcript(as_json(response({"role": "critic", "content": "x"})))


def test_junk_anywhere():
    assert survives_junk("chat_response") > 200
