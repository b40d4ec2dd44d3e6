"""What is read from the file again, and when."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

import memviz
from memviz import Message, StorageError
from memviz.models.names import OFFLINE
from memviz.storage.store import Store
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.base import Transcript

TALK = Transcript((Message("user", "Hello"), Message("assistant", "Hi")), title="Talk")


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """The queries that were sent to any database."""
    sent: list[str] = []

    def keep(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        # A server is asked each time whether anybody has written.
        if statement.startswith("SELECT") and " FROM " in statement:
            sent.append(statement)

    event.listen(Engine, "before_cursor_execute", keep)
    yield sent
    event.remove(Engine, "before_cursor_execute", keep)


def test_is_read_once_until_somebody_writes(
    library: str, statements: list[str]
) -> None:
    store, other = Store(library), Store(library)
    id = store.add_conversation(TALK)
    assert store.entry(id).title == "Talk"
    statements.clear()
    for _ in range(5):
        assert store.entry(id).title == "Talk"
        assert store.exists(id)
        assert [entry.id for entry in store.page("", 50, 0).entries] == [id]
    assert len(set(statements)) == len(statements), "each at most once"
    for number, writer in enumerate((store, other), start=1):
        writer.rename(id, f"Talk {number}")
        assert store.entry(id).title == other.entry(id).title == f"Talk {number}"
        assert store.page("", 50, 0).entries[0].title == f"Talk {number}"
    other.delete(id)
    assert not store.exists(id)
    with pytest.raises(StorageError, match="deleted"):
        store.entry(id)


def test_other_arguments_are_another_question(library: str) -> None:
    store = Store(library)
    ids = store.add_conversations([TALK, Transcript(TALK.messages, title="Other")])
    assert [store.entry(id).title for id in ids] == ["Talk", "Other"]
    assert len(store.page("", 1, 0).entries) == 1
    assert len(store.page("", 2, 0).entries) == 2
    assert store.page("oth", 2, 0).total == 1


def test_a_database_in_memory_is_always_read() -> None:
    store = Store(":memory:")
    id = store.add_conversation(TALK)
    assert store.entry(id).title == "Talk"
    store.rename(id, "Renamed")
    assert store.entry(id).title == "Renamed"


def test_wordings_and_recordings_of_a_page_are_read_once(
    library: str, statements: list[str]
) -> None:
    """Compare asks for those of each value on the way of its handle."""
    workspace, other = Workspace(library), Store(library)
    id = workspace.store.add_conversation(TALK)
    keys = [
        RunKey(
            id,
            memviz.strategy("summary_buffer", summary_words=words),
            "chars4",
            OFFLINE,
        )
        for words in range(50, 90)
    ]
    workspace.conversation(id, None)
    statements.clear()
    assert not any(workspace.wordings(key) for key in keys)
    assert {workspace.recorded_for(key) for key in keys} == {OFFLINE}
    assert len(set(statements)) == len(statements), "each at most once"
    workspace.keep_wording(keys[0], 1, "Mine.")
    assert workspace.wordings(keys[0]) == {1: "Mine."}
    assert workspace.wordings(keys[1]) == {}
    (worded,) = other.find_wordings(id)
    other.remove_wording(id, worded, 1)
    assert workspace.wordings(keys[0]) == {}
