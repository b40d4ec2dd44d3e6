"""Requests that are read all at once, against the same ones read record by record."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import memviz
from memviz import Run
from memviz.engine import stored_requests
from memviz.engine.stored import DamagedRecordError
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk
from tests.same_runs import contents
from tests.tables import for_each


def stored(id: str) -> dict[str, Any]:
    run = memviz.replay(talk(8), small(id), model=Digest(), counter="chars4")
    value: dict[str, Any] = json.loads(json.dumps(run.to_dict()))
    return value


STORED = stored("summary_buffer")


def refused(*_: object) -> None:
    raise AssertionError("The records are read one by one.")


def test_records_of_numbers_are_read_all_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored_requests, "_read_records", refused)
    for id in ("window", "recent_only", "summary_buffer"):
        assert len(Run.from_dict(stored(id)).requests) == 8


def test_both_ways_make_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for id in REPRESENTATIVES:
        value = stored(id)
        run = Run.from_dict(value)
        with monkeypatch.context() as patch:
            patch.setattr(stored_requests, "_read_table", lambda *_: None)
            other = Run.from_dict(value)
        assert contents(run) == contents(other)
        assert run.turns == other.turns
        assert run.to_dict() == other.to_dict() == value


@for_each(
    ("field", "damaged", "why"),
    [
        ("turn", 7, "a turn is missing"),
        ("turn", 99, "it names turn 99"),
        ("turn", True, "turn"),
        ("turn", 10**30, "it names turn"),
        ("call", 2, "a request of turn 5 is missing"),
        ("memory", [99, 0, 0], "it names message 99"),
        ("memory", [9, 99, 0], "it names summary 99"),
        ("pieces", [["messages", 0, 99]], "it names message 99"),
        ("pieces", [["letters", 0, 9]], "the piece is unknown"),
        ("compactions", [0, 99], "it names summarization 99"),
        ("tokens", {"history": -1}, "tokens"),
        ("tokens", {"history": 1.0}, "tokens"),
        ("kind", "guess", "kind"),
    ],
)
def test_what_is_damaged_is_named(field: str, damaged: object, why: str) -> None:
    value = copy.deepcopy(STORED)
    value["requests"][4][field] = damaged
    with pytest.raises(DamagedRecordError, match=why):
        Run.from_dict(value)
