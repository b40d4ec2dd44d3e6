"""The provider of the tests refuses what the real one refuses."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.code_export.provider import Provider, Refused, refuse_chat, refuse_response
from tests.tables import for_each

USER = {"role": "user", "content": "Rain?"}
CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "look_up", "arguments": "{}"},
}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "content": "sunny", "tool_call_id": "a"}


def asking(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-5-mini", "messages": list(messages), **more}


@for_each(
    "body",
    [
        asking(USER),
        asking(USER, temperature=1),
        asking(USER, CALLING, RESULT),
        asking({"role": "user", "content": [{"type": "text", "text": "Rain?"}]}),
        asking({"role": "developer", "content": "Be kind."}, USER),
        {**asking(USER, temperature=0.1), "model": "gpt-4o"},
    ],
)
def test_takes_what_is_right(body: dict[str, Any]) -> None:
    refuse_chat(body)


@for_each(
    ("body", "words"),
    [
        (asking(USER, temperature=0.1), "temperature"),
        (asking(USER, max_tokens=5), "max_tokens"),
        (asking(USER, max_words=5), "max_words"),
        (asking(), "empty array"),
        (asking({"role": "narrator", "content": "Once"}), "role"),
        (asking({"role": "user", "content": None}), "null"),
        (asking({"role": "user", "content": 5}), "content"),
        (asking({**USER, "original": 1}), "original"),
        (
            asking({"role": "user", "content": [{"type": "words", "text": "Rain?"}]}),
            "content",
        ),
        (asking({**USER, "name": "Ada L."}), "name"),
        (asking({**CALLING, "tool_calls": []}), "content"),
        (asking({**CALLING, "content": "", "tool_calls": []}), "tool_calls"),
        (asking(USER, RESULT), "preceding message"),
        (asking(CALLING, USER, RESULT), "did not have response"),
        (asking(USER, CALLING), "did not have response"),
        (asking(USER, CALLING, USER), "did not have response"),
    ],
)
def test_refuses_what_is_wrong(body: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        refuse_chat(body)


def test_refuses_broken_pairs_in_the_responses_api_too() -> None:
    call = {
        "type": "function_call",
        "call_id": "a",
        "name": "look_up",
        "arguments": "{}",
    }
    result = {"type": "function_call_output", "call_id": "a", "output": "sunny"}
    refuse_response({"model": "gpt-5-mini", "input": [USER, call, result]})
    for items in (
        [],
        [USER, call],
        [USER, result],
        [{"role": "tool", "content": "sunny"}],
    ):
        with pytest.raises(Refused):
            refuse_response({"model": "gpt-5-mini", "input": items})


def post(provider: Provider, **headers: str) -> httpx.Response:
    address = f"{provider.url}/chat/completions"
    return httpx.post(
        address,
        content=json.dumps(asking(USER)),
        headers={"Content-Type": "application/json", **headers},
    )


def test_refuses_a_call_without_a_key_or_of_another_type() -> None:
    with Provider(lambda asked: "Yes.") as provider:
        assert post(provider).status_code == 401
        assert (
            post(
                provider, **{"Authorization": "Bearer k", "Content-Type": "text/plain"}
            ).status_code
            == 400
        )
        assert provider.asked == []


def test_answers_and_keeps_what_it_was_asked() -> None:
    with Provider(
        lambda asked: f"{asked.model} heard {len(asked.messages)}"
    ) as provider:
        reply = post(provider, Authorization="Bearer k").json()
    assert reply["choices"][0]["message"]["content"] == "gpt-5-mini heard 1"
    assert provider.asked_of("gpt-5-mini") == [[("user", "Rain?")]]
