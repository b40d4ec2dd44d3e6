"""What a request is made of: blocks in their order, and the codes of a message's fate."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Block, Context, Fate, Message, Recall
from memviz.core.context import BLOCK_ORDER, PARTS_IN_USE, TOKEN_PARTS
from tests.engine.probes import IDS, small
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

SYSTEM, QUESTION = Message("system", "Be brief."), Message("user", "Why?")
CONTEXT = Context(
    (Block("system", (SYSTEM,), (), 3), Block("input", (QUESTION,), (7,), 2))
)


def test_messages_are_those_of_the_blocks_in_order() -> None:
    assert CONTEXT.messages == (SYSTEM, QUESTION)
    assert Context(()).messages == ()


def test_a_block_is_found_by_its_kind() -> None:
    assert CONTEXT.block("input") is CONTEXT.blocks[1]
    assert CONTEXT.block("summary") is None


@for_each(("value", "name"), [(CONTEXT, "blocks"), (CONTEXT.blocks[0], "tokens")])
def test_cannot_be_changed(value: object, name: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, ())


def test_fates_are_small_codes_that_keep_their_numbers() -> None:
    assert [fate.name for fate in Fate] == [
        "NOT_YET",
        "DROPPED",
        "SUMMARIZED",
        "RECALLED",
        "VERBATIM",
        "CLEARED",
        "SHORTENED",
        "OPAQUE",
    ]
    assert [int(fate) for fate in Fate] == [*range(8)]


def test_the_documented_order() -> None:
    order = [kind for kind in BLOCK_ORDER if kind != "tools"]
    assert order == ["system", "summary", "history", "recalled", "input"]


@pytest.mark.parametrize("id", IDS)
@given(messages=conversations(), plan=outcomes, data=st.data())
def test_every_request_keeps_to_it(
    id: str, messages: list[Message], plan: list[str], data: st.DataObject
) -> None:
    picked = data.draw(
        st.lists(st.integers(0, len(messages) - 1), min_size=1, max_size=3)
    )
    run = memviz.replay(
        messages,
        small(id),
        model=summarizer(plan),
        counter="chars4",
        system_prompt="Be brief.",
        recalls={turn: Recall(messages=picked) for turn in (2, 3)},
    )
    for record in run.requests:
        kinds = [*dict.fromkeys(block.kind for block in record.context.blocks)]
        # The summary of these stands behind what stays of old messages.
        if id not in ("hand_off", "pydantic_ai_compaction"):
            assert kinds == [kind for kind in BLOCK_ORDER if kind in kinds], "in order"
        assert kinds[0] == "system"
        assert kinds[-1] == "input"
        assert set(record.tokens) - set(PARTS_IN_USE) == set(TOKEN_PARTS)
        assert record.tokens["overhead"] == 4 * len(record.context.messages) + 3
