"""Values from outside that no program should have to hold: refused where they enter, in one short sentence."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

import memviz
from memviz import (
    ConfigError,
    Message,
    ParameterError,
    Recall,
    RecallError,
    ScriptedModel,
)
from memviz.core.bounds import (
    LARGEST_NUMBER,
    is_deeper,
    quoted,
    read_json,
    whole_number,
)
from memviz.dashboard.ui.controls.links import open_link
from memviz.dashboard.ui.controls.study import CompareState
from memviz.engine.memory_config import (
    MAX_BYTES,
    load_memory_config,
    read_memory_config,
)
from memviz.engine.thinking import read_decision, read_recall
from memviz.metrics.cost.pricing import make_unpriced
from memviz.tuning.grid import expand_grid
from tests.engine.calling import Caller, recall, says
from tests.tables import for_each

MAX_SENTENCE_CHARS = 500
HUGE = 10**23
DEEP = "[" * 3000


def nested_aliases(levels: int = 8) -> str:
    names = [chr(ord("a") + level) for level in range(levels)]
    lines = [f"a: &a [{','.join('x' * 9)}]"]
    lines += [
        f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]"
        for before, name in pairwise(names)
    ]
    return (
        "memory:\n"
        + "".join(f"  {line}\n" for line in lines)
        + f"  token_limit: *{names[-1]}\n"
    )


CONFIGS = {
    "nested aliases": nested_aliases(),
    "a value that holds itself": "memory: &a\n  persistence: *a\n",
    "3,000 parts of base 60": "memory:\n  token_limit: 1" + ":59" * 3000,
    "3,000 parts and a fraction": "memory:\n  token_limit: 1" + ":59" * 3000 + ".5",
    "5,000 digits": "memory:\n  token_limit: " + "9" * 5000,
    "50,000 hexadecimal digits": "memory:\n  token_limit: 0x" + "f" * 50_000,
    "20 digits": "memory:\n  strategy: window\n  parameters:\n    window_size: "
    + "9" * 20,
    "3,000 brackets": "memory:\n  token_limit: " + DEEP,
    "a list of 20,000": "memory:\n  persistence: [" + "x," * 20_000 + "]",
    "a list as a key": "memory:\n  ? [" + "c," * 2000 + "]\n  : 1",
    "a long tag": "memory:\n  token_limit: !" + "t" * 5000 + " 1",
    "a large file": "#" * (MAX_BYTES + 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_is_refused_soon_and_in_one_sentence(name: str) -> None:
    begun = perf_counter()
    with pytest.raises(ConfigError) as caught:
        read_memory_config(CONFIGS[name].encode(), "memory.yaml")
    assert len(str(caught.value)) < MAX_SENTENCE_CHARS
    assert "set_int_max_str_digits" not in str(caught.value)
    assert perf_counter() - begun < 5


def test_a_configuration_that_never_ends_is_left() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("there is no such device")
    with pytest.raises(ConfigError, match="more than 100,000 bytes"):
        load_memory_config("/dev/zero")


@for_each(
    "arguments",
    [
        {"last_n": HUGE},
        {"turn_numbers": [HUGE]},
        {"message_indices": [-HUGE]},
        {"turn_numbers": [1] * 20_000},
        {"a" * 5000: 1},
    ],
)
def test_a_models_recall_out_of_all_bounds_is_a_sentence_for_it(
    arguments: dict[str, Any],
) -> None:
    with pytest.raises(RecallError) as caught:
        read_recall(json.dumps(arguments))
    assert len(str(caught.value)) < MAX_SENTENCE_CHARS


@for_each(
    "text",
    [DEEP, '{"last_n":' * 5000, '{"last_n": ' + "9" * 5000 + "}", '{"last_n": NaN}'],
)
def test_what_a_model_writes_may_be_anything(text: str) -> None:
    for read in (read_recall, read_decision):
        with pytest.raises(RecallError) as caught:
            read(text)
        assert len(str(caught.value)) < MAX_SENTENCE_CHARS


def test_a_chat_goes_on_after_such_a_recall() -> None:
    model = Caller([says(recall(last_n=HUGE)), "I could not look that up."])
    chat = memviz.Chat(
        memviz.strategy("summary_only"),
        model=model,
        summarizer=ScriptedModel(["s"] * 9),
    )
    record = chat.send("What was it?")
    assert record.reply == "I could not look that up."


@for_each("recalled", [{"last_n": HUGE}, {"turns": [HUGE]}, {"messages": [-HUGE]}])
def test_a_recall_of_ones_own_has_the_same_bounds(recalled: dict[str, Any]) -> None:
    with pytest.raises(RecallError, match="at most 15 digits"):
        Recall(**recalled)


def test_more_messages_than_there_are_may_be_recalled() -> None:
    chat = memviz.Chat(memviz.strategy("window"), model=ScriptedModel(["Hi!"]))
    chat.send("Hello")
    assert len(chat.recall(last_n=LARGEST_NUMBER).indices) == 2


@for_each(
    "query",
    [
        {"setting": [f"window {DEEP}"]},
        {"setting": ['window {"window_size": ' + "1" + "0" * 20 + "}"]},
        {"setting": ['window {"window_size": 1e400}']},
        {"setting": ['window {"window_size": ' + "9" * 5000 + "}"]},
        {"turn": ["9" * 5000]},
        {"turn": ["1" + "0" * 20]},
        {"turn": ["-1"]},
        {"recall": ["1" + "0" * 20 + " 1"]},
        {"recall": ["3 " + "1" + "0" * 20]},
        {"recall": ["3 1 -1"]},
        {"look": ["-1"]},
        {"counter": ["x" * 5000]},
    ],
)
def test_a_link_is_passed_over_in_one_sentence(query: dict[str, list[str]]) -> None:
    state = CompareState()
    before = [(setting.strategy_id, setting.parameters) for setting in state.settings]
    view, problems = open_link(state, query)
    assert (view.turn, state.recalls, state.looked_at) == (None, [], None)
    assert [
        (setting.strategy_id, setting.parameters) for setting in state.settings
    ] == before
    assert len(problems) == 1
    assert len(problems[0]) < MAX_SENTENCE_CHARS


@for_each(
    ("id", "name"), [("window", "window_size"), ("summary_buffer", "max_token_limit")]
)
@for_each("value", [LARGEST_NUMBER + 1, 10**20, 10**5000])
def test_a_parameter_is_no_larger_than_every_part_of_the_program_can_hold(
    id: str, name: str, value: int
) -> None:
    with pytest.raises(ParameterError, match=f"from 1 to {LARGEST_NUMBER:,}") as caught:
        memviz.strategy(id, **{name: value})
    assert len(str(caught.value)) < MAX_SENTENCE_CHARS
    largest = memviz.strategy(id, **{name: LARGEST_NUMBER})
    run = memviz.replay(
        [Message("user", "Hello"), Message("assistant", "Hi!")] * 3, largest
    )
    assert [len(record.context.messages) for record in run.turns] == [1, 3, 5]


def test_a_grid_has_no_more_settings_than_anybody_waits_for() -> None:
    many = list(range(1, 400))
    grid = {
        "summary_only": {"max_recalled_messages": many, "max_recall_contexts": many}
    }
    with pytest.raises(ParameterError, match="159,201 settings"):
        expand_grid(grid)


@for_each("price", [float("nan"), float("inf"), 1e308, -1.0])
def test_a_price_by_hand_is_a_price(price: float) -> None:
    with pytest.raises(ValueError, match="0 or more and at most"):
        make_unpriced("some/model").by_hand(input_usd_per_million=price)


def test_whatever_is_quoted_is_cut() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for value in (
        deep,
        "x" * 10_000_000,
        10**100_000,
        [10**5000] * 1000,
        {"k" * 5000: "v" * 5000},
        b"b" * 10_000,
    ):
        assert len(quoted(value)) <= 160
    assert quoted("short") == "'short'"
    assert quoted(12) == "12"
    while deep:  # a list of that depth cannot be freed all at once
        deep = deep.pop()


def test_json_is_read_within_bounds() -> None:
    assert read_json('{"a": [1, 2.5, null, true]}') == {"a": [1, 2.5, None, True]}
    assert read_json(str(-LARGEST_NUMBER)) == -LARGEST_NUMBER
    for text in (
        DEEP,
        "[" * 102 + "]" * 102,
        str(LARGEST_NUMBER + 1),
        "9" * 5000,
        "1e400",
        "Infinity",
        "{nope",
    ):
        with pytest.raises(ValueError, match=r"\.$"):
            read_json(text)
    assert not is_deeper([[1]], 2)
    assert is_deeper([[[1]]], 2)


@for_each("text", ["", "-1", "1.0", " 1", "²", "٣", "9" * 16, "9" * 5000])
def test_a_number_is_written_with_digits_alone(text: str) -> None:
    with pytest.raises(ValueError, match="not a whole number"):
        whole_number(text)
    assert whole_number("042") == 42
