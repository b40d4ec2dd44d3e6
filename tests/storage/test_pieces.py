"""Stored runs whose requests are pieces: cleared, shortened, several kinds of notes, libraries; and damaged ones."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

import memviz
from memviz import Chat, Fate, Message, ScriptedModel
from memviz.core.storage_errors import DamagedRunError, StorageError
from memviz.storage.migrations import UPGRADES, migrate
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.own_strategies import OWN, known
from tests.same_runs import contents
from tests.tool_loops import loops


@pytest.fixture(autouse=True)
def _own_strategies() -> Iterator[None]:
    with known():
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats.db"


def answers() -> ScriptedModel:
    return ScriptedModel(f"Answer {number}." for number in count(1))


def edit(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(change)


@pytest.mark.parametrize("id", OWN)
def test_a_replay_comes_back_equal(id: str, path: Path) -> None:
    run = memviz.replay(
        loops(3, 5),
        OWN[id](),
        model=answers(),
        counter="chars4",
        system_prompt="Be kind.",
    )
    assert run.compactions
    store = Store(path)
    conversation = store.add_conversation(
        Transcript(tuple(run.log), system_prompt="Be kind.")
    )
    store.save_run(conversation, run, "k")
    assert store.check() == []
    again = store.find_run(conversation, "k")
    assert contents(again) == contents(run)
    assert again is not None
    assert (again.fates() == run.fates()).all()
    assert [r.context.messages for r in again.requests] == [
        r.context.messages for r in run.requests
    ]
    assert [r.context.blocks for r in again.requests] == [
        r.context.blocks for r in run.requests
    ]
    store.close()


@pytest.mark.parametrize("id", OWN)
def test_a_chat_is_stored_turn_by_turn(id: str, path: Path) -> None:
    store = Store(path)
    chat = Chat(
        OWN[id](),
        model=answers(),
        summarizer=answers(),
        counter="chars4",
        system_prompt="Be kind.",
    )
    conversation = store.add_chat(Transcript(()), chat.run)
    for number in range(12):
        chat.send(f"Question {number}?")
        store.save_turn(conversation, chat.run)
        assert contents(store.chat_run(conversation)) == contents(chat.run)
    assert chat.run.compactions
    assert store.check() == []
    store.close()


def test_a_memviz_of_before_refuses_the_file(path: Path) -> None:
    store = Store(path)
    with (
        store._database.writing.begin() as connection,
        pytest.raises(StorageError, match=r"newer memviz .*version 11"),
    ):
        migrate(connection, str(path), {10: UPGRADES[11]})
    store.close()


OF_TURN_2 = "kind = 'request' AND json_extract(value, '$.turn') = 2 AND json_extract(value, '$.call') = 1"
REQUEST = f"UPDATE record SET value = json_set(value, '$.{{}}', json('{{}}')) WHERE {OF_TURN_2}"  # noqa: S608
COMPACTION = "UPDATE record SET value = json_set(value, '$.{}', json('{}')) WHERE kind = 'compaction' AND number {}"
FORM = '[["messages", 1, 2, {}]]'


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (REQUEST.format("pieces", '[["parcels", 1, 2]]'), "the piece is unknown"),
        (REQUEST.format("pieces", "[7]"), "the piece is unknown"),
        (REQUEST.format("pieces", '[["messages", 1]]'), "pieces"),
        (REQUEST.format("pieces", '[["messages", -1, 2]]'), "pieces"),
        (
            REQUEST.format("pieces", '[["messages", 0, 999]]'),
            "it names message 999, and there are",
        ),
        (
            REQUEST.format("pieces", '[["picked", [998]]]'),
            "it names message 999, and there are",
        ),
        (
            REQUEST.format("pieces", '[["notes", 0, 99, "message", "system"]]'),
            "it names summary 99, and there are",
        ),
        (
            REQUEST.format("pieces", '[["notes", 0, 1, "under the table", "system"]]'),
            "pieces",
        ),
        (REQUEST.format("pieces", '[["notes", 0, 1, "message", "cook"]]'), "pieces"),
        (
            REQUEST.format(
                "pieces", '[["line", {"role": "cook", "content": "x"}, "message"]]'
            ),
            "damaged",
        ),
        (REQUEST.format("pieces", '[["line", "Hello", "message"]]'), "pieces"),
        (
            REQUEST.format("pieces", FORM.format('{"form": "folded"}')),
            "the form is unknown",
        ),
        (
            REQUEST.format("pieces", FORM.format('{"form": "cut", "head": "3"}')),
            "'cut' has a field with a wrong",
        ),
        (
            REQUEST.format(
                "pieces", FORM.format('{"form": "cut", "head": 3, "feet": 2}')
            ),
            "field that is unknown",
        ),
        (
            REQUEST.format("memory", '[2, 0, 0, {"cleared": 999}]'),
            "it names message 999, and there are",
        ),
        (REQUEST.format("memory", '[2, 0, 0, {"cleared": "far"}]'), "memory"),
        (REQUEST.format("memory", "[2, 0]"), "memory"),
        (
            f"UPDATE record SET value = json_remove(value, '$.pieces') WHERE {OF_TURN_2}",  # noqa: S608
            "requests.*pieces: Field required",
        ),
        (
            COMPACTION.format("kind", '"folded"', "= 1"),
            "kind",
        ),
        (
            COMPACTION.format("policy", '"pray"', "= 1"),
            "policy",
        ),
        (
            COMPACTION.format("after", '[2,0,0,{"a":999}]', ">= 0"),
            "message 999",
        ),
        (
            COMPACTION.format("asked_by_library", "{}", ">= 0"),
            "asked_by_library",
        ),
    ],
)
def test_a_piece_that_cannot_be_is_damage(
    path: Path, change: str, sentence: str
) -> None:
    store = Store(path)
    run = memviz.replay(
        loops(3, 5), OWN["pipeline"](), model=answers(), counter="chars4"
    )
    conversation = store.add_conversation(Transcript(tuple(run.log)))
    store.save_run(conversation, run, "k")
    edit(path, change)
    with pytest.raises(DamagedRunError, match=sentence):
        store.find_run(conversation, "k")
    store.close()


def test_a_line_may_stand_in_the_system_prompt_of_the_first_request() -> None:
    pieces = [["line", Message("system", "Mind the gap.").to_dict(), "before system"]]
    run = memviz.replay(
        [Message("system", "Be kind."), *loops(1, 2)],
        memviz.strategy("buffer"),
        counter="chars4",
    )
    record = json.loads(json.dumps(run.to_dict()))
    record["requests"][0]["pieces"] = [*pieces, *record["requests"][0]["pieces"]]
    record["requests"][0]["tokens"]["system"] += 4
    again = memviz.Run.from_dict(record)
    assert again.requests[0].context.messages[0].content == "Mind the gap.\nBe kind."
    assert again.fates()[0, 0] == Fate.VERBATIM


OF_TURN = "WHERE kind = 'request' AND json_extract(value, '$.turn') = {}"
OF_CALL = OF_TURN + " AND json_extract(value, '$.call') = {}"
DELETE_TURN = "DELETE FROM record " + OF_TURN  # noqa: S608
DELETE_CALL = "DELETE FROM record " + OF_CALL  # noqa: S608
RENUMBER = "UPDATE record SET value = json_set(value, '$.{}', {}) " + OF_CALL  # noqa: S608


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            DELETE_CALL.format(1, 2),
            "of 12 requests it has 11",
        ),
        (
            DELETE_CALL.format(2, 1),
            "of 12 requests it has 11",
        ),
        (
            DELETE_CALL.format(2, 6),
            "of 12 requests it has 11",
        ),
        (RENUMBER.format("call", 3, 1, 2), "a request of turn 1 is miss"),
        (RENUMBER.format("turn", 2, 1, 1), "a turn is missing"),
        (DELETE_TURN.format(1), "of 12 requests it has 6"),
        (DELETE_TURN.format(2), "of 12 requests it has 6"),
        ("UPDATE record SET value = '7' WHERE number = 8", "damaged"),
        ("UPDATE record SET value = '[]' WHERE number = 8", "damaged"),
        (
            "UPDATE record SET value = json_remove(value, '$.call') WHERE number = 1",
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
