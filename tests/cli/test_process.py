"""The command as a process: its name, its exit codes, its pipes, and what it does not load."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.terminal import MEMVIZ, ROOT, SECONDS, memviz, process
from tests.tables import for_each

COMMANDS = (
    "import", "map", "list", "replay", "why", "verify", "diff", "sweep", "design", "record", "export", "backup",
    "check", "transfer",
    "strategies", "formats", "models", "watch", "ui", "lessons",
)  # fmt: skip
HEAVY = {"streamlit", "litellm", "pandas", "plotly", "sqlmodel", "rich"}


def test_the_command_is_installed_under_its_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    module, _, name = project["scripts"]["memviz"].partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command(option: str, tmp_path: Path) -> None:
    shown = process(option, folder=tmp_path)
    assert shown.code == 0
    listed = shown.out.partition("Commands:")[2].splitlines()
    assert [line.split()[0] for line in listed if line.strip()] == list(COMMANDS)


@for_each("command", COMMANDS)
def test_help_of_every_command_has_an_example(command: str) -> None:
    for option in ("-h", "--help"):
        assert (
            f"  memviz {command}" in memviz(command, option).out.partition("Example")[2]
        )


def test_without_a_command_it_helps() -> None:
    shown = memviz(code=2)
    assert "Commands:" in shown.out + shown.err


def test_version() -> None:
    assert memviz("--version").out == f"memviz {version('memviz')}\n"


@pytest.mark.slow
def test_exit_codes_and_streams(tmp_path: Path, chat: Path) -> None:
    assert process("import", chat, folder=tmp_path).code == 0
    process("replay", "nothing", "-s", "buffer", folder=tmp_path).refused(1, "nothing")
    memviz("replay", chat, "-s", "window:window_size=0", code=None).refused(
        2, "window_size", "is 0"
    )
    assert process("no-such-command", folder=tmp_path).code == 2


@pytest.mark.skipif(os.name != "posix", reason="pipes break differently here")
@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        pytest.param(
            ("export", "sample-support", "--to", "memviz"), marks=pytest.mark.slow
        ),
    ],
    ids=" ".join,
)
def test_a_pipe_that_is_closed_is_no_error(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    read, write = os.pipe()
    os.close(read)  # the reader has gone before anything is written
    command = subprocess.run(
        [*MEMVIZ, *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=SECONDS,
        check=False,
    )
    os.close(write)
    assert command.stderr == b""
    assert command.returncode == 1


def modules_after(*commands: Sequence[object]) -> set[str]:
    """The top-level modules that are loaded when these commands have run, one after the other."""
    given = [[str(argument) for argument in command] for command in commands]
    code = (
        "import sys; from memviz.cli import app\n"
        f"for arguments in {given!r}:\n"
        "    try: app(arguments)\n"
        "    except SystemExit as end: assert not end.code, end.code\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return set(done.stderr.decode().splitlines()[-1].split())


def test_help_loads_nothing_heavy() -> None:
    assert not modules_after(["--help"]) & (
        HEAVY | {"numpy", "memviz.storage.workspace"}
    )


@pytest.mark.slow
def test_import_and_list_load_no_page_and_no_client(chat: Path) -> None:
    loaded = modules_after(("import", chat), ("list",), ("list", "--json"))
    assert "memviz.storage.workspace" in loaded
    assert not loaded & {"streamlit", "litellm", "pandas", "plotly"}
