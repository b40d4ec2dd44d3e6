"""A replay in outline against the records of the same replay."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, Run
from memviz.core.context import ALL_PARTS, OVER_BUDGET
from memviz.core.errors import SystemPromptTooLargeError
from memviz.core.memory import Memory
from memviz.core.pieces import Piece, messages
from memviz.engine.requests import Requests
from memviz.strategies.base import Strategy, Trigger
from tests.engine.probes import IDS, small
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each


class Odd(Strategy):
    """Selects what no built-in strategy does: several ranges, empty ones, and ranges that end before the input."""

    shape: str

    @property
    def budget_tokens(self) -> int:
        """So small that some requests are too large and some not."""
        return 30

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The ranges that ``shape`` names."""
        length = memory.length
        shapes = {
            "none": (),
            "empty": (range(length, length),),
            "empty in the middle": (range(length // 2, length // 2),),
            "head": (range(min(2, length)),),
            "head and tail": (range(min(1, length)), range(max(1, length - 3), length)),
            "newest first": (
                range(max(0, length - 2), length),
                range(max(0, length - 4), max(0, length - 3)),
            ),
            "without input": (range(max(0, length - 1)),),
            "input alone": (range(length - 1, length),),
        }
        return tuple(map(messages, shapes[self.shape]))


SHAPES = [
    "none",
    "empty",
    "empty in the middle",
    "head",
    "head and tail",
    "newest first",
    "without input",
    "input alone",
]
SETTINGS = [
    *(small(id) for id in IDS),
    *(Odd(shape=shape) for shape in SHAPES),
    small("summary_only", enable_summarization=False),
    small("chat_summary_buffer", count_initial_tokens=True),
]
KEPT_IN_FULL = (
    "head_and_tail",
    "fifo_facts",
    "retrieval",
    "facts_store",
    "fact_graph",
    "importance",
    "memory_blocks",
    "summary_tree",
    "hand_off",
    "pydantic_ai_compaction",
)
"""They send more than one range, or notes inside the system prompt."""
every_setting = for_each("strategy", SETTINGS)


def recorded(run: Run) -> dict[str, Any]:
    """What the records of ``run`` say of everything that its columns hold."""
    parts = [record.parts for record in run.requests]
    return {
        "names": [(record.turn, record.call) for record in run.requests],
        "memories": [
            (record.memory.length, *record.memory.state[:2]) for record in run.requests
        ],
        "input_starts": [record.memory.before_input for record in run.requests],
        "summaries": [(part.summaries.start, part.summaries.stop) for part in parts],
        "reply_tokens": [record.reply_tokens for record in run.requests],
        "tokens": {
            part: [r.tokens.get(part, 0) for r in run.requests] for part in ALL_PARTS
        },
        "with_recalls": [number for number, part in enumerate(parts) if part.recalled],
        "over_budget": sum(OVER_BUDGET in record.flags for record in run.requests),
        "positions": [
            sorted({p for part in (*one.history, one.input) for p in part})
            for one in parts
        ],
    }


def in_columns(run: Run) -> dict[str, Any]:
    """The same of the columns, where the tokens of all requests are counted at once."""
    found = run.columns
    positions = [
        list(range(*bounds)) for bounds in zip(found.starts, found.stops, strict=True)
    ]
    for number, parts in found.others.items():
        assert found.starts[number] == found.stops[number] == -1
        positions[number] = sorted(
            {p for part in (*parts.history, parts.input) for p in part}
        )
    return {
        "names": [*zip(found.turns.tolist(), found.calls.tolist(), strict=True)],
        "memories": [
            *zip(
                found.lengths.tolist(),
                found.summary_counts.tolist(),
                found.cursors.tolist(),
                strict=True,
            )
        ],
        "input_starts": found.input_starts.tolist(),
        "summaries": [
            *zip(
                found.summary_starts.tolist(), found.summary_stops.tolist(), strict=True
            )
        ],
        "reply_tokens": found.reply_tokens.tolist(),
        "tokens": {part: counted.tolist() for part, counted in found.tokens.items()},
        "with_recalls": run.requests.numbers_with_recalls(),
        "over_budget": found.over_budget,
        "positions": positions,
    }


@given(
    messages=conversations(),
    plan=st.none() | outcomes,
    prompt=st.sampled_from([None, "Be brief."]),
    counter=st.sampled_from(["chars4", "o200k_base"]),
)
@every_setting
def test_columns_say_what_the_records_say(
    strategy: Strategy,
    messages: list[Message],
    plan: list[str] | None,
    prompt: str | None,
    counter: str,
) -> None:
    log = Log(messages)
    try:
        run = memviz.replay(
            log,
            strategy,
            model=plan and summarizer(plan),
            counter=counter,
            system_prompt=prompt,
        )
    except (
        SystemPromptTooLargeError
    ):  # leading system messages that are larger than the limit
        return
    assert in_columns(run) == recorded(run)
    again = Run(run.strategy, run.space, Requests.of([*run.requests]), run.compactions)
    assert again.requests == run.requests
    assert in_columns(again) == in_columns(run)
    assert [*run.turns] == [
        record
        for record, last in zip(run.requests, _ends_turn(run), strict=True)
        if last
    ]


def _ends_turn(run: Run) -> list[bool]:
    turns = [record.turn for record in run.requests]
    return [
        turn != after for turn, after in zip(turns, [*turns, None][1:], strict=True)
    ]


def test_a_snapshot_does_not_grow_and_has_the_records_of_its_time() -> None:
    chat = memviz.Chat(
        small("summary"), model=memviz.ScriptedModel([f"reply {n}" for n in range(9)])
    )
    held = []
    for said in ("one", "two", "three"):
        chat.send(said)
        held.append(chat.run)
    assert [len(run.requests) for run in held] == [1, 2, 3]
    assert held[0].requests == held[2].requests[:1] == (held[2].requests[0],)
    assert held[2].requests[-1].turn == 3
    with pytest.raises(IndexError):
        held[0].requests[1]


def test_only_what_is_no_range_is_kept_in_full() -> None:
    log = Log(
        [
            Message(role, f"{role} {number}")
            for number in range(20)
            for role in ("user", "assistant")
        ]
    )
    for id in IDS:
        if id not in KEPT_IN_FULL:
            assert not memviz.replay(
                log, small(id), model=summarizer(["good"]), counter="chars4"
            ).columns.others, id
    run = memviz.replay(log, Odd(shape="head and tail"), model=None, counter="chars4")
    assert len(run.columns.others) == 18  # the first two are whole


def test_a_strategy_that_never_summarizes_is_asked_once_a_request() -> None:
    asked: list[int] = []

    class Asked(Odd):
        def select(self, memory: Memory) -> tuple[Piece, ...]:
            asked.append(memory.length)
            return super().select(memory)

    assert Asked.trigger is Trigger.NEVER
    log = Log(
        [
            Message("user", "One."),
            Message("assistant", "Two."),
            Message("user", "Three."),
            Message("assistant", "Four."),
        ]
    )
    memviz.replay(log, Asked(shape="head"), model=None, counter="chars4")
    assert asked == [1, 3]
