"""A memory map of tens of thousands of messages takes memory for its requests, not for every message of each."""

from __future__ import annotations

import tracemalloc

import pytest

import memviz
from memviz import Message, Run
from memviz.dashboard.charts.memory_map.fate_map import draw_fate_map
from memviz.dashboard.charts.palette import SettingRun
from memviz.metrics.memory_map.fate_grid import View, build_grid, find_example
from memviz.metrics.memory_map.fate_map import build_fate_map
from tests.engine.probes import Digest, small

MB = 1_000_000
MESSAGES = 20_000


def long_run(id: str, messages: int) -> Run:
    talk = [
        Message(("user", "assistant")[n % 2], f"Message {n} says hm.")
        for n in range(messages)
    ]
    return memviz.replay(talk, small(id), model=Digest(), counter="chars4")


@pytest.mark.slow
def test_the_map_of_20_000_messages_takes_less_than_60_mb() -> None:
    """Under a strategy that summarizes, whose messages have most fates; other strategies have fewer of the same."""
    run = long_run("summary_buffer", MESSAGES)
    whole = View(range(1, MESSAGES // 2 + 1), range(MESSAGES))
    tracemalloc.start()
    fates = build_fate_map(run)
    cells = build_grid(fates, whole)
    figure = draw_fate_map(SettingRun(run, "x", 0), whole).to_json()
    assert find_example(fates, cells, 5_000, 3) is not None
    assert fates.life(100)
    assert fates.shares(-1).messages == MESSAGES - 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 * MB, "a matrix of one byte a cell would be 200 MB"
    assert len(figure) < 2 * MB
