"""``memviz map``: what it says of a file beside the mapping, and where other commands name it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memviz.storage.workspace import Workspace
from tests.cli.terminal import memviz

ROWS = [
    {"no": 1, "direction": "in", "body": "Is the ferry on time?"},
    {"no": 2, "direction": "out", "body": "Yes, at 7:40."},
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.json"
    path.write_text(json.dumps({"log": ROWS}), encoding="utf-8")
    return path


def test_an_import_of_an_unknown_log_names_the_command(
    log: Path, library: Workspace
) -> None:
    assert (
        "memviz map harbour.json begins a mapping" in memviz("import", log, code=1).err
    )


def test_an_import_of_what_has_no_rows_does_not(
    tmp_path: Path, library: Workspace
) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"a": ', encoding="utf-8")
    assert "memviz map" not in memviz("import", path, code=1).err


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bare.json"
    path.write_text("[1, 2]", encoding="utf-8")
    said = memviz("map", path, code=None).err
    assert said.count("bare.json") == 1
    assert "by hand" in said


def test_a_saved_conversation_is_said_to_need_none(library: Workspace) -> None:
    said = memviz("map", "sample-trip", code=None).err
    assert "a saved conversation needs no mapping" in " ".join(said.split())


def test_a_known_format_needs_no_mapping(chat: Path) -> None:
    assert "chat.json needs no mapping" in memviz("map", chat).err


def test_an_unknown_log_needs_one(log: Path) -> None:
    assert "needs no mapping" not in memviz("map", log).err


def test_a_known_format_of_which_nothing_is_guessed_needs_none_either(
    tmp_path: Path,
) -> None:
    path = tmp_path / "one.json"
    path.write_text('[["Is it open?", "Until six."]]', encoding="utf-8")
    assert "one.json needs no mapping" in memviz("map", path, code=1).err
