"""Guessing a password gets slower and slower, for one visitor and for many."""

from __future__ import annotations

import pytest

from memviz.models.access import (
    FORGOTTEN_AFTER_SECONDS,
    FREE_OF_ALL,
    FREE_OF_ONE,
    LONGEST_WAIT_OF_ALL_SECONDS,
    LONGEST_WAIT_OF_ONE_SECONDS,
    Attempts,
    Sessions,
)


class Clock:
    """A clock that is set by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def wait_out(attempts: Attempts, clock: Clock, address: str) -> float:
    """The seconds until an attempt from ``address`` is looked at, and that attempt."""
    wait_seconds = attempts.begin(address)
    if wait_seconds:
        clock.now += wait_seconds
        assert attempts.begin(address) == 0
    return wait_seconds


def test_waits_grow_up_to_a_limit(clock: Clock) -> None:
    attempts = Attempts(clock)
    waits = [wait_out(attempts, clock, "10.0.0.1") for _ in range(FREE_OF_ONE + 12)]
    assert waits[:FREE_OF_ONE] == [0.0] * FREE_OF_ONE
    assert waits[FREE_OF_ONE : FREE_OF_ONE + 5] == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert waits[-1] == LONGEST_WAIT_OF_ONE_SECONDS


def test_an_attempt_that_comes_too_early_is_not_looked_at_and_costs_nothing_more(
    clock: Clock,
) -> None:
    attempts = Attempts(clock)
    for _ in range(FREE_OF_ONE):
        attempts.begin("10.0.0.1")
    assert [attempts.begin("10.0.0.1") for _ in range(50)] == [1.0] * 50


def test_another_visitor_is_not_held_up(clock: Clock) -> None:
    attempts = Attempts(clock)
    for _ in range(FREE_OF_ONE + 5):
        wait_out(attempts, clock, "10.0.0.1")
    assert attempts.begin("10.0.0.1") > 0
    assert attempts.begin("10.0.0.2") == 0


def test_many_addresses_of_one_ipv6_network_are_one_visitor(clock: Clock) -> None:
    attempts = Attempts(clock)
    waits = [
        attempts.begin(f"2001:db8::{number:x}") for number in range(1, FREE_OF_ONE + 2)
    ]
    assert waits == [0.0] * FREE_OF_ONE + [1.0]


def test_guessing_from_many_addresses_is_slow_too_but_nobody_is_locked_out(
    clock: Clock,
) -> None:
    attempts = Attempts(clock)
    waits = [
        wait_out(attempts, clock, f"10.0.{number}.1")
        for number in range(FREE_OF_ALL + 10)
    ]
    assert waits[:FREE_OF_ALL] == [0.0] * FREE_OF_ALL
    assert waits[-1] == LONGEST_WAIT_OF_ALL_SECONDS


def test_the_right_password_ends_the_waits(clock: Clock) -> None:
    attempts = Attempts(clock)
    for _ in range(FREE_OF_ONE):
        attempts.begin("10.0.0.1")
    clock.now += 1
    attempts.begin("10.0.0.1")
    attempts.succeeded("10.0.0.1")
    assert attempts.begin("10.0.0.1") == 0


def test_wrong_attempts_are_forgotten(clock: Clock) -> None:
    attempts = Attempts(clock)
    for _ in range(FREE_OF_ONE):
        attempts.begin("10.0.0.1")
    clock.now += FORGOTTEN_AFTER_SECONDS + 1
    assert [attempts.begin("10.0.0.1") for _ in range(FREE_OF_ONE)] == [
        0.0
    ] * FREE_OF_ONE


def test_only_words_that_were_given_out_are_known() -> None:
    sessions = Sessions()
    word = sessions.open()
    assert word in sessions
    assert sessions.open() != word
    assert not any(
        other in sessions for other in ("", word[:-1], word.upper(), "\ud800")
    )
    assert word not in repr(vars(sessions))
