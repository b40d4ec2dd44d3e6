"""docs/findings.md holds the very numbers that the benchmark of proposed facts makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.proposals import HEAD, LIMIT, SEEDS, TURNS, conversations, measure

PAGE = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_table_is_what_the_command_makes() -> None:
    rows = [
        measure(transcript, LIMIT).row(name)
        for name, transcript in conversations(TURNS, SEEDS)
    ]
    assert "\n".join([HEAD, *rows]) in PAGE
