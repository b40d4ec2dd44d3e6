"""The Gemini API: parts of every kind, requests, responses, streams, and rows of tuning files and batches."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document
from memviz.transcripts.loading import load_file
from memviz.transcripts.readers.gemini_api import (
    GeminiApi,
    add_contents,
    read_checkpoint,
)
from memviz.transcripts.readers.json_rows import add_places
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES


def said(role, *parts):
    return {"role": role, "parts": list(parts)}


HI = said("user", {"text": "hi"})


def load(*contents):
    return load_transcript(json.dumps(contents).encode(), "gemini_api")


def brief(transcript):
    return [(message.role, message.content) for message in transcript.messages]


@for_each("name", ["contents.json", "contents.jsonl"])
def test_parts_become_messages(name):
    transcript = load_transcript(SAMPLES / f"gemini_api__{name}")
    assert transcript.format == "gemini_api"
    assert brief(transcript) == [
        ("user", "Weather at the lake?\n[image]\n[file: plan.pdf]"),
        ("assistant", "Checking."),
        ("tool", "sunny"),
        ("tool", '{"knots": 4}'),
        ("user", "And tomorrow?"),
        ("assistant", ""),
        ("tool", "4\n"),
        ("assistant", "Four knots."),
    ]
    calls = (
        ToolCall("f1", "weather", '{"place": "Zürich"}'),
        ToolCall("", "wind", "{}"),
    )
    assert transcript.messages[1].tool_calls == calls
    assert transcript.messages[1].meta == {"reasoning": "Two calls."}
    assert [(m.tool_call_id, m.name) for m in transcript.messages[2:4]] == [
        ("f1", "weather"),
        (None, "wind"),
    ]
    arguments = '{"language": "PYTHON", "code": "print(2+2)"}'
    assert transcript.messages[5].tool_calls == (
        ToolCall("", "code_execution", arguments),
    )
    assert transcript.warnings == ()


def test_a_request_and_its_only_content_without_a_role():
    transcript = load_transcript(SAMPLES / "gemini_api__request.json")
    assert (transcript.system_prompt, brief(transcript)) == (
        "Be terse.",
        [("user", "Hi")],
    )


def test_of_several_contents_one_without_a_role_is_left_out():
    request = {"contents": [HI, {"parts": [{"text": "who?"}]}]}
    transcript = load_transcript(json.dumps(request).encode())
    assert transcript.warnings == ("imported 1 of 2 messages: index 1 has no role.",)


def test_what_a_reply_is_based_on_is_kept_beside_it():
    grounds = {"groundingChunks": [{"web": {"title": "Owls"}}]}
    content = {"role": "model", "parts": [{"text": "So"}]}
    response = {
        "candidates": [
            {"content": content, "finishReason": "STOP", "groundingMetadata": grounds}
        ]
    }
    assert load_transcript(json.dumps(response).encode()).messages[0].meta == {
        "grounding": grounds
    }


def test_other_candidates_of_a_stream_are_told():
    def piece(text):
        return {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}

    pieces = [
        {"candidates": [piece("Hel"), piece("Other")]},
        {"candidates": [{**piece("lo"), "finishReason": "STOP"}]},
    ]
    transcript = load_transcript(json.dumps(pieces).encode())
    assert brief(transcript) == [("assistant", "Hello")]
    assert "of several candidates, the first was taken." in transcript.warnings


def test_a_response_and_a_stream_of_pieces():
    response = load_transcript(SAMPLES / "gemini_api__response.json")
    assert brief(response) == [("assistant", "Hello")]
    assert response.messages[0].meta == {
        "time": "2025-06-01T08:00:00+00:00",
        "model": "gemini-2.5-flash",
    }
    assert brief(load_transcript(SAMPLES / "gemini_api__stream.json")) == [
        ("assistant", "Hello, you.")
    ]


def test_of_several_candidates_the_first_is_taken_and_that_is_told():
    candidates = [{"content": said("model", {"text": text})} for text in "ab"]
    transcript = load_transcript(json.dumps({"candidates": candidates}).encode())
    assert brief(transcript) == [("assistant", "a")]
    assert "of several candidates, the first was taken." in transcript.warnings


def test_rows_are_conversations():
    tuning = load_file(SAMPLES / "gemini_api__tuning.jsonl").transcripts
    assert [(len(row.messages), row.system_prompt) for row in tuning] == [
        (2, "Be terse.")
    ] * 2
    batch = load_file(SAMPLES / "gemini_api__batch.jsonl").transcripts
    assert [brief(row) for row in batch] == [
        [("user", "Hi"), ("assistant", "Hello")],
        [("assistant", "Ciao")],
    ]


def test_the_names_of_the_python_library():
    call = {
        "function_call": {"name": "f", "args": None},
        "text": None,
        "inline_data": None,
    }
    result = {
        "function_response": {"name": "f", "response": {"error": "no"}},
        "text": None,
    }
    picture = {
        "inline_data": {"mime_type": "image/png", "display_name": "cat.png"},
        "text": None,
    }
    transcript = load(said("user", picture), said("model", call), said("tool", result))
    assert brief(transcript) == [
        ("user", "[image: cat.png]"),
        ("assistant", ""),
        ("tool", '{"error": "no"}'),
    ]
    assert transcript.messages[1].tool_calls == (ToolCall("", "f", "{}"),)


def test_texts_as_parts_and_parts_that_say_nothing():
    transcript = load(
        said("user", "a", "b"), said("model", {"thoughtSignature": "x"}, {"text": "c"})
    )
    assert (brief(transcript), transcript.warnings) == (
        [("user", "a\nb"), ("assistant", "c")],
        (),
    )


def test_a_part_of_an_unknown_kind_is_named_and_told():
    transcript = load(said("user", {"hologram": {}}))
    assert transcript.messages[0].content == "[hologram]"
    assert any(
        "not known is shown by its name only: index 0" in warning
        for warning in transcript.warnings
    )


def test_checkpoints_of_the_command_line_are_left_to_their_own_format():
    greeting = said(
        "user", {"text": "<session_context>\nThis is the Gemini CLI. Setting up."}
    )
    for value in (
        [greeting, HI],
        {"history": [HI, said("model", {"text": "ok"})]},
        {"history": [{}], "clientHistory": [HI]},
    ):
        document = Document(json.dumps(value).encode())
        assert not GeminiApi().recognise(document)
        contents = read_checkpoint(document)
        assert contents
        builder = TranscriptBuilder()
        add_contents(add_places(contents), builder)
        assert len(builder.messages) == len(contents)
    for value in (
        [HI],
        {"history": [{"role": "user", "content": "x"}]},
        {"history": 3},
        [],
    ):
        assert read_checkpoint(Document(json.dumps(value).encode())) is None


def test_other_products_parts_are_not_claimed():
    for value in (
        [said("user", {"type": "text", "text": "x"})],
        [said("user", {"kind": "text", "text": "x"})],
    ):
        assert not GeminiApi().recognise(Document(json.dumps(value).encode()))


def test_another_file_is_refused_with_what_was_found():
    with pytest.raises(TranscriptError, match="was expected, found a number"):
        load_transcript(b"3", "gemini_api")
