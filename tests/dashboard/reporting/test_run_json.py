"""A run comes back from its JSON as it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import nan

import pytest

import memviz
from memviz import Message, ModelError, Run, ScriptedModel
from memviz.dashboard.reporting.run_json import run_json
from memviz.transcripts.samples import sample
from tests.same_runs import contents


@pytest.mark.parametrize("id", list(memviz.strategies()))
def test_every_strategy_comes_back(id: str) -> None:
    model = ScriptedModel(["one", ModelError("down"), *["Ünï 😀 </script>"] * 60])
    run = memviz.replay(
        sample("trip"),
        memviz.strategy(id),
        model=model,
        recalls={5: memviz.Recall(turns=[1])},
    )
    again = Run.from_dict(json.loads(run_json(run)))
    assert contents(again) == contents(run)
    assert [record.context for record in again.turns] == [
        record.context for record in run.turns
    ]


def test_a_live_chat_comes_back() -> None:
    chat = memviz.Chat(
        memviz.strategy("summary", buffer_size=1), model=memviz.model("offline")
    )
    for question in ("My name is Ada.", "I live in Bonn.", "Where do I live?"):
        chat.send(question)
    chat.recall(turns=[1])
    assert contents(Run.from_dict(json.loads(run_json(chat.run)))) == contents(chat.run)


def test_what_json_does_not_know_does_not_break_it() -> None:
    said = [
        Message(
            "user", "Hi", meta={"at": datetime(2026, 1, 2, tzinfo=UTC), "score": nan}
        )
    ]
    text = run_json(memviz.replay(said, memviz.strategy("buffer"), model=None))
    meta = json.loads(text, parse_constant=lambda name: pytest.fail(name))["messages"][
        0
    ]["meta"]
    assert meta == {"at": "2026-01-02 00:00:00+00:00", "score": None}
