"""The small project of docs/testing.md, as it stands there, with memviz installed from its wheel: red for the reason
that is told, green after the remedy that is named, and its workflow run step by step."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.testing.memories import RULE, write_talk

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing.md"
FILE = re.compile(r"^`(?P<name>[\w./]+)`:\n\n```\w+\n(?P<text>.*?)^```", re.M | re.S)
REMEDY = re.compile(r"A larger limit: (?P<what>[\w.]+)\((?P<name>\w+)=(?P<value>\d+)\)")
WORKFLOW = ".github/workflows/memory.yml"
LOADER_TEST = """
import memviz.testing

def test_modules_of_memviz_are_imported_as_they_were_compiled():
    assert type(memviz.testing.__loader__).__name__ == "SourceFileLoader"
"""
"""Else pytest would compile hundreds of modules anew, to rewrite assertions that they do not have."""

pytestmark = pytest.mark.slow


def run(
    command: list[str], folder: Path, **other: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # These plugins come with other packages, and take seconds to load.
        "PYTEST_ADDOPTS": "-p no:langsmith_plugin -p no:anyio -p no:hypothesispytest",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **other,
    }
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = run(["git", *who, *arguments], folder)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The PATH of an environment that has memviz from its wheel; all other libraries are those that run this test."""
    folder = tmp_path_factory.mktemp("environment")
    code = f"from hatchling import build; print(build.build_wheel({str(folder)!r}))"
    built = run([sys.executable, "-c", code], ROOT)
    assert built.returncode == 0, built.stderr
    wheel = folder / built.stdout.split()[-1]
    venv.create(folder / "venv", symlinks=True)
    (site,) = folder.glob("venv/lib/python*/site-packages")
    others = [entry for entry in sys.path if entry.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others))
    python = str(folder / "venv" / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python]
    done = run([*pip, "install", "--no-deps", str(wheel)], folder)
    assert done.returncode == 0, done.stderr
    command = folder / "venv" / "bin" / "pytest"
    command.write_text(f'#!/bin/sh\nexec {python} -m pytest "$@"\n')
    command.chmod(0o755)
    return f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="module")
def files() -> Mapping[str, str]:
    text = PAGE.read_text(encoding="utf-8").partition("<!-- a small project")[2]
    return {match["name"]: match["text"] for match in FILE.finditer(text)}


def write_project(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    write_talk(folder)


def with_remedies(suite: str, output: str) -> str:
    """The suite with each setting that a failure proposes."""
    for remedy in REMEDY.finditer(output):
        what = re.escape(remedy["what"])
        setting = rf"({what}, {remedy['name']})=\d+"
        suite = re.sub(setting, rf"\g<1>={remedy['value']}", suite)
    return suite


class Step(NamedTuple):
    """A command of a workflow."""

    command: str
    is_always: bool
    """True if it is run after a failure too."""
    shell: list[str]
    """The shell as GitHub starts it: only where a step names bash does a pipe fail with the first of its commands."""


def steps_of(workflow: str) -> Iterator[Step]:
    """The steps of a workflow but for what it installs, which is there."""
    (job,) = yaml.safe_load(workflow)["jobs"].values()
    for step in job["steps"]:
        command = step.get("run", "")
        if command and not command.startswith("pip install "):
            names_bash = step.get("shell") == "bash"
            options = ["-eo", "pipefail"] if names_bash else ["-e"]
            yield Step(command, step.get("if") == "always()", ["bash", *options, "-c"])


@pytest.fixture(scope="module")
def better_suite(
    tmp_path_factory: pytest.TempPathFactory, path: str, files: Mapping[str, str]
) -> str:
    """The suite of the page with the remedies that its failures name."""
    project = tmp_path_factory.mktemp("project")
    write_project(project, files)
    (project / "test_loader.py").write_text(LOADER_TEST)
    red = run(["pytest"], project, PATH=path)
    assert "3 failed, 1 passed" in red.stdout, red.stdout + red.stderr
    told = re.findall(
        r"^E .*is lost at turn \d+ of 10 under ([\w.]+)\(", red.stdout, re.M
    )
    memories = {"LastMessages", "summarizing", "ChatMemoryBuffer.from_defaults"}
    assert set(told) == memories
    assert red.stdout.count("Please always answer in euros.") >= 3
    return with_remedies(files["test_memory.py"], red.stdout)


def test_the_remedies_make_it_green_and_the_workflow_says_what_a_pull_request_makes_worse(
    tmp_path: Path, path: str, files: Mapping[str, str], better_suite: str
) -> None:
    lines = set(files["test_memory.py"].splitlines())
    assert len(lines - set(better_suite.splitlines())) == 3
    project = tmp_path / "project"
    write_project(project, {**files, "test_memory.py": better_suite})
    (project / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n")
    git(project, "init", "-b", "main")
    git(project, "add", ".")
    git(project, "commit", "-m", "Memories that keep the rule")
    git(tmp_path, "clone", "project", "checkout")
    checkout = tmp_path / "checkout"
    (checkout / "test_memory.py").write_text(files["test_memory.py"])
    summary = tmp_path / "summary.md"
    failures = []
    output = ""
    for step in steps_of(files[WORKFLOW]):
        if failures and not step.is_always:
            continue
        done = run(
            [*step.shell, step.command],
            checkout,
            PATH=path,
            GITHUB_BASE_REF="main",
            GITHUB_STEP_SUMMARY=str(summary),
        )
        output += done.stdout
        if done.returncode:
            failures.append(step.command.split(" | ")[0])
    assert "3 passed" in output, "the suite with the remedies, on main"
    assert failures == [
        "pytest --memviz-json pr.json",
        "memviz diff main.json pr.json",
    ]
    lines = summary.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "**Worse: 3 of 3 settings.**"
    losses = [line for line in lines if f"no longer keeps `{RULE}`" in line]
    assert len(losses) == 3
    change = "`LastMessages(keep=24)` → `LastMessages(keep=6)`"
    assert any(change in line for line in lines)
