"""docs/findings.md holds the very numbers that its command makes."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.findings import total_agreement
from benchmarks.measured import measured_conversations
from memviz.metrics.retention.survival import Agreement
from memviz.strategies import strategies
from memviz.tuning.grounds import (
    AGREED_PERCENT,
    KEPT_PERCENT,
    RECORDED_SETTINGS,
    RECORDED_USD,
    STAND_IN_KEPT_PERCENT,
    STAND_IN_USD,
)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


@cache
def command() -> object:
    """The module, once for all tests: what it compared for one is there for the others."""
    spec = importlib.util.spec_from_file_location(
        "findings", ROOT / "benchmarks" / "findings.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_every_table_is_what_the_command_makes() -> None:
    found = dict(
        re.findall(r"<!-- ([\w-]+) -->\n(.+?)\n\n", PAGE + "\n", flags=re.DOTALL)
    )
    made = command().tables()  # type: ignore[attr-defined]
    assert list(found) == list(made)
    for name, table in made.items():
        assert found[name].splitlines() == table.splitlines(), name


def test_what_was_swept_is_told_truly() -> None:
    module = command()
    settings = sum(len(next(iter(axes.values()), [0])) for axes in module.GRID.values())  # type: ignore[attr-defined]
    assert f"under {settings} settings of {len(module.GRID)} strategies" in PAGE  # type: ignore[attr-defined]
    missing = set(strategies()) - {*module.GRID, *module.LEFT_OUT}  # type: ignore[attr-defined]
    assert not missing, "enter it in GRID of benchmarks/findings.py, or in LEFT_OUT"
    assert {*module.GRID, *module.LEFT_OUT} <= set(strategies())  # type: ignore[attr-defined]
    assert all(f"`{id}`" in PAGE for id in module.LEFT_OUT), "it says what was left out"  # type: ignore[attr-defined]
    sizes = [len(one.messages) for _, one in measured_conversations()]
    assert f"{min(sizes)} to {max(sizes)} messages" in PAGE
    assert (
        f"with {sum(len(one.probes) for _, one in measured_conversations())} questions"
        in PAGE
    )


@pytest.mark.slow
def test_recommendations_say_how_far_the_stand_in_agrees_with_the_recorded_model() -> (
    None
):
    module = command()
    rows = module.compared()  # type: ignore[attr-defined]
    found = [part for _, _, part in rows]
    whole = total_agreement(found)
    shares = [
        round(100 * share)
        for share in (whole.share, whole.one / whole.facts, whole.other / whole.facts)
    ]
    assert (len(found), *shares) == (
        RECORDED_SETTINGS,
        AGREED_PERCENT,
        KEPT_PERCENT,
        STAND_IN_KEPT_PERCENT,
    )
    costs = module.costs_in_all([runs for _, runs, _ in rows])  # type: ignore[attr-defined]
    assert tuple(round(usd, 2) for usd in costs) == (RECORDED_USD, STAND_IN_USD)


agreements = st.builds(Agreement, *[st.integers(0, 9)] * 4)


@given(st.lists(agreements, max_size=4))
def test_a_total_agreement_counts_the_facts_of_all(parts: list[Agreement]) -> None:
    whole = total_agreement(parts)
    assert whole.facts == sum(part.facts for part in parts)
    assert whole.one == sum(part.one for part in parts)
    assert 0.0 <= whole.share <= 1.0
