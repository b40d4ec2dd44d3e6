"""New visitors of one network come many at once, and then one after the other."""

from __future__ import annotations

from memviz.models.newcomers import AT_ONCE, SECONDS_A_PLACE, Newcomers


class Clock:
    seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def test_one_network_takes_so_many_places_at_once_and_one_more_later() -> None:
    clock = Clock()
    newcomers = Newcomers(clock)
    waits = [newcomers.admit("192.0.2.7") for _ in range(AT_ONCE + 5)]
    assert waits == [0.0] * AT_ONCE + [SECONDS_A_PLACE] * 5
    assert newcomers.admit("192.0.2.8") == 0.0, "another network"
    clock.seconds += SECONDS_A_PLACE
    waits = [newcomers.admit("192.0.2.7") for _ in range(2)]
    assert waits == [0.0, SECONDS_A_PLACE]


def test_whoever_has_a_network_of_ipv6_has_one_count() -> None:
    newcomers = Newcomers(Clock(), at_once=1)
    assert newcomers.admit("2001:db8::1") == 0.0
    assert newcomers.admit("2001:db8::2") > 0
