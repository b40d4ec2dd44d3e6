"""Older reads of a file: each request against a slow reference that looks for newer reads message by message, and what
is measured of such requests against the messages that were really sent."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Log, Message, ParameterError
from memviz.core.forms import Superseded, form_from
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from tests.metrics.memory_map.codes import codes_of, drawn
from tests.metrics.naive_retention import STATES, cell
from tests.metrics.random_probes import probes_of
from tests.metrics.sent_messages import shared_by_turn
from tests.strategies.conversations import answered
from tests.strategies.read_talks import (
    OLDER,
    STEP,
    SlowReads,
    reading,
    talks,
)
from tests.strategies.slow_pipeline import contents, replay
from tests.tables import for_each

others = st.tuples(
    st.sampled_from(
        [
            "clear tool results",
            "shorten tool results to 4 characters",
            "drop",
            "summarize",
        ]
    ),
    st.integers(1, 60),
    st.integers(1, 4),
    st.just("messages"),
)
lines = st.builds(
    lambda before, threshold, after: [*before, (STEP, threshold, 0, ""), *after],
    st.lists(others, max_size=2),
    st.integers(1, 60),
    st.lists(others, max_size=2),
)


def text_of_lines(lines: list[tuple[str, int, int, str]]) -> str:
    said = []
    for deed, at, kept, unit in lines:
        keep = f", keep {kept} {unit}" if unit else ""
        said.append(f"{deed} at {at} tokens{keep}")
    return "\n".join(said)


@given(messages=talks, lines=lines)
def test_sends_what_the_slow_reference_sends(
    messages: list[Message], lines: list[tuple[str, int, int, str]]
) -> None:
    run = replay(messages, text_of_lines(lines))
    sent = [list(one.context.messages) for one in run.requests]
    assert sent == SlowReads(messages, lines).requests()
    count = memviz.counter("chars4")
    for record in run.requests:
        tokens = record.tokens
        said = tokens["summary"] + tokens["history"] + tokens["input"]
        assert said == sum(count(one.content) for one in record.context.messages)


@given(messages=talks, lines=lines, data=st.data())
def test_what_is_measured_is_that_of_the_messages_that_were_sent(
    messages: list[Message], lines: list[tuple[str, int, int, str]], data: st.DataObject
) -> None:
    run = replay(messages, text_of_lines(lines))
    assert count_traffic(run).shared_tokens.tolist() == shared_by_turn(run)
    assert drawn(build_fate_map(run)).tolist() == codes_of(run).tolist()
    probes = data.draw(probes_of(messages))
    found = retention(run, probes)
    for at, record in enumerate(run.requests):
        for number, probe in enumerate(probes):
            state = STATES[found.states[at, number]]
            assert state == cell(run, record, probe).state


@given(messages=talks, lines=lines)
def test_a_run_is_read_as_it_was_stored(
    messages: list[Message], lines: list[tuple[str, int, int, str]]
) -> None:
    run = replay(messages, text_of_lines(lines))
    stored = run.to_dict()
    again = memviz.Run.from_dict(json.loads(json.dumps(stored)))
    assert again.to_dict() == stored
    for one, other in zip(run.requests, again.requests, strict=True):
        assert one.context == other.context


def test_the_newest_read_stays_and_older_ones_say_that_they_are_older() -> None:
    talk = reading([0, 2], [5], [0], [3])
    run = replay(talk, STEP)
    assert [one.content for one in run.requests[-1].context.messages] == [
        OLDER if position == 2 else message.content
        for position, message in enumerate(talk[:-1])
    ]
    assert run.fates()[-1].tolist()[2] == Fate.CLEARED
    events = [(one.kind, one.after_message, one.reason) for one in run.compactions]
    # at once with the results that the model waits for
    assert events == [("cleared", 11, "before every request")]


def test_nothing_is_superseded_where_too_little_would_go() -> None:
    talk = reading([0], [0], [0])
    count = memviz.counter("chars4")
    first, second = [count(talk[at].content) - count(OLDER) for at in (2, 6)]

    def superseded(least: int) -> list[int]:
        run = replay(talk, f"{STEP}, if {least} tokens go")
        return [one.after_message for one in run.compactions]

    assert superseded(min(first, second)) == [6, 10]
    assert superseded(first + second) == [10]
    assert not superseded(first + second + 1)


def test_the_words_in_its_place_can_be_others() -> None:
    run = replay(reading([0], [0]), f'{STEP} as "[superseded file read]"')
    assert contents(run).count("[superseded file read]") == 1


@for_each("steps", [f"{STEP}, keep 2 turns", f"{STEP}\n{STEP}", "supersede older runs"])
def test_a_step_that_keeps_something_or_stands_twice_is_refused(steps: str) -> None:
    with pytest.raises(ParameterError):
        memviz.strategy("pipeline", steps=steps)


def test_a_request_has_as_many_pieces_however_many_reads_are_superseded() -> None:
    run = replay(reading(*[[0, 2, 3]] * 12), STEP)
    assert max(len(one.parts.pieces) for one in run.requests) <= 3
    forms = {one.form for record in run.requests for one in record.parts.messages}
    assert all(form_from(one.to_dict()) == one for one in forms if one is not None)
    assert {type(one) for one in forms if one is not None} == {Superseded}


def test_a_chat_sends_what_a_replay_sends() -> None:
    talk = reading([0], [2, 0], [0])
    whole = replay(talk, STEP)
    log = Log()
    for position, message in enumerate(talk):
        log.append(message)
        part = replay(list(log), STEP)
        known = len(part.requests)
        assert [one.context for one in part.requests] == [
            one.context for one in list(whole.requests)[:known]
        ], position


def test_only_older_reads_are_cleared_where_another_step_shortens() -> None:
    talk = reading([0], [0], [2])
    run = replay(talk, f"cut arguments over 10 characters to 2\n{STEP}")
    fates = run.fates()[-1].tolist()
    assert [at for at, fate in enumerate(fates) if fate == Fate.CLEARED] == [2]
    assert [at for at, fate in enumerate(fates) if fate == Fate.SHORTENED] == [1, 5, 9]
    assert drawn(build_fate_map(run)).tolist() == codes_of(run).tolist()


def test_facts_are_looked_up_in_what_is_left_of_every_message() -> None:
    talk = [*reading([0], [0], [2]), *answered([Message("user", "And?")])]
    run = replay(talk, f'clear tool results as "code QX7", keep 0 results\n{STEP}')
    told = [Probe("?", (text,), (), "number") for text in ("QX7", "older read", "m12")]
    assert [STATES[state] for state in retention(run, told).states[-1]] == [
        "VERBATIM",
        "VERBATIM",
        "LOST",
    ]


def test_a_read_that_is_not_sent_any_more_is_not_superseded() -> None:
    run = replay(reading([0], [], [0]), f"drop at 5 messages, keep 2 messages\n{STEP}")
    assert {one.kind for one in run.compactions} == {"evicted"}
