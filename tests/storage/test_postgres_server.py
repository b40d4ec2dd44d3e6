"""Two servers over one database of PostgreSQL, one that goes away and comes back, and what is said meanwhile."""

from __future__ import annotations

import logging
import sqlite3
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import memviz
from memviz import Chat, Message, ScriptedModel, StorageError
from memviz.core.storage_errors import ConversationChangedError, DatabaseAwayError
from memviz.storage.postgres_server import PostgresServer
from memviz.storage.store import Store
from memviz.storage.workspace import FIRST_SAMPLE, RunKey, Workspace
from memviz.transcripts.base import Probe, Transcript
from memviz.transcripts.samples import bundled
from tests.cli.terminal import memviz as memviz_command
from tests.postgres import PostgresCluster, running_postgres
from tests.same_runs import contents
from tests.storage.raw_rows import count_rows, execute

TALK = Transcript((Message("user", "Where?"), Message("assistant", "In Lisbon.")))
SERVERS = 4


@pytest.fixture
def stores(server_library: str) -> Iterator[list[Store]]:
    """The stores of several servers over one library."""
    made = [Store(server_library) for _ in range(SERVERS)]
    yield made
    for store in made:
        store.close()


def a_chat(name: str = "") -> Chat:
    return Chat(
        memviz.strategy("summary", buffer_size=2),
        model=ScriptedModel(f"Reply {n} {name}" for n in count(1)),
        summarizer=ScriptedModel(f"Summary {n} {name}" for n in count(1)),
        counter="chars4",
    )


def resumed(store: Store, id: str, name: str) -> Chat:
    stored = store.chat_run(id)
    assert stored is not None
    return Chat.resume(stored, model=ScriptedModel(f"Reply of {name}" for _ in count()))


class TestTwoServers:
    def test_answer_a_chat_once(self, stores: list[Store]) -> None:
        chat = a_chat()
        chat.send("Hello?")
        id = stores[0].add_conversation(Transcript(()))
        stores[0].save_turn(id, chat.run)
        for turn in range(2, 7):
            starts = Barrier(SERVERS)
            winners = []

            def answer(number: int, turn: int = turn, starts: Any = starts) -> bool:
                own = resumed(stores[number], id, f"server {number}")
                own.send(f"Question {turn}?")
                starts.wait(60)
                try:
                    stores[number].save_turn(id, own.run)
                except ConversationChangedError:
                    return False
                return True

            with ThreadPoolExecutor(SERVERS) as servers:
                winners = list(servers.map(answer, range(SERVERS)))
            assert sum(winners) == 1, "one is kept, the others are told"
            run = stores[0].chat_run(id)
            assert run is not None
            assert len(run.turns) == turn
            winner = winners.index(True)
            assert run.log[-1].content == f"Reply of server {winner}"

    def test_take_back_no_turn_that_the_other_saved(self, stores: list[Store]) -> None:
        chat = a_chat()
        chat.send("Hello?")
        id = stores[0].add_conversation(Transcript(()))
        stores[0].save_turn(id, chat.run)
        own = resumed(stores[1], id, "server 1")
        chat.send("More?")
        stores[0].save_turn(id, chat.run)
        before = own.log
        own.undo()
        with pytest.raises(ConversationChangedError):
            stores[1].rewrite_chat(id, own.run, replaces=before)
        assert contents(stores[1].chat_run(id)) == contents(chat.run)

    def test_lose_no_question_that_several_add_at_once(
        self, stores: list[Store]
    ) -> None:
        """Each reads the list, and writes it with one more: all of them only where they take turns."""
        id = stores[0].add_conversation(TALK)
        probes = [Probe(f"{n}?", (str(n),), (0,), "number") for n in range(40)]
        with ThreadPoolExecutor(SERVERS) as servers:
            adds = [
                servers.submit(stores[n % SERVERS].add_probe, id, probe)
                for n, probe in enumerate(probes)
            ]
            for add in adds:
                add.result(timeout=120)
        kept = {probe.question for probe in stores[0].conversation(id).probes}
        assert kept == {probe.question for probe in probes}

    def test_see_what_the_other_saved(self, server_library: str) -> None:
        one, other = Workspace(server_library), Workspace(server_library)
        (entry,) = one.add([TALK])
        assert other.store.entry(entry.id).message_count == 2
        assert len(other.conversation(entry.id)[1]) == 2
        one.rename(entry.id, "Renamed")
        assert other.store.entry(entry.id).title == "Renamed"
        key = RunKey(
            FIRST_SAMPLE, memviz.strategy("summary_buffer"), "chars4", "offline"
        )
        one.keep_wording(key, 1, "Mine.")
        assert other.wordings(key) == {1: "Mine."}
        other.keep_wording(key, 1, None)
        assert one.wordings(key) == {}
        chat = a_chat()
        chat.send("Hello?")
        id = one.new_chat(chat)
        assert contents(other.held_chat(id)) == contents(chat.run)
        chat.send("And now?")
        one.save_chat(id, chat, "offline")
        assert contents(other.held_chat(id)) == contents(chat.run)
        other.store.delete(id)
        assert not one.store.exists(id)
        for workspace in (one, other):
            workspace.store.close()

    def test_open_an_empty_database_at_the_same_time(
        self, postgres: PostgresCluster
    ) -> None:
        address = postgres.address(postgres.new_database())
        with ThreadPoolExecutor(SERVERS) as servers:
            opened = list(servers.map(Store, [address] * SERVERS))
        for store in opened:
            store.add_conversation(TALK)
        assert opened[0].count() == SERVERS
        assert opened[0].check() == []
        for store in opened:
            store.close()

    def test_one_that_writes_for_long_is_said_to_be_busy(
        self, stores: list[Store], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from memviz.storage.postgres_server import BUSY_SECONDS, SESSION

        short = SESSION.replace(f"{BUSY_SECONDS}s", "50ms")
        monkeypatch.setattr("memviz.storage.postgres_server.SESSION", short)
        slow = stores[0]
        other = Store(slow.path)
        with slow._writing() as session:
            session.connection()
            with pytest.raises(StorageError, match="is busy: another program"):
                other.add_conversation(TALK)
            assert other.count() == 0, "reading waits for nobody"
        other.add_conversation(TALK)
        other.close()


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing_that_was_saved() -> None:
    with running_postgres() as cluster:
        store = Store(cluster.address(cluster.new_database()))
        id = store.add_conversation(Transcript(()))
        chat = a_chat()
        for outage in range(3):
            chat.send(f"Before outage {outage}?")
            store.save_turn(id, chat.run)
            entry = store.entry(id)
            cluster.kill()
            chat.send(f"While it is away {outage}?")
            for act in (
                lambda: store.save_turn(id, chat.run),
                lambda: store.entry(id),
                lambda: Store(cluster.address("library_1")),
            ):
                with pytest.raises(
                    DatabaseAwayError, match="cannot be reached"
                ) as told:
                    act()
                assert "\n" not in str(told.value)
            cluster.start()
            assert store.entry(id) == entry, "what was saved, and no half of a turn"
            store.save_turn(id, chat.run)
            assert contents(store.chat_run(id)) == contents(chat.run)
            assert store.check() == []
        store.close()


@pytest.mark.slow
def test_a_server_killed_while_many_write_keeps_what_it_said_it_had() -> None:
    """Each save that returned is there, whole, and the next action of each writer works."""
    with running_postgres() as cluster:
        address = cluster.address(cluster.new_database())
        stores = [Store(address) for _ in range(SERVERS)]
        ids = [store.add_conversation(Transcript(())) for store in stores]

        def talk_until_it_is_gone(number: int) -> tuple[Chat, int]:
            chat = a_chat(str(number))
            for turn in count(1):
                chat.send(f"Question {turn}")
                try:
                    stores[number].save_turn(ids[number], chat.run)
                except DatabaseAwayError:
                    return chat, turn - 1
            raise AssertionError

        with ThreadPoolExecutor(SERVERS) as servers:
            talks = [servers.submit(talk_until_it_is_gone, n) for n in range(SERVERS)]
            while stores[0].entry(ids[0]).turn_count < 5:
                pass
            cluster.kill()
            ended = [talk.result(timeout=120) for talk in talks]
        cluster.start()
        for store, id, (chat, saved_turns) in zip(stores, ids, ended, strict=True):
            assert store.entry(id).turn_count - saved_turns in (0, 1)
            store.save_turn(id, chat.run)
            assert contents(store.chat_run(id)) == contents(chat.run)
        assert stores[0].check() == []
        for store in stores:
            store.close()


class TestPassword:
    @pytest.fixture
    def guarded(self, postgres: PostgresCluster) -> Iterator[str]:
        """The address of a library with a password in it."""
        with postgres.library() as address, postgres.passwords_asked():
            yield address.replace("memviz@", "memviz:a%40secret%3Aword@")

    def test_is_told_nowhere(
        self,
        guarded: str,
        caplog: pytest.LogCaptureFixture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        caplog.set_level(logging.DEBUG)
        monkeypatch.setenv("MEMVIZ_DB", guarded)
        workspace = Workspace()
        store = workspace.store
        texts = [store.path, repr(store), repr(store._database), repr(workspace)]
        texts += [repr(vars(store)), repr(store._database.reading)]
        assert store.path.startswith("postgresql://memviz@127.0.0.1:")
        wrong = guarded.replace("secret", "wrong")
        for address in (
            wrong,
            wrong + "?password=a%40wrong%3Aword",
            guarded.replace("library_", "nowhere_"),
            guarded.replace("127.0.0.1", "127.0.0.2"),
            guarded.replace("memviz:", "nobody:"),
            "postgresql://memviz:a@secret:word@127.0.0.1/x",
            "postgresql://memviz:secret@127.0.0.1:wordy/x",
            "mysql://memviz:secret@127.0.0.1/x",
        ):
            with pytest.raises(StorageError) as told:
                Store(address)
            texts += [str(told.value), repr(told.value)]
        for text in [*texts, caplog.text]:
            assert not any(word in text for word in ("secret", "wrong", "wordy"))
        store.close()

    def test_of_a_query_is_not_shown(self, guarded: str) -> None:
        plain = guarded.replace(":a%40secret%3Aword@", "@")
        store = Store(plain + "?password=a%40secret%3Aword")
        assert "secret" not in store.path + repr(store._database)
        assert store.count() == 0
        store.close()

    def test_is_in_no_traceback(self, guarded: str) -> None:
        address = guarded.replace("secret", "wrongly")
        with pytest.raises(StorageError) as told:
            Store(address)
        lines = "".join(traceback.format_exception(told.value))
        assert "wrongly" not in lines


class TestBackup:
    def test_is_a_library_in_a_file(self, stores: list[Store], tmp_path: Path) -> None:
        store = stores[0]
        chat = a_chat()
        chat.send("Wo ist\x00 die Straße?")
        id = store.add_chat(Transcript((), title="搬家"), chat.run)
        store.keep("recording", "mine", "ü")
        store.delete(store.add_conversation(TALK))
        target = tmp_path / "copy.db"
        store.back_up(target)
        copy = Store(target)
        assert copy.conversation(id) == store.conversation(id)
        assert copy.entry(id) == store.entry(id)
        assert contents(copy.chat_run(id)) == contents(chat.run)
        assert copy.kept("recording", "mine") == "ü"
        assert copy.check() == []
        for table in ("conversation", "message", "run", "record", "kept"):
            assert count_rows(copy, table) == count_rows(store, table)
        copy.close()
        with pytest.raises(StorageError, match="is there already"):
            store.back_up(target)
        store.back_up(target, overwrite=True)
        assert [file.name for file in tmp_path.iterdir()] == ["copy.db"]
        with closing(sqlite3.connect(target)) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    def test_to_no_folder_is_said(self, stores: list[Store], tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="nowhere"):
            stores[0].back_up(tmp_path / "nowhere" / "copy.db")


class TestTerminal:
    def test_opens_a_library_by_its_address(
        self,
        server_library: str,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        address = server_library.replace("memviz@", "memviz:unasked@")
        shown_address = server_library.replace("+psycopg", "")
        monkeypatch.setenv("MEMVIZ_DB", address)
        held = f"{len(bundled())} conversations"
        listed = memviz_command("list", "--json")
        assert memviz_command("check").lines == [
            f"{shown_address} is sound: {held}, all of them readable."
        ]
        copy = tmp_path / "copy.db"
        written = memviz_command("backup", copy)
        assert written.lines == [f"Wrote {held} of {shown_address} to {copy}."]
        assert memviz_command("list", "--db", copy, "--json").json == listed.json


class TestCheck:
    def test_says_what_the_schema_lacks(self, postgres: PostgresCluster) -> None:
        store = Store(postgres.address(postgres.new_database()))
        assert store.check() == []
        execute(store, "ALTER TABLE message DROP CONSTRAINT known_role")
        execute(store, "DROP INDEX one_chat_a_conversation")
        assert store.check() == [
            "The table message has 3 of its 4 constraints and indexes.",
            "The table run has 6 of its 7 constraints and indexes.",
        ]
        store.close()

    def test_names_a_conversation_whose_values_are_damaged(
        self, stores: list[Store]
    ) -> None:
        store = stores[0]
        id = store.add_conversation(TALK)
        fine = store.add_conversation(TALK)
        execute(store, "UPDATE conversation SET probes = '3' WHERE id = :id", id=id)
        page = store.page("", 50, 0)
        assert [entry.id for entry in page.entries] == [fine]
        (damaged,) = page.unreadable
        assert any(id in problem for problem in store.check())
        rows = store.stored_rows(damaged.row)
        assert rows["conversation"][0]["probes"] == "3"
        assert len(rows["message"]) == 2
        store.delete_unreadable(damaged.row)
        assert store.page("", 50, 0).unreadable == []


class TestOpening:
    def test_refuses_tables_of_another_program(self, postgres: PostgresCluster) -> None:
        name = postgres.new_database()
        postgres.execute("CREATE TABLE run (distance integer)", name)
        with pytest.raises(StorageError, match="of another program"):
            Store(postgres.address(name))

    def test_refuses_a_newer_version_and_missing_columns(
        self, postgres: PostgresCluster
    ) -> None:
        name = postgres.new_database()
        Store(postgres.address(name)).close()
        postgres.execute("UPDATE memviz SET version = 999", name)
        with pytest.raises(StorageError, match="newer memviz"):
            Store(postgres.address(name))
        postgres.execute("UPDATE memviz SET version = 11", name)
        postgres.execute("ALTER TABLE message DROP COLUMN meta", name)
        with pytest.raises(StorageError, match="lacks the column meta of message"):
            Store(postgres.address(name))

    def test_says_which_package_is_missing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        monkeypatch.delitem(
            sys.modules, "memviz.storage.postgres_server", raising=False
        )
        with pytest.raises(StorageError, match=r"pip install 'memviz\[postgres\]'"):
            Store("postgresql+psycopg://memviz@127.0.0.1/x")


def test_a_connection_that_ended_gives_no_claim_that_another_server_has(
    postgres: PostgresCluster,
) -> None:
    address = postgres.address(postgres.new_database())
    first, second = Store(address), Store(address)
    assert first.try_claim("mine")
    assert second.try_claim("another")
    server = second._database
    assert isinstance(server, PostgresServer)
    assert server._claims_held is not None
    pid = server._claims_held.exec_driver_sql("SELECT pg_backend_pid()").scalar()
    postgres.execute(f"SELECT pg_terminate_backend({pid})")
    assert not second.try_claim("mine")
    first.release_claim("mine")
    assert second.try_claim("mine")
    first.close()
    second.close()
