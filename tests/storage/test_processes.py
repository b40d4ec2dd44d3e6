"""Several processes at one file, and processes that are killed while they write."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

import memviz
from memviz import Chat, ScriptedModel
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.same_runs import contents
from tests.storage.stored_runs import stored_runs

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# Talks and saves every turn: argv is the file, the conversation, the number of turns, and a name of its own.
WRITER = """
import sys
from itertools import count
import memviz
from memviz import Chat, ScriptedModel
from memviz.storage.store import Store

path, id, turns, name = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
chat = Chat(memviz.strategy("summary", buffer_size=2), counter="chars4",
            model=ScriptedModel(f"Reply {n} to {name}" for n in count(1)),
            summarizer=ScriptedModel(f"Summary {n} for {name}" for n in count(1)))
store = Store(path)
print("ready", flush=True)
sys.stdin.readline()
for turn in range(1, turns + 1):
    chat.send(f"Question {turn} of {name}")
    store.save_turn(id, chat.run)
    print(turn, flush=True)
"""


def start_writer(path: Path, id: str, turns: int, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), id, str(turns), name]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def go(writer: subprocess.Popen[str]) -> None:
    assert writer.stdout is not None
    assert writer.stdin is not None
    assert writer.stdout.readline() == "ready\n"
    writer.stdin.write("go\n")
    writer.stdin.flush()


def a_chat(text: str = "") -> Chat:
    return Chat(
        memviz.strategy("summary", buffer_size=2),
        model=ScriptedModel(f"Reply {n} {text}" for n in count(1)),
        summarizer=ScriptedModel(f"Summary {n} {text}" for n in count(1)),
        counter="chars4",
    )


def assert_whole_turns(path: Path, id: str) -> int:
    """Check that the file is sound and its chat is what replaying its messages gives; return its turns."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    store = Store(path)
    run, transcript = store.chat_run(id), store.conversation(id)
    store.close()
    if run is None:
        assert transcript.messages == ()
        return 0
    assert run.log[:] == list(transcript.messages)
    assert len(transcript.messages) == 2 * len(run.turns)
    summaries = ScriptedModel(version.text for version in run.summaries)
    again = memviz.replay(run.log[:], run.strategy, model=summaries, counter="chars4")
    assert run.frame().equals(again.frame())
    assert run.summaries == again.summaries
    assert [c.to_dict() | {"seconds": 0, "model": ""} for c in run.compactions] == [
        c.to_dict() | {"seconds": 0, "model": ""} for c in again.compactions
    ]
    return len(run.turns)


def write_for_ever(path: Path, id: str, saved: Any) -> None:
    """Talk in long messages, so that writing takes a while, and count the turns that are saved."""
    text = "word " * 5000
    store, chat = Store(path), a_chat(text)
    for turn in count(1):
        chat.send(f"Question {turn} {text}")
        store.save_turn(id, chat.run)
        saved.value = turn


@pytest.mark.slow
@needs_fork
def test_killed_at_any_moment_the_file_holds_whole_turns(tmp_path: Path) -> None:
    path, moments, processes = (
        tmp_path / "chats.db",
        random.Random(5),
        multiprocessing.get_context("fork"),
    )
    reached = 0
    for _ in range(6):
        store = Store(path)
        id = store.add_conversation(Transcript(()))
        store.close()
        saved = processes.Value("i", 0, lock=False)
        writer = processes.Process(target=write_for_ever, args=(path, id, saved))
        writer.start()
        time.sleep(moments.uniform(0.05, 0.6))
        writer.kill()
        writer.join(60)
        assert writer.exitcode == -signal.SIGKILL, "it wrote until it was killed"
        turns = assert_whole_turns(path, id)
        assert turns - saved.value in (0, 1), "what was reported as saved is there"
        reached += turns
    assert reached > 6, "the writers got somewhere"


def killed_at_statement(number: int, path: Path, save: Callable[[Store], None]) -> bool:
    """Fork a process that opens the file, saves, and kills itself before its ``number``-th statement;
    whether it came that far."""
    child = os.fork()
    if child == 0:
        store, left = Store(path), [number]

        def kill(*_: Any) -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        event.listen(Engine, "before_cursor_execute", kill)
        save(store)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@needs_fork
@pytest.mark.slow
def test_killed_between_any_two_statements_a_save_has_not_happened_at_all(
    tmp_path: Path,
) -> None:
    path = tmp_path / "chats.db"
    store, chat = Store(path), a_chat()
    id = store.add_conversation(Transcript(()))
    for number in range(4):
        chat.send(f"Question {number}")
    store.save_turn(id, chat.run)
    store.save_run(
        id, memviz.replay(chat.log[:], memviz.strategy("buffer"), counter="chars4"), "k"
    )
    before, long = store.chat_run(id), chat.log
    store.close()
    chat.send("New one")
    longer = chat.run
    chat.undo()
    list(chat.retry())
    for save, least in (
        (lambda store: store.save_turn(id, longer), 8),
        (lambda store: store.rewrite_chat(id, chat.run, replaces=long), 8),
    ):
        number = 1
        while killed_at_statement(number, path, save):
            assert assert_whole_turns(path, id) == 4
            store = Store(path)
            assert contents(store.chat_run(id)) == contents(before)
            assert len(stored_runs(store, id)) == 2
            store.close()
            number += 1
        assert number > least, "there were statements to be killed at"
        store = Store(path)
        assert store.chat_run(id) != before
        assert before is not None
        store.rewrite_chat(id, before)
        store.close()


@pytest.mark.slow
@needs_fork
def test_a_first_message_is_stored_with_its_conversation_or_not_at_all(
    tmp_path: Path,
) -> None:
    path, chat = tmp_path / "chats.db", a_chat()
    chat.say("My budget is 3,000 euros.")
    number = 1
    while killed_at_statement(
        number,
        path,
        lambda store: store.add_chat(Transcript((), title="Budget"), chat.run),
    ):
        store = Store(path)
        assert store.count() == 0, "no empty conversation with a title"
        store.close()
        number += 1
    assert number > 3, "there were statements to be killed at"
    store = Store(path)
    (entry,) = store.conversations()
    kept = store.chat_run(entry.id)
    store.close()
    assert (entry.title, entry.message_count) == ("Budget", 1)
    assert kept is not None
    resumed = Chat.resume(kept, model=ScriptedModel(["3,000."]))
    assert resumed.unanswered
    assert list(resumed.go_on()) == ["3,000."]


@pytest.mark.slow
def test_two_processes_write_at_once_without_loss(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    store = Store(path)
    own, shared = (store.add_conversation(Transcript(())) for _ in range(2))
    writers = [
        start_writer(path, id, 30, name)
        for id, name in zip((own, shared, shared), "abc", strict=True)
    ]
    for writer in writers:
        go(writer)
    ended = [
        (*writer.communicate(timeout=300), writer.returncode) for writer in writers
    ]
    told, errors, code = ended[0]
    assert (errors, code) == ("", 0)
    assert len(told.split()) == assert_whole_turns(path, own) == 30
    (_, errors, lost), (_, others, won) = sorted(
        ended[1:], key=lambda end: end[2], reverse=True
    )
    assert (lost, won, others) == (1, 0, ""), "one goes on, the other is told"
    assert (
        "ConversationChangedError: The conversation was changed in another tab"
        in errors
    )
    assert assert_whole_turns(path, shared) == 30
    store.close()


@pytest.mark.slow
def test_many_threads_share_a_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "chats.db")

    def talk(number: int) -> str:
        id, chat = store.add_conversation(Transcript((), title=str(number))), a_chat()
        for turn in range(5):
            chat.send(f"Question {turn}")
            store.save_turn(id, chat.run)
            assert contents(store.chat_run(id)) == contents(chat.run)
        return id

    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(talk, range(16)))
    assert {store.entry(id).turn_count for id in ids} == {5}
    store.close()


def test_a_new_file_can_be_opened_by_several_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "chats.db"

    def open_and_add(_: int) -> None:
        store = Store(path)
        store.add_conversation(Transcript(()))
        store.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(open_and_add, range(8)))
    store = Store(path)
    assert store.count() == 8
    store.close()
