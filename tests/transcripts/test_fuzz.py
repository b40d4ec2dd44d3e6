"""Whatever the bytes: a transcript that can be saved and read again, or a TranscriptError. Nothing else."""

import json
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memviz.core.errors import TranscriptError
from memviz.transcripts import formats, load_file, load_transcript, to_json
from memviz.transcripts.loading import UNFORESEEN
from tests.transcripts.sample_files import format_of, sample_files

SEEDS = sample_files()
HANG_SECONDS = 5
MUTATIONS = 160
"""Of every sample: more than 20,000 files in all."""
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

ROLES = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "system",
        "developer",
        "function",
        "critic",
        "",
        None,
        3,
    ]
)
KEY_WORDS = """
    role content name tool_calls tool_call_id function_call function custom arguments input id type text refusal
    audio transcript file filename meta messages probes title question answers evidence category stale system_prompt
    image_url
"""
KEYS = st.sampled_from(KEY_WORDS.split())
TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(
    ["user", "text", "image_url", "name", "single fact"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXTS, inner, max_size=5)
    ),
    max_leaves=25,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": ROLES}, optional={"content": JSON, "tool_calls": JSON, "meta": JSON}
    )
    | JSON
)
CHOICES = st.sampled_from([None, *formats()])


def read(data, format=None):
    """Read it, and check that what was read can be saved, encoded and read again the same."""
    try:
        loaded = load_file(data, format)
    except TranscriptError as error:
        foreseen(error)
        return None
    for failure in loaded.failures:
        foreseen(failure)
    transcript = loaded.whole(0)
    saved = to_json(transcript).encode()
    again = load_transcript(saved, "memviz")
    assert again.messages == transcript.messages
    assert again.probes == transcript.probes
    assert all(len(warning) < 1000 for warning in transcript.warnings)
    return transcript


def foreseen(error):
    """A sentence for the user that a reader meant to give: no error of its own that was caught at last."""
    str(error).encode()
    assert UNFORESEEN not in error.reason, error
    assert error.remedy


@given(st.binary(max_size=200), CHOICES)
def test_bytes(data, format):
    read(data, format)


@given(
    st.text(max_size=100),
    CHOICES,
    st.sampled_from(["utf-8", "utf-16", "utf-32", "utf-8-sig"]),
)
def test_text(text, format, encoding):
    read(text.encode(encoding, "replace"), format)


@settings(deadline=None)
@given(JSON, CHOICES)
def test_json_of_any_shape(value, format):
    read(json.dumps(value).encode(), format)


@given(MESSAGES, st.dictionaries(KEYS, JSON, max_size=4), CHOICES)
def test_messages_of_any_shape(messages, beside, format):
    read(json.dumps(messages).encode(), format)
    read("\n".join(map(json.dumps, messages)).encode(), format)
    read(json.dumps({**beside, "messages": messages}).encode(), format)


def mutated(data, random):
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(5)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            del data[at : at + random.randint(1, 20)]
        elif kind == 2:
            data[at:at] = random.choice(TOKENS)
        elif kind == 3:
            start = random.randrange(len(data) + 1)
            data[at:at] = data[start : start + random.randint(1, 60)]
        elif at < len(data):
            data[at] ^= 1 << random.randrange(8)
    return bytes(data)


def spoilt(value, random):
    """The value with one of its parts replaced by something of another kind, which stays JSON."""
    if isinstance(value, (dict, list)) and value and random.random() < 0.85:
        key = (
            random.choice(list(value))
            if isinstance(value, dict)
            else random.randrange(len(value))
        )
        copy = value.copy()
        copy[key] = spoilt(value[key], random)
        return copy
    return random.choice(
        [
            None,
            True,
            0,
            -1,
            10**400,
            1e300,
            "",
            "x",
            "2025-13-45",
            [],
            {},
            [[]],
            {"role": 1},
            ["a", 1],
        ]
    )


def spoilt_file(data, random):
    """The JSON of a file, or of one of its lines, spoilt in one place; ``None`` for a file of another kind."""
    try:
        return json.dumps(spoilt(json.loads(data), random)).encode()
    except ValueError:
        pass
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    try:
        lines[at] = json.dumps(spoilt(json.loads(lines[at]), random)).encode()
    except ValueError:
        return None
    return b"\n".join(lines)


@pytest.mark.parametrize("name", SEEDS)
@pytest.mark.slow
def test_mutated_files(name):
    random = Random(name)
    for number in range(MUTATIONS):
        data = spoilt_file(SEEDS[name], random) if number % 2 else None
        start = process_time()
        read(
            data or mutated(SEEDS[name], random),
            random.choice([None, None, format_of(name)]),
        )
        assert process_time() - start < HANG_SECONDS


def test_there_are_enough_of_them():
    assert len(SEEDS) * MUTATIONS >= 20_000
