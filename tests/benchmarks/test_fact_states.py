"""The pairs that people judged, and what memviz says of them."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from benchmarks.fact_states import FOLDER, Pair, read_pairs, state_of, table_of
from memviz.metrics.retention.knowledge import (
    ADVERSARIAL,
    HARDER,
    ORDINARY,
    JudgedPairs,
)
from tests.tables import for_each


def test_pairs_that_nothing_is_tuned_on_are_as_they_were_fixed() -> None:
    fixed = re.findall(
        r"sha256 +([0-9a-f]{64}) +(\S+)", (FOLDER / "README.md").read_text("utf-8")
    )
    assert {name for _, name in fixed} == {"untouched.jsonl", "harder.jsonl"}
    for hash, name in fixed:
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == hash


@for_each(("name", "least"), [("untouched", 150), ("seen", 150), ("harder", 120)])
def test_every_pair_has_a_verdict_and_an_id_of_its_own(name: str, least: int) -> None:
    pairs = [
        json.loads(line)
        for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    assert len({one["id"] for one in pairs}) == len(pairs) >= least
    assert {one["verdict"] for one in pairs} == {"known", "contradicted", "lost"}
    assert {one["kind"] for one in pairs} == {"ordinary", "adversarial"}


@for_each(
    ("text", "state"),
    [
        ("They live in Lisbon.", "known"),
        ("They no longer live in Lisbon.", "contradicted"),
        ("They live in Porto.", "lost"),
    ],
)
def test_the_state_is_that_of_a_request_with_the_text(text: str, state: str) -> None:
    assert state_of("Where do they live?", "Lisbon", text) == state


@pytest.fixture(scope="module")
def untouched() -> list[Pair]:
    return read_pairs("untouched")


@pytest.mark.slow
def test_the_page_says_the_error_that_was_measured(untouched: list[Pair]) -> None:
    for kind, said in (("ordinary", ORDINARY), ("adversarial", ADVERSARIAL)):
        pairs = [one for one in untouched if one.kind == kind]
        assert JudgedPairs(len(pairs), sum(one.is_right for one in pairs)) == said
    harder = read_pairs("harder")
    assert JudgedPairs(len(harder), sum(one.is_right for one in harder)) == HARDER


@pytest.mark.slow
def test_the_findings_have_the_table_that_was_measured(untouched: list[Pair]) -> None:
    findings = (FOLDER.parents[1] / "docs/findings.md").read_text("utf-8")
    assert table_of(untouched) in findings
