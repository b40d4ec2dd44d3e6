"""Grids of settings, and the values that are suggested for their axes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import ParameterError, UnknownStrategyError
from memviz.dashboard.charts.sweeps.heat_map import setting_map
from memviz.strategies.base import Strategy
from memviz.tuning.grid import (
    expand_grid,
    find_refused_strategies,
    list_axes,
    list_first_strategies,
    list_offered_strategies,
    list_recorded_values,
    spread_values,
    suggest_parameter_values,
    suggest_values,
)
from tests.tables import for_each


def labels(grid: dict) -> list[str]:
    return [setting.label for setting in expand_grid(grid)]


def test_every_pair_of_values_is_a_setting_in_the_order_given() -> None:
    made = expand_grid(
        {
            "chat_summary_buffer": {
                "token_limit": [500, 1000],
                "count_initial_tokens": [False, True],
            }
        }
    )
    assert [(one.token_limit, one.count_initial_tokens) for one in made] == [
        (500, False),
        (500, True),
        (1000, False),
        (1000, True),
    ]


def test_one_value_needs_no_list_and_none_is_tried_twice() -> None:
    assert len(expand_grid({"window": {"window_size": [4, 4, 10]}, "buffer": {}})) == 3
    assert [one.window_size for one in expand_grid({"window": {"window_size": 4}})] == [
        4
    ]


def test_what_looks_messages_up_is_offered_and_not_tried_at_first() -> None:
    looking_up = {id for id, cls in memviz.strategies().items() if cls.looks_up}
    assert looking_up
    assert looking_up <= set(list_offered_strategies())
    assert not looking_up & set(list_first_strategies())


def test_a_strategy_that_cannot_be_run_is_not_offered_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where the library that it runs is not installed."""
    assert "window" in list_first_strategies()
    window = memviz.strategies()["window"]
    monkeypatch.setattr(
        window, "reason_not_to_run", lambda self: "Install the library windows."
    )
    assert find_refused_strategies()["window"] == "Install the library windows."
    assert "window" not in list_first_strategies()
    assert set(list_offered_strategies()) == set(memviz.strategies()) - set(
        find_refused_strategies()
    )
    with pytest.raises(ParameterError, match="Install the library windows"):
        expand_grid({"window": {"window_size": [4]}, "buffer": {}})


def test_a_strategy_without_values_gets_the_suggested_ones() -> None:
    made = expand_grid({"summary_buffer": None})
    assert [one.max_token_limit for one in made] == list(
        suggest_values("summary_buffer")["max_token_limit"]
    )
    assert len(made) > 3


@for_each(
    ("grid", "error", "told"),
    [
        ({"windows": None}, UnknownStrategyError, "windows"),
        ({"window": {"size": [4]}}, ParameterError, "size"),
        ({"window": {"window_size": [4, 0]}}, ParameterError, "1 or more"),
        ({"window": {"window_size": []}}, ParameterError, "at least one value"),
        ({"window": {"window_size": ["4"]}}, ParameterError, "whole number"),
        ({}, ParameterError, "at least one strategy"),
    ],
)
def test_a_grid_that_is_none_says_what_is_wrong(
    grid: dict, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        expand_grid(grid)


@for_each("id", list(memviz.strategies()))
def test_axes_are_the_parameters_that_change_what_a_replay_sends(id: str) -> None:
    cls = memviz.strategies()[id]
    names = {axis.name for axis in list_axes(cls)}
    assert names == {
        p.name for p in cls.parameters() if not p.live_only and p.kind in (int, bool)
    }
    if id not in find_refused_strategies():
        assert expand_grid({id: None}), "there is always at least one setting"


@given(
    st.sampled_from(
        [
            axis
            for cls in memviz.strategies().values()
            for axis in list_axes(cls)
            if axis.is_number
        ]
    ),
    st.integers(2, 12),
    st.integers(1, 100_000),
)
def test_suggested_values_are_allowed_rising_and_within_the_range(
    axis, steps: int, largest: int
) -> None:
    values = suggest_parameter_values(axis, steps, {axis.unit: largest})
    low, high = axis.suggested
    assert list(values) == sorted(set(values))
    assert len(values) <= steps
    assert low <= values[0]
    assert values[-1] <= max(low, min(high, largest))


def test_values_are_spread_by_ratio_and_round() -> None:
    token_limit = next(
        axis
        for axis in list_axes(memviz.strategies()["chat_summary_buffer"])
        if axis.name == "token_limit"
    )
    assert suggest_parameter_values(token_limit, 6) == (
        250,
        800,
        2500,
        6000,
        20000,
        64000,
    )
    assert suggest_parameter_values(token_limit, 6, {"tokens": 2000})[-1] == 2000
    assert spread_values(0, 3) == (0, 1, 2, 3)


def test_summary_words_are_an_axis_of_every_strategy_whose_summary_a_model_writes_and_change_what_is_asked() -> (
    None
):
    with_length = {
        id
        for id, cls in memviz.strategies().items()
        if "summary_words" in [one.name for one in list_axes(cls)]
    }
    assert with_length >= {
        "summary",
        "summary_buffer",
        "chat_summary_buffer",
        "summary_only",
        "threshold_summary",
    }
    messages = [
        memviz.Message(role, f"{role} {turn} " * 8)
        for turn in range(9)
        for role in ("user", "assistant")
    ]
    found = memviz.sweep(
        messages, {"summary": {"buffer_size": [2], "summary_words": [0, 120]}}
    )
    table = found.by_setting()
    assert table["summary_words"].tolist() == [0, 120]
    assert table["summarizer_tokens"].nunique() == 2, "the length stands in the prompt"
    size, words = (
        one for one in list_axes(memviz.strategies()["summary"]) if one.name in table
    )
    assert "Summary words" in setting_map(table, size, words, "usd").to_json(), (
        "a map of two parameters has it as one"
    )


def test_what_was_recorded_with_several_values_is_offered() -> None:
    def summary(**parameters: int) -> Strategy:
        return memviz.strategy("summary", **parameters)

    summaries = memviz.strategies()["summary"]
    once = [
        summary(buffer_size=8),
        summary(buffer_size=16),
        memviz.strategy("window", window_size=3),
    ]
    assert list_recorded_values(summaries, once) == {"buffer_size": (8, 16)}
    both = [
        *once,
        summary(buffer_size=8, summary_words=120),
        summary(buffer_size=32, summary_words=120),
    ]
    assert list_recorded_values(summaries, both) == {
        "buffer_size": (8, 16, 32),
        "summary_words": (0, 120),
    }
    assert (
        list_recorded_values(summaries, [summary(buffer_size=8, summary_words=120)])
        == {}
    ), "no value of its usual setting"
    assert list_recorded_values(summaries, []) == {}
