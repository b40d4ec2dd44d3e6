"""The file on disk: who may read it, and what happens where it is removed or replaced while it is in use."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from memviz import Message, StorageError
from memviz.core.storage_errors import DatabaseMovedError
from memviz.storage.database_file import ABANDONED_SECONDS
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript

needs_rights = pytest.mark.skipif(
    os.name == "nt", reason="rights of files are those of POSIX"
)
needs_open_files_removed = pytest.mark.skipif(
    os.name == "nt", reason="Windows removes no file that is open"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "chats.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store(path)
    yield store
    store.close()


def add(store: Store, title: str) -> str:
    return store.add_conversation(
        Transcript((Message("user", f"This is {title}."),), title=title)
    )


def titles(store: Store) -> list[str]:
    return sorted(entry.title for entry in store.conversations(limit=-1))


def remove(path: Path) -> None:
    path.unlink()


def remove_with_logs(path: Path) -> None:
    for file in list(path.parent.glob(path.name + "*")):
        file.unlink()


def remove_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def move_away(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def put_empty_file(path: Path) -> None:
    path.unlink()
    path.touch()


def restore_a_backup(path: Path) -> None:
    other = Store(path.with_name("backup.db"))
    add(other, "restored")
    other.close()
    os.replace(path.with_name("backup.db"), path)


def remove_log(path: Path) -> None:
    path.with_name(path.name + "-wal").unlink()


def remove_index_of_log(path: Path) -> None:
    path.with_name(path.name + "-shm").unlink()


REMOVALS = [remove, remove_with_logs, remove_folder, move_away]
REPLACEMENTS = [put_empty_file, restore_a_backup]
LOST_LOGS = [remove_log, remove_index_of_log]


@needs_open_files_removed
@pytest.mark.parametrize("loss", [*REMOVALS, *REPLACEMENTS, *LOST_LOGS])
def test_no_save_succeeds_where_nobody_could_find_it(
    store: Store, path: Path, loss: Callable[[Path], None]
) -> None:
    add(store, "before")
    assert not store.problem
    loss(path)
    assert str(path) in store.problem
    for number in range(20):
        with pytest.raises(
            DatabaseMovedError, match=r"while memviz was using it\. Nothing was saved\."
        ):
            add(store, str(number))
    assert titles(store) == ["before"], "what was saved can still be read"


@needs_open_files_removed
@pytest.mark.parametrize("loss", REMOVALS)
def test_all_that_a_removed_file_held_is_written_to_a_new_one(
    store: Store, path: Path, loss: Callable[[Path], None]
) -> None:
    for number in range(30):  # more than was copied from the log into the file itself
        add(store, f"before {number}")
    loss(path)
    assert store.rescue() == str(path)
    assert not store.problem
    add(store, "after")
    again = Store(path)
    assert (
        titles(again)
        == titles(store)
        == sorted(["after", *(f"before {number}" for number in range(30))])
    )
    again.close()


@needs_open_files_removed
@pytest.mark.parametrize("loss", REPLACEMENTS)
def test_a_file_that_took_the_place_is_left_as_it_is(
    store: Store, path: Path, loss: Callable[[Path], None]
) -> None:
    add(store, "before")
    loss(path)
    content = path.read_bytes()
    rescued = Path(store.rescue())
    assert rescued.parent == path.parent
    assert rescued.name.startswith("chats-rescued-20")
    assert path.read_bytes() == content
    add(store, "after")
    again = Store(rescued)
    assert titles(again) == ["after", "before"]
    again.close()
    now_there = Store(path)
    assert titles(now_there) == (["restored"] if content else [])
    now_there.close()


@needs_open_files_removed
@pytest.mark.parametrize("loss", LOST_LOGS)
def test_without_its_log_a_file_is_copied_whole(
    store: Store, path: Path, loss: Callable[[Path], None]
) -> None:
    add(store, "before")
    loss(path)
    rescued = Path(store.rescue())
    assert rescued != path
    for file in (path, rescued):
        again = Store(file)
        assert titles(again) == ["before"]
        again.close()


@needs_open_files_removed
@pytest.mark.parametrize("ends", [Store.close, lambda store: None])
def test_a_backup_put_in_place_is_not_mixed_with_what_was_saved_last(
    path: Path, ends: Callable[[Store], None]
) -> None:
    store = Store(path)
    add(store, "before")
    path.rename(path.with_name("elsewhere.db"))
    other = Store(path.with_name("backup.db"))
    add(other, "restored")
    other.close()
    path.with_name("backup.db").rename(path)
    ends(store)
    del store
    gc.collect()
    for file, expected in (
        (path, "restored"),
        (path.with_name("elsewhere.db"), "before"),
    ):
        again = Store(file)
        assert titles(again) == [expected]
        again.close()


@needs_open_files_removed
@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("loss", [remove, remove_with_logs, restore_a_backup])
def test_a_path_may_be_relative_or_a_link(
    path: Path,
    loss: Callable[[Path], None],
    linked: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path.parent.mkdir()
    monkeypatch.chdir(path.parent.parent)
    given = Path("link.db") if linked else Path("folder/chats.db")
    if linked:
        given.symlink_to(path)
    store = Store(given)
    add(store, "before")
    loss(path)
    with pytest.raises(DatabaseMovedError, match=str(given)):
        add(store, "lost")
    if loss is restore_a_backup:
        store.reopen()
        assert titles(store) == ["restored"]
    else:
        assert store.rescue() == str(given)
        assert titles(store) == ["before"]
    add(store, "after")
    store.close()
    assert path.exists()


@needs_open_files_removed
def test_a_second_rescue_overwrites_nothing(store: Store, path: Path) -> None:
    add(store, "before")
    put_empty_file(path)
    first = Path(store.rescue())
    assert store.rescue() == str(first), "there is nothing to rescue any more"
    move_away(first)
    first.touch()
    path.touch()
    assert Path(store.rescue()).name == f"{first.stem}-rescued-{first.stem[-10:]}.db"
    assert first.read_bytes() == b""


@needs_open_files_removed
def test_one_can_go_on_with_the_file_that_is_there_now(
    store: Store, path: Path
) -> None:
    add(store, "before")
    restore_a_backup(path)
    store.reopen()
    add(store, "after")
    assert not store.problem
    assert titles(store) == ["after", "restored"]


@needs_open_files_removed
def test_a_file_that_cannot_be_gone_on_with_costs_nothing(
    store: Store, path: Path
) -> None:
    add(store, "before")
    path.unlink()
    path.write_text("Dear diary, " * 500)
    with pytest.raises(StorageError, match="not a memviz database"):
        store.reopen()
    assert titles(store) == ["before"]
    rescued = Store(store.rescue())
    assert titles(rescued) == ["before"]
    rescued.close()


@needs_open_files_removed
@pytest.mark.parametrize("loss", [remove, restore_a_backup])
def test_a_file_that_goes_while_something_is_written_is_noticed(
    store: Store, path: Path, loss: Callable[[Path], None]
) -> None:
    event.listen(Engine, "commit", lambda _: loss(path), once=True)
    with pytest.raises(DatabaseMovedError):
        add(store, "lost")


@needs_open_files_removed
def test_no_reader_opens_another_file_in_place_of_the_lost_one(
    store: Store, path: Path
) -> None:
    add(store, "before")
    restore_a_backup(path)

    def read(_: int) -> list[str]:
        try:
            return titles(store)
        except DatabaseMovedError:
            return ["before"]

    with ThreadPoolExecutor(16) as threads:
        assert {title for found in threads.map(read, range(64)) for title in found} == {
            "before"
        }
    remove(path)
    with ThreadPoolExecutor(16) as threads:
        assert {title for found in threads.map(read, range(64)) for title in found} == {
            "before"
        }
    assert not path.exists(), "no empty file was put in its place"


@needs_open_files_removed
def test_of_two_programs_each_keeps_what_it_had(path: Path, store: Store) -> None:
    other = Store(path)
    add(store, "one")
    add(other, "two")
    remove(path)
    for each in (store, other):
        with pytest.raises(DatabaseMovedError):
            add(each, "lost")
    assert store.rescue() == str(path)
    add(store, "three")
    with pytest.raises(DatabaseMovedError, match="Another file has taken the place"):
        add(other, "lost")
    other.reopen()
    add(other, "four")
    assert titles(store) == titles(other) == ["four", "one", "three", "two"]
    other.close()


@needs_rights
@pytest.mark.parametrize("mask", [0o022, 0o000])
def test_a_new_file_and_its_logs_are_for_their_owner_alone(
    path: Path, mask: int
) -> None:
    before = os.umask(mask)
    try:
        store = Store(path)
        add(store, "private")
        modes = {
            file.name: stat.S_IMODE(file.stat().st_mode)
            for file in path.parent.iterdir()
        }
        store.close()
    finally:
        os.umask(before)
    assert modes == {"chats.db": 0o600, "chats.db-wal": 0o600, "chats.db-shm": 0o600}


@needs_rights
def test_a_file_that_was_there_keeps_its_rights(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    path.chmod(0o640)
    Store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_backup_is_whole_while_others_write(store: Store, path: Path) -> None:
    add(store, "first")
    target = path.parent / "copy.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE conversation SET title = 'half written'")
        store.back_up(target)
        writer.execute("ROLLBACK")
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "chats.db",
        "chats.db-shm",
        "chats.db-wal",
        "copy.db",
    ]
    if os.name != "nt":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    copy = Store(target)
    assert titles(copy) == ["first"]
    copy.close()


def test_a_backup_overwrites_only_what_it_was_asked_to(
    store: Store, path: Path
) -> None:
    target = path.parent / "copy.db"
    target.write_text("something else")
    add(store, "first")
    with pytest.raises(StorageError, match="is there already, so nothing was written"):
        store.back_up(target)
    assert target.read_text() == "something else"
    store.back_up(target, overwrite=True)
    copy = Store(target)
    assert titles(copy) == ["first"]
    copy.close()
    with pytest.raises(StorageError, match=r"nowhere.* could not be written"):
        store.back_up(path.parent / "nowhere" / "copy.db")
    with pytest.raises(StorageError, match="in memory only"):
        Store(":memory:").back_up(target)


def test_copies_of_killed_programs_are_removed_and_none_that_is_being_written(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "library.db")
    target = tmp_path / "backup [1].db"
    abandoned, under_way, of_another = (
        tmp_path / name
        for name in (
            f".{target.name}.old.part",
            f".{target.name}.new.part",
            ".backup 2.db.old.part",
        )
    )
    for part in (abandoned, under_way, of_another):
        part.write_bytes(b"half a copy")
    for part in (abandoned, of_another):
        os.utime(part, (time.time() - 2 * ABANDONED_SECONDS,) * 2)
    store.back_up(target)
    assert target.exists()
    assert [part.exists() for part in (abandoned, under_way, of_another)] == [
        False,
        True,
        True,
    ]


@pytest.mark.slow
def test_a_damaged_schema_is_a_sentence_whatever_python_makes_of_it(path: Path) -> None:
    """SQLite's own error quotes the damaged schema, and Python cannot decode the quotation."""
    Store(path).close()
    whole = path.read_bytes()
    start, met = whole.index(b"CREATE TABLE"), 0
    for place in range(start - 30, start + 60, 6):
        path.write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
        with closing(sqlite3.connect(path)) as raw:
            try:
                raw.execute("SELECT count(*) FROM sqlite_master").fetchone()
                continue
            except sqlite3.Error:
                continue
            except UnicodeDecodeError:
                met += 1
        with pytest.raises(StorageError, match="or it is damaged"):
            Store(path)
        gc.collect()  # what was opened is closed without a word
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    assert met, "no damage here is one that Python cannot read"
