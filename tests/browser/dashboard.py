"""The dashboard as its own process, on a free port of 127.0.0.1."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.browser.forked import Forked

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 300
STOP_SECONDS = 60
TALK = """port => new Promise(answer => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/_stcore/stream`, ["streamlit"]);
  socket.onopen = () => answer("open");
  socket.onerror = () => answer("refused");
})"""
"""A script that says whether the server at a port lets this browser in to talk to its pages."""


class Dashboard:
    """A server over one database. It can be stopped and started again on the same port.

    It is forked from a process that has loaded the libraries; one that is measured begins afresh, as a user's does.
    """

    def __init__(
        self, folder: Path, app: Path = ROOT / "app.py", *, is_measured: bool = False
    ) -> None:
        self.app = app
        self.is_measured = is_measured
        self.database = folder / "memviz.db"
        self.output = folder / "server.log"
        self.port = free_port()
        self._process: Forked | subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def health_url(self) -> str:
        """An address of the server that draws nothing."""
        return f"{self.url}/_stcore/health"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> float:
        """Start and wait until the server answers; returns the seconds it took."""
        started = time.perf_counter()
        command = ["streamlit", "run", str(self.app), "--server.port", str(self.port)]
        environment = os.environ | {"MEMVIZ_DB": str(self.database)}
        if self.is_measured:
            with self.output.open("ab") as output:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", *command],
                    cwd=ROOT,
                    env=environment,
                    stdout=output,
                    stderr=output,
                )
        else:
            self._process = Forked(command, ROOT, self.output, environment)
        while not self._answers():
            assert self._process.poll() is None, (
                f"the server ended: {self.output.read_text()}"
            )
            assert time.perf_counter() - started < START_SECONDS, (
                f"no answer: {self.output.read_text()}"
            )
            time.sleep(0.02)
        return time.perf_counter() - started

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def kill(self) -> None:
        """End it as a power cut does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.health_url, timeout=1) as answer:  # noqa: S310 - our own
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])
