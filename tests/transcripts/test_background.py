"""Reading off the caller's thread: in order, with progress, and it can be stopped."""

from __future__ import annotations

import json
from threading import Event

import pytest

from memviz.core.counters import DEFAULT_COUNTER, counter
from memviz.transcripts import background
from memviz.transcripts.background import BackgroundReading, NamedBytes
from memviz.transcripts.loading import load_file

TALK = [
    {"role": "user", "content": "When does the ferry leave?"},
    {"role": "assistant", "content": "At 7:40."},
]
ONE, THREE = json.dumps(TALK).encode(), json.dumps([TALK] * 3).encode()


def read(*files: tuple[str, bytes], format: str | None = None) -> BackgroundReading:
    reading = BackgroundReading([NamedBytes(*file) for file in files], format)
    assert reading.wait(30)
    return reading


def test_every_file_has_an_outcome_in_the_order_given() -> None:
    reading = read(("a.json", ONE), ("b.json", b"{"), ("c.json", THREE))
    assert [outcome.name for outcome in reading.outcomes] == [
        "a.json",
        "b.json",
        "c.json",
    ]
    first, second, third = reading.outcomes
    assert first.loaded
    assert first.tokens == ()
    assert second.loaded is None
    assert "b.json" in str(second.error)
    assert third.loaded
    count = counter(DEFAULT_COUNTER)
    assert (
        third.tokens == (count("When does the ferry leave?") + count("At 7:40."),) * 3
    )
    assert reading.current == ""


def test_tool_calls_count_as_well() -> None:
    call = {
        "role": "assistant",
        "tool_calls": [{"id": "c", "function": {"name": "sky", "arguments": "{}"}}],
    }
    (outcome,) = read(("a.json", json.dumps([[*TALK, call], TALK]).encode())).outcomes
    assert outcome.tokens[0] > outcome.tokens[1]


def test_a_named_format_is_used() -> None:
    (outcome,) = read(("a.json", ONE), format="markdown").outcomes
    assert outcome.error


def test_it_says_how_far_it_is_and_stops_when_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reached, go_on = Event(), Event()

    def slowly(content: bytes, *args: object, progress, **named: object) -> object:
        progress(1, 3)
        reached.set()
        go_on.wait(30)
        progress(2, 3)
        return load_file(content, *args, **named)

    monkeypatch.setattr(background, "load_file", slowly)
    reading = BackgroundReading([NamedBytes("a.json", ONE), NamedBytes("b.json", ONE)])
    assert reached.wait(30)
    assert (reading.current, reading.done, reading.total) == ("a.json", 1, 3)
    assert not reading.wait(0)
    reading.cancel()
    go_on.set()
    assert reading.wait(30)
    assert reading.outcomes == []


def test_too_little_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(*args: object, **named: object) -> object:
        raise MemoryError

    monkeypatch.setattr(background, "load_file", out_of_memory)
    (outcome,) = read(("a.json", ONE)).outcomes
    assert "not enough memory" in str(outcome.error)
