"""Databases as earlier versions left them: before file version 8 without the pieces of a request, before version 7 with
one record a turn, and the model's calls before its reply in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memviz import Chat, Reply, ScriptedModel, ToolCall, strategy
from memviz.core.conversation import Log, Request, Turn
from tests.old_requests import without_pieces

Record = Mapping[str, Any]
NEW_FIELDS = ("call", "kind", "thoughts")


@contextmanager
def one_request_a_turn() -> Iterator[None]:
    """Replays as they were made then: of a turn with a tool loop only its first request."""

    def requests_of(log: Log, turn: Turn) -> list[Request]:
        return [Request(turn.number, 1, turn.asked, turn.stop)] if turn.number else []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Log, "requests_of", requests_of)
        yield


def make_old(path: str | Path, turns: Mapping[int, Record] | None = None) -> None:
    """Make the file one of version 6. ``turns`` are the records to put there; without them each turn that is there has
    one request, whose record it becomes."""
    with closing(sqlite3.connect(path)) as file, file:
        for row, record in file.execute("SELECT rowid, record FROM turn").fetchall():
            old = (
                turns[row]
                if turns
                else _without_new_fields(*json.loads(record)["requests"])
            )
            file.execute(
                "UPDATE turn SET record = ? WHERE rowid = ?", (json.dumps(old), row)
            )
        _without_kinds(file)
        file.execute("ALTER TABLE conversation DROP COLUMN tools")
        file.execute("PRAGMA user_version = 6")


def make_version_7(path: str | Path) -> None:
    """Make the file one of version 7."""
    with closing(sqlite3.connect(path)) as file, file:
        for row, record in file.execute("SELECT rowid, record FROM turn").fetchall():
            old = {
                "requests": [
                    without_pieces(request)
                    for request in json.loads(record)["requests"]
                ]
            }
            file.execute(
                "UPDATE turn SET record = ? WHERE rowid = ?", (json.dumps(old), row)
            )
        for row, record in file.execute(
            "SELECT rowid, record FROM free_run"
        ).fetchall():
            run = json.loads(record)
            requests = [without_pieces(request) for request in run["requests"]]
            compactions = [
                _with_old_kind(compaction) for compaction in run["compactions"]
            ]
            old = {**run, "requests": requests, "compactions": compactions}
            file.execute(
                "UPDATE free_run SET record = ? WHERE rowid = ?", (json.dumps(old), row)
            )
        _without_kinds(file)
        file.execute("PRAGMA user_version = 7")


def _without_kinds(file: sqlite3.Connection) -> None:
    """Make summarizations what they were called before version 8."""
    for row, record in file.execute("SELECT rowid, record FROM compaction").fetchall():
        old = json.dumps(_with_old_kind(json.loads(record)))
        file.execute("UPDATE compaction SET record = ? WHERE rowid = ?", (old, row))
    file.execute("ALTER TABLE summary DROP COLUMN track")
    file.execute("DROP TABLE recording")
    file.execute("DROP TABLE lesson")


def _with_old_kind(compaction: Record) -> Record:
    return (
        {**compaction, "kind": "summary"}
        if compaction["kind"] in ("summarized", "evicted")
        else compaction
    )


def _without_new_fields(request: Record) -> Record:
    old = without_pieces(dict(request))
    return {name: value for name, value in old.items() if name not in NEW_FIELDS} | {
        "calls": []
    }


def _calling(id: str, name: str, **arguments: Any) -> tuple[ToolCall, ...]:
    return (ToolCall(id, name, json.dumps(arguments)),)


def a_thoughtful_chat() -> Chat:
    """A chat whose model thinks in both turns, and recalls in the second one."""
    greeting = _calling(
        "t1", "continue_thinking", continue_thinking=False, summary="A greeting."
    )
    asking = _calling(
        "t2", "continue_thinking", continue_thinking=False, summary="The name."
    )
    recalling = _calling("r1", "recall_conversation", turn_numbers=[1])
    replies = [
        Reply("", greeting),
        "Hello Ada.",
        Reply("Which name?", asking),
        Reply("", recalling),
        "Ada.",
    ]
    chat = Chat(
        strategy("summary_only", enable_reflective_thinking=True),
        model=ScriptedModel(replies),
        summarizer="offline",
        counter="chars4",
    )
    chat.send("I am Ada.")
    chat.send("Who am I?")
    return chat


_FACTS = {"model": "scripted", "usage": None, "cost_usd": None, "seconds": 0.0}
_TOOLS = ["continue_thinking", "recall_conversation"]


def _thinking(
    sent_tokens: int, reply_tokens: int, text: str, id: str, summary: str
) -> Record:
    arguments = json.dumps({"continue_thinking": False, "summary": summary})
    call = {
        "id": id,
        "type": "function",
        "function": {"name": "continue_thinking", "arguments": arguments},
    }
    said = {"role": "assistant", "content": text, "tool_calls": [call]}
    told = {"role": "tool", "content": "Answer the user now.", "tool_call_id": id}
    tokens = {"sent_tokens": sent_tokens, "reply_tokens": reply_tokens}
    return {"kind": "thinking", **tokens, "facts": _FACTS, "messages": [said, told]}


THOUGHTFUL_TURNS: dict[int, Record] = {
    1: {
        "turn": 1,
        "memory": [1, 0, 0],
        "summaries": [0, 0],
        "history": [],
        "recalled_positions": [],
        "input": [0, 1],
        "tools": _TOOLS,
        "exchange": [0, 0],
        "tokens": {
            "system": 0,
            "summary": 0,
            "recalled": 0,
            "history": 0,
            "input": 2,
            "overhead": 12,
            "tools": 329,
        },
        "reply_tokens": 2,
        "compactions": [0, 0],
        "flags": [],
        "recalled": None,
        "facts": _FACTS,
        "calls": [_thinking(395, 18, "", "t1", "A greeting.")],
    },
    2: {
        "turn": 2,
        "memory": [3, 1, 2],
        "summaries": [0, 1],
        "history": [],
        "recalled_positions": [0, 1],
        "input": [2, 3],
        "tools": _TOOLS,
        "exchange": [3, 5],
        "tokens": {
            "system": 0,
            "summary": 14,
            "recalled": 4,
            "history": 0,
            "input": 2,
            "overhead": 27,
            "tools": 357,
        },
        "reply_tokens": 2,
        "compactions": [0, 1],
        "flags": [],
        "facts": _FACTS,
        "recalled": {
            "indices": [0, 1],
            "missing": [],
            "cut": 0,
            "by_model": 1,
            "asked": [{"turns": [1], "messages": [], "last_n": None, "keywords": []}],
        },
        "calls": [
            _thinking(412, 19, "Which name?", "t2", "The name."),
            {
                "kind": "recall",
                "sent_tokens": 361,
                "reply_tokens": 10,
                "facts": _FACTS,
                "messages": [],
            },
        ],
    },
}
"""What the version before kept of :func:`a_thoughtful_chat`."""
