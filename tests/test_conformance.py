"""The table of conformance counts what its judges find, and has a judge for every strategy."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from tests import conformance
from tests.conformance import JUDGES, PAGE, Judge, verdict_of


def test_every_strategy_has_a_judge_and_a_row() -> None:
    assert {judge.strategy for judge in JUDGES} == memviz.strategies().keys()
    page = PAGE.read_text(encoding="utf-8")
    for judge in JUDGES:
        assert f"| `{judge.strategy}` | {judge.package or conformance.OWN} " in page


def test_every_judge_takes_the_number_of_conversations_from_the_command() -> None:
    for judge in JUDGES:
        try:
            module = import_module(f"tests.{judge.module}")
        except pytest.skip.Exception:
            continue  # its library is not installed here
        # Where pytest has skipped the module before, what was read of it until then is left.
        if (test := getattr(module, judge.test, None)) is None:
            continue
        # Hypothesis refuses settings beside settings, and fixtures are pytest's alone.
        assert not hasattr(test, "_hypothesis_internal_settings_applied"), judge.test
        marks = getattr(test, "pytestmark", [])
        assert "usefixtures" not in [mark.name for mark in marks], judge.test


def test_what_differs_is_counted_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @given(st.integers(0, 9))
    def differs_above_four(number: int) -> None:
        assert number <= 4

    monkeypatch.setattr(conformance, "differs_above_four", differs_above_four, False)
    judge = Judge("window", "", "conformance", "differs_above_four")
    verdict = verdict_of(judge, 10)
    assert verdict is not None
    assert (verdict.compared, verdict.equal) == (10, 5)


def test_a_library_that_is_not_installed_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def skip(name: str) -> object:
        pytest.skip("not installed")

    monkeypatch.setattr(conformance, "import_module", skip)
    assert verdict_of(JUDGES[0], 1) is None
    monkeypatch.setattr(conformance, "import_module", import_module)
    assert (
        Judge("window", "no-such-package", "", "").name
        == "no-such-package, not installed"
    )
