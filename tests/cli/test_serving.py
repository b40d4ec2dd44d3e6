"""``memviz ui``: the dashboard answers on this machine alone, looks as configured, and ends when told to."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memviz.dashboard import dashboard_folder
from tests.cli.terminal import MEMVIZ, ROOT, memviz, process

START_SECONDS = 300
STOP_SECONDS = 60


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextmanager
def started(folder: Path, code_in: Path = ROOT) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The dashboard in its own process, started from ``folder``, once it answers."""
    port = free_port()
    with subprocess.Popen(
        [*MEMVIZ, "ui", "--port", str(port)], cwd=folder, env=os.environ | {"PYTHONPATH": str(code_in)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as server:  # fmt: skip
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
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
            return str(reply.read().decode())
    except (urllib.error.URLError, OSError):
        return ""


@pytest.mark.skipif(os.name != "posix", reason="no SIGINT for one process here")
def test_it_starts_from_anywhere_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    with started(tmp_path) as (server, port):
        assert '<div id="root">' in answer(port, "/")
        server.send_signal(signal.SIGINT)
        assert server.wait(STOP_SECONDS) == 0
        assert server.stdout is not None
        assert b"Traceback" not in server.stdout.read()


@pytest.mark.slow
def test_a_port_that_is_taken_is_told_with_an_exit_code(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        shown = process("ui", "--port", held.getsockname()[1], folder=tmp_path)
    assert shown.code == 1
    assert "not available" in shown.out + shown.err


def test_what_streamlit_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[str] = []

    def streamlit(arguments: list[str], prog_name: str) -> int:
        told.extend(arguments)
        return 7

    monkeypatch.setattr("streamlit.web.cli.main", streamlit)
    assert memviz("ui", "--db", tmp_path / "mine.db", code=None).code == 7  # its exit code is passed on
    assert told == ["run", str(ROOT / "app.py"), "--server.port", "8501", "--server.address", "127.0.0.1"]
    assert os.environ["MEMVIZ_DB"] == str(tmp_path / "mine.db")


@pytest.mark.parametrize("port", ["0", "65536", "many"])
def test_a_port_that_is_none(port: str) -> None:
    assert "--port" in memviz("ui", "--port", port, code=2).err


def test_the_configuration_lies_where_streamlit_looks_for_it() -> None:
    folder = dashboard_folder()
    assert (folder / "app.py").is_file()
    assert "[theme.light]" in (folder / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert (folder / "pages" / "compare.py").is_file()
