"""Pieces that a request has in common with the one before it are neither gone through nor put together again."""

from __future__ import annotations

from dataclasses import replace
from operator import is_

import memviz
from memviz import Message
from memviz.core.pieces import Messages
from memviz.engine.parts import Parts, Shared, find_shared
from memviz.engine.requests import Requests

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


def test_requests_give_back_what_they_share_with_the_one_before_and_keep_it_once() -> (
    None
):
    sent = [
        OLDER,
        (Messages(4, 5), *OLDER[3:], Messages(30, 32)),
        (Messages(1, 2), Messages(4, 5), *OLDER[3:]),
        OLDER[5:],
        tuple(Messages(*piece) for piece in OLDER),
    ]
    run = memviz.replay([Message("user", "Hi.")], memviz.strategy("buffer"))
    assert run.pending is not None
    requests = Requests()
    for pieces in sent:
        requests.append(replace(run.pending, parts=Parts(pieces)))
    assert [requests.parts_at(number).pieces for number in range(len(sent))] == sent
    first = requests.parts_at(0).pieces
    last = requests.parts_at(len(sent) - 1).pieces
    assert all(map(is_, first, last))


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
