"""Runs that were stored when a turn was one record."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz import Chat, Run, ScriptedModel
from memviz.core.errors import DamagedRunError
from memviz.metrics.requests.request_axis import name_of
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.same_runs import contents
from tests.storage.old_records import (
    THOUGHTFUL_TURNS,
    a_thoughtful_chat,
    make_old,
    one_request_a_turn,
)
from tests.tool_loops import loops


def clockless(run: Run | None) -> Any:
    """All that a run holds, without clocks."""
    if run is None:
        return None
    found = contents(run)
    assert found is not None
    facts = [request["facts"] for request in found["requests"]]
    for one in (*found["compactions"], *(fact for fact in facts if fact)):
        one.pop("seconds")
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats.db"


def kept(path: Path, run: Run) -> str:
    """The conversation of a chat that is kept in the file."""
    store = Store(path)
    id = store.add_chat(Transcript(()), run)
    store.close()
    return id


def test_every_call_of_an_old_chat_is_a_request_and_it_goes_on(path: Path) -> None:
    chat = a_thoughtful_chat()
    id = kept(path, chat.run)
    make_old(path, THOUGHTFUL_TURNS)
    store = Store(path)
    assert store.check() == []
    run = store.chat_run(id)
    assert clockless(run) == clockless(chat.run)
    assert run is not None
    assert [record.name for record in run.requests] == [
        "turn 1, call 1",
        "turn 1, call 2",
        "turn 2, call 1",
        "turn 2, call 2",
        "turn 2, call 3",
    ]
    gone_on = Chat.resume(
        run, model=ScriptedModel(["Is she?", "Yes."]), summarizer="offline"
    )
    gone_on.send("Really?")
    store.save_turn(id, gone_on.run)
    assert contents(store.chat_run(id)) == contents(gone_on.run)
    (entry,) = store.runs(id)
    assert (entry.turn_count, entry.total_tokens) == (
        3,
        sum(r.total_tokens for r in gone_on.run.requests),
    )
    store.close()


def test_an_old_free_run_comes_back_with_its_calls(path: Path) -> None:
    run = a_thoughtful_chat().run
    store = Store(path)
    id = store.add_conversation(Transcript((run.log[0], run.log[2])))
    store.save_free_run(id, run, "k", 2)
    old = {name: value for name, value in run.to_dict().items() if name != "requests"}
    old["turns"] = list(THOUGHTFUL_TURNS.values())
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE free_run SET record = ?", (json.dumps(old),))
    assert store.check() == []
    assert clockless(store.find_free_run(id, "k")) == clockless(run)
    store.close()


def test_an_old_chat_over_tool_loops_keeps_what_is_on_record_of_them_and_goes_on(
    path: Path,
) -> None:
    with one_request_a_turn():
        run = memviz.replay(
            loops(3, 5),
            memviz.strategy("summary_buffer", max_token_limit=60),
            counter="chars4",
        )
    id = kept(path, run)
    make_old(path)
    store = Store(path)
    assert store.check() == []
    old = store.chat_run(id)
    assert contents(old) == contents(run)
    assert old is not None
    chat = Chat.resume(old, model=ScriptedModel(["Four."]), summarizer="offline")
    chat.send("And?")
    store.save_turn(id, chat.run)
    again = store.chat_run(id)
    assert contents(again) == contents(chat.run)
    assert again is not None
    assert [record.tokens for record in again.requests[:-1]] == [
        record.tokens for record in run.requests
    ]
    assert [name_of(again, record) for record in again.requests] == [
        "turn 1",
        "turn 2",
        "turn 3",
        "turn 4",
    ]
    store.close()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            "UPDATE turn SET record = json_remove(record, '$.requests[1]') WHERE turn = 1",
            "a request of turn 1 is miss",
        ),
        (
            "UPDATE turn SET record = json_remove(record, '$.requests[0]') WHERE turn = 2",
            "a request of turn 2 is miss",
        ),
        (
            "UPDATE turn SET record = json_remove(record, '$.requests[5]') WHERE turn = 2",
            "of 12 requests it has 11",
        ),
        ("DELETE FROM turn WHERE turn = 1", "a turn is missing"),
        ("DELETE FROM turn WHERE turn = 2", "of 2 turns it has 1"),
        (
            "UPDATE turn SET record = '{\"requests\": []}' WHERE turn = 2",
            "of 12 requests it has 6",
        ),
        ("UPDATE turn SET record = '{\"requests\": 7}' WHERE turn = 2", "damaged"),
        ("UPDATE turn SET record = '[]' WHERE turn = 2", "damaged"),
        (
            "UPDATE turn SET record = json_remove(record, '$.requests[1].call') WHERE turn = 1",
            "call: Field required",
        ),
    ],
)
def test_a_request_that_is_missing_is_damage(
    path: Path, change: str, sentence: str
) -> None:
    store = Store(path)
    said = loops(2, 5)
    id = store.add_conversation(Transcript(tuple(said)))
    store.save_run(
        id, memviz.replay(said, memviz.strategy("buffer"), counter="chars4"), "k"
    )
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(change)
    with pytest.raises(DamagedRunError, match=sentence):
        store.find_run(id, "k")
    store.close()
