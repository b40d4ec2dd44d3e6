"""A library that memviz 0.1 left: it is copied aside, and what it holds is brought over once.

``library_of_0_1.db.gz`` was written by memviz 0.1 (file version 10), with a store: a chat held under `summary` that
recalls and pins, an import with a replay, a free run, a wording and a judged answer, a deleted conversation, one whose
probes are damaged, the session of a `MemoryStore`, a finished cell, a recording, and two lessons.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memviz
from memviz import Chat, MemoryStore, Message, ScriptedModel, StorageError, ToolCall
from memviz.models.recordings.files import read_recording
from memviz.storage.store import Store
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.base import Probe, Transcript
from tests.same_runs import contents
from tests.storage.stored_runs import stored_runs

LIBRARY = Path(__file__).with_name("library_of_0_1.db.gz")
IMPORTED = Transcript(
    (
        Message("system", "Rules."),
        Message("user", "Rain?"),
        Message("system", "It is May."),
        Message("user", "I mean today, 搬家."),
        Message(
            "assistant",
            "",
            tool_calls=(ToolCall("c1", "weather", '{"day": "today"}'),),
        ),
        Message("tool", "No rain.", tool_call_id="c1", name="weather"),
        Message("assistant", "No.", meta={"n": 1}),
        Message("user", "And then?"),
        Message("assistant", "Sun."),
    ),
    title="Imported",
    format="openai",
    probes=(
        Probe("What falls?", ("No rain", "nothing"), (5,), "value", ("Rain",)),
        Probe("When?", ("today",), (3,), "value", by_user=True),
    ),
    warnings=("One line was left out.",),
    system_prompt="Answer briefly.",
    description="About rain",
    language="en",
    held_at=datetime(2026, 5, 1, 12, tzinfo=UTC),
    tools=('{"name": "weather"}',),
)
FIRST_VERSION = """
    DROP TABLE lesson;
    DROP TABLE recording;
    DROP TABLE wording;
    DROP TABLE judged_answer;
    DROP TABLE cell;
    DROP TABLE free_run;
    ALTER TABLE run DROP COLUMN ahead;
    ALTER TABLE run DROP COLUMN earlier_settings;
    ALTER TABLE conversation DROP COLUMN held_at;
    ALTER TABLE conversation DROP COLUMN events;
    ALTER TABLE conversation DROP COLUMN tools;
    ALTER TABLE summary DROP COLUMN track;
    UPDATE conversation SET turn_count = 3 WHERE id = 'imported';
    PRAGMA user_version = 1;
"""
"""Makes a file of version 10 one of version 1, which counted one turn more where a system message parts the user's."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memviz.db"
    path.write_bytes(gzip.decompress(LIBRARY.read_bytes()))
    return path


def make_first_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.executescript(FIRST_VERSION)


def all_of(path: Path) -> list[str]:
    """The whole file as SQL, and its version."""
    with closing(sqlite3.connect(path)) as file:
        return [*file.iterdump(), *map(str, file.execute("PRAGMA user_version"))]


def schema(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The columns of every table, in the order of their names."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        ).fetchall()
        return {
            name: sorted(
                row[1:] for row in connection.execute(f"PRAGMA table_info({name})")
            )
            for (name,) in tables
        }


def test_chats_imports_probes_recordings_and_lessons_come_along(path: Path) -> None:
    store = Store(path)
    assert store.conversation("imported") == IMPORTED
    entries = {entry.title: entry for entry in store.conversations()}
    assert set(entries) == {"Imported", "Held in Chat", "ada"}
    held = entries["Held in Chat"]
    assert (held.message_count, held.turn_count, held.format) == (12, 6, "chat")
    assert [message.content for message in store.conversation(held.id).messages][
        :3
    ] == ["Question 1?", "Answer 1.", "Question 2?"]
    assert {id: store.kept("lesson", id) for id in store.kept_keys("lesson")} == {
        "mine": "title: 过敏\n",
        "second": "title: Second\n",
    }
    content = store.kept("recording", "opened")
    assert content is not None
    assert read_recording(content.encode("latin-1"), "opened").replies
    store.close()


def test_what_was_deleted_can_be_restored_and_what_is_damaged_is_named(
    path: Path,
) -> None:
    store = Store(path)
    store.restore("deleted")
    assert store.entry("deleted").title == "Deleted"
    (damaged,) = store.page("", 50, 0).unreadable
    assert (damaged.title, "the value of probes is damaged" in damaged.problem) == (
        "Damaged",
        True,
    )
    (problem,) = store.check()
    assert "Conversation 'Damaged'" in problem
    store.close()


def test_runs_are_made_again(path: Path) -> None:
    workspace = Workspace(path)
    (id,) = workspace.store.conversation_ids("chat")
    assert (
        stored_runs(workspace.store, id)
        == stored_runs(workspace.store, "imported")
        == []
    )
    strategy = memviz.strategy("summary", buffer_size=1)
    key = RunKey(id, strategy, "chars4", "offline")
    assert workspace.kept_run(key) is None
    run = workspace.run(key, memviz.model("offline"))
    assert contents(Workspace(path).kept_run(key)) == contents(run)


def test_a_chat_goes_on_over_its_messages(path: Path) -> None:
    workspace = Workspace(path)
    (id,) = workspace.store.conversation_ids("chat")
    assert workspace.held_chat(id) is None
    work = workspace.deriving_chat(
        id, "chars4", memviz.model("offline"), memviz.strategy("summary")
    )
    work.wait(60)
    assert work.run is not None
    chat = Chat.resume(
        work.run, model=ScriptedModel(["Answer 7."]), summarizer="offline"
    )
    chat.send("Question 7?")
    workspace.save_chat(id, chat, "offline")
    held = Workspace(path).held_chat(id)
    assert contents(held) == contents(chat.run)
    assert chat.run.log.turn_count == 7


def test_the_session_of_a_memory_goes_on(path: Path) -> None:
    memory = MemoryStore(memviz.strategy("buffer"), persistence=path, counter="chars4")
    assert memory.sessions() == ("ada",)
    said = [Message("user", "I am Ada."), Message("assistant", "Hello.")]
    assert memory.memory("ada").get_all() == said
    memory.append("ada", Message("user", "Who am I?"))
    again = MemoryStore(memviz.strategy("buffer"), persistence=path, counter="chars4")
    assert again.memory("ada").get_all() == [*said, Message("user", "Who am I?")]


@pytest.mark.parametrize("version", [1, 10])
def test_it_becomes_what_a_new_file_is_and_is_read_once(
    path: Path, tmp_path: Path, version: int, caplog: pytest.LogCaptureFixture
) -> None:
    if version == 1:
        make_first_version(path)
    Store(tmp_path / "new.db").close()
    store = Store(path)
    assert store.entry("imported").turn_count == 2
    assert store.conversation("imported").messages == IMPORTED.messages
    store.close()
    assert schema(path) == schema(tmp_path / "new.db")
    Store(path).close()
    assert caplog.text.count("A copy") == 1, "a file that is up to date is not copied"


def test_it_is_copied_first_and_the_log_says_where(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = all_of(path)
    for version in range(2, 11):  # copies of earlier upgrades: only so many are kept
        path.with_name(f"memviz.db.before-v{version}").touch()
        os.utime(path.with_name(f"memviz.db.before-v{version}"), (version, version))
    Store(path).close()
    copy = path.with_name("memviz.db.before-v11")
    assert f"A copy as it was before is {copy}." in caplog.text
    assert all_of(copy) == before
    assert len(list(path.parent.glob("*.before-v*"))) == 3


def test_without_a_copy_it_is_left_as_it_is(path: Path) -> None:
    before = all_of(path)
    path.with_name("memviz.db.before-v11").mkdir()
    with pytest.raises(StorageError, match=r"before-v.* could not be written"):
        Store(path)
    assert all_of(path) == before
