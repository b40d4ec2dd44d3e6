"""``memviz strategies`` and ``memviz formats`` show what there is, as it describes itself."""

from __future__ import annotations

import inspect

import pytest

from memviz import strategies
from memviz.transcripts.loading import formats
from tests.cli.terminal import memviz, refused
from tests.engine.written_strategies import Folding
from tests.own_strategies import known
from tests.tables import for_each


def test_every_strategy_with_every_parameter() -> None:
    out = memviz("strategies").out
    for id, cls in strategies().items():
        assert f"{id}  ({cls.title})" in out
        assert cls.summary_line() in out
        assert all(parameter.help in out for parameter in cls.parameters())


def test_a_row_has_default_range_and_unit() -> None:
    (row,) = [
        line.split()
        for line in memviz("strategies", "window").lines
        if line.startswith("window_size")
    ]
    assert row[:6] == ["window_size", "10", "1", "or", "more", "messages"]


@for_each("id", strategies())
def test_one_by_name_has_its_whole_description(id: str) -> None:
    words = " ".join(memviz("strategies", id).out.split())
    assert " ".join((inspect.getdoc(strategies()[id]) or "").split()) in words


def test_json_is_the_same_for_programs() -> None:
    everything = memviz("strategies", "--json").json
    assert [about["id"] for about in everything] == list(strategies())
    one = memviz("strategies", "summary_buffer", "--json").json
    assert one in everything
    limit, words = one["parameters"]
    assert (limit["name"], limit["default"], limit["minimum"], limit["unit"]) == (
        "max_token_limit",
        500,
        1,
        "tokens",
    )
    assert (words["name"], words["default"], words["maximum"], words["unit"]) == (
        "summary_words",
        0,
        2000,
        "words",
    )


def test_a_choice_has_its_values_and_what_they_mean() -> None:
    words = " ".join(memviz("strategies", "clear_tool_results").out.split())
    assert "stop or gate" in words
    assert "gate: Anthropic: clear all old results" in words


def test_one_that_cannot_be_run_says_why() -> None:
    with known():
        assert "cannot be run" not in memviz("strategies", "folding").out
        assert memviz("strategies", "folding", "--json").json["cannot_be_run"] == ""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                Folding,
                "reason_not_to_run",
                lambda strategy: "The package folding is missing. Install it.",
            )
            said = "It cannot be run here: The package folding is missing. Install it."
            assert said in memviz("strategies").lines
            assert said in memviz("strategies", "folding").lines
            assert (
                memviz("strategies", "folding", "--json")
                .json["cannot_be_run"]
                .startswith("The package")
            )


def test_no_such_strategy() -> None:
    refused(
        "strategies", "nope", code=2, words=("no strategy", "'nope'", "summary_buffer")
    )


def test_every_format_by_name_and_title() -> None:
    lines = memviz("formats").lines[1:]
    assert [line.split()[0] for line in lines] == list(formats())
    assert all(
        line.endswith(known.title)
        for line, known in zip(lines, formats().values(), strict=True)
    )
