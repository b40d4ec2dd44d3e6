"""``memviz replay`` and ``memviz sweep`` under strategies that compare vectors of a model that may cost money."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memviz.core.vectors import texts_of
from memviz.models.embedding import bound_vector_price
from memviz.models.planned_calls import rounded_up
from memviz.transcripts.samples import bundled
from tests.cli.terminal import memviz
from tests.models.openai_server import OpenAIServer, openai_server, status, vectors
from tests.tables import for_each

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
    most = bound_vector_price(NAME, texts_of(bundled()["trip"].messages)).usd
    said = f"{NAME} would be asked for the vectors of 92 texts, for at most {rounded_up(most)}."
    assert said in shown.err
    assert "At most $0.10 is spent in all." in shown.err
    assert server.requests == []


@pytest.mark.parametrize(("setting", "texts"), [(ASKED, 28), (FACTS, 79)])
def test_no_vector_is_paid_twice(
    server: OpenAIServer, setting: tuple[str, ...], texts: int, tmp_path: Path
) -> None:
    first = memviz("replay", "sample-household", *setting, *PAID)
    assert "Spent on vectors and summaries: $0.00" in first.err
    asked = [text for one in server.requests for text in one.body["input"]]
    assert len(asked) == len(set(asked)) >= texts
    # Without a budget nobody could be asked.
    again = memviz("replay", "sample-household", *setting)
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


def test_a_price_of_nothing_is_a_known_price(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_BASE", server.api_base)
    local = ASKED[-1].replace(NAME, "ollama/llama3")
    # The server of this test does not answer as Ollama does.
    shown = memviz("replay", "sample-trip", "--brief", "-s", local, code=1)
    question = "ollama/llama3 would be asked for the vectors of 92 texts"
    assert f"{question}; it costs nothing." in shown.err


@for_each("setting", [FACTS, (*ASKED[:2], f"{ASKED[2]},query_messages=3")])
def test_no_bound_is_said_where_texts_are_asked_for_that_nobody_knows_yet(
    server: OpenAIServer, setting: tuple[str, ...]
) -> None:
    shown = memviz("replay", "sample-trip", *setting, "--budget", "0.10", code=1)
    assert f"{NAME} would be asked for" in shown.err
    assert "for at most" not in shown.err
    assert "At most $0.10 is spent in all." in shown.err


def test_what_a_named_speaker_asks_is_counted_among_the_texts(
    server: OpenAIServer, tmp_path: Path
) -> None:
    said = [
        {"role": "user", "name": "Ana", "content": "My code is 7742."},
        {"role": "assistant", "content": "I noted it."},
        {"role": "user", "name": "Ana", "content": "What is my code?"},
        {"role": "assistant", "content": "It is 7742."},
    ]
    path = tmp_path / "named.json"
    path.write_text(json.dumps(said))
    shown = memviz("replay", str(path), *ASKED, *PAID)
    asked = texts_asked(server)
    assert {"Ana: My code is 7742.", "What is my code?"} <= {*asked}
    assert f"the vectors of {len(asked)} texts, for at most $" in shown.err


SWEPT = ("--all", "--counter", "chars4", "-s")
GRID = f"retrieval:embedding_percent=50,100,embedding_model={NAME}"


def test_a_sweep_asks_first_and_pays_for_no_vector_twice(server: OpenAIServer) -> None:
    without = memviz("sweep", "sample-trip", *SWEPT, GRID, code=2)
    assert f"{NAME} costs money. Give --budget USD" in without.err
    shown = memviz("sweep", "sample-trip", *SWEPT, GRID, "--budget", "0.10", code=1)
    assert f"{NAME} would be asked for the vectors of 92 texts, for at" in shown.err
    assert server.requests == []
    first = memviz("sweep", "sample-trip", *SWEPT, GRID, *PAID)
    assert "could not be run" not in first.err
    assert len(texts_asked(server)) == 92
    # Other settings need no other vectors, and without a budget nobody could be asked.
    other = memviz("sweep", "sample-trip", *SWEPT, GRID.replace("100", "70"))
    assert "could not be run" not in other.err
    assert len(texts_asked(server)) == 92


def test_a_sweep_in_processes_has_what_was_asked_for_before_them(
    server: OpenAIServer,
) -> None:
    here = memviz(
        "sweep", "sample-trip", *SWEPT, GRID, *PAID, "--no-keep", "--csv", "-"
    )
    there = memviz(
        "sweep", "sample-trip", *SWEPT, GRID, *PAID, "--workers", "2", "--csv", "-"
    )
    assert _without_seconds(there.out) == _without_seconds(here.out)
    facts = GRID.replace("retrieval", "facts_store")
    refused = memviz(
        "sweep", "sample-trip", *SWEPT, facts, *PAID, "--workers", "2", code=2
    )
    assert "is asked from here for what is written during a replay" in refused.err


def _without_seconds(text: str) -> list[dict[str, str]]:
    rows = list(csv.DictReader(text.splitlines()))
    assert rows
    return [{name: row[name] for name in row if name != "seconds"} for row in rows]


def texts_asked(server: OpenAIServer) -> list[str]:
    return [text for one in server.requests for text in one.body["input"]]
