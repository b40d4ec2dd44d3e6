"""``memviz transfer``: a library, and those of a class, from files to PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

import memviz
from memviz import Chat, Message, ScriptedModel, Transcript
from memviz.models.class_door import ClassDoor, Visitor, VisitorCookies
from memviz.storage.class_shelf import ClassShelf
from memviz.storage.library_places import LibraryFolder
from memviz.storage.library_schemas import LibrarySchemas
from memviz.storage.own_libraries import OwnLibraries
from memviz.storage.store import Store
from tests.cli.terminal import memviz as memviz_command
from tests.cli.terminal import refused
from tests.postgres import PostgresCluster
from tests.same_runs import contents

ANA, BO = "a" * 32, "b" * 32
DIARY = Transcript((Message("user", "I saw\x00 a zebra."),), title="搬家")


@pytest.fixture
def address(postgres: PostgresCluster) -> str:
    return postgres.address(postgres.new_database())


def test_a_library_is_the_same_on_the_server(address: str, tmp_path: Path) -> None:
    file = tmp_path / "chats.db"
    store = Store(file)
    diary = store.add_conversation(DIARY)
    chat = Chat(
        memviz.strategy("summary", buffer_size=2),
        model=ScriptedModel(f"Reply {number}" for number in range(9)),
        summarizer=ScriptedModel(f"Summary {number}" for number in range(9)),
        counter="chars4",
    )
    for number in range(4):
        chat.send(f"Question {number}?")
    held = store.add_chat(Transcript((), title="Held"), chat.run)
    store.keep("recording", "mine", "ü")
    shown = memviz_command("transfer", address, "--db", file)
    assert shown.lines == [f"Wrote 2 conversations of {file} to {Store(address).path}."]
    moved = Store(address)
    for id in (diary, held):
        assert moved.conversation(id) == store.conversation(id)
        assert moved.entry(id) == store.entry(id)
    assert contents(moved.chat_run(held)) == contents(chat.run)
    assert moved.kept("recording", "mine") == "ü"
    assert moved.check() == []
    # Twice would mix two libraries.
    words = ("holds something already", "nothing was written")
    refused("transfer", address, "--db", file, code=1, words=words)


def test_visitors_of_a_class_find_everything(address: str, tmp_path: Path) -> None:
    folder = LibraryFolder(tmp_path)
    door = ClassDoor("maple street", tmp_path)
    cookie = VisitorCookies.of(door, folder.key()).issue("Ana", visitor_id=ANA)
    libraries = OwnLibraries(folder)
    (entry,) = libraries.open(ANA).add([DIARY])
    libraries.open(BO)
    shelf = ClassShelf(folder.open_shelf())
    shared = shelf.share(Visitor(ANA, "Ana"), libraries.open(ANA), entry.id)
    shown = memviz_command("transfer", address, "--class-folder", tmp_path)
    assert shown.lines[0].startswith("Wrote the libraries of 2 visitors to postgresql")

    schemas = LibrarySchemas(address)
    ana = VisitorCookies.of(door, schemas.key()).visitor_of(cookie)
    assert ana == Visitor(ANA, "Ana")
    moved = OwnLibraries(schemas)
    assert moved.open(ANA).store.conversation(entry.id).messages == DIARY.messages
    assert not moved.open(BO).store.exists(entry.id)
    moved_shelf = ClassShelf(schemas.open_shelf())
    assert moved_shelf.shared() == [shared]
    added = moved_shelf.copy(shared, moved.open(BO), "From Ana.")
    assert added.entry.title == DIARY.title
    refused(
        *("transfer", address, "--class-folder", tmp_path),
        code=1,
        words=("holds something already",),
    )


def test_what_is_no_database_or_no_folder_is_a_sentence(tmp_path: Path) -> None:
    words = ("Give the address of a database",)
    refused("transfer", tmp_path / "copy.db", code=1, words=words)
    nowhere = ("--class-folder", tmp_path / "nowhere")
    refused("transfer", "postgresql://x/y", *nowhere, code=1, words=("no folder",))
    no_class = ("--class-folder", tmp_path)
    refused("transfer", "postgresql://x/y", *no_class, code=1, words=("no key",))
    assert list(tmp_path.iterdir()) == []
    both = ("--db", tmp_path / "copy.db", *no_class)
    refused("transfer", "postgresql://x/y", *both, code=1, words=("for one library",))
