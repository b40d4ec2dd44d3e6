"""How numbers, places, lists and money are written."""

from __future__ import annotations

import ast
from pathlib import Path

import memviz
from memviz.core.text.wording import (
    _FORMS,
    RequestPlace,
    counted,
    dollars,
    listed,
    message_list,
    message_number,
    message_position,
    message_range,
    plural,
    request_name,
    request_range,
    request_span,
    rounded_tokens,
    share_of,
    times,
    turn_list,
    turn_range,
    turn_span,
)
from tests.tables import for_each


def counted_nouns() -> set[str]:
    """The nouns that the code names when it counts them: ``counted(2, "row")``."""
    nouns = set()
    for path in Path(memviz.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        calls = ast.walk(ast.parse(text)) if "counted(" in text else ()
        for call in calls:
            is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
            if is_call and call.func.id == "counted":
                noun = call.args[1]
                if isinstance(noun, ast.Constant):
                    nouns.add(str(noun.value))
    return nouns


def test_what_is_counted_is_counted_in_every_language() -> None:
    assert counted_nouns() <= set(_FORMS)


@for_each(
    ("number", "noun", "text"),
    [
        (1, "turn", "1 turn"),
        (0, "turn", "0 turns"),
        (2, "turn", "2 turns"),
        (1_234, "token", "1,234 tokens"),
        (1, "summary", "1 summary"),
        (3, "summary", "3 summaries"),
        (2, "reply", "2 replies"),
        (2, "day", "2 days"),
        (2, "more note", "2 more notes"),
    ],
)
def test_things_are_counted(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text


def test_what_is_in_a_collection_is_counted_too() -> None:
    assert counted(["a", "b"], "row") == "2 rows"
    assert counted({}, "row") == "0 rows"


def test_a_noun_alone_and_a_share() -> None:
    assert (plural("query"), plural("fact", 1), plural("fact", 0)) == (
        "queries",
        "fact",
        "facts",
    )
    assert (share_of(3, 12, "request"), share_of(1, 1, "fact")) == (
        "3 of 12 requests",
        "1 of 1 fact",
    )
    assert (times(1), times(2), times(1_200)) == ("once", "2 times", "1,200 times")


@for_each(
    ("items", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ([1, 2, 3], "1, 2 and 3")],
)
def test_lists(items: list[object], text: str) -> None:
    assert listed(items) == text
    assert listed(iter(items)) == text


@for_each(
    ("positions", "text"),
    [
        (range(1), "message 1"),
        (range(4, 5), "message 5"),
        (range(2), "messages 1 to 2"),
        (range(998, 1_234), "messages 999 to 1,234"),
    ],
)
def test_log_positions_become_message_numbers(positions: range, text: str) -> None:
    assert message_range(positions) == text
    assert message_number(positions.start) == positions.start + 1
    assert [
        message_position(message_number(position)) for position in positions
    ] == list(positions)


def test_single_messages_and_turns() -> None:
    assert (message_list([4]), message_list([0, 2]), message_list([0, 2, 999])) == (
        "message 5",
        "messages 1 and 3",
        "messages 1, 3 and 1,000",
    )
    assert (turn_list([4]), turn_list([4, 9])) == ("turn 4", "turns 4 and 9")
    assert turn_list([4, 9, 11], most=2) == "turns 4, 9, …"
    assert turn_list([4, 9], most=2) == "turns 4 and 9"
    assert (turn_span(4, 4), turn_span(4, 9)) == ("at turn 4", "from turn 4 to 9")
    assert (turn_range(4, 4), turn_range(4, 1_009)) == ("turn 4", "turns 4 to 1,009")


@for_each(
    ("usd", "text"),
    [
        (0, "$0.00"),
        (0.41, "$0.41"),
        (0.5, "$0.50"),
        (12.345, "$12.35"),
        (1234.5, "$1,234.50"),
        (0.041, "$0.041"),
        (0.0996, "$0.10"),
        (0.00999, "$0.01"),
        (0.0041, "$0.0041"),
        (0.00694, "$0.0069"),
        (1.2e-7, "$0.00000012"),
    ],
)
def test_money_has_the_digits_it_needs(usd: float, text: str) -> None:
    assert dollars(usd) == text


@for_each(
    ("tokens", "text"),
    [
        (1, "1"),
        (999, "999"),
        (1_234, "1,230"),
        (123_456, "123,000"),
        (999_999, "1,000,000"),
        (9_000, "9,000"),
    ],
)
def test_tokens_are_given_to_three_digits(tokens: int, text: str) -> None:
    assert rounded_tokens(tokens) == text


def test_a_request_is_named_by_its_turn_and_where_more_calls_follow_or_came_before_by_its_call() -> (
    None
):
    assert [
        request_name(7, 1, 1),
        request_name(7, 1, 2),
        request_name(1_200, 2, 2),
    ] == [
        "turn 7",
        "turn 7, call 1",
        "turn 1,200, call 2",
    ]


@for_each(
    ("first", "last", "words", "when"),
    [
        ((3, 1, 1), (3, 1, 1), "turn 3", "at turn 3"),
        ((3, 1, 1), (5, 1, 1), "turns 3 to 5", "from turn 3 to 5"),
        ((3, 1, 4), (5, 2, 2), "turns 3 to 5", "from turn 3 to 5"),
        ((3, 1, 4), (3, 1, 4), "turn 3, call 1", "at turn 3, call 1"),
        ((3, 2, 4), (3, 4, 4), "turn 3, calls 2 to 4", "at turn 3, calls 2 to 4"),
        (
            (3, 2, 4),
            (5, 1, 1),
            "turn 3, call 2 to turn 5",
            "from turn 3, call 2 to turn 5",
        ),
        (
            (3, 1, 1),
            (5, 1, 2),
            "turn 3 to turn 5, call 1",
            "from turn 3 to turn 5, call 1",
        ),
    ],
)
def test_requests_in_a_row_name_calls_only_where_not_all_of_a_turn_are_meant(
    first: RequestPlace, last: RequestPlace, words: str, when: str
) -> None:
    assert (request_range(first, last), request_span(first, last)) == (words, when)
