"""A terminal for the tests: commands in this process, and in one of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from typer import testing

from memviz.cli import app

# Typer reads the options of all commands anew for each one that a test runs, which takes longer than many of them.
testing._get_command = cache(testing._get_command)
ROOT = Path(__file__).resolve().parents[2]
MEMVIZ = (sys.executable, "-m", "memviz")
SECONDS = 300
"""After which a command hangs: far more than it takes on a busy machine."""
NASTY = "Plan\x1b[2J [bold red]B[/] :boom:\r\u202ereversed\u2028second \x9b31mline\x07"
"""A title that clears the screen, colours, draws an emoji, jumps back, turns the text round and rings."""


class Shown:
    """What a command wrote, and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.out.splitlines()]

    def refused(self, code: int, *words: str) -> None:
        """It ended with this code, wrote nothing but one line on stderr, and that has these words."""
        assert self.code == code, self.err
        assert self.out == ""
        assert len(self.err.splitlines()) == 1, self.err
        assert "Traceback" not in self.err
        for word in words:
            assert word in self.err


def memviz(*arguments: object, stdin: str | bytes = "", code: int | None = 0) -> Shown:
    """Run a command in this process; it has to end with ``code`` unless that is ``None``."""
    result = testing.CliRunner().invoke(
        app, [str(argument) for argument in arguments], input=stdin
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert code is None or result.exit_code == code, result.stderr
    return Shown(result.exit_code, result.stdout, result.stderr)


def refused(*arguments: object, code: int, words: tuple[str, ...]) -> None:
    """The command ends with this code and one sentence that has these words."""
    memviz(*arguments, code=None).refused(code, *words)


def process(
    *arguments: object,
    folder: Path,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> Shown:
    """Run a command as a process of its own, from ``folder``."""
    done = subprocess.run(
        [*MEMVIZ, *map(str, arguments)],
        cwd=folder,
        input=stdin,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT), **(environment or {})},
    )
    return Shown(
        done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    )


def written(path: Path, turns: int = 6, title: str = "") -> Path:
    """A file with a conversation."""
    messages = [
        {
            "role": role,
            "content": f"{role} says number {turn} about the harbour and the price of {turn * 17} nets",
        }
        for turn in range(1, turns + 1)
        for role in ("user", "assistant")
    ]
    value = {"title": title, "messages": messages} if title else messages
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
