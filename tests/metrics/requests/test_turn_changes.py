"""What changed between two requests, by hand and against the fates of every message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, Recall
from memviz.metrics.requests.request_table import (
    find_record_of_turn,
    list_left_messages,
    list_sent_positions,
)
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk
from tests.strategies.conversations import conversations, outcomes, summarizer

SENT = (Fate.VERBATIM, Fate.RECALLED)


def test_a_turn_has_its_record() -> None:
    run = memviz.replay(talk(3), memviz.strategy("buffer"), counter="chars4")
    assert [find_record_of_turn(run, turn) for turn in (1, 2, 3)] == list(run.turns)
    assert find_record_of_turn(run, 0) is None
    assert find_record_of_turn(run, 4) is None


def test_sent_positions_by_hand() -> None:
    run = memviz.replay(
        talk(3),
        memviz.strategy("window", window_size=2),
        counter="chars4",
        recalls={3: Recall(messages=[0])},
    )
    assert [list_sent_positions(record) for record in run.turns] == [
        {0},
        {1, 2},
        {0, 3, 4},
    ]


def test_a_window_drops_what_it_leaves_behind() -> None:
    run = memviz.replay(
        talk(4), memviz.strategy("window", window_size=3), counter="chars4"
    )
    assert [
        list_left_messages(run, range(number, number + 1)) for number in range(4)
    ] == [
        [],
        [],
        [(0, Fate.DROPPED), (1, Fate.DROPPED)],
        [(2, Fate.DROPPED), (3, Fate.DROPPED)],
    ]


def test_a_summary_stands_for_what_it_took() -> None:
    run = memviz.replay(talk(4), small("summary"), model=Digest(), counter="chars4")
    assert list_left_messages(run, range(2, 3)) == [(2, Fate.SUMMARIZED)]
    run = memviz.replay(
        talk(4),
        small("summary"),
        model=Digest(),
        counter="chars4",
        recalls={2: Recall(messages=[0])},
    )
    assert list_left_messages(run, range(2, 3)) == [
        (0, Fate.SUMMARIZED),
        (2, Fate.SUMMARIZED),
    ]


def test_a_full_buffer_lets_nothing_go() -> None:
    run = memviz.replay(talk(4), memviz.strategy("buffer"), counter="chars4")
    assert [
        list_left_messages(run, range(number, number + 1)) for number in range(4)
    ] == [[]] * 4


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(messages=conversations(), plan=outcomes, data=st.data())
def test_agrees_with_the_fates(
    id: str, messages: list[Message], plan: list[str], data: st.DataObject
) -> None:
    picked = data.draw(
        st.lists(st.integers(0, len(messages) - 1), min_size=1, max_size=4)
    )
    recalls = {turn: Recall(messages=picked) for turn in (2, 3)}
    run = memviz.replay(
        messages, small(id), model=summarizer(plan), counter="chars4", recalls=recalls
    )
    fates = run.fates()
    for row, record in enumerate(run.requests):
        assert list_sent_positions(record) == {
            p for p, fate in enumerate(fates[row]) if fate in SENT
        }
        left = [
            (position, Fate(fate))
            for position, fate in enumerate(fates[row])
            if row and fates[row - 1][position] in SENT and fate not in SENT
        ]
        assert list_left_messages(run, range(row, row + 1)) == left
