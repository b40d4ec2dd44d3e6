"""The files behind addresses: of a folder, a pattern, another file system; and what is said where there is none."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest

from memviz import Message, Transcript
from memviz.cli.inputs import sources_of
from memviz.core.errors import TranscriptError
from memviz.testing.conversations import read_conversations
from memviz.transcripts.export import to_json
from memviz.transcripts.fleet.addresses import (
    SWEPT_FOLDERS,
    _list_files_below,
    digest_address,
    find_files,
    list_folder,
    strip_secrets,
)
from memviz.tuning.fleet.tables import TABLES
from tests.tables import for_each


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


def test_a_link_to_a_file_is_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.jsonl").write_text("{}")
    (folder / "c.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    (folder / "d.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    assert names(folder)[-2:] == ["b.jsonl", "c.jsonl"]
    assert names(folder / "*.jsonl") == ["b.jsonl", "c.jsonl"]
    assert names(folder / "c.jsonl") == ["c.jsonl"]


def test_patterns_pass_over_what_is_hidden(folder: Path) -> None:
    (folder / "_logs").mkdir()
    (folder / "_logs" / "x.jsonl").write_text("{}")
    assert names(folder / "*") == ["b.jsonl"]
    assert names(folder / "*" / "*.jsonl") == ["a/1.jsonl"]
    assert names(folder / "_logs" / "*.jsonl") == ["x.jsonl"]


def test_what_a_sweep_has_written_is_no_source(folder: Path) -> None:
    assert set(TABLES) == SWEPT_FOLDERS
    for table in SWEPT_FOLDERS:
        part = folder / "swept" / table / "part-000000.parquet"
        part.parent.mkdir(parents=True)
        part.write_text("PAR1")
    (folder / "swept" / "manifest.json").write_text("{}")
    assert names(folder) == ["a/1.jsonl", "a/2.jsonl.gz", "b.jsonl"]
    assert names(folder / "**" / "*") == ["a/1.jsonl", "a/2.jsonl.gz", "b.jsonl"]


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


@for_each(
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
    assert strip_secrets(signed) == "https://host.example/logs/x.jsonl"
    chained = "zip://a.json::filecache::https://me:a/key@host/x.zip#access_token=1234"
    assert strip_secrets(chained) == "zip://a.json::filecache::https://host/x.zip"
    for address in ("https://host:80/a@b", "s3://bucket/a@b/*.jsonl"):
        assert strip_secrets(address) == address
    with pytest.raises(TranscriptError) as failure:
        list(find_files(["nonsense://me:key@host/x?signature=1234"]))
    assert "key" not in str(failure.value)
    assert "1234" not in str(failure.value)


@for_each("signature", ["?sig=1234", "#access_token=1234"])
def test_a_name_holds_nothing_that_signs_an_address(signature: str) -> None:
    path = f"https://host/x.jsonl{signature}"
    info = {"name": path, "type": "file"}
    files = SimpleNamespace(isfile=lambda path: True, info=lambda path: info)
    assert list(_list_files_below(files, path)) == [("x.jsonl", info)]


def test_the_digest_is_of_names_sizes_and_versions(folder: Path) -> None:
    before = digest_address(find_files([str(folder)]))
    assert before == digest_address(find_files([str(folder)]))
    assert before[1] == 3
    os.utime(folder / "b.jsonl", (5, 5))
    assert digest_address(find_files([str(folder)]))[0] != before[0]
    os.utime(folder / "b.jsonl", (6, 6))
    before = digest_address(find_files([str(folder)]))
    (folder / "b.jsonl").write_text("longer than before")
    assert digest_address(find_files([str(folder)]))[0] != before[0]
