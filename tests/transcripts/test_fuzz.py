"""Whatever the bytes: a transcript that can be saved and read again, or a TranscriptError. Nothing else."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memviz.errors import TranscriptError
from memviz.transcripts import formats, load_transcript, to_json

SAMPLE = {
    "title": "Trip",
    "system_prompt": "Be brief.",
    "messages": [
        {"role": "developer", "content": "You are terse."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Wo ist Inês? 👩‍👧"}, {"type": "image_url"}],
            "name": "bob",
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "12:00", "meta": {"seconds": 0.5}},
        {"role": "assistant", "content": "Lisbon, \ud800!", "refusal": None},
    ],
    "probes": [{"question": "Where?", "answers": ["Lisbon"], "evidence": [4], "category": "name", "stale": []}],
}
SEEDS = [
    json.dumps(SAMPLE).encode(),
    json.dumps(SAMPLE["messages"], indent=1).encode(),
    "\n".join(map(json.dumps, SAMPLE["messages"])).encode(),
    json.dumps(SAMPLE).encode("utf-16"),
]
TOKENS = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b'"',
    b"{",
    b"]",
    b"\\ud800",
    b"NaN",
    b"1e999",
    b"null",
    b"\n",
    b"[[[[",
    b"9" * 5000,
]

ROLES = st.sampled_from(["user", "assistant", "tool", "system", "developer", "function", "critic", "", None, 3])
KEY_WORDS = """
    role content name tool_calls tool_call_id function_call function custom arguments input id type text refusal
    audio transcript file filename meta messages probes title question answers evidence category stale system_prompt
    image_url
"""
KEYS = st.sampled_from(KEY_WORDS.split())
TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(["user", "text", "image_url", "name", "single fact"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXTS, inner, max_size=5), max_leaves=25
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": ROLES}, optional={"content": JSON, "tool_calls": JSON, "meta": JSON}) | JSON
)
CHOICES = st.sampled_from([None, *formats()])


def read(data, format=None):
    """Read it, and check that what was read can be saved, encoded and read again the same."""
    try:
        transcript = load_transcript(data, format)
    except TranscriptError as error:
        str(error).encode()
        return None
    saved = to_json(transcript).encode()
    again = load_transcript(saved, "openai_messages")
    assert again.messages == transcript.messages
    assert again.probes == transcript.probes
    assert all(len(warning) < 1000 for warning in transcript.warnings)
    return transcript


@given(st.binary(max_size=200), CHOICES)
def test_bytes(data, format):
    read(data, format)


@given(st.text(max_size=100), CHOICES, st.sampled_from(["utf-8", "utf-16", "utf-32", "utf-8-sig"]))
def test_text(text, format, encoding):
    read(text.encode(encoding, "replace"), format)


@settings(deadline=None)
@given(JSON, CHOICES)
def test_json_of_any_shape(value, format):
    read(json.dumps(value).encode(), format)


@settings(deadline=None, max_examples=300)
@given(MESSAGES, st.dictionaries(KEYS, JSON, max_size=4), CHOICES)
def test_messages_of_any_shape(messages, beside, format):
    read(json.dumps(messages).encode(), format)
    read("\n".join(map(json.dumps, messages)).encode(), format)
    read(json.dumps({**beside, "messages": messages}).encode(), format)


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_mutated_files(seed):
    random = Random(seed)
    outcomes = set()
    for _ in range(1000):
        data = bytearray(SEEDS[seed])
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(data) + 1)
            kind = random.randrange(4)
            if kind == 0:
                del data[at:]
            elif kind == 1:
                del data[at : at + random.randint(1, 20)]
            elif kind == 2:
                data[at:at] = random.choice(TOKENS)
            elif at < len(data):
                data[at] ^= 1 << random.randrange(8)
        outcomes.add(read(bytes(data)) is None)
    assert outcomes == {True, False}
