"""Logs of Amazon Bedrock's model calls: bodies of every vendor, replies in pieces, exports of CloudWatch."""

import csv
import json
from base64 import b64encode
from io import StringIO

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING, recorded_tokens
from tests.transcripts.sample_files import sample_files

SAMPLES = sample_files()
CALLS = [
    json.loads(line) for line in SAMPLES["bedrock_log__anthropic.jsonl"].splitlines()
]
CONVERSED = json.loads(SAMPLES["bedrock__log.jsonl"])
SAID = [
    ("system", "Answer in one sentence."),
    ("user", "How warm is the oven?"),
    ("assistant", "I will look."),
    ("tool", "180"),
    ("assistant", "It is at 180 degrees."),
]


def logged(request, reply):
    return {
        "schemaType": "ModelInvocationLog",
        "timestamp": "2025-06-01T10:00:00Z",
        "operation": "InvokeModel",
        "input": {"inputBodyJson": request, "inputTokenCount": 5},
        "output": {"outputBodyJson": reply, "outputTokenCount": 2},
    }


def encoded(event):
    return b64encode(json.dumps(event).encode()).decode()


def said(value):
    text = value if isinstance(value, str) else json.dumps(value)
    read = load_transcript(text.encode())
    assert read.format == "bedrock_log"
    return [(message.role, message.content) for message in read.messages]


def with_chunks(chunk_of):
    """Return the logged calls with each event of the streamed reply as ``chunk_of`` makes it."""
    first, second = CALLS
    chunks = list(map(chunk_of, first["output"]["outputBodyJson"]))
    return [{**first, "output": {"outputBodyJson": chunks}}, second]


def test_requests_that_repeat_each_other_are_one_conversation():
    read = load_transcript(SAMPLES["bedrock_log__anthropic.jsonl"])
    assert [(message.role, message.content) for message in read.messages] == SAID
    (call,) = read.messages[2].tool_calls
    assert (call.name, call.arguments) == ("probe", '{"unit": "C"}')
    assert read.messages[2].meta[REASONING] == "The probe knows."
    assert list(map(recorded_tokens, read.messages))[2::2] == [(9, 12), (30, 8)]
    assert read.held_at is not None


@pytest.mark.parametrize(
    "chunk_of",
    [
        lambda event: {"bytes": encoded(event)},
        lambda event: {"chunk": {"bytes": encoded(event)}},
    ],
)
def test_chunks_may_be_base64(chunk_of):
    assert said(with_chunks(chunk_of)) == SAID


def test_chunks_that_are_no_events_are_passed_over():
    assert said(with_chunks(lambda event: {"bytes": "?"}))[:2] == SAID[:2]
    assert said(with_chunks(lambda event: {"bytes": encoded([event])}))[:2] == SAID[:2]


REPLIES = {
    "llama": ({"prompt": "Ho?"}, {"generation": "Hi."}),
    "llama in pieces": ({"prompt": "Ho?"}, [{"generation": "H"}, {"generation": "i."}]),
    "titan": ({"inputText": "Ho?"}, {"results": [{"outputText": "Hi."}]}),
    "titan in pieces": (
        {"inputText": "Ho?"},
        [{"outputText": "H", "index": 0}, {"outputText": "i.", "index": 0}],
    ),
    "claude 2": ({"prompt": "Ho?"}, {"completion": "Hi.", "stop_reason": "stop"}),
    "mistral": ({"prompt": "Ho?"}, {"outputs": [{"text": "Hi."}]}),
    "cohere": ({"message": "Ho?", "chat_history": []}, {"text": "Hi."}),
}


@pytest.mark.parametrize("vendor", REPLIES)
def test_bodies_of_every_vendor_are_read(vendor):
    assert said(logged(*REPLIES[vendor])) == [("user", "Ho?"), ("assistant", "Hi.")]


def as_csv(rows):
    file = StringIO()
    csv.writer(file).writerows([["timestamp", "message"], *enumerate(rows)])
    return file.getvalue()


@pytest.mark.parametrize(
    "exported",
    [
        lambda calls: {"events": [{"message": json.dumps(call)} for call in calls]},
        lambda calls: [{"@timestamp": "1", "@message": call} for call in calls],
        lambda calls: as_csv(map(json.dumps, calls)),
    ],
)
def test_exports_of_cloudwatch_are_read(exported):
    assert said(exported(CALLS)) == SAID


def test_entries_of_converse_among_others_keep_their_thoughts():
    read = load_file(json.dumps([CONVERSED, CALLS[0]]).encode()).transcripts
    first, second = read
    assert first.messages[-1].content == "Let me see."
    assert first.messages[-1].meta[REASONING] == "Hmm, look."
    assert first.warnings == ()
    assert len(second.messages) == 3


def test_embeddings_and_pictures_say_nothing():
    others = [
        logged({"inputText": "Ho?"}, {"embedding": [0.1]}),
        logged({"prompt": "A cat"}, {"images": ["aGk="]}),
    ]
    assert said([*CALLS, *others]) == SAID
    with pytest.raises(TranscriptError):
        load_transcript(json.dumps(others[:1]).encode())
