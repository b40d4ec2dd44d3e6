"""Replays in a thread of their own: what a page can see of them, stopping, going on, and giving up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Any

import pytest

import memviz
from memviz import Log, Message, Reply, Run
from memviz.core.errors import MemvizError
from memviz.engine import background_replay as module
from memviz.engine.background_replay import BackgroundReplay, Cancellation
from memviz.engine.replay import begin_replay
from memviz.engine.session import Session
from memviz.engine.setting import Setting
from tests.engine.probes import Digest, small, talk

PATIENCE_SECONDS = 20.0


def contents(run: Run | None) -> dict[str, Any]:
    """All that a run holds but how long its summarizer took."""
    assert run is not None
    found = run.to_dict()
    for compaction in found["compactions"]:
        del compaction["seconds"]
    return found


class Held(Digest):
    """A summarizer that writes so many summaries and then waits to be let go."""

    def __init__(self, written: int) -> None:
        super().__init__()
        self.left, self.reached, self.let_go = written, Event(), Event()

    def summarize(self, messages: Sequence[Message]) -> Reply:
        self.left -= 1
        if self.left < 0:
            self.reached.set()
            assert self.let_go.wait(PATIENCE_SECONDS)
        return super().summarize(messages)


class Silent(Held):
    """A summarizer whose server says nothing any more, until nobody waits for it."""

    def __init__(self, written: int, heed: Callable[[], object]) -> None:
        super().__init__(written)
        self.heed = heed

    def summarize(self, messages: Sequence[Message]) -> Reply:
        while self.left == 0:
            self.reached.set()
            self.heed()
        return super().summarize(messages)


def started(model: memviz.Model, turns: int) -> tuple[Session, Iterator[int]]:
    setting = Setting(small("summary"), memviz.counter("chars4"), model)
    return begin_replay(Log(talk(turns)), setting)


def work(model: memviz.Model, kept: list[Run], turns: int = 8) -> BackgroundReplay:
    return BackgroundReplay(*started(model, turns), kept.append)


def test_it_is_the_replay_and_is_kept_at_its_end() -> None:
    kept: list[Run] = []
    at_work = work(Digest(), kept)
    assert at_work.wait(PATIENCE_SECONDS)
    wanted = memviz.replay(talk(8), small("summary"), model=Digest(), counter="chars4")
    assert at_work.is_over
    assert kept == [at_work.run]
    assert contents(at_work.so_far()) == contents(wanted)
    assert (at_work.done, at_work.total) == (8, 8)


def test_what_is_drawn_of_it_does_not_change_while_it_goes_on() -> None:
    model = Held(3)
    at_work = work(model, [])
    assert model.reached.wait(PATIENCE_SECONDS)
    at_work.cancel()
    model.let_go.set()
    assert at_work.wait(PATIENCE_SECONDS)
    assert at_work.is_stopped
    assert not at_work.is_over
    drawn = at_work.so_far()
    before = contents(drawn)
    assert 0 < len(drawn.turns) == at_work.done < 8
    assert at_work.seconds_left is not None
    at_work.go_on()
    assert at_work.wait(PATIENCE_SECONDS)
    assert contents(drawn) == before
    wanted = memviz.replay(talk(8), small("summary"), model=Digest(), counter="chars4")
    assert contents(at_work.run) == contents(wanted), (
        "stopping and going on leaves no trace"
    )


def test_an_error_ends_it() -> None:
    at_work = work(memviz.ScriptedModel([]), [])
    assert at_work.wait(PATIENCE_SECONDS)
    assert isinstance(at_work.error, MemvizError)
    assert at_work.is_over


def test_a_summarizer_that_heeds_it_is_left_at_once() -> None:
    cancellation, kept = Cancellation(), list[Run]()
    model = Silent(3, cancellation.heed)
    turns = started(model, 8)
    at_work = BackgroundReplay(*turns, kept.append, cancellation)
    assert model.reached.wait(PATIENCE_SECONDS)
    at_work.cancel()
    assert at_work.wait(PATIENCE_SECONDS)
    assert at_work.is_stopped
    at_work.go_on()
    assert (at_work.run, kept) == (None, []), (
        "what was cut off is never taken for all of it"
    )


def test_one_that_nobody_looks_at_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ABANDONED_SECONDS", -1.0)
    at_work = work(Digest(), [])
    assert at_work.wait(PATIENCE_SECONDS)
    assert not at_work.is_over
    assert not at_work.is_stopped, "it goes on as soon as somebody looks"


def test_it_stops_before_the_memory_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1)
    monkeypatch.setattr(module, "TURNS_BETWEEN_LOOKS", 2)
    monkeypatch.setattr(module, "resident_bytes", lambda: 2)
    at_work = work(Digest(), [])
    assert at_work.wait(PATIENCE_SECONDS)
    assert (at_work.done, at_work.is_stopped, at_work.note) == (
        2,
        True,
        module.OUT_OF_MEMORY,
    )
