"""A key is concealed in whatever form a text shows it, and ordinary words stay."""

from __future__ import annotations

import json
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.models.redaction import PART_CHARS, conceal
from tests.models import openai_server as answers
from tests.models.litellm_calls import client, failure
from tests.models.openai_server import OpenAIServer
from tests.tables import for_each

KEY = "sk-proj-Ab3/dE+fGh1JkLmN0pQrStUvWx="
SETTINGS = {"api_key": KEY}


def spread(between: str, every: int = 1) -> Callable[[str], str]:
    return lambda key: between.join(
        key[start : start + every] for start in range(0, len(key), every)
    )


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "small letters": str.lower,
    "reversed": lambda key: key[::-1],
    "Base64": lambda key: b64encode(key.encode()).decode(),
    "Base64 for addresses": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "Base64 without its end": lambda key: b64encode(key.encode()).decode().rstrip("="),
    "basic sign-in": lambda key: b64encode(f"user:{key}".encode()).decode(),
    "basic sign-in, another user": lambda key: b64encode(f"me:{key}".encode()).decode(),
    "Base64 of a header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "Base64 in lines": lambda key: spread("\n", 16)(b64encode(key.encode()).decode()),
    "address": lambda key: quote(key, safe=""),
    "address, every letter": lambda key: "".join(
        f"%{byte:02X}" for byte in key.encode()
    ),
    "hex": lambda key: key.encode().hex(),
    "hex with colons": lambda key: key.encode().hex(":").upper(),
    "spaces": spread(" "),
    "line breaks": spread("\n", 5),
    "hyphens": spread("-", 4),
    "quotes": spread('", "', 6),
    "invisible": spread("\u200b", 3),
    "accents": spread("é", 3),
    "beginning": lambda key: key[:14] + "...",
    "end": lambda key: "..." + key[-12:],
    "middle": lambda key: "*" * 4 + key[10:22],
    "both": lambda key: key[:14] + "****" + key[-10:],
}

OTHERS = {
    "basic sign-in": 8,
    "basic sign-in, another user": 4,
    "Base64 of a header": 12,
}
"""Characters at the start of these that hold ``user:`` and the like, and at most one of the key."""


@for_each("form", FORMS)
def test_a_key_is_concealed_in_every_form(form: str) -> None:
    shown = conceal(
        f"Incorrect API key provided: {FORMS[form](KEY)}. Get one on the page of keys.",
        SETTINGS,
    )
    assert shown.startswith("Incorrect API key provided: ")
    assert shown.endswith(". Get one on the page of keys.")
    left = shown.removeprefix("Incorrect API key provided: ").removesuffix(
        ". Get one on the page of keys."
    )
    assert "***" in left
    assert sum(character.isalnum() for character in left) < PART_CHARS + OTHERS.get(
        form, 0
    )


@pytest.mark.parametrize("form", FORMS)
def test_also_in_what_a_server_sends(server: OpenAIServer, form: str) -> None:
    server.then(answers.status(400, f"You sent {FORMS[form](KEY)} as the key"))
    error, _ = failure(client(server, api_key=KEY))
    assert '("You sent ' in str(error)
    assert "***" in str(error)
    plain = "".join(
        character for character in str(error).lower() if character.isalnum()
    )
    sent = "".join(
        character
        for character in FORMS[form](KEY).lower()
        if character.isalnum() and character.isascii()
    )
    starts = range(OTHERS.get(form, 0), len(sent) - PART_CHARS + 1)
    assert not any(sent[start : start + PART_CHARS] in plain for start in starts)


def test_what_json_writes_as_signs_is_read_before(server: OpenAIServer) -> None:
    server.then(
        answers.status(400, 'say "hi"\tto caf\u00e9\x1b[31m\ud800\u202e!\nand more')
    )
    error, _ = failure(client(server))
    assert '("say "hi" to caf\u00e9 [31m  !")' in str(error)


def test_a_key_of_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "key0123456789abcdef")
    assert conceal("got KEY0123456789ABCDEF", {}) == "got ***"


def test_ordinary_words_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "correct-horse-battery")
    monkeypatch.setenv("SORT_KEY", "name")
    text = "The correct horse has a name; 12345678 tokens are too many for gpt-4o-mini."
    assert conceal(text, SETTINGS) == text
    assert conceal("CORRECT HORSE BATTERY", SETTINGS) == "***"
    assert conceal("the horse correct-horse-battery", SETTINGS) == "the horse ***"


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_else_is_changed(before: str, after: str) -> None:
    for text in (before, after):
        assert conceal(text, SETTINGS) == text or any(
            character in "sk-proj" for character in text
        )
    shown = conceal(f"{before} {KEY} {after}", SETTINGS)
    assert KEY not in shown
    assert "***" in shown


def test_a_long_text_takes_time_in_proportion() -> None:
    def seconds(text: str) -> float:
        begun = time.perf_counter()
        conceal(text, SETTINGS)
        return time.perf_counter() - begun

    short, long = (
        json.dumps({"message": "sk-proj-" * count}) for count in (2_000, 40_000)
    )
    assert seconds(long) < 200 * max(seconds(short), 0.001)
