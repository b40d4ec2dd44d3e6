"""The parts of a setting, and what is left without each."""

from __future__ import annotations

import memviz
from memviz.tuning.ablation import split_into_parts

BUFFER = memviz.strategy("buffer")
STEPS = (
    "clear tool results at 0.5 of the window, keep 3 results",
    "drop thinking",
    "summarize at 0.8 of the window, keep 10 messages",
)


def test_each_step_of_a_pipeline_is_taken_away_once() -> None:
    own = {"window_tokens": 9000, "summary_words": 50}
    parts = split_into_parts(memviz.strategy("pipeline", steps="\n".join(STEPS), **own))
    assert [part.line for part in parts] == list(STEPS)
    for number, part in enumerate(parts):
        others = [line for at, line in enumerate(STEPS) if at != number]
        rest = memviz.strategy("pipeline", steps="\n".join(others), **own)
        assert part.without == rest


def test_without_its_only_step_everything_is_sent() -> None:
    (part,) = split_into_parts(memviz.strategy("pipeline", steps=STEPS[0]))
    assert (part.line, part.without) == (STEPS[0], BUFFER)


def test_any_other_strategy_is_one_part() -> None:
    (part,) = split_into_parts(memviz.strategy("window"))
    assert (part.line, part.without) == ("", BUFFER)
    assert split_into_parts(BUFFER) == ()
