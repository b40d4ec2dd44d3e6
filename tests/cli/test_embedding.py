"""``memviz replay`` under strategies that compare vectors of a model that may cost money."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.terminal import memviz
from tests.models.openai_server import OpenAIServer, openai_server, status, vectors

NAME = "openai/text-embedding-3-small"
KEY = "sk-test-0123456789abcdef"
ASKED = ("--brief", "-s", f"retrieval:embedding_percent=50,embedding_model={NAME}")
FACTS = ("--brief", "-s", f"facts_store:embedding_percent=50,embedding_model={NAME}")
PAID = ("--budget", "0.10", "--yes")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.otherwise = vectors
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", running.api_base)
        monkeypatch.setenv("MEMVIZ_DB", str(tmp_path / "library.db"))
        yield running


def test_says_what_it_costs_and_asks_nobody_without_an_agreement(
    server: OpenAIServer,
) -> None:
    without = memviz("replay", "sample-trip", *ASKED, code=2)
    assert f"{NAME} costs money. Give --budget USD" in without.err
    shown = memviz("replay", "sample-trip", *ASKED, "--budget", "0.10", code=1)
    assert f"{NAME} would be asked for the vectors of 92 texts at least" in shown.err
    assert "At most $0.10 is spent in all." in shown.err
    assert server.requests == []


@pytest.mark.parametrize(("setting", "texts"), [(ASKED, 92), (FACTS, 150)])
def test_no_vector_is_paid_twice(
    server: OpenAIServer, setting: tuple[str, ...], texts: int, tmp_path: Path
) -> None:
    first = memviz("replay", "sample-trip", *setting, *PAID)
    assert "Spent on vectors and summaries: $0.00" in first.err
    asked = [text for one in server.requests for text in one.body["input"]]
    assert len(asked) == len(set(asked)) >= texts
    # Without a budget nobody could be asked.
    again = memviz("replay", "sample-trip", *setting)
    assert again.out == first.out
    assert sum(len(one.body["input"]) for one in server.requests) == len(asked)
    written = b"".join(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()
    )
    assert KEY.encode() not in written


def test_a_budget_that_is_too_small_ends_it_with_a_sentence(
    server: OpenAIServer,
) -> None:
    shown = memviz(
        "replay", "sample-trip", *ASKED, "--budget", "0.0000001", "--yes", code=1
    )
    assert "allows no further call" in shown.err
    assert server.requests == []


def test_a_key_that_is_refused_is_asked_with_once_and_not_shown(
    server: OpenAIServer,
) -> None:
    server.otherwise = status(401, f"Incorrect API key provided: {KEY}")
    shown = memviz("replay", "sample-trip", *ASKED, *PAID, code=1)
    assert "was refused" in shown.err
    assert KEY not in shown.err
    assert len(server.requests) == 1


def test_a_key_that_is_not_there_is_asked_for(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    shown = memviz("replay", "sample-trip", *ASKED, *PAID, code=1)
    assert f"{NAME} needs a key: set OPENAI_API_KEY in the environment." in shown.err


def test_a_server_of_ones_own_needs_no_budget(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.api_base)
    own = ASKED[-1].replace(NAME, "hosted_vllm/nomic")
    shown = memviz("replay", "sample-trip", "--brief", "-s", own)
    assert "hosted_vllm/nomic would be asked for the vectors of 92" in shown.err
    assert server.requests[0].body["model"] == "nomic"
    assert KEY not in str(server.requests[0].headers)
