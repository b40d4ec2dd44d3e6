"""The pytest plugin in a suite of its own: the reasons below a failure, the figures of a suite, and what it loads."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.testing.memories import write_talk

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
from memviz import testing
from tests.testing.memories import LastMessages, RULE

def test_lost():
    run = testing.replay("trip.json", LastMessages, keep=4, counter="chars4")
    assert run.keeps(RULE, kind="rule")

def test_kept():
    run = testing.replay("trip.json", LastMessages, keep=40, counter="chars4")
    assert run.keeps(RULE, kind="rule")
    testing.replay("trip.json", list, counter="chars4")

def test_another_failure():
    run = testing.replay("trip.json", LastMessages, keep=4, counter="chars4")
    if not run.keeps(RULE, kind="rule"):
        assert 1 == 2
"""


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "memviz_pytest", *options]
    return subprocess.run(
        command,
        cwd=folder,
        # Whether the plugin is installed here or not, it is loaded once.
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )


SHARED = """
import pytest
from memviz import testing
from tests.testing.memories import LastMessages, RULE

@pytest.fixture(scope="module")
def run():
    return testing.replay("trip.json", LastMessages, keep=40, counter="chars4")

def test_rule(run):
    assert run.keeps(RULE, kind="rule")

def test_facts(run):
    assert run.facts.stated

def test_value(run):
    assert run.keeps("1,400 euros", kind="value")
    assert run.keeps("light jacket")
"""
"""Three tests that share a run: what each guards in it stands beside that test in the figures."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("suite")
    write_talk(made)
    (made / "test_memory.py").write_text(SUITE)
    (made / "test_shared.py").write_text(SHARED)
    return made


def read_runs(path: Path) -> list[tuple[str, int, str, dict[str, bool]]]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return [
        (run["test"].partition("::")[2], run["number"], run["setting"], run["keeps"])
        for run in value["runs"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [(), ("-p", "xdist", "-n", "2", "--dist", "loadfile")], ids=" ".join
)
def test_a_failure_says_why_and_the_figures_are_written(
    folder: Path, options: tuple[str, ...]
) -> None:
    done = run_pytest(folder, *options, "--memviz-json", "figures.json")
    assert "2 failed, 4 passed" in done.stdout, done.stdout + done.stderr
    # Where CI is set, pytest's last lines give each message a second time and in whole.
    failures, _, _ = done.stdout.partition("short test summary info")
    # Each stands below its name, in the order in which they ended: "____ test_lost ____".
    _, *sections = re.split(r"^_+ (\w+) _+$", failures, flags=re.M)
    lost = sections[sections.index("test_lost") + 1]
    other = sections[sections.index("test_another_failure") + 1]
    told = [line for line in lost.splitlines() if line.startswith("E ")]
    assert "is lost at turn 3 of 10 under LastMessages(keep=4)" in told[0]
    assert any("Said in message 2 (turn 1, user)" in line for line in told)
    assert any("A larger limit: LastMessages(keep=32)" in line for line in told)
    assert "Said in message 2" not in other, "that assertion was about something else"
    assert read_runs(folder / "figures.json") == [
        (
            "test_another_failure",
            1,
            "LastMessages(keep=4)",
            {"always answer in euros": False},
        ),
        ("test_kept", 1, "LastMessages(keep=40)", {"always answer in euros": True}),
        ("test_kept", 2, "list", {}),
        ("test_lost", 1, "LastMessages(keep=4)", {"always answer in euros": False}),
        ("test_rule", 1, "LastMessages(keep=40)", {"always answer in euros": True}),
        (
            "test_value",
            1,
            "LastMessages(keep=40)",
            {"1,400 euros": True, "light jacket": True},
        ),
    ]


@pytest.mark.slow
def test_without_rewritten_assertions_a_failure_says_why_too(folder: Path) -> None:
    done = run_pytest(folder, "--assert=plain", "-k", "test_lost")
    assert "Said in message 2 (turn 1, user)" in done.stdout, done.stdout


@pytest.mark.slow
def test_a_folder_that_is_missing_is_told_before_the_first_test(folder: Path) -> None:
    done = run_pytest(folder, "--memviz-json", "nowhere/figures.json")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "there is no folder for nowhere/figures.json" in done.stderr


def test_it_loads_nothing_of_memviz() -> None:
    code = "import memviz_pytest, sys; print([m for m in sys.modules if m.startswith('memviz')])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['memviz_pytest']\n"
