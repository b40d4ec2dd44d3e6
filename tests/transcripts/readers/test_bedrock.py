"""Messages of Amazon Bedrock's Converse API: every kind of block, what stands around them, and what is no block."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HI = {"role": "user", "content": [{"text": "Hi"}]}


def load(*messages):
    return load_transcript(json.dumps(messages).encode(), "bedrock")


def sample(name):
    return load_transcript((SAMPLES / f"bedrock__{name}").read_bytes())


def bare(transcript):
    return [(message.role, message.content) for message in transcript.messages]


SAID = [
    ("user", "What is in it?\n[image]\n[file: notes]\nThe notes say hello."),
    ("assistant", "Let me see."),
    ("tool", 'one\n{"n": 1}'),
    ("tool", '{"n": 2}'),
    ("assistant", "It says so.\nguarded"),
]


@for_each("name", ["messages.json", "messages.jsonl", "request.json"])
def test_every_block_is_read(name):
    read = sample(name)
    assert (bare(read), read.warnings) == (SAID, ())
    assert read.messages[1].tool_calls == (
        ToolCall("t1", "look", '{"a": 1}'),
        ToolCall("t2", "look", '{"a": 2}'),
    )
    assert read.messages[1].meta == {REASONING: "Hmm, look."}
    assert [message.tool_call_id for message in read.messages[2:4]] == ["t1", "t2"]
    assert [message.meta for message in read.messages[2:4]] == [
        None,
        {"is_error": True},
    ]
    assert read.messages[4].meta["citations"][0]["sourceContent"] == [
        {"text": "quoted words"}
    ]


def test_the_system_prompt_stands_beside_the_messages():
    assert sample("request.json").system_prompt == "Be brief."
    rows = load_file((SAMPLES / "bedrock__tuning.jsonl").read_bytes()).transcripts
    assert [(row.system_prompt, len(row.messages)) for row in rows] == [
        ("Be brief.", 2),
        (None, 2),
    ]


def test_a_response_is_its_message():
    assert bare(sample("response.json")) == SAID[1:2]


def test_files_of_every_kind_leave_a_note_and_their_text():
    read = load(
        {
            "role": "user",
            "content": [
                {
                    "video": {
                        "format": "mp4",
                        "source": {"s3Location": {"uri": "s3://b/v"}},
                    }
                },
                {
                    "document": {
                        "name": "a",
                        "format": "txt",
                        "context": "from Ana",
                        "source": {"content": [{"text": "one"}, {"text": "two"}]},
                    }
                },
                {
                    "searchResult": {
                        "title": "T",
                        "source": "https://x.org",
                        "content": [{"text": "found"}],
                    }
                },
            ],
        }
    )
    assert bare(read) == [
        ("user", "[video]\n[file: a]\none\ntwo\nfrom Ana\nT\nhttps://x.org\nfound")
    ]


def test_encrypted_thoughts_and_marks_show_nothing():
    blocks = [
        {"reasoningContent": {"redactedContent": "x"}},
        {"cachePoint": {"type": "default"}},
        {"text": "Ho"},
    ]
    read = load(HI, {"role": "assistant", "content": blocks})
    assert (bare(read)[1], read.messages[1].meta, read.warnings) == (
        ("assistant", "Ho"),
        None,
        (),
    )


def test_a_block_of_an_unknown_kind_is_named():
    read = load(
        HI, {"role": "assistant", "content": [{"text": "Ho"}, {"hologram": {"x": 1}}]}
    )
    assert bare(read)[1] == ("assistant", "Ho\n[hologram]")
    assert "shown by its name only: index 1" in read.warnings[0]


def test_a_result_before_the_text_of_its_message():
    asked = {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}],
    }
    answered = {
        "role": "user",
        "content": [
            {"text": "And?"},
            {"toolResult": {"toolUseId": "t", "content": []}},
        ],
    }
    assert bare(load(HI, asked, answered))[2:] == [("tool", ""), ("user", "And?")]


def test_another_file_is_refused():
    with pytest.raises(TranscriptError, match="messages with blocks"):
        load_transcript(b'[{"role": "user", "content": "x"}]', "bedrock")
