"""Runs whose traffic is worked out together against the same runs, each alone."""

from __future__ import annotations

from typing import Any

import numpy as np

import memviz
from memviz import Message, Run
from memviz.core.context import ALL_PARTS
from memviz.metrics.requests.traffic import add_up_traffic, count_traffic
from memviz.transcripts.samples import sample

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("window", {"window_size": 4}),
    ("summary", {"buffer_size": 4}),
    ("summary_buffer", {"max_token_limit": 300}),
    ("recent_only", {"recent_rounds": 2}),
    ("clear_tool_results", {}),
]
SAME_WORDS = [
    Message(("user", "assistant")[at % 2], ("Yes.", "No.")[at // 2 % 2])
    for at in range(12)
]
"""A window over it begins with messages of the same size, some with the same text."""
TOOL = '{"name": "look_up", "parameters": {}}'


def made() -> list[Run]:
    """Runs of long and short conversations, one without an answer, one with a tool and a system message that comes
    later."""
    question = [Message("user", "Are you there?")]
    late = [*SAME_WORDS, Message("system", "Be brief."), *SAME_WORDS]
    runs = []
    for name, parameters in SETTINGS:
        strategy = memviz.strategy(name, **parameters)
        runs += [
            memviz.replay(sample("trip"), strategy),
            memviz.replay(question, strategy),
            memviz.replay(SAME_WORDS, strategy),
            memviz.replay(late, strategy, tools=[TOOL]),
            memviz.replay(SAME_WORDS, strategy, system_prompt="Answer."),
        ]
    return runs


def test_runs_that_are_worked_out_together_have_their_own_numbers() -> None:
    together = made()
    add_up_traffic(together)
    for number, (run, alone) in enumerate(zip(together, made(), strict=True)):
        assert count_traffic(run).to_dict() == count_traffic(alone).to_dict(), number
        for part in ALL_PARTS:
            mine = run.columns.tokens[part]
            assert np.array_equal(mine, alone.columns.tokens[part]), (number, part)


def test_the_first_request_of_a_run_shares_nothing_with_the_run_before() -> None:
    strategy = memviz.strategy("buffer")
    runs = [
        memviz.replay(SAME_WORDS, strategy, system_prompt="Answer.") for _ in range(2)
    ]
    add_up_traffic(runs)
    first, second = (count_traffic(run).shared_tokens.tolist() for run in runs)
    assert first == second
    assert first[0] == 0


def test_no_runs_and_runs_without_requests_have_no_traffic() -> None:
    add_up_traffic([])
    run = memviz.replay([Message("user", "Hi")], memviz.strategy("buffer"))
    add_up_traffic([run])
    assert count_traffic(run).turns.tolist() == []
