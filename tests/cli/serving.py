"""A dashboard that the command started, and what it answers."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.terminal import MEMVIZ, ROOT

START_SECONDS = 300


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextmanager
def started(
    folder: Path, *options: str, code_in: Path = ROOT
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The dashboard in its own process, started from ``folder``, once it answers."""
    port = free_port()
    with subprocess.Popen(
        [*MEMVIZ, "ui", "--port", str(port), *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(code_in)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as server:
        try:
            deadline = time.monotonic() + START_SECONDS
            while answer(port, "/_stcore/health") != "ok":
                assert server.poll() is None, "the server ended"
                assert time.monotonic() < deadline, "no answer"
                time.sleep(0.05)
            yield server, port
        finally:
            server.kill()


def answer(port: int, path: str) -> str:
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}{path}", timeout=60
        ) as reply:
            return str(reply.read().decode())
    except (urllib.error.URLError, OSError):
        return ""
