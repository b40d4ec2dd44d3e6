"""Pieces that a request has in common with the one before it are neither gone through nor put together again."""

from __future__ import annotations

import memviz
from memviz import Message
from memviz.core.pieces import Messages
from memviz.engine.parts import Parts, Shared, find_shared
from memviz.engine.parts_table import PartsTable

OLDER = tuple(Messages(start, start + 1) for start in range(0, 20, 2))


def test_what_two_requests_share_may_begin_later_in_one_of_them() -> None:
    cut = Messages(4, 5)
    newest = Messages(30, 32)
    assert find_shared(OLDER, OLDER) == Shared(0, 10, 0)
    assert find_shared((*OLDER[3:], newest), OLDER) == Shared(0, 7, 3)
    assert find_shared((cut, *OLDER[3:8], newest), OLDER) == Shared(1, 6, 2)
    assert find_shared((cut, *OLDER), OLDER) == Shared(1, 11, -1)
    assert find_shared((cut, newest), OLDER) == Shared()
    assert find_shared((), OLDER) == Shared()


def test_the_table_gives_back_what_it_copied_from_the_request_before() -> None:
    requests = [
        OLDER,
        (Messages(4, 5), *OLDER[3:], Messages(30, 32)),
        (Messages(1, 2), Messages(4, 5), *OLDER[3:]),
        OLDER[5:],
    ]
    table = PartsTable()
    for number, pieces in enumerate(requests):
        table.add(number, Parts(pieces))
    assert [table[number].pieces for number in range(len(requests))] == requests


def test_a_replay_sends_the_same_whether_it_shares_or_not() -> None:
    talk = []
    for number in range(40):
        talk.append(Message("user", f"Wish {number}: " + "a view, " * (number % 7)))
        talk.append(Message("assistant", f"Noted {number}. " + "Fine. " * 9))
    strategy = memviz.strategy("hand_off", trigger_tokens=120, keep_user_tokens=100)
    run = memviz.replay(talk, strategy, counter="chars4")
    apart = [
        memviz.replay(talk[: record.log_length], strategy, counter="chars4")
        for record in run.requests
    ]
    sent = [list(record.context.messages) for record in run.requests]
    assert sent == [list(one.pending.context.messages) for one in apart if one.pending]
