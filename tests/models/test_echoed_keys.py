"""A key that a server repeats in a reply that is a success is concealed before anybody sees or keeps it."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.models.redaction import HIDDEN, PART_CHARS, AlteredSecrets, echoed_secrets
from memviz.models.response_cache import CachedModel
from memviz.models.streamed_reply import MOST_HELD_CHARS, ConcealedStream
from tests.models import openai_server as answers
from tests.models.litellm_calls import HELLO, KEY, client, failure
from tests.models.openai_server import OpenAIServer
from tests.tables import for_each

pytestmark = pytest.mark.usefixtures("no_provider_keys")

RANDOM_KEY = "sk-proj-q8Zt4LmW0xVb7Rk2"
WORDS_KEY = "correct-horse-battery-staple"
PARTS = [
    "Hello ",
    "sk-",
    "12",
    "q8 Zt",
    RANDOM_KEY,
    RANDOM_KEY[:11],
    RANDOM_KEY[5:],
    "é",
]


def letters(text: str) -> str:
    return AlteredSecrets.letters(text)


def shown_of(text: str, key: str) -> int:
    """How many letters of ``key`` in a row stand in ``text``."""
    whole, own = letters(text), letters(key)
    return max(
        (
            end - start
            for start in range(len(own))
            for end in range(start, len(own) + 1)
            if own[start:end] in whole
        ),
        default=0,
    )


@pytest.mark.parametrize("key", [KEY, RANDOM_KEY, WORDS_KEY])
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_it_is_concealed_however_it_is_split(
    server: OpenAIServer, key: str, size: int
) -> None:
    said = f"You sent me {key}, did you not? Bearer {key}"
    pieces = [said[start : start + size] for start in range(0, len(said), size)]
    server.then(answers.text(*pieces))
    *streamed, reply = client(server, api_key=key).stream(HELLO)
    assert "".join(map(str, streamed)) == reply.text  # type: ignore[union-attr]
    assert reply.text.startswith("You sent me ")  # type: ignore[union-attr]
    assert ", did you not? Bearer " in reply.text  # type: ignore[union-attr]
    assert shown_of(reply.text, key) < PART_CHARS  # type: ignore[union-attr]


def test_it_is_concealed_in_a_tool_call_and_as_a_finish_reason(
    server: OpenAIServer,
) -> None:
    begun = {
        "index": 0,
        "id": f"call-{KEY}",
        "type": "function",
        "function": {"name": f"look_{KEY}", "arguments": ""},
    }
    half = len(KEY) // 2
    rest = [
        {
            "index": 0,
            "function": {
                "arguments": json.dumps({"q": "x"})[:-1] + ', "k": "' + KEY[:half]
            },
        },
        {"index": 0, "function": {"arguments": KEY[half:] + '"}'}},
    ]
    server.then(
        answers.text(tools=[[begun], [rest[0]], [rest[1]]], finish_reason="tool_calls")
    )
    reply = client(server).complete(HELLO)
    assert shown_of(repr(reply), KEY) < PART_CHARS
    (call,) = reply.tool_calls
    assert json.loads(call.arguments)["q"] == "x"


def test_it_is_in_no_cache_no_partial_text(
    server: OpenAIServer, tmp_path: object
) -> None:
    server.then(answers.text("It is ", KEY[:9], KEY[9:]))
    CachedModel(client(server), str(tmp_path)).complete(HELLO)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())  # type: ignore[attr-defined]
    assert b"It is" in kept
    assert KEY.encode() not in kept
    server.then(answers.cut("It is ", KEY[:9], KEY[9:]))
    error, streamed = failure(client(server))
    assert streamed == error.partial
    assert shown_of(streamed, KEY) < PART_CHARS


def test_a_key_from_the_environment_is_one(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", RANDOM_KEY)
    monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
    monkeypatch.setenv("SORT_KEY", "by the newest date")
    server.then(answers.text(f"Sorted by the newest date, {RANDOM_KEY}."))
    text = client(server, api_key=None, api_base=None).complete(HELLO).text
    assert text == "Sorted by the newest date, ***."


def test_words_that_were_sent_as_headers_are_no_keys(server: OpenAIServer) -> None:
    headers = {
        "Accept": "application/json",
        "X-Team": "travel-planning",
        "X-Key": RANDOM_KEY,
    }
    server.then(
        answers.text(f"Bearer of travel-planning, application/json and {RANDOM_KEY}")
    )
    text = client(server, extra_headers=headers).complete(HELLO).text
    assert text == "Bearer of travel-planning, application/json and ***"


def test_an_ordinary_text_arrives_as_it_is_sent(server: OpenAIServer) -> None:
    pieces = ["The ferry ", "leaves ", "at 9:30", " from Setúbal", ", skip the top."]
    server.then(answers.text(*pieces))
    *streamed, reply = client(server).stream(HELLO)
    assert streamed == pieces
    assert reply.text == "".join(pieces)  # type: ignore[union-attr]


def test_a_text_that_begins_like_a_key_without_end_is_not_held_for_ever() -> None:
    stream = ConcealedStream(AlteredSecrets([RANDOM_KEY]))
    shown = "".join(stream.add(RANDOM_KEY) for _ in range(1000))
    assert shown
    assert len(stream.rest()) <= MOST_HELD_CHARS
    assert shown_of(shown, RANDOM_KEY) < PART_CHARS


@given(
    st.lists(
        st.sampled_from(
            [
                "Hello ",
                "sk-",
                "12",
                "q8 Zt",
                RANDOM_KEY,
                RANDOM_KEY[:11],
                RANDOM_KEY[5:],
                "é",
            ]
        ),
        max_size=8,
    ),
    st.integers(1, 12),
    st.integers(0, 2**16),
)
def test_what_is_shown_has_no_part_of_a_key_and_all_of_the_rest(
    parts: list[str], most: int, seed: int
) -> None:
    text, chance = "".join(parts), random.Random(seed)
    stream, shown, at = ConcealedStream(AlteredSecrets([RANDOM_KEY])), "", 0
    while at < len(text):
        size = chance.randint(1, most)
        shown += stream.add(text[at : at + size])
        at += size
    shown += stream.rest()
    assert all(
        shown_of(piece, RANDOM_KEY) < PART_CHARS for piece in shown.split(HIDDEN)
    )
    if AlteredSecrets([RANDOM_KEY]).conceal(text) == text:
        assert shown == text


@for_each("settings", [{"api_key": "no-key"}, {"api_key": "sk-1234"}])
def test_what_is_too_short_to_be_a_key_is_none(settings: dict[str, str]) -> None:
    assert (
        echoed_secrets(settings).conceal("There is no-key, sk-1234.")
        == "There is no-key, sk-1234."
    )
