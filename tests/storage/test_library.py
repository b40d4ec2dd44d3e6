"""The library: list, search, rename, delete and bring back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import memviz
from memviz import Message, StorageError
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.same_runs import contents
from tests.storage.stored_runs import stored_runs


@pytest.fixture
def store(library_opened_once: str) -> Iterator[Store]:
    store = Store(library_opened_once)
    yield store
    store.close()


def add(store: Store, title: str, *contents: str) -> str:
    return store.add_conversation(
        Transcript(tuple(Message("user", text) for text in contents), title=title)
    )


def titles(store: Store, search: str = "", **page: int) -> list[str]:
    return [entry.title for entry in store.conversations(search, **page)]


def test_the_last_changed_comes_first_page_by_page(store: Store) -> None:
    ids = [add(store, str(number)) for number in range(5)]
    assert titles(store) == ["4", "3", "2", "1", "0"]
    chat = memviz.Chat(
        memviz.strategy("buffer"),
        model=memviz.ScriptedModel(["Hello."]),
        counter="chars4",
    )
    chat.send("Hi.")
    store.save_turn(ids[1], chat.run)
    assert titles(store, limit=2) == ["1", "4"]
    assert titles(store, limit=2, offset=4) == ["0"]
    assert store.count() == 5


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("", ["quotes", "snake", "percent", "Émile"]),
        ("100%", ["percent"]),
        ("%", ["percent"]),
        ("_", ["snake"]),
        ("e_c", ["snake"]),
        ("\\", ["snake"]),
        ("'", ["quotes"]),
        ('"; --', ["quotes"]),
        ("ÉMILE", ["Émile"]),
        ("straße", ["Émile"]),
        ("STRASSE", ["Émile"]),
        ("after nul", ["percent"]),
        ("PERCENT", ["percent"]),
        ("x" * 100_000, []),
        ("nowhere", []),
    ],
)
def test_search_takes_every_character_as_itself(
    store: Store, search: str, expected: list[str]
) -> None:
    add(store, "Émile", "Hauptstraße 5")
    add(store, "percent", "100% sure\x00 after NUL")
    add(store, "snake", "snake_case", "back\\slash")
    add(store, "quotes", "it's", 'so "; -- he said')
    store.delete(add(store, "gone", "100% _ ' \\ after nul"))
    assert titles(store, search) == expected
    assert store.count(search) == len(expected)


def test_a_conversation_under_a_given_id_is_kept_once(store: Store) -> None:
    first, second = (
        Transcript((Message("user", text),), title=text) for text in ("first", "second")
    )
    assert (
        store.add_conversation(first, "sample")
        == store.add_conversation(second, "sample")
        == "sample"
    )
    assert store.conversation("sample") == first
    store.delete("sample")
    store.add_conversation(second, "sample")
    assert titles(store) == []


def test_conversations_that_are_missing_are_added_the_last_as_the_newest(
    store: Store,
) -> None:
    given = {
        id: Transcript((Message("user", id),), title=id) for id in ("a", "b", "c", "d")
    }
    store.add_conversation(Transcript((), title="mine"), "b")
    store.add_conversation(Transcript((), title="deleted"), "c")
    store.delete("c")
    store.add_missing_conversations(given)
    assert titles(store) == ["d", "a", "mine"]
    assert store.conversation("d") == given["d"]
    store.add_missing_conversations(given)
    assert titles(store) == ["d", "a", "mine"]


def test_rename(store: Store) -> None:
    id = add(store, "Old")
    store.rename(id, "  New 搬家 ")
    assert store.entry(id).title == store.conversation(id).title == "New 搬家"
    with pytest.raises(StorageError, match="empty"):
        store.rename(id, " \n")


def test_a_deleted_conversation_comes_back_whole(store: Store) -> None:
    chat = memviz.Chat(
        memviz.strategy("buffer"),
        model=memviz.ScriptedModel(["Hello."]),
        counter="chars4",
    )
    chat.send("Hi.")
    id = add(store, "Mine")
    store.save_turn(id, chat.run)
    store.save_run(
        id, memviz.replay(chat.log, memviz.strategy("window"), counter="chars4"), "k"
    )
    store.delete(id)
    assert (titles(store), store.count()) == ([], 0)
    for closed in (
        store.conversation,
        store.entry,
        store.chat_run,
        store.delete,
    ):
        with pytest.raises(StorageError, match="'Mine' was deleted"):
            closed(id)
    with pytest.raises(StorageError, match="was deleted"):
        store.save_turn(id, chat.run)
    store.restore(id)
    assert titles(store) == ["Mine"]
    assert contents(store.chat_run(id)) == contents(chat.run)
    assert len(stored_runs(store, id)) == 2


def test_purge_removes_only_what_was_deleted_long_enough_ago(store: Store) -> None:
    kept, gone = add(store, "kept", "a"), add(store, "gone", "b")
    store.delete(gone)
    assert store.purge() == 0
    store.restore(gone)
    store.delete(gone)
    assert store.purge(older_than_days=0) == 1
    with pytest.raises(StorageError, match="no conversation"):
        store.restore(gone)
    assert store.conversation(kept).messages[0].content == "a"


@pytest.mark.parametrize("id", ["", "nowhere", "\ud800", "' OR 1=1 --"])
def test_an_unknown_conversation_is_named(store: Store, id: str) -> None:
    add(store, "Mine")
    for asked in (
        store.conversation,
        store.entry,
        store.delete,
        store.restore,
        store.chat_run,
    ):
        with pytest.raises(StorageError, match="Choose one from the library"):
            asked(id)


def test_a_conversation_that_cannot_be_stored_leaves_nothing_behind(
    store: Store,
) -> None:
    with pytest.raises(StorageError, match="cannot be stored"):
        store.add_conversation(
            Transcript(
                (Message("user", "fine"), Message("user", "x", meta={"no": object()}))
            )
        )
    assert store.count() == 0
