"""Whatever the bytes: a transcript that can be saved and read again, or a TranscriptError. Nothing else."""

import json
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memviz.transcripts import formats
from memviz.watching.model_apis import APIS
from tests.transcripts.fuzzing import (
    MANY_EXCHANGES,
    MANY_MAPPED,
    MANY_TRACES,
    MUTATIONS,
    mutated,
    read,
    spoilt_file,
)
from tests.transcripts.sample_files import format_of, sample_files

SEEDS = sample_files()
HANG_SECONDS = 5
PARTS = 8

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


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.slow
def test_mutated_files(part):
    for name in list(SEEDS)[part::PARTS]:
        random = Random(name)
        for number in range(MUTATIONS):
            data = spoilt_file(SEEDS[name], random) if number % 2 else None
            start = process_time()
            read(
                data or mutated(SEEDS[name], random),
                random.choice([None, None, format_of(name)]),
            )
            assert process_time() - start < HANG_SECONDS, (name, number)


def test_there_are_enough_of_them():
    """Over readers, mappings, exchanges of the proxy and traces; those of readers/test_junk.py come on top."""
    files = len(SEEDS) * MUTATIONS + MANY_MAPPED
    exchanges = len(APIS) * 2 * MANY_EXCHANGES
    traces = 2 * MANY_TRACES
    assert files + exchanges + traces >= 20_000
