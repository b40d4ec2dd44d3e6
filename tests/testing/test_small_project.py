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

import pytest
import yaml

from tests.testing.memories import write_talk

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing.md"
FILE = re.compile(r"^`(?P<name>[\w./]+)`:\n\n```\w+\n(?P<text>.*?)^```", re.M | re.S)
REMEDY = re.compile(r"A larger limit: (?P<what>[\w.]+)\((?P<name>\w+)=(?P<value>\d+)\)")
WORKFLOW = ".github/workflows/memory.yml"

pytestmark = pytest.mark.slow


def run(
    command: list[str], folder: Path, **other: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
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
    venv.create(folder / "venv", with_pip=True, symlinks=True)
    (site,) = folder.glob("venv/lib/python*/site-packages")
    others = [entry for entry in sys.path if entry.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others))
    python = str(folder / "venv" / "bin" / "python")
    done = run([python, "-m", "pip", "install", "--no-deps", str(wheel)], folder)
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


def steps_of(workflow: str) -> Iterator[tuple[str, bool]]:
    """The commands of a workflow, each with whether it is run after a failure too."""
    (job,) = yaml.safe_load(workflow)["jobs"].values()
    for step in job["steps"]:
        if "run" in step:
            yield step["run"], step.get("if") == "always()"


def test_red_then_green_then_the_workflow(
    tmp_path: Path, path: str, files: Mapping[str, str]
) -> None:
    project = tmp_path / "project"
    write_project(project, files)
    red = run(["pytest"], project, PATH=path)
    assert "3 failed" in red.stdout, red.stdout + red.stderr
    told = re.findall(
        r"^E .*is lost at turn \d+ of 10 under ([\w.]+)\(", red.stdout, re.M
    )
    assert set(told) == {
        "LastMessages",
        "summarizing",
        "ChatMemoryBuffer.from_defaults",
    }
    assert red.stdout.count("Please always answer in euros.") >= 3

    suite = files["test_memory.py"]
    better = with_remedies(suite, red.stdout)
    assert len(set(suite.splitlines()) - set(better.splitlines())) == 3
    (project / "test_memory.py").write_text(better)
    green = run(["pytest"], project, PATH=path)
    assert "3 passed" in green.stdout, green.stdout

    # On main the suite is green; a pull request makes all three memories smaller.
    git(project, "init", "-b", "main")
    (project / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n")
    git(project, "add", ".")
    git(project, "commit", "-m", "Memories that keep the rule")
    git(tmp_path, "clone", "project", "checkout")
    checkout = tmp_path / "checkout"
    (checkout / "test_memory.py").write_text(suite)
    summary = tmp_path / "summary.md"
    failures = []
    for command, is_always in steps_of(files[WORKFLOW]):
        if failures and not is_always:
            continue
        done = run(
            ["bash", "-e", "-c", command],
            checkout,
            PATH=path,
            GITHUB_BASE_REF="main",
            GITHUB_STEP_SUMMARY=str(summary),
        )
        if done.returncode:
            failures.append(command)
    assert failures == ["pytest --memviz-json pr.json"]
    lines = summary.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "**Worse: 3 of 3 settings.**"
    assert (
        sum("no longer keeps `always answer in euros`" in line for line in lines) == 3
    )
    assert any(
        "`LastMessages(keep=24)` → `LastMessages(keep=6)`" in line for line in lines
    )
