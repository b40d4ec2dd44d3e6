"""``memviz import``: what is in files comes into the library, and what cannot be read is told."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from memviz.storage.workspace import Workspace
from memviz.transcripts.loading import load_transcript
from tests.cli.terminal import NASTY, memviz, refused, written

SHAREGPT = [
    {
        "id": name,
        "conversations": [
            {"from": "human", "value": f"I am {name}"},
            {"from": "gpt", "value": "Hello"},
        ],
    }
    for name in ("Ann", "Ben", "Cleo")
]


def imported(library: Workspace) -> list[str]:
    """The titles in the library that are not samples, the oldest first."""
    return [
        e.title
        for e in reversed(library.store.conversations())
        if not e.id.startswith("sample-")
    ]


@pytest.fixture
def three(tmp_path: Path) -> Path:
    path = tmp_path / "three.json"
    path.write_text(json.dumps(SHAREGPT), encoding="utf-8")
    return path


def test_a_file_is_in_the_library_then(chat: Path, library: Workspace) -> None:
    (line,) = memviz("import", chat).lines
    entry = library.store.conversations()[0]
    assert line == f"1 · chat · 6 turns · 12 messages · {entry.format} · {entry.id}"
    assert library.conversation(entry.id)[0].messages == load_transcript(chat).messages


def test_a_file_with_several_brings_all_of_them_and_several_files_too(
    chat: Path, three: Path, library: Workspace
) -> None:
    shown = memviz("import", chat, three)
    assert [line.split(" · ")[0] for line in shown.lines] == ["1", "1", "2", "3"]
    assert len(imported(library)) == 4


def test_an_archive_is_opened(tmp_path: Path, chat: Path, three: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(chat, "chat.json")
        archive.write(three, "three.json")
    assert len(memviz("import", tmp_path / "all.zip").lines) == 4


def test_only_the_picked_ones(three: Path, library: Workspace) -> None:
    memviz("import", three, "--pick", 3, "--pick", 1, "--pick", 3)
    said = [
        library.conversation(e.id)[0].messages[0].content
        for e in library.store.conversations()[:2]
    ]
    assert sorted(said) == ["I am Ann", "I am Cleo"]
    assert len(imported(library)) == 2


def test_a_dry_run_shows_the_numbers_and_saves_nothing(
    three: Path, database: Path
) -> None:
    lines = memviz("import", three, "--dry-run").lines
    assert [line.split(" · ")[0] for line in lines] == ["1", "2", "3"]
    assert all(line.endswith(" · not saved") for line in lines)
    assert not database.exists()


def test_standard_input(chat: Path, library: Workspace) -> None:
    memviz("import", "-", stdin=chat.read_bytes())
    assert imported(library) == ["stdin"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_like_a_file(
    chat: Path, tmp_path: Path, library: Workspace
) -> None:
    from threading import Thread

    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(chat.read_bytes(),), daemon=True)
    writer.start()
    memviz("import", pipe)
    writer.join(60)
    assert imported(library) == ["pipe"]


def test_what_cannot_be_read_is_told_and_the_others_are_imported(
    tmp_path: Path, chat: Path, library: Workspace
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"a": [1, 2', encoding="utf-8")
    shown = memviz("import", broken, chat, tmp_path / "missing.json", tmp_path, code=1)
    assert imported(library) == ["chat"]
    assert len(shown.lines) == 1
    first, second, third = shown.err.splitlines()
    assert first.startswith("Error: ")
    assert "broken.json, line 1" in first
    assert "there is no such file" in second
    assert "this is a folder" in third


def test_a_conversation_that_cannot_be_read_is_told_and_the_others_are_imported(
    tmp_path: Path,
) -> None:
    path = tmp_path / "some.json"
    path.write_text(
        json.dumps(
            [*SHAREGPT, {"id": "x", "conversations": [{"from": 7, "value": 7}]}]
        ),
        encoding="utf-8",
    )
    shown = memviz("import", path, code=1)
    assert len(shown.lines) == 3
    assert "conversation 4" in shown.err


def test_warnings_of_the_reader_are_on_stderr(tmp_path: Path) -> None:
    path = tmp_path / "stray.json"
    path.write_bytes(
        b'[{"role": "user", "content": "caf\xe9"}, {"role": "assistant", "content": "yes"}]'
    )
    shown = memviz("import", path)
    assert "0xE9" in shown.err
    assert len(shown.lines) == 1


ANA_AND_BEN = (
    "Ana: I live in Lisbon.\nBen: Noted.\nAna: Where do I live?\nBen: In Lisbon.\n"
)


def test_who_the_user_is_can_be_said(tmp_path: Path, library: Workspace) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(ANA_AND_BEN, encoding="utf-8")
    refused(
        "import",
        path,
        code=1,
        words=("not clear who the user is", "'Ana'", "'Ben'", "--user"),
    )
    memviz("import", path, "--user", "Ana")
    (entry,) = library.store.conversations()[:1]
    roles = [message.role for message in library.conversation(entry.id)[0].messages]
    assert roles == ["user", "assistant", "user", "assistant"]
    assert memviz(
        "replay", path, "--user", "ben", "--strategy", "buffer", "--json"
    ).json
    refused("import", path, "--user", "Cid", code=1, words=("'Cid'", "'Ana'", "'Ben'"))


class TestWrongUse:
    def test_no_such_format(self, chat: Path, database: Path) -> None:
        refused(
            "import",
            chat,
            "--format",
            "nope",
            code=2,
            words=("no format", "'nope'", "openai_messages"),
        )
        refused(
            "import",
            chat,
            "--format",
            "chatgpt",
            code=2,
            words=("no format", "Did you mean chatgpt_export?"),
        )
        assert not database.exists()

    def test_a_format_that_it_is_not(self, chat: Path) -> None:
        shown = memviz("import", chat, "--format", "sharegpt", code=1)
        assert shown.out == ""
        assert "sharegpt" in shown.err

    def test_a_number_that_is_not_there(self, three: Path) -> None:
        refused(
            "import",
            three,
            "--pick",
            1,
            "--pick",
            9,
            code=1,
            words=("conversation 9", "from 1 to 3"),
        )

    def test_numbers_of_several_files(self, chat: Path, three: Path) -> None:
        shown = memviz("import", chat, three, "--pick", 1, code=2)
        assert "one FILE at a time" in shown.err

    def test_no_file(self) -> None:
        assert "FILE" in memviz("import", code=2).err

    def test_a_limit_that_is_no_number(
        self, chat: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MEMVIZ_IMPORT_FILE_BYTES", "many")
        refused("import", chat, code=1, words=("MEMVIZ_IMPORT_FILE_BYTES", "'many'"))

    def test_a_database_that_is_none(self, chat: Path, tmp_path: Path) -> None:
        refused("import", chat, "--db", chat, code=1, words=(str(chat),))
        refused("list", "--db", "mysql://x/y", code=1, words=("mysql",))


def test_too_much_on_standard_input_is_refused(
    chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMVIZ_IMPORT_FILE_BYTES", "20")
    shown = memviz("import", "-", stdin=chat.read_bytes(), code=1)
    assert "larger than the limit of 20 bytes" in shown.err


def test_the_database_option_goes_before_the_variable(
    chat: Path, tmp_path: Path, database: Path
) -> None:
    memviz("import", chat, "--db", tmp_path / "other.db")
    assert imported(Workspace(tmp_path / "other.db")) == ["chat"]
    assert not database.exists()


def test_nothing_in_a_title_reaches_the_terminal(tmp_path: Path) -> None:
    shown = memviz("import", written(tmp_path / "x.json", title=NASTY))
    (line,) = shown.out.splitlines()
    assert " · Plan[2J [bold red]B[/] :boom: reversed second 31mline · 6 turns" in line
    assert shown.out.replace("\n", "").isprintable()


def test_the_same_conversation_is_there_once_and_that_is_said(
    three: Path, library: Workspace
) -> None:
    first = memviz("import", three, "--pick", 1)
    again = memviz("import", three)
    assert len(imported(library)) == 3, "the two that were new"
    assert "is in the library already, as " in again.err
    assert again.err.count("Notice") == 1
    assert again.lines[0].split(" · ")[-1] == first.lines[0].split(" · ")[-1], (
        "the id of the one that is there"
    )
    assert memviz("import", three, "--again").err == ""
    assert len(imported(library)) == 6
