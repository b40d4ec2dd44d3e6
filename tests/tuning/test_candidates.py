"""The settings that a design searches."""

from __future__ import annotations

import pytest

import memviz
from benchmarks.synthetic.generator import generate
from memviz.strategies.presets import presets
from memviz.strategies.step_numbers import find_step_numbers
from memviz.transcripts.samples import sample
from memviz.tuning.candidates import list_candidates
from memviz.tuning.grid import find_largest_sizes, list_first_strategies
from memviz.tuning.sweep_conversation import SweepConversation

CHARS4 = memviz.counter("chars4")


@pytest.fixture(scope="module")
def chats() -> tuple[SweepConversation, ...]:
    return tuple(
        SweepConversation.of(generate(turns, seed=turns), CHARS4) for turns in (4, 9)
    )


def test_are_usual_strategies_products_and_pipelines(
    chats: tuple[SweepConversation, ...],
) -> None:
    found = list_candidates(chats, CHARS4)
    assert len(set(found)) == len(found)
    assert {*list_first_strategies(), "pipeline"} <= {setting.id for setting in found}
    assert not any(type(setting).looks_up for setting in found)
    titles = {presets()[id].title for id in ("letta", "gemini_cli", "claude_code")}
    assert titles <= {setting.name for setting in found}


def test_are_sized_by_the_largest_conversation(
    chats: tuple[SweepConversation, ...],
) -> None:
    tokens = find_largest_sizes([chat.log for chat in chats], CHARS4)["tokens"]
    for setting in list_candidates(chats, CHARS4):
        if setting.id == "pipeline":
            assert setting.model_dump()["window_tokens"] <= tokens, setting.label


def test_results_of_tools_are_reduced_where_there_are_any(
    chats: tuple[SweepConversation, ...],
) -> None:
    agent = (SweepConversation.of(sample("agent"), CHARS4),)

    def pipelines(subjects: tuple[SweepConversation, ...]) -> set[str]:
        own = set()
        for setting in list_candidates(subjects, CHARS4):
            is_product = setting.name != "Pipeline"
            if setting.id == "pipeline" and not is_product:
                own.add(setting.model_dump()["steps"])
        return own

    assert any("tool results" in steps for steps in pipelines(agent))
    assert not any("tool results" in steps for steps in pipelines(chats))
    # What is kept is less than what a step acts at.
    for steps in pipelines(agent):
        numbers = find_step_numbers(steps.splitlines()[-1])
        shares = [one.default for one in numbers.values() if one.unit == "%"]
        assert shares == sorted(shares, reverse=True)
