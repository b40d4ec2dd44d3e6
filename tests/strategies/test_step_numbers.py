"""The numbers in a pipeline's steps, named in words, and steps with other numbers."""

from __future__ import annotations

import pytest

import memviz
from memviz.core.errors import MemvizError
from memviz.strategies.pipeline import Pipeline
from memviz.strategies.presets import presets
from memviz.strategies.step_numbers import (
    find_step_numbers,
    match_numbers,
    replace_numbers,
)
from memviz.strategies.steps import FIRST_STEPS
from memviz.tuning.grid import expand_grid
from tests.tables import for_each

OWN = {
    str(one.parameters["steps"])
    for one in presets().values()
    if "steps" in one.parameters
}


def test_each_number_is_named_by_where_it_stands_and_shares_are_in_percent() -> None:
    assert {name: one.default for name, one in find_step_numbers(None).items()} == {
        "step 1 at N% of the window": 50,
        "step 1 keep N results": 3,
        "step 2 at N% of the window": 80,
        "step 2 keep N messages": 10,
    }
    text = (
        'clear tool results as "[result 4, gone]" at 1,000 tokens and 3 turns; '
        "# 5 files; drop, keep at most 20% of messages, if 0.5 of the window go"
    )
    assert list(find_step_numbers(text)) == [
        "step 1 at N tokens and 3 turns",
        "step 1 at 1,000 tokens and N turns",
        "step 2 keep at most N% of messages",
        "step 2 if N% of the window go",
    ]


@for_each("steps", sorted(OWN))
def test_the_numbers_of_products_can_be_others_and_others_alone(steps: str) -> None:
    known = find_step_numbers(steps)
    assert replace_numbers(
        steps, {name: one.default for name, one in known.items()}
    ) == (steps)
    for name, one in known.items():
        other = replace_numbers(steps, {name: one.default - 1 or 2})
        assert other is not None
        assert Pipeline(steps=other).steps == other
        assert match_numbers(steps, other) == {
            **{each: number.default for each, number in known.items()},
            name: one.default - 1 or 2,
        }
    assert match_numbers(steps, FIRST_STEPS + "\ndrop thinking") is None


def test_a_grid_tries_numbers_in_steps_and_names_what_is_other() -> None:
    grid = {
        "pipeline": {
            "step 2 keep N messages": [5, 10],
            "step 1 at N% of the window": [50, 65],
        }
    }
    made = expand_grid(grid)
    assert [one.label for one in made] == [
        "Pipeline · step 2: keep 5 messages · 128,000 tokens",
        "Pipeline · step 1: at 65% of the window · step 2: keep 5 messages · 128,000 tokens",
        "Pipeline · 128,000 tokens",
        "Pipeline · step 1: at 65% of the window · 128,000 tokens",
    ]
    assert "step 2 keep N messages=5" in made[0].code_label
    assert made[2] == memviz.strategy("pipeline")
    with pytest.raises(MemvizError, match="step 3"):
        expand_grid({"pipeline": {"step 3 keep N messages": [5]}})
    with pytest.raises(MemvizError, match="steps"):
        expand_grid({"pipeline": {"step 1 at N% of the window": [130]}})
    several = expand_grid(
        {"pipeline": {"steps": ["drop, keep 3 turns", "drop, keep 4 turns"]}}
    )
    assert [one.label for one in several] == [
        "Pipeline · own steps · 128,000 tokens"
    ] * 2
