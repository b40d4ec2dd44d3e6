"""``memviz export``: a conversation leaves as it came, in any format there is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memviz.storage.workspace import Workspace
from memviz.transcripts.export import EXPORTS
from memviz.transcripts.loading import load_transcript
from tests.cli.terminal import memviz, refused


@pytest.mark.parametrize("name", EXPORTS)
def test_stdout_has_the_text_of_the_export(name: str, library: Workspace) -> None:
    transcript, _ = library.conversation("sample-chinese")
    assert memviz("export", "sample-chinese", "--to", name).out == EXPORTS[name].write(
        transcript
    ).replace("\r\n", "\n")


def test_a_file_has_the_very_bytes(chat: Path) -> None:
    shown = memviz("export", chat, "--to", "csv", "-o", "out.csv")
    assert (
        Path("out.csv").read_bytes()
        == EXPORTS["csv"].write(load_transcript(chat)).encode()
    )
    assert shown.out == ""
    assert "out.csv" in shown.err


def test_what_was_exported_can_be_imported(chat: Path) -> None:
    memviz("export", chat, "--to", "memviz", "-o", "kept.json")
    assert load_transcript("kept.json").messages == load_transcript(chat).messages


def test_one_conversation_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    talks = [
        {"conversations": [{"from": "human", "value": f"I am {name}"}]}
        for name in ("Ann", "Ben")
    ]
    path.write_text(json.dumps(talks), encoding="utf-8")
    assert (
        memviz("export", path, "--to", "openai", "--conversation", 2).json[0]["content"]
        == "I am Ben"
    )


def test_no_such_export(chat: Path) -> None:
    refused("export", chat, "--to", "colours", code=2, words=("'colours'", *EXPORTS))


def test_no_such_conversation() -> None:
    refused(
        "export",
        "nothing",
        "--to",
        "csv",
        code=1,
        words=("no saved conversation 'nothing'",),
    )


def test_the_conversation_is_never_written_over(chat: Path) -> None:
    before = chat.read_bytes()
    refused(
        "export",
        chat,
        "--to",
        "csv",
        "-o",
        chat.parent / "here" / ".." / chat.name,
        code=1,
        words=("itself",),
    )
    assert chat.read_bytes() == before


def test_the_help_names_every_export() -> None:
    text = " ".join(memviz("export", "--help").out.split())
    assert all(name in text for name in EXPORTS)
