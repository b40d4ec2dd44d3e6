"""A real llama.cpp server with real weights, as a process of its own on 127.0.0.1.

It runs where ``MEMVIZ_TEST_WEIGHTS`` names a file of weights (.gguf) and the package xllamacpp is installed, as it is
under ``.ci/run``. Where the variable is set, nothing may be missing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

VARIABLE = "MEMVIZ_TEST_WEIGHTS"
WINDOW_TOKENS = 2048
MOST_TOKENS = 48
"""Of a reply: small models go on until their window is full."""
# One thread: several wait for each other in a loop, which takes ten times as long where other tests run beside it.
_SERVER = """
import sys
import xllamacpp
weights, window, most, tools = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_predict = weights, int(window), int(most)
params.hostnames, params.port = ["127.0.0.1"], 0
params.n_parallel, params.cpuparams.n_threads, params.warmup = 1, 1, False
params.sampling.temp, params.use_jinja = 0.0, tools == "True"
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def weights() -> Path:
    """The file of weights; skips the test where nobody named one."""
    named = os.environ.get(VARIABLE)
    if not named:
        pytest.skip(
            f"needs the package xllamacpp, and weights (.gguf) that {VARIABLE} names"
        )
    assert Path(named).is_file(), f"{VARIABLE} names no file: {named}"
    assert find_spec("xllamacpp"), (
        f"{VARIABLE} is set, and the package xllamacpp is not installed"
    )
    return Path(named)


@contextmanager
def llama_cpp_server(
    window_tokens: int = WINDOW_TOKENS,
    most_tokens: int = MOST_TOKENS,
    *,
    takes_tools: bool = True,
) -> Iterator[str]:
    """The address of a running server, such as ``127.0.0.1:41234``. One that ``takes_tools`` may well ignore them."""
    arguments = [str(weights()), str(window_tokens), str(most_tokens), str(takes_tools)]
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, f"the server ended with {process.wait()}"
            yield address.removeprefix("http://")
        finally:
            process.kill()  # what it is writing ends with it
