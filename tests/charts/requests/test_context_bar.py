"""The bar of one request: its parts, their shares, and the budget."""

from __future__ import annotations

import pytest

from memviz.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES
from memviz.charts.requests.context_bar import MAX_BUDGET_SHARE, context_bar
from tests.charts.runs import run_of

TOKENS = {"system": 10, "summary": 0, "recalled": 5, "history": 1_200, "input": 85, "overhead": 200}


def test_parts_are_the_requests_own() -> None:
    record = run_of().turns[3]
    bars = {bar.name: list(bar.x) for bar in context_bar(record.tokens).data}
    assert bars == {PART_TITLES[part]: [tokens] for part, tokens in record.tokens.items() if tokens}


def test_parts_lie_in_order_in_their_own_colours() -> None:
    bars = context_bar(TOKENS).data
    parts = ["system", "history", "recalled", "input", "overhead"]
    assert parts == [part for part in PART_ORDER if TOKENS.get(part)]
    assert [bar.marker.color for bar in bars] == [PART_COLORS[part] for part in parts]
    assert context_bar(TOKENS).layout.barmode == "stack"
    assert len({str(bar.y) for bar in bars}) == 1, "one bar"


def test_tooltips_give_tokens_and_share() -> None:
    tooltips = [bar.hovertemplate for bar in context_bar(TOKENS).data]
    assert tooltips[1] == "History: 1,200 tokens, 80% of the request<extra></extra>"
    assert tooltips[0].startswith("System prompt: 10 tokens, 1%")


@pytest.mark.parametrize("budget", [1, 1_000, MAX_BUDGET_SHARE * 1_500])
def test_the_budget_is_a_line_with_its_value(budget: int) -> None:
    layout = context_bar(TOKENS, budget).layout
    assert [(shape.x0, shape.x1) for shape in layout.shapes] == [(budget, budget)]
    assert [label.text for label in layout.annotations] == [f"budget {budget:,}"]


@pytest.mark.parametrize("budget", [None, MAX_BUDGET_SHARE * 1_500 + 1])
def test_without_a_budget_or_far_below_it_there_is_no_line(budget: int | None) -> None:
    assert context_bar(TOKENS, budget).layout.shapes == ()


def test_of_nothing_is_empty() -> None:
    assert context_bar({}).data == ()
