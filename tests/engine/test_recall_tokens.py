"""What one more recall would add is what a replay with it sends more."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Recall
from memviz.core.conversation import Log
from memviz.engine.recall_tokens import count_added_tokens, find_stating_turns
from tests.engine.probes import IDS, Digest, small, talk
from tests.strategies.conversations import conversations


def replayed(
    conversation: list[Message], id: str, recalls: dict[int, list[Recall]]
) -> memviz.Run:
    return memviz.replay(
        conversation, small(id), model=Digest(), counter="chars4", recalls=recalls
    )


@pytest.mark.parametrize("id", IDS)
@given(conversations(), st.data())
def test_as_much_as_the_replay_with_it_sends_more(
    id: str, conversation: list[Message], data: st.DataObject
) -> None:
    run = replayed(conversation, id, {})
    if not run.strategy.allows_recall or not run.turns:
        return
    record = data.draw(st.sampled_from(run.turns))
    picks = st.lists(st.integers(0, record.turn), min_size=1, max_size=3).map(
        lambda turns: Recall(turns=turns)
    )
    asked, more = data.draw(st.lists(picks, max_size=1)), data.draw(picks)
    before = replayed(conversation, id, {record.turn: asked} if asked else {})
    after = replayed(conversation, id, {record.turn: [*asked, more]})
    number = [one.turn for one in run.turns].index(record.turn)
    sent = [one.turns[number].total_tokens for one in (before, after)]
    assert [count_added_tokens(before, before.turns[number], more)] == [
        b - a for a, b in pairwise(sent)
    ]


def test_a_message_that_is_sent_adds_nothing() -> None:
    run = memviz.replay(
        talk(4), memviz.strategy("window", window_size=3), counter="chars4"
    )
    last = run.turns[-1]
    assert count_added_tokens(run, last, Recall(turns=[3])) == 0
    assert count_added_tokens(run, last, Recall(turns=[1])) > 0


def test_the_turns_that_state_a_fact() -> None:
    log = Log([Message("system", "Be brief."), *talk(3)])
    assert find_stating_turns(log, (5, 1, 2)) == (1, 3)
    assert find_stating_turns(log, (0,)) == ()
