"""Spans and their logs, which wait for each other."""

from __future__ import annotations

import pytest

from memviz.watching import span_logs
from memviz.watching.exchanges import Exchange
from memviz.watching.span_logs import (
    BATCH_SECONDS,
    LATE_SECONDS,
    REPLY_SECONDS,
    SpanId,
    SpanLogs,
    SpanParts,
)
from memviz.watching.threads import Threads
from tests.watching.exchanges_said import words

REQUEST = {"gen_ai.operation.name": "chat"}
ASKED = "gen_ai.user.message"
ANSWERED = "gen_ai.choice"
TEN = 1_780_308_000_000_000_000
"""Ten o'clock on 1 June 2026, in nanoseconds since 1970."""


def at(seconds: int) -> str:
    """So many seconds after ten o'clock, as ISO text."""
    return f"2026-06-01T10:00:0{seconds}+00:00"


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logs(clock: Clock) -> SpanLogs:
    return SpanLogs(clock)


def say(logs: SpanLogs, name: str, text: str, span: str = "1", *, at: int = 1) -> None:
    logs.add_log(SpanId("t", span), (name, {"content": text}), at)


def told(exchanges: list[Exchange]) -> list[str]:
    return [words([*one.sent, *one.reply]) for one in exchanges]


def test_a_question_waits_for_its_reply_longer_than_a_batch(
    logs: SpanLogs, clock: Clock
) -> None:
    say(logs, ASKED, "q")
    for clock.seconds in (0.0, BATCH_SECONDS + 1):
        assert logs.take() == []
    say(logs, ANSWERED, "a")
    assert logs.take() == []
    clock.seconds += BATCH_SECONDS
    assert told(logs.take()) == ["u:q a:a"]


def test_a_span_with_its_question_waits_for_a_reply_that_comes_as_a_log(
    logs: SpanLogs, clock: Clock
) -> None:
    asked = [{"role": "user", "parts": [{"type": "text", "content": "q"}]}]
    attributes = {**REQUEST, "gen_ai.input.messages": asked}
    logs.add_span(SpanParts(SpanId("t", "1"), 1, 2, attributes))
    assert logs.take() == []
    say(logs, ANSWERED, "a")
    assert told(logs.take()) == ["u:q a:a"]


def test_a_question_without_a_reply_is_taken_at_last(
    logs: SpanLogs, clock: Clock
) -> None:
    say(logs, ASKED, "q")
    assert logs.take() == []
    clock.seconds = REPLY_SECONDS
    assert told(logs.take()) == ["u:q"]
    assert logs.take() == []


def test_a_reply_that_comes_after_its_question_was_taken_is_told(
    logs: SpanLogs, clock: Clock
) -> None:
    threads = Threads()
    said: list[str] = []

    def take() -> None:
        for exchange in logs.take():
            new = threads.take(exchange)
            said.append(words(new.messages) if new else "")

    say(logs, ASKED, "q")
    take()
    clock.seconds = REPLY_SECONDS
    take()
    assert said == ["u:q"]
    clock.seconds += LATE_SECONDS - 1
    take()
    say(logs, ANSWERED, "a")
    for _ in range(3):
        take()
        clock.seconds += BATCH_SECONDS
    assert said == ["u:q", "a:a"]
    assert not logs._waiting


def test_a_span_that_comes_after_its_question_was_taken_brings_its_reply(
    logs: SpanLogs, clock: Clock
) -> None:
    say(logs, ASKED, "q")
    logs.take()
    clock.seconds = REPLY_SECONDS
    assert told(logs.take()) == ["u:q"]
    logs.add_span(SpanParts(SpanId("t", "1"), 1, 2, REQUEST))
    assert logs.take() == []
    clock.seconds += BATCH_SECONDS - 1
    say(logs, ANSWERED, "a")
    assert told(logs.take()) == ["u:q a:a"]


def test_a_question_that_nobody_answers_is_let_go(logs: SpanLogs, clock: Clock) -> None:
    say(logs, ASKED, "q")
    logs.take()
    clock.seconds = REPLY_SECONDS
    assert told(logs.take()) == ["u:q"]
    clock.seconds += LATE_SECONDS
    assert logs.take() == []
    assert not logs._waiting
    assert logs._waiting_chars == 0


def test_an_exchange_has_the_times_of_its_span(logs: SpanLogs, clock: Clock) -> None:
    say(logs, ASKED, "q", at=TEN)
    say(logs, ANSWERED, "a", at=TEN + 2_000_000_000)
    logs.take()
    clock.seconds = BATCH_SECONDS
    (of_logs,) = logs.take()
    assert (of_logs.asked_at, of_logs.answered_at) == (at(0), at(2))
    logs.add_span(SpanParts(SpanId("t", "2"), TEN, TEN + 3_000_000_000, REQUEST))
    say(logs, ASKED, "q", "2", at=TEN + 5_000_000_000)
    say(logs, ANSWERED, "a", "2", at=TEN + 5_000_000_000)
    (of_span,) = logs.take()
    assert (of_span.asked_at, of_span.answered_at) == (at(0), at(3))


def test_a_request_without_messages_waits_for_them_and_is_let_go(
    logs: SpanLogs, clock: Clock
) -> None:
    logs.add_span(SpanParts(SpanId("t", "1"), 1, 2, REQUEST))
    logs.add_span(SpanParts(SpanId("t", "2"), 1, 2, {"http.method": "GET"}))
    assert logs.take() == []
    assert list(logs._waiting) == [SpanId("t", "1")]
    clock.seconds = BATCH_SECONDS
    assert logs.take() == []
    assert not logs._waiting
    assert logs._waiting_chars == 0


def test_both_replies_of_one_batch_are_told_and_later_ones_are_not(
    logs: SpanLogs,
) -> None:
    logs.add_span(SpanParts(SpanId("t", "1"), 1, 2, REQUEST))
    assert logs.take() == []
    for name, text in ((ASKED, "q"), (ANSWERED, "a"), (ANSWERED, "b")):
        say(logs, name, text)
    assert told(logs.take()) == ["u:q a:a a:b"]
    say(logs, ANSWERED, "c")
    assert logs.take(is_end=True) == []


@pytest.mark.parametrize(
    ("limit", "most"), [("MOST_WAITING", 2), ("MOST_WAITING_CHARS", 300)]
)
def test_those_that_wait_longest_are_taken_where_too_much_waits(
    logs: SpanLogs, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(span_logs, limit, most)
    for number in range(4):
        say(logs, ASKED, f"{number}" * 60, span=str(number))
    first = told(logs.take())
    assert [one[2] for one in first][:2] == ["0", "1"]
    assert len(first) == 4 - len(logs._waiting) < 4
    assert len(told(logs.take(is_end=True))) == 4 - len(first)


def test_what_cannot_be_read_is_counted_once(
    logs: SpanLogs, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RecursionError

    monkeypatch.setattr(span_logs, "read_span", fail)
    logs.add_span(SpanParts(SpanId("t", "1"), 1, 2, REQUEST))
    for clock.seconds in (0.0, BATCH_SECONDS):
        assert logs.take() == []
    assert logs.unread == 1


def test_logs_that_come_again_in_another_batch_are_told_once(
    logs: SpanLogs, clock: Clock
) -> None:
    for text in ("q", "q", "p"):  # two that are alike in one batch are two messages
        say(logs, ASKED, text)
    assert logs.take() == []
    for text in ("q", "p", "new"):
        say(logs, ASKED, text)
    say(logs, ASKED, "p", at=2)
    say(logs, ANSWERED, "a")
    logs.take()
    clock.seconds += BATCH_SECONDS
    assert told(logs.take()) == ["u:q u:q u:p u:new u:p a:a"]


def test_a_request_outside_of_spans_that_comes_again_is_told_once(
    logs: SpanLogs,
) -> None:
    whole = "gen_ai.client.inference.operation.details"
    said = {
        "gen_ai.input.messages": [
            {"role": "user", "parts": [{"type": "text", "content": "q"}]}
        ]
    }
    taken = []
    for _batch in range(2):
        logs.add_log(SpanId("", ""), (whole, said), 1)
        taken += told(logs.take())
    assert taken == ["u:q"]


def test_known_logs_take_no_more_memory_than_they_may(
    logs: SpanLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs._logs, "size", 3)
    for number in range(9):
        say(logs, ASKED, str(number))
        logs.take()
    assert len(logs._logs) == 3
