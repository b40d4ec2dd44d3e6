"""What models write as arguments of memory's tools: read where it is clear, refused in a sentence where not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Recall, RecallError
from memviz.core.bounds import LARGEST_NUMBER
from memviz.engine.thinking import Decision, read_decision, read_recall
from tests.tables import for_each

WRONG = (None, "true", "yes", 1, 0, [], [True], {})
NAMES = st.sampled_from(
    [
        "turn_numbers",
        "message_indices",
        "last_n",
        "continue_thinking",
        "continue",
        "summary",
    ]
)
NOT_AN_OBJECT = {
    "cut off": '{"turn_numbers": [1',
    "quoted like Python": "{'turn_numbers': [1]}",
    "words": "turn 3, please",
    "blank": "  \n",
    "fenced": '```json\n{"turn_numbers": [1]}\n```',
    "something behind it": '{"turn_numbers": [1]} {}',
    "array": "[1, 2]",
    "text": '"turn 3"',
    "number": "3",
    "true": "true",
    "null": "null",
    "nested beyond reason": "[" * 100_000,
    "a number of too many digits": '{"last_n": ' + "9" * 5000 + "}",
}


class TestRecall:
    @for_each(
        ("arguments", "recall"),
        [
            ({"turn_numbers": [3, 1]}, Recall(turns=(3, 1))),
            ({"message_indices": [0]}, Recall(messages=(0,))),
            ({"last_n": 4}, Recall(last_n=4)),
            (
                {"turn_numbers": [1], "message_indices": [7, 8], "last_n": 2},
                Recall(turns=(1,), messages=(7, 8), last_n=2),
            ),
            ({"turn_numbers": [0, -1, 10**12]}, Recall(turns=(0, -1, 10**12))),
        ],
    )
    def test_each_argument_and_all_of_them(
        self, arguments: dict[str, Any], recall: Recall
    ) -> None:
        assert read_recall(json.dumps(arguments)) == recall

    @for_each(
        ("arguments", "recall"),
        [
            ('{"turn_numbers": 3}', Recall(turns=(3,))),
            ('{"message_indices": 0}', Recall(messages=(0,))),
            (
                '{"turn_numbers": [2], "message_indices": null, "last_n": null}',
                Recall(turns=(2,)),
            ),
            ('{"turn_numbers": [], "last_n": 2}', Recall(last_n=2)),
            ('{"turn_numbers": [2], "last_n": []}', Recall(turns=(2,))),
            (' {"last_n":\n2}\t', Recall(last_n=2)),
            ('{"last_n": 1, "last_n": 2}', Recall(last_n=2)),
        ],
    )
    def test_what_is_clear_is_understood(self, arguments: str, recall: Recall) -> None:
        assert read_recall(arguments) == recall

    @for_each("shape", NOT_AN_OBJECT)
    def test_what_is_no_object_is_refused(self, shape: str) -> None:
        with pytest.raises(RecallError, match="The arguments are not a JSON object"):
            read_recall(NOT_AN_OBJECT[shape])

    @for_each(
        "arguments",
        [
            "",
            "{}",
            '{"turn_numbers": []}',
            '{"turn_numbers": null, "message_indices": [], "last_n": null}',
            '{"last_n": 0}',
        ],
    )
    def test_nothing_at_all_is_refused_and_told_what_there_is(
        self, arguments: str
    ) -> None:
        with pytest.raises(
            RecallError, match="at least one of turn_numbers, message_indices, last_n"
        ):
            read_recall(arguments)

    @for_each("name", ["turns", "keywords", "turnNumbers", ""])
    def test_an_unknown_argument_is_named_with_those_there_are(self, name: str) -> None:
        with pytest.raises(
            RecallError,
            match=f"There is no argument '{name}'; there are turn_numbers, message_ind",
        ):
            read_recall(json.dumps({name: [1], "last_n": 1}))

    @for_each("name", ["turn_numbers", "message_indices"])
    @for_each(
        "value",
        ["3", ["3"], "all", [1.0], 1.5, [None], [[1]], {"from": 1}, True, [True], ""],
    )
    def test_a_list_of_anything_but_whole_numbers_is_refused_by_the_name_that_the_model_knows(
        self, name: str, value: Any
    ) -> None:
        with pytest.raises(
            RecallError, match=f"^{name} has to be a list of whole numbers"
        ):
            read_recall(json.dumps({name: value}))

    @for_each("value", ["3", 2.0, [3], {}, True, False, -1, ""])
    def test_last_n_is_one_whole_number_above_0(self, value: Any) -> None:
        with pytest.raises(RecallError, match="last_n"):
            read_recall(json.dumps({"last_n": value, "turn_numbers": [1]}))

    @for_each("number", ["NaN", "Infinity", "1e400"])
    def test_numbers_that_are_none_are_refused(self, number: str) -> None:
        with pytest.raises(RecallError):
            read_recall(f'{{"last_n": {number}}}')


class TestDecision:
    @for_each(
        ("arguments", "decision"),
        [
            ({"continue_thinking": True}, Decision(True)),
            ({"continue_thinking": False}, Decision(False)),
            (
                {"continue_thinking": False, "summary": " They met.\n"},
                Decision(False, "They met."),
            ),
            ({"continue_thinking": True, "reason": "more to see"}, Decision(True)),
            ({"continueThinking": False, "summary": "x"}, Decision(False, "x")),
            ({"continue": True}, Decision(True)),
            ({"continue_thinking": False, "continue": True}, Decision(False)),
            ({"continue_thinking": False, "summary": None}, Decision(False)),
            ({"continue_thinking": False, "anything": ["else"]}, Decision(False)),
        ],
    )
    def test_what_is_clear_is_understood(
        self, arguments: dict[str, Any], decision: Decision
    ) -> None:
        assert read_decision(json.dumps(arguments)) == decision

    @for_each("shape", NOT_AN_OBJECT)
    def test_what_is_no_object_is_refused(self, shape: str) -> None:
        with pytest.raises(RecallError, match="The arguments are not a JSON object"):
            read_decision(NOT_AN_OBJECT[shape])

    @for_each(
        "arguments",
        [{}, {"summary": "They met."}, *({"continue_thinking": v} for v in WRONG)],
    )
    def test_a_flag_that_is_missing_or_no_flag_is_refused(
        self, arguments: dict[str, Any]
    ) -> None:
        with pytest.raises(RecallError, match="true or false"):
            read_decision(json.dumps(arguments))

    @for_each("summary", [7, ["They met."], {"text": "They met."}, True])
    def test_a_summary_that_is_no_text_is_refused(self, summary: Any) -> None:
        with pytest.raises(RecallError, match="summary has to be text"):
            read_decision(json.dumps({"continue_thinking": False, "summary": summary}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(NAMES | st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
whole_numbers = st.integers(-LARGEST_NUMBER, LARGEST_NUMBER)
numbers = st.lists(whole_numbers, max_size=4)


@given(arguments=st.text() | JSON.map(json.dumps))
def test_whatever_is_written_gives_a_recall_or_a_sentence(arguments: str) -> None:
    try:
        assert isinstance(read_recall(arguments), Recall)
    except RecallError as error:
        assert str(error).endswith(".")  # noqa: PT017 - both outcomes are fine


@given(arguments=st.text() | JSON.map(json.dumps))
def test_whatever_is_written_gives_a_decision_or_a_sentence(arguments: str) -> None:
    try:
        decision = read_decision(arguments)
        assert isinstance(decision.go_on, bool)
        assert decision.summary == decision.summary.strip()
    except RecallError as error:
        assert str(error).endswith(".")  # noqa: PT017 - both outcomes are fine


@given(
    turns=numbers, messages=numbers, last_n=st.none() | st.integers(1, LARGEST_NUMBER)
)
def test_what_the_schema_allows_is_what_is_recalled(
    turns: list[int], messages: list[int], last_n: int | None
) -> None:
    arguments = json.dumps(
        {"turn_numbers": turns, "message_indices": messages, "last_n": last_n}
    )
    if turns or messages or last_n:
        assert read_recall(arguments) == Recall(
            turns=turns, messages=messages, last_n=last_n
        )
    else:
        with pytest.raises(RecallError, match="Nothing was asked for"):
            read_recall(arguments)
