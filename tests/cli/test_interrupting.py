"""Ctrl-C ends a command at once, also while the summarizer's server says nothing."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.cli.terminal import MEMVIZ, ROOT
from tests.models.openai_server import OpenAIServer, openai_server, slow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals are others here"),
]

SOON_SECONDS = 10.0
"""What ending a process may take on a busy machine; the server is silent for longer."""
REPLAY = ("-s", "summary:buffer_size=1", "--model", "openai/gpt-5-mini", "--budget", "1", "--yes")  # fmt: skip


@pytest.fixture
def silent() -> Iterator[OpenAIServer]:
    with openai_server() as server:
        server.otherwise = slow(55)
        yield server


def _as_in_a_terminal() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so does what that starts: these tests, for example."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_acts_while_the_server_is_silent(
    chat: Path, silent: OpenAIServer
) -> None:
    """A replay stands for every command that asks a summarizer; what a sweep says of its end is in
    ``test_sweeping.py``."""
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": silent.api_base}
    started = subprocess.Popen(
        [*MEMVIZ, "replay", str(chat), *REPLAY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | keys,
        start_new_session=True,
        preexec_fn=_as_in_a_terminal,
    )
    try:
        while not silent.requests:
            assert started.poll() is None, started.communicate()
            sleep(0.02)
        interrupted = monotonic()
        os.killpg(started.pid, signal.SIGINT)
        _, err = started.communicate(timeout=60)
        assert monotonic() - interrupted < SOON_SECONDS
        assert started.returncode == 130
        assert b"Traceback" not in err
        assert b"Nothing of this run was saved." in err
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.communicate()
