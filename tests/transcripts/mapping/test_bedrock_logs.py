"""Logs of Amazon Bedrock's model calls: bodies of every vendor, replies in pieces, exports of CloudWatch."""

import csv
import json
from base64 import b64encode
from io import StringIO

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING, recorded_tokens
from tests.tables import for_each
from tests.transcripts.sample_files import sample_files

SAMPLES = sample_files()
CALLS = [
    json.loads(line) for line in SAMPLES["bedrock_log__anthropic.jsonl"].splitlines()
]
CONVERSED = json.loads(SAMPLES["bedrock_log__converse.jsonl"])
CONVERSED_TEXTS = [
    ("system", "Be brief."),
    ("user", "What is in it?\n[image]\n[file: notes]\nThe notes say hello."),
    ("assistant", "Let me see."),
]
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


@for_each(
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


@for_each("vendor", REPLIES)
def test_bodies_of_every_vendor_are_read(vendor):
    assert said(logged(*REPLIES[vendor])) == [("user", "Ho?"), ("assistant", "Hi.")]


def as_csv(rows):
    file = StringIO()
    csv.writer(file).writerows([["timestamp", "message"], *enumerate(rows)])
    return file.getvalue()


@for_each(
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


@for_each(("name", "calls"), [("converse", 2), ("converse_stream", 1)])
def test_calls_of_converse_are_read_whole_and_as_events(name, calls):
    read = load_transcript(SAMPLES[f"bedrock_log__{name}.jsonl"])
    assert [(message.role, message.content) for message in read.messages] == (
        CONVERSED_TEXTS
    )
    assert read.messages[2].tool_calls[0] == ToolCall("t1", "look", '{"a": 1}')
    assert len(read.messages[2].tool_calls) == calls
    assert read.messages[2].meta[REASONING] == "Hmm, look."
    assert recorded_tokens(read.messages[2]) == (5, 7)
    assert read.held_at is not None
    assert read.held_at.year == 2025


QUOTE = {"title": "Notes", "sourceContent": [{"text": "It is blue."}]}


def test_sources_that_a_reply_of_converse_cites_are_kept_beside_it():
    content = [{"citationsContent": {"content": [{"text": "Blue."}], "citations": []}}]
    content[0]["citationsContent"]["citations"].append(QUOTE)
    request = {"messages": [{"role": "user", "content": [{"text": "What is it?"}]}]}
    reply = {"output": {"message": {"role": "assistant", "content": content}}}
    read = load_transcript(json.dumps(logged(request, reply)).encode())
    assert read.format == "bedrock_log"
    assert read.messages[-1].content == "Blue."
    assert read.messages[-1].meta["citations"] == [QUOTE]


def test_sources_that_a_stream_of_converse_cites_are_kept_beside_the_reply():
    deltas = [{"text": "Bl"}, {"text": "ue."}, {"citation": QUOTE}]
    events = [{"messageStart": {"role": "assistant"}}]
    events += [
        {"contentBlockDelta": {"delta": delta, "contentBlockIndex": 0}}
        for delta in deltas
    ]
    events.append({"messageStop": {"stopReason": "end_turn"}})
    read = load_transcript("\n".join(map(json.dumps, events)).encode())
    assert read.format == "bedrock_stream"
    assert [message.content for message in read.messages] == ["Blue."]
    assert read.messages[0].meta == {"citations": [QUOTE]}


def test_calls_of_converse_that_repeat_each_other_are_one_conversation():
    first = CONVERSED["input"]["inputBodyJson"]
    reply = CONVERSED["output"]["outputBodyJson"]["output"]["message"]
    result = {"toolUseId": "t1", "content": [{"text": "No."}], "status": "error"}
    document = {"name": "found", "source": {"text": "It is blue."}}
    content = [
        {"toolResult": result},
        {"toolResult": {"toolUseId": "t2", "content": [{"json": {"n": 2}}]}},
        {"document": document},
    ]
    asked = {"role": "user", "content": content}
    tools = {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {}}}}]}
    request = {**first, "messages": [*first["messages"], reply, asked]}
    answer = {"role": "assistant", "content": [{"text": "Blue."}]}
    calls = [
        {**CONVERSED, "input": {"inputBodyJson": {**first, "toolConfig": tools}}},
        logged(request, {"output": {"message": answer}, "stopReason": "end_turn"}),
    ]
    for exported in (
        calls,
        {"events": [{"message": json.dumps(one)} for one in calls]},
    ):
        (read,) = load_file(json.dumps(exported).encode()).transcripts
        assert [(message.role, message.content) for message in read.messages] == [
            *CONVERSED_TEXTS,
            ("tool", "No."),
            ("tool", '{"n": 2}'),
            ("user", "[file: found]\nIt is blue."),
            ("assistant", "Blue."),
        ]
        assert read.messages[3].meta == {"is_error": True}
        assert "look" in read.tools[0]


def test_each_conversation_has_its_own_time():
    later = logged({"prompt": "Ho?"}, {"generation": "Hi."})
    later["timestamp"] = "2025-06-02T10:00:00Z"
    read = load_file(json.dumps([*CALLS, later]).encode()).transcripts
    assert [one.held_at.day for one in read] == [1, 2]


def offloaded(call, *sides):
    """Return a logged call whose bodies lie in S3: ``input``, ``output`` or both."""
    call = json.loads(json.dumps(call))
    for side in sides:
        call[side][f"{side}BodyJson"] = None
        call[side][f"{side}BodyS3Path"] = f"s3://bucket/data/q_{side}.json.gz"
    return call


@for_each("call", [CALLS[0], CONVERSED])
def test_a_log_whose_texts_all_lie_in_other_files_says_so(call):
    calls = [offloaded(call, "input", "output")] * 3
    with pytest.raises(TranscriptError, match="the text of 3 of 3 rows lies in") as no:
        load_transcript(json.dumps(calls).encode())
    assert "input.inputBodyS3Path" in str(no.value)
    assert "put what each holds under input.inputBodyJson" in str(no.value)


@for_each("sides", [["input"], ["input", "output"], ["output"]])
def test_texts_that_lie_in_other_files_are_counted(sides):
    loaded = load_file(json.dumps([*CALLS, offloaded(CALLS[1], *sides)]).encode())
    read = loaded.transcripts[0]
    assert [(message.role, message.content) for message in read.messages] == SAID
    assert len(loaded.warnings) == len(sides)
    for side, warning in zip(sides, loaded.warnings, strict=True):
        assert str(warning).startswith("the text of 1 of 3 rows lies in other files")
        assert f"put what each holds under {side}.{side}BodyJson" in str(warning)


def test_embeddings_and_pictures_say_nothing():
    others = [
        logged({"inputText": "Ho?"}, {"embedding": [0.1]}),
        logged({"prompt": "A cat"}, {"images": ["aGk="]}),
    ]
    assert said([*CALLS, *others]) == SAID
    with pytest.raises(TranscriptError):
        load_transcript(json.dumps(others[:1]).encode())
