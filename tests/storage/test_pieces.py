"""Stored runs whose requests are pieces: cleared, shortened, several kinds of notes, libraries; and those of before."""

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
from memviz.core.errors import DamagedRunError, StorageError
from memviz.storage.migrations import UPGRADES, migrate
from memviz.storage.out_of_date import is_out_of_date
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.own_strategies import OWN, known
from tests.same_runs import contents
from tests.storage.old_records import make_version_7
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


BEFORE = (
    "buffer", "window", "token_buffer", "recent_only", "summary", "summary_buffer", "chat_summary_buffer",
    "summary_only",
)  # fmt: skip
"""The strategies that version 7 knew."""


@pytest.mark.parametrize("id", BEFORE)
def test_a_file_of_version_7_shows_what_it_showed(id: str, path: Path) -> None:
    strategy = memviz.strategy(id)
    chat = Chat(
        strategy,
        model=answers(),
        summarizer=answers(),
        counter="chars4",
        system_prompt="Be kind.",
    )
    for number in range(12):
        if number and strategy.allows_recall:
            chat.recall(messages=[0])
        chat.send(f"Question {number}?")
    said = loops(3, 5)
    run = memviz.replay(said, strategy, model=answers(), counter="chars4")
    store = Store(path)
    held = store.add_chat(Transcript(()), chat.run)
    conversation = store.add_conversation(Transcript(tuple(said)))
    store.save_run(conversation, run, "k")
    store.save_free_run(conversation, chat.run, "k", len(said))
    store.close()
    make_version_7(path)
    store = Store(path)
    assert store.check() == []
    assert contents(store.chat_run(held)) == contents(chat.run)
    replay = store.find_run(conversation, "k")
    assert contents(replay) == contents(run)
    assert replay is not None
    assert not is_out_of_date(replay), "it need not be made again"
    assert contents(store.find_free_run(conversation, "k")) == contents(chat.run)
    resumed = Chat.resume(chat.run, model=answers(), summarizer=answers())
    resumed.send("And?")
    store.save_turn(held, resumed.run)
    assert contents(store.chat_run(held)) == contents(resumed.run)
    assert store.check() == []
    store.close()


def test_a_memviz_of_before_refuses_the_file(path: Path) -> None:
    store = Store(path)
    with (
        store._database.engine.begin() as connection,
        pytest.raises(StorageError, match=r"newer memviz .*version 10"),
    ):
        migrate(connection, str(path), UPGRADES[:-1])
    store.close()


REQUEST = "UPDATE turn SET record = json_set(record, '$.requests[0].{}', json('{}')) WHERE turn = 2"
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
            "UPDATE turn SET record = json_remove(record, '$.requests[0].pieces') WHERE turn = 2",
            "pieces .* turn 2 are",
        ),
        (
            "UPDATE compaction SET record = json_set(record, '$.kind', 'folded') WHERE number = 1",
            "kind",
        ),
        (
            "UPDATE compaction SET record = json_set(record, '$.policy', 'pray') WHERE number = 1",
            "policy",
        ),
        (
            "UPDATE compaction SET record = json_set(record, '$.after', json('[2,0,0,{\"a\":999}]'))",
            "message 999",
        ),
        (
            "UPDATE compaction SET record = json_set(record, '$.asked_by_library', json('{}'))",
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


def test_a_line_in_the_system_prompt_of_the_first_request_is_no_record_of_old(
    path: Path,
) -> None:
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
    assert again.space.leads_apart
    assert again.requests[0].context.messages[0].content == "Mind the gap.\nBe kind."
    assert again.fates()[0, 0] == Fate.VERBATIM
