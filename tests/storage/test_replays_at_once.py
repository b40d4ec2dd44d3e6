"""The replays that a library may have at work at once."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

import memviz
from memviz import ScriptedModel
from memviz.core.background import BackgroundWork
from memviz.core.errors import BusyError
from memviz.storage.limits import Limits
from memviz.storage.workspace import FIRST_SAMPLE, RunKey, Workspace

SOON_SECONDS = 120.0


def key(buffer_size: int) -> RunKey:
    strategy = memviz.strategy("summary", buffer_size=buffer_size)
    return RunKey(FIRST_SAMPLE, strategy, "chars4", "scripted")


def limited(**limits: int) -> Workspace:
    """The library of a visitor with limits of its own."""
    return Workspace(":memory:", Limits(1_000, 10**9, **limits))


class Writer:
    """A summarizer that waits before its first summary, until it may go on."""

    def __init__(self) -> None:
        self.may_answer = Event()
        self.model = ScriptedModel(self._summaries())

    def _summaries(self) -> Iterator[str]:
        self.may_answer.wait(SOON_SECONDS)
        while True:
            yield "A summary."


def test_all_visitors_have_only_so_many_replays_at_work() -> None:
    of_ana, of_bo = limited(replays_in_all=1), limited(replays_in_all=1)
    writer = Writer()
    first = of_ana.replaying(key(2), writer.model)
    with pytest.raises(BusyError, match="1 replays and sweeps at once for all"):
        of_bo.replaying(key(2), Writer().model)
    assert not of_bo.replays.has_room
    writer.may_answer.set()
    assert first.wait(SOON_SECONDS)
    assert of_bo.replays.has_room


def test_a_sweep_takes_the_room_of_a_replay() -> None:
    class Sweep(BackgroundWork):
        may_end = Event()

        def _work(self) -> None:
            self.may_end.wait(SOON_SECONDS)

    library = limited(replays_in_all=1)
    sweep = Sweep("a sweep")
    sweep._begin()
    library.replays.note_sweep(sweep)
    with pytest.raises(BusyError, match="for all visitors together"):
        limited(replays_in_all=1).replaying(key(2), Writer().model)
    Sweep.may_end.set()
    assert sweep.wait(SOON_SECONDS)
    assert library.replays.has_room


def test_a_replay_that_was_stopped_goes_on_when_there_is_room() -> None:
    library = limited(replays=1)
    first_writer, second_writer = Writer(), Writer()
    first = library.replaying(key(2), first_writer.model)
    first.cancel()
    first_writer.may_answer.set()
    assert first.wait(SOON_SECONDS)
    assert first.run is None
    second = library.replaying(key(4), second_writer.model)
    with pytest.raises(BusyError, match="replays 1 settings at once"):
        library.replays.go_on(first)
    assert not first.is_at_work
    library.replays.go_on(second)  # it is at work, and has its room
    second_writer.may_answer.set()
    assert second.wait(SOON_SECONDS)
    library.replays.go_on(first)
    assert first.wait(SOON_SECONDS)
    assert first.run is not None


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
