"""Processes that find loaded what every server loads: a process of their own loads it once, and is forked for each.

To load it takes longer than the rest of what a server does until it answers. What is memviz's own dashboard each server
loads by itself, in the order in which a server does.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from runpy import run_module
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LOADED = (
    "streamlit.web.cli",
    "streamlit.web.bootstrap",
    "streamlit.starlette",
    "uvicorn",
    "pandas",
    "plotly.graph_objects",
    "memviz",
    "memviz.storage.workspace",
)
MOMENT_SECONDS = 0.01


class Forked:
    """A process that was forked, with the parts of ``subprocess.Popen`` that servers need."""

    def __init__(
        self, command: Sequence[str], folder: Path, output: Path, env: Mapping[str, str]
    ) -> None:
        start = [list(command), str(folder), str(output), dict(env)]
        self.pid: int = _ask("start", start)
        self._code: int | None = None

    def poll(self) -> int | None:
        """How it ended, as ``subprocess`` says it; ``None`` while it lives."""
        if self._code is None:
            self._code = _ask("poll", self.pid)
        return self._code

    def wait(self, seconds: float = 60) -> int:
        """Wait until it has ended. Raises ``subprocess.TimeoutExpired``."""
        deadline = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a forked server", seconds)
            time.sleep(MOMENT_SECONDS)
        return code

    def terminate(self) -> None:
        """Ask it to end."""
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut does."""
        os.kill(self.pid, signal.SIGKILL)


@cache
def _template() -> subprocess.Popen[str]:
    """The process that is forked. It ends with this one, whose end it reads from."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.browser.forked"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ask(what: str, value: object) -> Any:
    template = _template()
    assert template.stdin is not None
    assert template.stdout is not None
    template.stdin.write(json.dumps([what, value]) + "\n")
    template.stdin.flush()
    return json.loads(template.stdout.readline())


def _start(command: list[str], folder: str, output: str, env: dict[str, str]) -> int:
    child = os.fork()
    if child:
        return child
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for number in (1, 2):
        os.dup2(written, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = command
    sys.path[0] = folder
    code = 0
    try:
        run_module(command[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    os._exit(code)


def _poll(pid: int) -> int | None:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def main() -> None:
    """Load everything, and do what the lines of the standard input ask for."""
    for module in LOADED:
        import_module(module)
    gc.collect()
    gc.freeze()  # else each child copies what it only looks through
    for line in sys.stdin:
        what, value = json.loads(line)
        answer = _start(*value) if what == "start" else _poll(value)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
