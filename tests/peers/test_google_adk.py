"""A pipeline and a summary of each turn against the context filter and the compaction of events of Google's ADK."""

from __future__ import annotations

import re
from itertools import count, pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, ScriptedModel
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Library

pytest.importorskip("google.adk.plugins.context_filter_plugin")

from tests.peers.judging import (
    ALONE,
    ANY,
    DAMAGED,
    KNOWN,
    UNANSWERED,
    KnownDifference,
    Peer,
    Request,
    count_said,
    input_longer_than,
    judge,
    late_system,
    pipeline,
)
from tests.peers.libraries.adk_compaction import EventsAtWork
from tests.peers.libraries.adk_filter import FilterAtWork
from tests.strategies.conversations import answered

SYSTEM = late_system("a late system message is a message of the user")


def opens(**arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return FilterAtWork(arguments, ask, counter)

    return made


@given(messages=ANY, kept=st.integers(1, 4))
def test_keeps_invocations(messages: list[Message], kept: int) -> None:
    judge(
        messages,
        opens(num_invocations_to_keep=kept),
        pipeline(f"drop at {kept + 1} turns, keep {kept} turns"),
        [SYSTEM, DAMAGED, UNANSWERED],
    )


@given(messages=ANY, kept=st.integers(1, 3), removed=st.integers(2, 3))
def test_removes_several(messages: list[Message], kept: int, removed: int) -> None:
    def cuts_at_every_turn(log: Log) -> bool:
        return log.turn_count > kept + removed

    judge(
        messages,
        opens(num_invocations_to_keep=kept, remove_amount=removed),
        pipeline(f"drop at {kept + removed} turns, keep {kept} turns"),
        [
            KnownDifference(
                "past the sum of both it cuts at every turn: it counts the whole conversation anew",
                cuts_at_every_turn,
            ),
            SYSTEM,
            DAMAGED,
            UNANSWERED,
        ],
    )


def opens_events(**arguments: Any) -> Any:
    def made(ask: Ask, counter: Counter) -> Library:
        return EventsAtWork(arguments, ask, counter)

    return made


def has_summarized_less(theirs: list[Request], ours: list[Request]) -> bool:
    """In the first request that differs theirs has an older summary, or none."""
    for request, other in zip(theirs, ours, strict=True):
        if request != other:
            newest = max([0, *(one for one in request if isinstance(one, int))])
            return newest < max([0, *(one for one in other if isinstance(one, int))])
    return False


REFUSED = KnownDifference(
    "it writes no summary of messages that are no longer, as JSON, than the last summary",
    lambda log: False,
    has_summarized_less,
)


@given(messages=ANY, least=st.integers(1, 80), kept=st.integers(1, 8))
def test_events_past_a_threshold(
    messages: list[Message], least: int, kept: int
) -> None:
    judge(
        messages,
        opens_events(token_threshold=least, event_retention_size=kept),
        pipeline(f"summarize at {least} tokens, keep {kept} messages"),
        [REFUSED, ALONE, DAMAGED, input_longer_than(kept)],
    )


BEFORE_THE_USER = KnownDifference(
    "what stands before the user's first message is a turn like any other",
    lambda log: log.turn_start(1) > log.system_stop,
)
IN_A_ROW = KnownDifference(
    "several messages of the user in a row are as many invocations",
    lambda log: any(one.role == other.role == "user" for one, other in pairwise(log)),
)
SEEN_IN_TURNS = (SYSTEM, DAMAGED, BEFORE_THE_USER, IN_A_ROW, UNANSWERED)


@given(messages=ANY)
def test_events_of_each_turn(messages: list[Message]) -> None:
    assume(any(message.role == "user" for message in messages))
    messages = answered(messages)
    theirs = sent_by(
        messages, Peer(opens=opens_events(compaction_interval=1, overlap_size=0))
    )
    ours = sent_by(messages, memviz.strategy("summary_only"))
    if theirs == ours:
        return
    log = Log(messages)
    known = [one.why for one in SEEN_IN_TURNS if one.is_in(log)]
    if not known and any(has_fewer(*one) for one in zip(theirs, ours, strict=True)):
        known.append(REFUSED.why)
    if not known:
        assert theirs == ours
    KNOWN.append(known[0])


def has_fewer(
    theirs: tuple[list[str], list[str]], ours: tuple[list[str], list[str]]
) -> bool:
    """True where theirs sends fewer summaries of the same turns, and more messages."""
    return len(theirs[0]) < len(ours[0]) and len(theirs[1]) > len(ours[1])


def sent_by(
    messages: list[Message], strategy: memviz.Strategy
) -> list[tuple[list[str], list[str]]]:
    """The numbers of the summaries in each request, and the contents of its other messages."""
    model = ScriptedModel(f"summary {n}" for n in count(1))
    run = memviz.replay(messages, strategy, model=model, counter=count_said)
    found = []
    for record in run.requests:
        sent = record.context.messages[run.log.system_stop :]
        numbers = [n for one in sent for n in re.findall(r"summary (\d+)", one.content)]
        said = [one.content for one in sent if "summary" not in one.content.lower()]
        found.append((numbers, said))
    return found
