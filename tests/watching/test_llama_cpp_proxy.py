"""The proxy before a real llama.cpp server with real weights, and a real client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI

from memviz.watching.exchanges import CUT_OFF
from memviz.watching.keeper import Keeper
from memviz.watching.serving import LocalServer, serve_proxy
from tests.models.llama_cpp_server import llama_cpp_server
from tests.watching.exchanges_said import kept, library, notes_of, only
from tests.watching.upstreams import wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with llama_cpp_server() as running:
        yield running


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    return library(tmp_path)


@pytest.fixture
def proxy(address: str, keeper: Keeper) -> Iterator[LocalServer]:
    server = serve_proxy(keeper, f"http://{address}", 0)
    yield server
    server.close()


@pytest.fixture
def client(proxy: LocalServer) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{proxy.address}/v1", api_key="none", max_retries=0) as one:
        yield one


def test_a_conversation_with_llama_cpp(client: OpenAI, keeper: Keeper) -> None:
    asked: Any = [{"role": "system", "content": "You are brief."}]
    replies = []
    for turn, question in enumerate(("Name a colour.", "Another one?", "One more?")):
        asked.append({"role": "user", "content": question})
        if turn == 1:
            usage: Any = {"include_usage": True}
            pieces = client.chat.completions.create(
                model="any", messages=asked, stream=True, stream_options=usage
            )
            texts = [
                one.choices[0].delta.content or "" for one in pieces if one.choices
            ]
            replies.append("".join(texts))
        else:
            answer = client.chat.completions.create(model="any", messages=asked)
            replies.append(answer.choices[0].message.content or "")
        asked.append({"role": "assistant", "content": replies[-1]})
    wait_for(keeper, 6)
    found = only(keeper.store)
    assert [one.content for one in found.messages[1::2]] == replies
    assert found.system_prompt == "You are brief."
    usages = [(one.meta or {}).get("usage", {}) for one in found.messages[1::2]]
    inputs = [usage["input_tokens"] for usage in usages]
    assert inputs == sorted(inputs)
    assert all(usage["output_tokens"] > 0 for usage in usages)


def test_a_client_that_leaves_llama_cpp(client: OpenAI, keeper: Keeper) -> None:
    asked: Any = [{"role": "user", "content": "Count from one to a hundred."}]
    pieces = client.chat.completions.create(model="any", messages=asked, stream=True)
    for number, _piece in enumerate(pieces):
        if number == 4:
            break
    pieces.close()
    wait_for(keeper, 2)
    (found,) = kept(keeper.store).values()
    reply = found.messages[-1]
    assert reply.content
    assert notes_of(reply) == {CUT_OFF: True}
    # The next one is answered: the server is not busy with what nobody reads.
    answer = client.chat.completions.create(model="any", messages=asked, timeout=60.0)
    assert answer.choices[0].message.content
