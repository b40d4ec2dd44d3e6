"""Files that go into the OpenAI batch API, and that come out of it."""

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file
from tests.tables import for_each
from tests.transcripts.readers.openai_files import (
    as_json,
    as_lines,
    recognised,
    said,
    samples,
    survives_junk,
)


def test_responses_of_both_apis_with_their_custom_id():
    chat, other = samples("openai_batch__output.jsonl").transcripts
    assert (chat.title, said(chat)) == ("day-1", [("assistant", "Sunny.")])
    assert (other.title, said(other)) == ("day-4", [("assistant", "Cloudy.")])
    assert other.system_prompt == "Be brief."


def test_a_request_that_failed_is_refused_with_its_reason():
    failures = samples("openai_batch__output.jsonl").failures
    assert [(failure.place, failure.reason) for failure in failures] == [
        (
            "openai_batch__output.jsonl, conversation 2, line 2",
            "this request has no response: This request could not be executed before the completion window expired.",
        ),
        (
            "openai_batch__output.jsonl, conversation 3, line 3",
            "this request has no response: The model does not exist.",
        ),
        (
            "openai_batch__output.jsonl, conversation 5, line 5, response",
            "its body is no conversation, found an object with 'object', 'data'.",
        ),
    ]


def test_requests_of_both_apis():
    chat, text, items = samples("openai_batch__input.jsonl").transcripts
    assert said(chat) == [("system", "Be brief."), ("user", "Name a fish.")]
    assert (text.system_prompt, said(text)) == ("Be long.", [("user", "Name a bird.")])
    assert said(items) == [("user", "Name a tree.")]
    assert chat.warnings == text.warnings == items.warnings == ()


def test_a_file_of_errors_alone_is_recognised_and_refused():
    data = as_lines(
        {
            "id": "b",
            "custom_id": "q",
            "response": None,
            "error": {"code": "batch_cancelled"},
        }
    )
    assert recognised(data) == ["openai_batch"]
    with pytest.raises(
        TranscriptError, match="this request has no response: batch_cancelled"
    ):
        load_file(data)


@for_each("key", ["result", "params"])
def test_the_batches_of_another_vendor_are_not_taken(key):
    assert "openai_batch" not in recognised(
        as_json({"custom_id": "q", key: {"type": "succeeded"}})
    )


def test_junk_anywhere():
    assert survives_junk("openai_batch") > 200
