"""Real conversations from outside the repository: pages have to work with what people really said, whatever format it
was kept in. They are read where they lie, if MEMVIZ_TEST_DATA names the folder."""

from __future__ import annotations

import os
from pathlib import Path

from memviz.transcripts.base import Transcript
from memviz.transcripts.loading import load_file

VARIABLE = "MEMVIZ_TEST_DATA"
FOLDER = Path(os.environ.get(VARIABLE, "")) / "real"
MISSING = f"set {VARIABLE} to the folder with real/ to run these"


def is_there() -> bool:
    return bool(os.environ.get(VARIABLE)) and FOLDER.is_dir()


def real_conversations() -> dict[str, list[Transcript]]:
    """The conversations of every file, by its name."""
    return {
        path.name: list(load_file(path).transcripts)
        for path in sorted(FOLDER.iterdir())
    }
