"""A large conversation is let go once nobody looks at it."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import pytest

import memviz
from memviz import Message
from memviz.dashboard.ui.shell import presence
from memviz.storage.conversations import LARGE_MESSAGES
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.base import Transcript


def conversation_of(messages: int) -> Transcript:
    return Transcript(
        tuple(
            Message(("user", "assistant")[n % 2], f"Hm {n}.") for n in range(messages)
        )
    )


@pytest.mark.slow
def test_it_goes_with_its_runs_and_comes_back_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "_looks", {})
    workspace = Workspace(tmp_path / "x.db")
    large, small = workspace.add([conversation_of(LARGE_MESSAGES), conversation_of(10)])
    keys = [
        RunKey(entry.id, memviz.strategy("window"), "chars4", "offline")
        for entry in (large, small)
    ]
    runs = [ref(workspace.run(key, memviz.model("offline"))) for key in keys]
    presence._looks["one"] = (frozenset([large.id]), float("inf"))
    presence.let_go_of_unseen(workspace)
    gc.collect()
    assert None not in [run() for run in runs], "somebody looks at it"
    presence._looks["one"] = (frozenset(["another"]), float("inf"))
    presence.let_go_of_unseen(workspace)
    gc.collect()
    assert [run() is None for run in runs] == [True, False], (
        "a small one costs nothing to keep"
    )
    assert workspace.large_conversations() == []
    assert (
        len(workspace.run(keys[0], memviz.model("offline")).turns)
        == LARGE_MESSAGES // 2
    )


def test_what_was_worked_out_from_it_goes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "_looks", {})
    workspace, asked = Workspace(tmp_path / "x.db"), []

    @presence.kept_until_left(4)
    def length(log: memviz.Log) -> int:
        asked.append(log)
        return len(log)

    (large,) = workspace.add([conversation_of(LARGE_MESSAGES)])
    _, log = workspace.conversation(large.id)
    assert [length(log), length(log)] == [LARGE_MESSAGES] * 2
    assert len(asked) == 1
    presence.let_go_of_unseen(workspace)
    length(log)
    assert len(asked) == 2
