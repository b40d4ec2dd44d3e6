"""A replay in outline against the records of the same replay."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import EmptyConversationError, Log, Message, Run
from memviz.context import ALL_PARTS, OVER_BUDGET
from memviz.engine.outline import Outline, outline
from memviz.errors import SystemPromptTooLargeError
from memviz.memory import Memory
from memviz.strategies.base import Selection, Strategy, Trigger
from tests.engine.probes import IDS, small
from tests.strategies.conversations import conversations, outcomes, summarizer


class Odd(Strategy):
    """Selects what no built-in strategy does: several ranges, empty ones, and ranges that end before the input."""

    shape: str

    @property
    def budget_tokens(self) -> int:
        """So small that some requests are too large and some not."""
        return 30

    def select(self, memory: Memory) -> Selection:
        """The ranges that ``shape`` names."""
        length = memory.length
        shapes = {
            "none": (),
            "empty": (range(length, length),),
            "empty in the middle": (range(length // 2, length // 2),),
            "head": (range(min(2, length)),),
            "head and tail": (range(min(1, length)), range(max(1, length - 3), length)),
            "newest first": (range(max(0, length - 2), length), range(max(0, length - 4), max(0, length - 3))),
            "without input": (range(max(0, length - 1)),),
            "input alone": (range(length - 1, length),),
        }
        return Selection(range(0), shapes[self.shape])


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
    *(small(id) for id in IDS), *(Odd(shape=shape) for shape in SHAPES),
    small("summary_only", enable_summarization=False), small("chat_summary_buffer", count_initial_tokens=True),
]  # fmt: skip
every_setting = pytest.mark.parametrize("strategy", SETTINGS, ids=lambda one: f"{one.id} {one.model_dump()}")


def recorded(run: Run) -> dict[str, Any]:
    """What the records of ``run`` say of everything that an outline holds."""
    parts = [record.parts for record in run.requests]
    return {
        "turns": [record.turn for record in run.requests],
        "lengths": [record.memory.length for record in run.requests],
        "summaries": [(part.summaries.start, part.summaries.stop) for part in parts],
        "reply_tokens": [record.reply_tokens for record in run.requests],
        "tokens": {part: [r.tokens.get(part, 0) for r in run.requests] for part in ALL_PARTS},
        "over_budget": sum(OVER_BUDGET in record.flags for record in run.requests),
        "positions": [sorted({p for part in (*one.history, one.input) for p in part}) for one in parts],
        "versions": [version.text for version in run.summaries],
        "compactions": [timeless(compaction.to_dict()) for compaction in run.compactions],
    }


def outlined(found: Outline) -> dict[str, Any]:
    """The same of an outline."""
    positions = [list(range(*bounds)) for bounds in zip(found.starts, found.stops, strict=True)]
    for number, parts in found.others.items():
        assert found.starts[number] == found.stops[number] == -1
        positions[number] = sorted({p for part in (*parts.history, parts.input) for p in part})
    return {
        "turns": found.turns.tolist(),
        "lengths": found.lengths.tolist(),
        "summaries": [*zip(found.summary_starts.tolist(), found.summary_stops.tolist(), strict=True)],
        "reply_tokens": found.reply_tokens.tolist(),
        "tokens": {part: counted.tolist() for part, counted in found.tokens.items()},
        "over_budget": found.over_budget_requests,
        "positions": positions,
        "versions": [version.text for version in found.space.summaries.versions],
        "compactions": [timeless(compaction.to_dict()) for compaction in found.compactions],
    }


def timeless(compaction: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in compaction.items() if name != "seconds"}


@every_setting
@given(
    messages=conversations(), plan=st.none() | outcomes, prompt=st.sampled_from([None, "Be brief."]),
    counter=st.sampled_from(["chars4", "o200k_base"]),
)  # fmt: skip
def test_an_outline_says_what_the_records_of_a_replay_say(
    strategy: Strategy, messages: list[Message], plan: list[str] | None, prompt: str | None, counter: str
) -> None:
    log = Log(messages)
    try:
        run = memviz.replay(log, strategy, model=plan and summarizer(plan), counter=counter, system_prompt=prompt)
    except SystemPromptTooLargeError:  # leading system messages that are larger than the limit
        with pytest.raises(SystemPromptTooLargeError):
            outline(log, strategy, summarizer(plan) if plan else None, counter, prompt)
        return
    found = outline(log, strategy, summarizer(plan) if plan else None, counter, prompt)
    assert outlined(found) == recorded(run)


def test_what_fails_in_a_replay_fails_in_outline() -> None:
    strict = small("chat_summary_buffer", token_limit=1, count_initial_tokens=True)
    with pytest.raises(EmptyConversationError):
        outline(Log([Message("assistant", "Hello.")]), small("window"), None, "chars4")
    with pytest.raises(SystemPromptTooLargeError):
        outline(Log([Message("user", "Hello.")]), strict, None, "chars4", "A prompt of more than one token.")


def test_only_what_is_no_range_is_kept_in_full() -> None:
    log = Log([Message(role, f"{role} {number}") for number in range(20) for role in ("user", "assistant")])
    for id in IDS:
        assert not outline(log, small(id), summarizer(["good"]), "chars4").others
    assert len(outline(log, Odd(shape="head and tail"), None, "chars4").others) == 19  # only the first is whole


def test_a_strategy_that_never_summarizes_is_asked_once_a_request() -> None:
    asked: list[int] = []

    class Asked(Odd):
        def select(self, memory: Memory) -> Selection:
            asked.append(memory.length)
            return super().select(memory)

    assert Asked.trigger is Trigger.NEVER
    outline(Log([Message("user", "One."), Message("assistant", "Two."), Message("user", "Three.")]),
            Asked(shape="head"), None, "chars4")  # fmt: skip
    assert asked == [1, 3]
