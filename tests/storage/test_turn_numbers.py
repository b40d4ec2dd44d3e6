"""Chats that were stored when a system message between two of the user's parted their turns."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import memviz
from memviz import Chat, Message, Run, ScriptedModel
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.same_runs import contents

PARTED = (
    Message("user", "Rain?"),
    Message("system", "It is May."),
    Message("user", "I mean today."),
    Message("assistant", "No."),
    Message("user", "And then?"),
    Message("assistant", "Sun."),
    Message("user", "Sure?"),
    Message("assistant", "Yes."),
)


def with_turns_of_then(path: Path) -> None:
    """Number the turns of all that is stored as they were: each is one more, for the first question was a turn."""
    with closing(sqlite3.connect(path)) as file, file:
        for row, record in file.execute(
            "SELECT rowid, record FROM turn ORDER BY turn DESC"
        ).fetchall():
            requests = [
                {**one, "turn": one["turn"] + 1}
                for one in json.loads(record)["requests"]
            ]
            file.execute(
                "UPDATE turn SET turn = turn + 1, record = ? WHERE rowid = ?",
                (json.dumps({"requests": requests}), row),
            )
        for row, record in file.execute(
            "SELECT rowid, record FROM compaction"
        ).fetchall():
            one = json.loads(record)
            file.execute(
                "UPDATE compaction SET record = ? WHERE rowid = ?",
                (json.dumps({**one, "turn": one["turn"] + 1}), row),
            )
        file.execute("UPDATE summary SET turn = turn + 1")
        file.execute("UPDATE conversation SET turn_count = turn_count + 1")


@pytest.mark.parametrize(
    "id", ["buffer", "summary", "summary_only", "chat_summary_buffer"]
)
@pytest.mark.parametrize("kind", ["chat", "replay"])
def test_they_open_with_the_turns_of_now_and_go_on(
    tmp_path: Path, id: str, kind: str
) -> None:
    path = tmp_path / "chats.db"
    small = {"summary": {"buffer_size": 1}, "chat_summary_buffer": {"token_limit": 12}}
    run = memviz.replay(PARTED, memviz.strategy(id, **small.get(id, {})))
    assert len(run.requests) == 3
    store = Store(path)
    if kind == "chat":
        conversation = store.add_chat(Transcript(()), run)
    else:
        conversation = store.add_conversation(Transcript(PARTED))
        store.save_run(conversation, run, "k")
    store.close()
    with_turns_of_then(path)
    store = Store(path)
    assert store.check() == []
    assert store.conversation(conversation).messages == PARTED
    again = (
        store.chat_run(conversation)
        if kind == "chat"
        else store.find_run(conversation, "k")
    )
    assert isinstance(again, Run)
    assert contents(again) == contents(run)
    if kind == "chat":
        chat = Chat.resume(again, model=ScriptedModel(["Quite."]), summarizer="offline")
        chat.send("Really?")
        store.save_turn(conversation, chat.run)
        assert contents(store.chat_run(conversation)) == contents(chat.run)
        assert store.entry(conversation).turn_count == 4
    store.close()
