"""Environments for libraries that cannot live together with memviz's own: each lies over the one that runs, so that
only the library and what it needs otherwise is installed there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def folder_of(package: str) -> Path:
    """Where the environment of a library is kept."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "memviz" / "conformance" / package


def made_environment(package: str) -> Path:
    """The Python of the environment of a library, which is made where there is none yet."""
    folder = folder_of(package)
    python = folder / "bin" / "python"
    done = folder / "installed"
    below = sysconfig.get_path("purelib")
    if done.is_file() and done.read_text(encoding="utf-8") == below:
        return python
    print(f"An environment for {package} is made in {folder}.", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    # What is installed there is found first, and everything else where this Python finds it.
    for packages in folder.glob("lib/python*/site-packages"):
        (packages / "below.pth").write_text(below, encoding="utf-8")
    subprocess.run([python, "-m", "pip", "install", "-q", package], check=True)
    done.write_text(below, encoding="utf-8")
    return python


def run_in_its_environment(package: str, conversations: int) -> list[Any]:
    """The verdicts of the judges of a library, as JSON has them, from its own environment."""
    command = [
        made_environment(package),
        "-m",
        "tests.conformance",
        "--here",
        f"--library={package}",
        f"--conversations={conversations}",
    ]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    verdicts: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return verdicts
