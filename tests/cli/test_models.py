"""``memviz models`` lists what can be named, and with ``--local`` what is served on this machine."""

from __future__ import annotations

import pytest

from memviz.models.registry import known_models
from tests.cli.terminal import memviz, refused
from tests.models.local_programs import PAGE, llama_cpp, ollama, port, serving, vllm


@pytest.mark.slow
def test_every_known_model_with_its_context_and_the_key_that_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    shown = memviz("models")
    assert [line.split()[0] for line in shown.lines[1:]] == list(known_models())
    (row,) = [
        line.split() for line in shown.lines if line.startswith("openai/gpt-5-mini ")
    ]
    assert row == ["openai/gpt-5-mini", "272,000", "OPENAI_API_KEY"]
    (same,) = [
        about
        for about in memviz("models", "--json").json
        if about["name"] == "openai/gpt-5-mini"
    ]
    assert same == {
        "name": "openai/gpt-5-mini",
        "context_tokens": 272_000,
        "missing_keys": ["OPENAI_API_KEY"],
    }


def test_local_models_with_their_context_and_where_they_are() -> None:
    with (
        serving(llama_cpp("/models/small.gguf")) as one,
        serving(ollama({"llama3.2:3b": {}})) as other,
    ):
        shown = memviz(
            "models", "--local", "--at", port(one), "--at", f"localhost:{port(other)}"
        )
        told = memviz("models", "--at", port(one), "--json").json
    (small,) = [line for line in shown.lines if line.startswith("llamafile/small ")]
    assert "2,048 tokens of context" in small
    assert small.endswith(one.api_base)
    (llama,) = [
        line for line in shown.lines if line.startswith("ollama_chat/llama3.2:3b ")
    ]
    assert "context size unknown" in llama
    (told_small,) = [about for about in told if about["api_base"] == one.api_base]
    assert told_small["context_tokens"] == 2048
    assert told_small["longest_context_tokens"] == 8192


def test_what_is_no_server_of_models_is_a_sentence_and_no_failure() -> None:
    with serving(PAGE) as server:
        shown = memviz("models", "--local", "--at", port(server))
    assert f"127.0.0.1:{port(server)} answers, and is no server of models." in shown.err


def test_names_that_a_terminal_would_obey_are_not_shown() -> None:
    with serving(vllm("good\x1b[2J", "fine")) as server:
        shown = memviz("models", "--local", "--at", port(server))
    assert "\x1b" not in shown.out + shown.err
    assert "hosted_vllm/fine" in shown.out


def test_other_machines_are_not_asked() -> None:
    refused(
        "models",
        "--local",
        "--at",
        "example.com:8080",
        code=1,
        words=("no address of this machine",),
    )
