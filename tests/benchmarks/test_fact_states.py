"""The pairs that people judged, and what memviz says of them."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from benchmarks.fact_states import FOLDER, Pair, read_pairs, state_of, table_of
from memviz.metrics.retention.measured_error import ADVERSARIAL, ORDINARY, Judged


def test_the_untouched_pairs_are_as_they_were_fixed() -> None:
    fixed = re.search(r"sha256 +([0-9a-f]{64})", (FOLDER / "README.md").read_text("utf-8"))
    assert fixed is not None
    assert hashlib.sha256((FOLDER / "untouched.jsonl").read_bytes()).hexdigest() == fixed[1]


@pytest.mark.parametrize("name", ["untouched", "seen"])
def test_every_pair_has_a_verdict_and_an_id_of_its_own(name: str) -> None:
    pairs = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
    assert len({one["id"] for one in pairs}) == len(pairs) >= 150
    assert {one["verdict"] for one in pairs} == {"known", "contradicted", "lost"}
    assert {one["kind"] for one in pairs} == {"ordinary", "adversarial"}


@pytest.mark.parametrize(
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
        assert Judged(len(pairs), sum(one.is_right for one in pairs)) == said


@pytest.mark.slow
def test_the_findings_have_the_table_that_was_measured(untouched: list[Pair]) -> None:
    findings = (FOLDER.parents[1] / "docs/findings.md").read_text("utf-8")
    assert table_of(untouched) in findings
