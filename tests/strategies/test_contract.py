"""What every strategy owes, whichever files the folder holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import memviz
from memviz import ParameterError, UnknownStrategyError
from memviz.engine.parts import Parts
from tests.strategies.conversations import (
    RUN_HERE,
    conversations,
    outcomes,
    small_parameters,
    summarizer,
)
from tests.tables import for_each

IDS = list(memviz.strategies())
DEFAULTS: dict[str, dict[str, Any]] = {
    "buffer": {},
    "window": {"window_size": 10},
    "token_buffer": {"max_tokens": 2000},
    "recent_only": {
        "recent_rounds": 3,
        "enable_summarization": True,
        "summary_words": 0,
    },
    "summary": {"buffer_size": 4, "summary_words": 0},
    "summary_buffer": {"max_token_limit": 500, "summary_words": 0},
    "chat_summary_buffer": {
        "token_limit": 64000,
        "summarize_prompt": None,
        "count_initial_tokens": False,
        "summary_words": 0,
    },
    "summary_only": {
        "enable_summarization": True,
        "enable_recall": True,
        "max_recalled_messages": 20,
        "max_recall_contexts": 3,
        "enable_reflective_thinking": False,
        "max_thinking_rounds": 3,
        "thinking_token_budget": 10000,
        "summary_words": 0,
    },
    "clear_tool_results": {
        "trigger_tokens": 100_000,
        "keep_results": 3,
        "clear_at_least_tokens": 0,
        "rule": "stop",
        "clear_arguments": False,
        "excluded_tools": None,
        "placeholder": None,
    },
    "threshold_summary": {
        "trigger_tokens": 4000,
        "trigger_messages": 0,
        "trigger_percent": 0,
        "joined_by": "any",
        "other_triggers": None,
        "keep_messages": 20,
        "keep_tokens": 0,
        "keep_percent": 0,
        "window_tokens": 128_000,
        "summarizer_reads_tokens": 4000,
        "summarize_prompt": None,
        "summary_words": 0,
    },
}
NUMBERS = [
    (id, p.name)
    for id, cls in memviz.strategies().items()
    for p in cls.parameters()
    if p.is_number
]


def parameter(id: str, name: str) -> Any:
    return next(p for p in memviz.strategies()[id].parameters() if p.name == name)


def test_the_strategies_of_the_mission_are_found() -> None:
    assert set(DEFAULTS) <= set(IDS)


@for_each("id", DEFAULTS)
def test_parameters_have_the_documented_defaults(id: str) -> None:
    assert memviz.strategy(id).model_dump() == DEFAULTS[id]


@for_each("id", IDS)
def test_class_describes_itself(id: str) -> None:
    cls = memviz.strategies()[id]
    assert cls.id == id
    assert cls.__module__.rpartition(".")[2] == id, "the id is the file's name"
    assert cls.title
    assert cls.title == cls.title.strip()
    assert cls.reference
    assert cls.summary_line().endswith(".")
    assert "\n" not in cls.summary_line()


@for_each("id", IDS)
def test_parameters_carry_range_default_unit_and_help(id: str) -> None:
    cls = memviz.strategies()[id]
    properties = cls.model_json_schema().get("properties", {})
    assert [p.name for p in cls.parameters()] == list(properties)
    for p in cls.parameters():
        assert p.help, p.name
        assert "\n" not in p.help, p.name
        assert properties[p.name]["default"] == p.default, p.name
        if p.is_number:
            assert p.unit, p.name
            assert p.minimum is not None, p.name
            assert p.minimum <= p.default <= (p.maximum or p.default), p.name


def test_titles_are_told_apart() -> None:
    titles = [cls.title for cls in memviz.strategies().values()]
    assert len(set(titles)) == len(titles)


@for_each(("id", "name"), NUMBERS)
def test_number_below_its_range_names_parameter_value_and_range(
    id: str, name: str
) -> None:
    minimum = parameter(id, name).minimum
    with pytest.raises(ParameterError) as caught:
        memviz.strategy(id, **{name: minimum - 1})
    assert (caught.value.name, caught.value.value) == (name, minimum - 1)
    assert str(minimum) in caught.value.allowed
    for part in (name, repr(minimum - 1), caught.value.allowed):
        assert part in str(caught.value)
    assert getattr(memviz.strategy(id, **{name: minimum}), name) == minimum, (
        "the bound itself is allowed"
    )


@for_each(("id", "name"), NUMBERS)
@for_each("value", ["7", 2.5, None, True, [3]])
def test_number_of_a_wrong_type_is_refused(id: str, name: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        memviz.strategy(id, **{name: value})
    assert caught.value.name == name
    assert repr(value) in str(caught.value)


@for_each("id", IDS)
def test_unknown_parameter_is_refused_by_name(id: str) -> None:
    with pytest.raises(ParameterError, match="no_such_parameter") as caught:
        memviz.strategy(id, no_such_parameter=3)
    assert caught.value.name == "no_such_parameter"
    assert all(
        p.name in str(caught.value) for p in memviz.strategies()[id].parameters()
    ), "tells what there is"


def test_unknown_strategy_error_lists_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError) as caught:
        memviz.strategy("no_such_strategy")
    assert "no_such_strategy" in str(caught.value)
    assert all(id in str(caught.value) for id in IDS)


@for_each("id", IDS)
def test_strategy_is_a_frozen_value(id: str) -> None:
    strategy = memviz.strategy(id)
    assert strategy == memviz.strategy(id)
    for p in strategy.parameters():
        with pytest.raises((ValueError, AttributeError)):
            setattr(strategy, p.name, p.default)
    assert memviz.strategy(id, **strategy.model_dump()) == strategy, (
        "parameters can be saved and given back"
    )


@given(messages=conversations(), plan=outcomes)
@for_each("id", RUN_HERE)
def test_questions_are_pure_and_stay_inside_the_log(
    id: str, messages: list[memviz.Message], plan: list[str]
) -> None:
    """Asked for any memory that occurs, in any order, they answer the same and name only what exists."""
    strategy = memviz.strategy(id, **small_parameters(id))
    run = memviz.replay(messages, strategy, model=summarizer(plan), counter="chars4")
    for record in reversed(run.turns):
        memory = record.memory
        pieces = strategy.select(memory)
        assert pieces == strategy.select(memory)
        assert strategy.plan(memory) == strategy.plan(memory)
        sent = Parts(pieces)
        assert all(
            part.start >= 0 and part.stop <= memory.length for part in sent.messages
        )
        assert all(notes.stop <= memory.summary_count for notes in sent.notes)
        headroom = strategy.headroom(memory)
        assert headroom is None or headroom.amount >= 0


@given(messages=conversations(), plan=outcomes)
@for_each(
    "id",
    [id for id in RUN_HERE if memviz.strategies()[id].trigger.name == "MESSAGE"],
)
def test_nothing_is_due_before_the_headroom_is_used_up(
    id: str, messages: list[memviz.Message], plan: list[str]
) -> None:
    strategy = memviz.strategy(id, **small_parameters(id))
    run = memviz.replay(messages, strategy, model=summarizer(plan), counter="chars4")
    for memory in [compaction.after for compaction in run.compactions]:
        headroom = strategy.headroom(memory)
        for length in range(memory.length + 1, len(run.log) + 1):
            said = {
                "messages": length - memory.length,
                "tokens": run.space.sums.between(memory.length, length),
            }
            if (
                headroom is None
                or said.get(headroom.unit, headroom.amount) >= headroom.amount
            ):
                break
            assert not strategy.plan(memory.appended(length))


@for_each("id", IDS)
def test_label_names_the_strategy(id: str) -> None:
    assert memviz.strategies()[id].title in memviz.strategy(id).label
