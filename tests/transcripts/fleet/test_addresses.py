"""The files behind addresses: of a folder, a pattern, another file system; and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from memviz import Message, Transcript
from memviz.cli.inputs import sources_of
from memviz.core.errors import TranscriptError
from memviz.testing.conversations import read_conversations
from memviz.transcripts.export import to_json
from memviz.transcripts.fleet.addresses import (
    digest_of,
    find_files,
    list_folder,
    without_secrets,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.jsonl", "a/2.jsonl.gz", "a/1.jsonl", ".hidden", "_SUCCESS"):
        file = tmp_path / "logs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path / "logs"


def names(*addresses: object) -> list[str]:
    return [file.name for file in find_files([str(one) for one in addresses])]


def test_a_folder_has_its_files_in_order_and_nothing_hidden(folder: Path) -> None:
    assert names(folder) == ["a/1.jsonl", "a/2.jsonl.gz", "b.jsonl"]


def test_whatever_reads_a_folder_reads_the_same_files(tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    read = ("Z.json", "_chat.json", "a/b/1.json", "a/what?.json", "b.json")
    hidden = (".c.json", ".git/1.json", "_SUCCESS", "_log/1.json", "a/.c.json")
    for name in (*read, *hidden, "../elsewhere.json"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(to_json(Transcript((Message("user", "Hello."),), title=name)))
    (folder / "link.json").symlink_to(tmp_path / "elsewhere.json")
    (folder / "gone.json").symlink_to(tmp_path / "nowhere.json")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    paths = [folder / name for name in (*read, "link.json")]
    assert list_folder(folder) == paths
    assert [Path(file.path) for file in find_files([str(folder)])] == paths
    assert [Path(source.file) for source in sources_of(str(folder), None)] == paths
    titles = [transcript.title for transcript in read_conversations(folder)]
    assert titles == [*read, "../elsewhere.json"]


def test_a_file_and_a_pattern_have_theirs(folder: Path) -> None:
    assert names(folder / "b.jsonl") == ["b.jsonl"]
    assert names(folder / "a" / "*.jsonl") == ["1.jsonl"]
    assert names(f"{folder}/*/*") == ["a/1.jsonl", "a/2.jsonl.gz"]


def test_several_addresses_are_numbered_through(folder: Path) -> None:
    files = list(find_files([str(folder / "b.jsonl"), str(folder / "a")]))
    assert [file.number for file in files] == [0, 1, 2]
    assert [file.size_bytes for file in files] == [7, 9, 12]


def test_a_link_to_a_folder_above_is_not_followed(folder: Path) -> None:
    (folder / "a" / "loop").symlink_to(folder, target_is_directory=True)
    assert len(names(folder)) == 3


def test_another_file_system_is_read_through_fsspec() -> None:
    files = fsspec.filesystem("memory")
    files.pipe_file("/fleet-logs/x/1.jsonl", b"{}\n")
    try:
        (file,) = find_files(["memory://fleet-logs"])
        assert file.name == "x/1.jsonl"
        with file.open() as stream:
            assert stream.read() == b"{}\n"
    finally:
        files.rm("/fleet-logs", recursive=True)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nowhere", "no file"),
        ("nowhere/*.jsonl", "no file"),
        ("nonsense://host/x", "nonsense"),
    ],
)
def test_where_nothing_is_a_sentence_says_so(address: str, words: str) -> None:
    with pytest.raises(TranscriptError, match=words):
        list(find_files([address]))


def test_no_password_and_no_signature_is_written_down() -> None:
    signed = "https://me:key@host.example/logs/x.jsonl?signature=1234"
    assert without_secrets(signed) == "https://host.example/logs/x.jsonl"
    with pytest.raises(TranscriptError) as failure:
        list(find_files(["nonsense://me:key@host/x?signature=1234"]))
    assert "key" not in str(failure.value)
    assert "1234" not in str(failure.value)


def test_the_digest_is_of_names_and_sizes(folder: Path) -> None:
    before = digest_of(find_files([str(folder)]))
    assert before == digest_of(find_files([str(folder)]))
    assert before[1] == 3
    (folder / "b.jsonl").write_text("longer than before")
    assert digest_of(find_files([str(folder)]))[0] != before[0]
