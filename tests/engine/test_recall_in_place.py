"""A recall of a message that a strategy sends with less in it makes it whole where it stands."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, Recall, ScriptedModel, ToolCall
from memviz.core.forms import ClearedResults, Cut
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Picked, Piece
from memviz.engine.recall_tokens import count_recalled_tokens
from memviz.strategies.base import Strategy, Trigger
from tests.engine.calling import check_accepted, texts
from tests.engine.probes import IDS, Digest, small
from tests.tables import for_each
from tests.tool_loops import loops

CLEARING = memviz.strategy("clear_tool_results", trigger_tokens=100, keep_results=1)
TALK = loops(2, 4)
"""Question, four calls with their results, answer; and once more. The results are messages 2, 4, 6, 8, 12 ..."""


def first_of_turn_2(**options: Any) -> memviz.TurnRecord:
    return (
        memviz.replay(TALK, CLEARING, model=None, counter=len, **options)
        .turns[-1]
        .requests[0]
    )


def test_a_cleared_result_stands_whole_behind_its_call() -> None:
    plain, record = (
        first_of_turn_2(),
        first_of_turn_2(recalls={2: Recall(messages=[4])}),
    )
    form = ClearedResults()
    assert record.parts.pieces == (
        Messages(0, 4, form),
        Picked((4,), form),
        Messages(5, 7, form),
        Messages(7, 10),
        Messages(10, 11),
    )
    assert [b.kind for b in record.context.blocks] == [
        "history",
        "recalled",
        "history",
        "input",
    ]
    sent, before = record.context.messages, plain.context.messages
    assert sent[4] == TALK[4]
    assert [*sent[:4], *sent[5:]] == [*before[:4], *before[5:]], (
        "nothing else changes, and nothing is sent twice"
    )
    assert record.flags == ()


def test_it_counts_as_recalled_with_the_tokens_that_are_sent() -> None:
    plain, record = (
        first_of_turn_2(),
        first_of_turn_2(recalls={2: Recall(messages=[4, 9])}),
    )
    whole, placeholder = len(TALK[4].content), len("[cleared]")
    assert record.parts.recalled == record.parts.restored == (4,), (
        "message 9 is sent whole anyway"
    )
    assert record.tokens["recalled"] == whole
    assert record.tokens["history"] == plain.tokens["history"] - placeholder
    assert record.total_tokens == plain.total_tokens + whole - placeholder
    assert count_recalled_tokens(record) == whole - placeholder
    assert sum(block.tokens for block in record.context.blocks) == sum(
        record.tokens[part] for part in ("history", "recalled", "input")
    )


def test_its_fate_is_recalled_for_that_turn_alone() -> None:
    run = memviz.replay(
        loops(3, 4),
        CLEARING,
        model=None,
        counter=len,
        recalls={2: Recall(messages=[4])},
    )
    assert [Fate(run.fates_at(turn)[4]) for turn in run.turns] == [
        Fate.CLEARED,
        Fate.RECALLED,
        Fate.CLEARED,
    ]


def test_a_chat_sends_it_although_it_repairs_pairs_of_calls_and_results() -> None:
    model = ScriptedModel(["Yes.", "No."])
    chat = memviz.Chat(CLEARING, model=model, counter=len)
    chat.log.extend(TALK)
    chat.recall(messages=[4])
    record = chat.send("And Lisbon?")
    assert TALK[4].content in texts(record.context.messages)
    assert record.flags == ()
    assert model.requests[-1][4] == TALK[4]
    assert chat.send("Again?").parts.recalled == ()


class Answers(Strategy):
    """Sends the messages from ``start`` on, results cut."""

    trigger: ClassVar[Trigger] = Trigger.NEVER
    start: int = 0

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return (
            Messages(
                min(self.start, memory.length), memory.length, Cut(3, roles=("tool",))
            ),
        )


def test_a_result_whose_call_was_cut_off_is_brought_back_with_it_where_both_are_recalled() -> (
    None
):
    """In its own place it would stand before its call."""
    options: dict[str, Any] = {
        "model": None,
        "recalls": {2: Recall(messages=[1, 2])},
        "repair_tool_pairs": True,
    }
    record = memviz.replay(TALK, Answers(start=2), **options).turns[-1].requests[0]
    assert record.parts.recalled == (1, 2)
    assert record.parts.restored == ()
    assert record.context.messages[-3:] == (TALK[1], TALK[2], TALK[10])


@for_each("size", range(6, 14))
def test_a_chat_sends_all_of_a_recalled_turn_wherever_the_window_cuts_it(
    size: int,
) -> None:
    """A cut between a call and its result leaves the result in the history, from where it goes to its call."""
    chat = memviz.Chat(
        memviz.strategy("window", window_size=size),
        model=ScriptedModel(["Yes."]),
        counter=len,
    )
    chat.log.extend(loops(2, 2))
    chat.recall(turns=[1])
    sent = chat.send("And Lisbon?").context.messages
    check_accepted(sent)
    assert {id_of(message) for message in chat.log[:6]} <= {
        id_of(message) for message in sent
    }


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Valid conversations: every call is answered in order before anything else is said."""
    said: list[Message] = []
    for turn in range(draw(st.integers(1, 5))):
        said.append(Message("user", f"question {turn}"))
        for step, count in enumerate(draw(st.lists(st.integers(1, 3), max_size=3))):
            calls = [
                ToolCall(f"{turn}-{step}-{i}", "look_up", '{"q": "rain"}')
                for i in range(count)
            ]
            said.append(Message("assistant", "", tool_calls=tuple(calls)))
            said += (
                Message("tool", f"result {call.id} " * 3, tool_call_id=call.id)
                for call in calls
            )
        said.append(Message("assistant", f"answer {turn}"))
    return said


settings = st.builds(
    lambda **parameters: memviz.strategy("clear_tool_results", **parameters),
    trigger_tokens=st.sampled_from([0, 20, 60]),
    keep_results=st.integers(0, 3),
    clear_arguments=st.booleans(),
    clear_at_least_tokens=st.sampled_from([0, 0, 10, 40]),
    rule=st.sampled_from(["stop", "gate"]),
)
recalls = st.one_of(
    st.builds(Recall, turns=st.lists(st.integers(1, 5), min_size=1)),
    st.builds(Recall, messages=st.lists(st.integers(0, 40), min_size=1)),
    st.builds(Recall, last_n=st.integers(1, 20)),
    st.builds(Recall, keywords=st.sampled_from([["result"], ["answer"], ["1"]])),
)


@given(messages=talks(), strategy=settings, data=st.data(), repair=st.booleans())
def test_every_request_of_a_replay_is_accepted_and_holds_what_was_recalled(
    messages: list[Message], strategy: Strategy, data: st.DataObject, repair: bool
) -> None:
    calls = [(turn, call) for turn in range(1, 6) for call in range(1, 4)]
    wanted = data.draw(
        st.dictionaries(
            st.sampled_from([*range(1, 6), *calls]), recalls, min_size=1, max_size=4
        )
    )
    run, plain = (
        memviz.replay(
            messages, strategy, counter=len, recalls=asked, repair_tool_pairs=repair
        )
        for asked in (wanted, None)
    )
    for record, without in zip(run.requests, plain.requests, strict=True):
        assert record.parts.with_recalled(()) == without.parts
        assert (
            record.total_tokens - count_recalled_tokens(record) == without.total_tokens
        )
        check_accepted(record.context.messages)
        assert record.flags == ()
        found = record.recalled.messages if record.recalled else ()
        assert {id_of(message) for message in found} <= {
            id_of(message) for message in record.context.messages
        }


@given(messages=talks(), strategy=settings, asked=st.lists(recalls, max_size=2))
def test_every_request_of_a_chat_is_accepted_and_holds_what_was_recalled(
    messages: list[Message], strategy: Strategy, asked: list[Recall]
) -> None:
    model = ScriptedModel(["Yes."])
    chat = memviz.Chat(strategy, model=model, counter=len)
    chat.log.extend(messages)
    for recall in asked:
        chat.recall(**asdict(recall))
    record = chat.send("And now?")
    check_accepted(model.requests[-1])
    found = record.recalled.messages if record.recalled else ()
    assert {id_of(message) for message in found} <= {
        id_of(message) for message in model.requests[-1]
    }


@pytest.mark.parametrize("id", IDS)
@given(messages=talks(), data=st.data())
def test_a_chat_under_any_strategy_sends_a_recalled_turn_whole_in_a_request_that_is_accepted(
    id: str, messages: list[Message], data: st.DataObject
) -> None:
    chat = memviz.Chat(
        small(id), model=ScriptedModel(["Yes."]), summarizer=Digest(), counter=len
    )
    chat.log.extend(messages)
    found = chat.recall(
        turns=data.draw(
            st.sets(st.integers(1, chat.log.turn_count), min_size=1, max_size=2)
        )
    )
    sent = chat.send("And now?").context.messages
    check_accepted(sent)
    assert found.cut or {id_of(message) for message in found} <= {
        id_of(message) for message in sent
    }


class Ranges(Strategy):
    """Sends the messages of these ranges of the log, wherever they cut it: ``((0, 2), (5, 9))``."""

    trigger: ClassVar[Trigger] = Trigger.NEVER
    ranges: tuple[tuple[int, int], ...] = ()

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        cut = [
            (min(at, memory.length), min(to, memory.length)) for at, to in self.ranges
        ]
        return tuple(Messages(start, stop) for start, stop in cut)


@given(
    messages=talks(),
    bounds=st.sets(st.integers(0, 40), max_size=8).map(sorted),
    text=st.sampled_from(["", "I will look."]),
    data=st.data(),
)
def test_a_recalled_turn_is_sent_whole_whatever_gaps_the_history_has(
    messages: list[Message], bounds: list[int], text: str, data: st.DataObject
) -> None:
    """A gap leaves a call without its result, or with some of its results, and of a message with text the text."""
    strategy = Ranges(ranges=tuple(zip(bounds[::2], bounds[1::2], strict=False)))
    chat = memviz.Chat(strategy, model=ScriptedModel(["Yes."]), counter=len)
    for message in messages:
        chat.log.append(replace(message, content=message.content or text))
    recalled = chat.recall(turns=[data.draw(st.integers(1, chat.log.turn_count))])
    sent = chat.send("And now?").context.messages
    check_accepted(sent)
    assert {id_of(message) for message in recalled} <= {
        id_of(message) for message in sent
    }


def id_of(message: Message) -> int:
    """The message itself, not one that reads the same."""
    return id(message)


@given(messages=talks(), strategy=settings, asked=recalls)
def test_a_run_with_recalls_survives_a_file(
    messages: list[Message], strategy: Strategy, asked: Recall
) -> None:
    run = memviz.replay(messages, strategy, counter=len, recalls={2: asked})
    kept = json.loads(json.dumps(run.to_dict()))
    again = memviz.Run.from_dict(kept, len)
    assert [record.parts for record in again.requests] == [
        record.parts for record in run.requests
    ]
    assert [record.tokens for record in again.requests] == [
        record.tokens for record in run.requests
    ]
