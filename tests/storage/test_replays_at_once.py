"""The replays that a library may have at work at once."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

import memviz
from memviz import ScriptedModel
from memviz.core.errors import BusyError
from memviz.storage.limits import Limits
from memviz.storage.workspace import FIRST_SAMPLE, RunKey, Workspace

SOON_SECONDS = 120.0


def key(buffer_size: int) -> RunKey:
    strategy = memviz.strategy("summary", buffer_size=buffer_size)
    return RunKey(FIRST_SAMPLE, strategy, "chars4", "scripted")


def test_one_more_replay_than_allowed_follows_when_another_is_done() -> None:
    workspace = Workspace(":memory:", Limits(1_000, 10**9, replays=1))
    may_answer = Event()

    def summaries() -> Iterator[str]:
        may_answer.wait(SOON_SECONDS)
        while True:
            yield "A summary."

    first = workspace.replaying(key(2), ScriptedModel(summaries()))
    with pytest.raises(BusyError, match="replays 1 settings at once"):
        workspace.replaying(key(4), ScriptedModel(summaries()))
    # Everybody who asks for the one at work gets it.
    assert workspace.replaying(key(2), ScriptedModel(summaries())) is first
    may_answer.set()
    assert first.wait(SOON_SECONDS)
    second = workspace.replaying(key(4), ScriptedModel(summaries()))
    assert second.wait(SOON_SECONDS)
    assert second.run is not None
