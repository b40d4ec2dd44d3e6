"""Holding back together: the gate by itself, and calls of many threads over real HTTP against a server with a limit."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from memviz.core.errors import ParameterError
from memviz.core.model_errors import RateLimitError
from memviz.models.rate_limiter import FIRST_PACE_SECONDS, RateLimiter
from tests.models import openai_server as answers
from tests.models.litellm_calls import FAILURES, HELLO, Naps, client, failure
from tests.models.openai_server import OpenAIServer, RateLimited, openai_server

pytestmark = pytest.mark.usefixtures("no_provider_keys")


class Clock:
    """Time that passes while somebody sleeps, and only then."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.naps: list[float] = []

    def __call__(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.seconds += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(clock: Clock) -> RateLimiter:
    return RateLimiter(clock)


def test_nobody_waits_while_nobody_is_refused(gate: RateLimiter, clock: Clock) -> None:
    for _ in range(5):
        gate.wait(clock.sleep)
        gate.note_answer()
    assert (clock.naps, gate.pace_seconds) == ([], 0.0)


def test_a_refusal_holds_everybody_back(gate: RateLimiter, clock: Clock) -> None:
    gate.note_refusal(clock(), 7.0)
    clock.seconds += 2
    gate.wait(clock.sleep)
    assert clock.naps == [5.0]


def test_a_shorter_wait_does_not_open_the_gate_again(
    gate: RateLimiter, clock: Clock
) -> None:
    gate.note_refusal(clock(), 7.0)
    gate.note_refusal(clock(), 1.0)
    gate.wait(clock.sleep)
    assert clock.naps == [7.0]


def test_after_it_they_pass_one_by_one(gate: RateLimiter, clock: Clock) -> None:
    gate.note_refusal(clock(), 1.0)
    naps = Naps()  # they all come at the same moment
    for _ in range(4):
        gate.wait(naps)
    assert naps == pytest.approx([1.0 + turn * FIRST_PACE_SECONDS for turn in range(4)])


def test_who_waits_takes_another_turn_when_somebody_is_refused_meanwhile(
    gate: RateLimiter, clock: Clock
) -> None:
    gate.note_refusal(clock(), 1.0)
    first = True

    def sleep(seconds: float) -> None:
        nonlocal first
        clock.sleep(seconds)
        if first:
            gate.note_refusal(clock(), 3.0)
        first = False

    gate.wait(sleep)
    assert clock.naps == pytest.approx([1.0, 3.0])


def test_requests_that_were_under_way_together_slow_down_once(
    gate: RateLimiter, clock: Clock
) -> None:
    begun = clock()
    clock.seconds += 0.1
    for _ in range(8):
        gate.note_refusal(begun, 0.5)
    assert gate.pace_seconds == FIRST_PACE_SECONDS
    gate.note_refusal(clock(), 0.5)
    assert gate.pace_seconds == 2 * FIRST_PACE_SECONDS


def test_answers_quicken_the_pace_until_nobody_is_slowed_down(
    gate: RateLimiter, clock: Clock
) -> None:
    gate.note_refusal(clock(), 0.0)
    paces = []
    while gate.pace_seconds:
        paces.append(gate.pace_seconds)
        gate.note_answer()
    assert paces == sorted(paces, reverse=True)
    assert 20 < len(paces) < 100


def test_a_wait_of_ones_own_is_kept_to_the_full(
    gate: RateLimiter, clock: Clock
) -> None:
    gate.note_refusal(clock(), 1.0)
    gate.wait(clock.sleep, 2.5)
    assert clock.naps == [2.5]


# Over HTTP


@pytest.mark.slow
def test_a_refused_call_holds_back_every_model_with_the_same_key(
    server: OpenAIServer,
) -> None:
    server.then(FAILURES["429"][0])
    failure(client(server))
    naps = Naps()
    assert (
        client(server, "openai/gpt-4o", sleep=naps).complete(HELLO).text
        == "Hello there."
    )
    assert naps == [pytest.approx(7, abs=1)]


def test_another_key_or_another_server_is_not_held_back(server: OpenAIServer) -> None:
    server.then(FAILURES["429"][0])
    failure(client(server))
    naps = Naps()
    client(server, api_key="sk-another", sleep=naps).complete(HELLO)
    with openai_server() as elsewhere:
        client(elsewhere, sleep=naps).complete(HELLO)
    assert naps == []


@pytest.mark.parametrize("fault", ["500", "429 quota"])
def test_other_failures_hold_back_nobody(server: OpenAIServer, fault: str) -> None:
    server.then(FAILURES[fault][0])
    failure(client(server))
    naps = Naps()
    client(server, sleep=naps).complete(HELLO)
    assert naps == []


@pytest.mark.slow
def test_answers_let_callers_pass_as_fast_as_before(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = RateLimiter()
    monkeypatch.setattr("memviz.models.litellm_client.gate_of", lambda whom: gate)
    server.then(answers.status(429, "Slow down", Retry_After="0"))
    model = client(server, retries=1, sleep=Naps())
    model.complete(HELLO)
    assert 0.04 < gate.pace_seconds < FIRST_PACE_SECONDS
    for _ in range(60):
        model.complete(HELLO)
    assert gate.pace_seconds == 0


def test_the_caller_says_how_long_a_wait_may_be(server: OpenAIServer) -> None:
    minute = answers.status(429, "Slow down", Retry_After="60")
    server.then(minute, minute)
    assert isinstance(failure(client(server, retries=1))[0], RateLimitError)
    naps = Naps()
    assert (
        client(server, retries=1, longest_wait=90, sleep=naps).complete(HELLO).text
        == "Hello there."
    )
    assert naps == [60.0]


def test_a_chat_does_not_wait_as_long_as_a_sweep_is_willing_to(
    server: OpenAIServer,
) -> None:
    server.then(answers.status(429, "Slow down", Retry_After="60"))
    failure(client(server, longest_wait=90))
    naps = Naps()
    assert client(server, sleep=naps).complete(HELLO).text == "Hello there."
    assert naps == [30.0]


def test_a_longest_wait_out_of_range(server: OpenAIServer) -> None:
    with pytest.raises(ParameterError, match="longest_wait"):
        client(server, longest_wait=-1)


@pytest.mark.parametrize("says_when", [True, False])
@pytest.mark.slow
def test_eight_threads_share_a_limit_and_all_get_their_answers(
    server: OpenAIServer, says_when: bool
) -> None:
    server.otherwise = limit = RateLimited(2, 0.2, says_when=says_when)
    model = client(server, retries=8, jitter=random.Random(0).random)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: model.complete(HELLO).text, range(40)))
    assert replies == ["Hello there."] * 40
    # Each on its own they are refused 50 to 130 times, and a few run out of tries.
    assert 0 < limit.refused <= 25
