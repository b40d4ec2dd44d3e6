"""The bar of one request: its parts, their shares, and the limit."""

from __future__ import annotations

from memviz.dashboard.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES
from memviz.dashboard.charts.requests.composition import MAX_LIMIT_SHARE, context_bar
from memviz.metrics.requests.token_use import Limit
from tests.dashboard.charts.runs import run_of
from tests.tables import for_each

TOKENS = {
    "system": 10,
    "summary": 0,
    "recalled": 5,
    "history": 1_200,
    "input": 85,
    "overhead": 200,
}


def test_parts_are_the_requests_own() -> None:
    record = run_of().turns[3]
    bars = {bar.name: list(bar.x) for bar in context_bar(record.tokens).data}
    assert bars == {
        PART_TITLES[part]: [tokens] for part, tokens in record.tokens.items() if tokens
    }


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


def limit(tokens: int) -> Limit:
    return Limit(tokens, "messages not yet summarized", frozenset({"history", "input"}))


def test_what_counts_toward_the_limit_begins_at_zero_and_the_rest_is_pale() -> None:
    bars = context_bar(TOKENS, limit(1_000)).data
    assert [bar.name for bar in bars] == [
        PART_TITLES[part]
        for part in ("history", "input", "system", "recalled", "overhead")
    ]
    assert [bar.marker.color in PART_COLORS.values() for bar in bars] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert ["does not count" in bar.hovertemplate for bar in bars] == [
        False,
        False,
        True,
        True,
        True,
    ]


@for_each(
    ("tokens", "side"),
    [(1, "left"), (1_000, "right"), (MAX_LIMIT_SHARE * 1_500, "right")],
)
def test_the_limit_is_a_line_that_says_what_it_counts_and_has_room_for_it(
    tokens: int, side: str
) -> None:
    layout = context_bar(TOKENS, limit(tokens)).layout
    assert [(shape.x0, shape.x1) for shape in layout.shapes] == [(tokens, tokens)]
    (label,) = layout.annotations
    assert (label.text, label.xanchor) == (
        f"limit for messages not yet summarized {tokens:,}",
        side,
    )
    assert layout.xaxis.range[1] >= max(tokens, 1_500)


def test_a_label_with_no_room_on_either_side_ends_with_the_bar() -> None:
    (label,) = context_bar(TOKENS, limit(700)).layout.annotations
    assert (label.xref, label.x, label.xanchor) == ("paper", 1, "right")


@for_each("far", [None, limit(MAX_LIMIT_SHARE * 1_500 + 1)])
def test_without_a_limit_or_far_below_it_there_is_no_line(far: Limit | None) -> None:
    assert context_bar(TOKENS, far).layout.shapes == ()


def test_of_nothing_is_empty() -> None:
    assert context_bar({}).data == ()
