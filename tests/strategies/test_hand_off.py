"""Hand-off: the user's newest messages stay, all else is handed over, in words or in a block that nobody can read."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Log, Message, ParameterError, Probe
from memviz.core.summaries import OPAQUE_TEXT
from memviz.metrics.cost.cost import price_traffic
from memviz.metrics.cost.pricing import make_unpriced
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.retention import retention
from tests.strategies.conversations import conversations

COUNT = memviz.counter("chars4")


def said(number: int) -> list[Message]:
    """A turn of two messages of 10 tokens each."""
    return [
        Message("user", f"question {number:02} ".ljust(40, "q")),
        Message("assistant", f"answer {number:02} ".ljust(40, "a")),
    ]


def replay(messages: list[Message], **parameters: int) -> memviz.Run:
    return memviz.replay(
        messages,
        memviz.strategy("hand_off", **parameters),
        model=memviz.ScriptedModel([f"summary {n}" for n in range(1, 200)]),
        counter="chars4",
    )


def contents(run: memviz.Run, request: int = -1) -> list[str]:
    return [message.content for message in run.requests[request].context.messages]


def test_the_users_newest_messages_stay_and_the_summary_stands_behind_them() -> None:
    talk = [message for number in range(1, 7) for message in said(number)]
    run = replay(talk, trigger_tokens=60, keep_user_tokens=20)
    first = run.compactions[0]
    assert (first.reason, first.after_message) == ("70 tokens > 60", 6)
    sent = contents(run, 3)
    assert [text[:11] for text in sent] == [
        "question 02",
        "question 03",
        "summary 1",
        "question 04",
    ]
    assert run.requests[3].context.messages[2].role == "user"
    fates = run.fates()[3].tolist()[:6]
    assert fates == [
        Fate.SUMMARIZED,
        Fate.SUMMARIZED,
        Fate.VERBATIM,
        Fate.SUMMARIZED,
        Fate.VERBATIM,
        Fate.SUMMARIZED,
    ]


def test_of_the_message_that_does_not_fit_both_ends_stay() -> None:
    talk = [message for number in range(1, 6) for message in said(number)]
    run = replay(talk, trigger_tokens=60, keep_user_tokens=15)
    cut = contents(run, 3)[0]
    assert cut == "question 0" + "…" + "q" * 10
    assert run.fates()[3].tolist()[2] == Fate.SHORTENED


def test_nothing_of_the_users_stays_where_nothing_may() -> None:
    talk = [message for number in range(1, 6) for message in said(number)]
    run = replay(talk, trigger_tokens=60, keep_user_tokens=0)
    assert [text[:11] for text in contents(run, 3)] == ["summary 1", "question 04"]


def expected(messages: list[Message], trigger: int, keep: int) -> list[list[str]]:
    """The requests by a slow reference: a history of texts that is written anew at each hand-off."""
    log = Log(messages)
    system = [message.content for message in log[: log.system_stop]]
    history: list[tuple[str, str]] = []
    summary: str | None = None
    kept: list[str] = []
    written = 0
    taken = log.system_stop
    requests = []
    for request in log.requests():
        history += [(one.role, one.content) for one in log[taken : request.stop]]
        taken = request.stop
        asked = request.stop - log.input_start(request.stop)
        old = history[: len(history) - asked]
        notes = [] if summary is None else [summary]
        texts = [*system, *kept, *notes, *(text for _, text in history)]
        if sum(map(COUNT, texts)) > trigger and old:
            written += 1
            summary = f"summary {written}"
            kept = newest(everything_of_user(log, request.stop - asked), keep)
            history = history[len(old) :]
        notes = [] if summary is None else [summary]
        requests.append([*system, *kept, *notes, *(text for _, text in history)])
    return requests


def everything_of_user(log: Log, stop: int) -> list[str]:
    return [one.content for one in log[log.system_stop : stop] if one.role == "user"]


def newest(texts: list[str], keep: int) -> list[str]:
    found: list[str] = []
    for text in reversed(texts):
        if COUNT(text) > keep:
            half = 2 * keep
            if half and len(text) > 2 * half + 1:
                text = f"{text[:half]}…{text[len(text) - half :]}"
            return [text, *found] if half else found
        found.insert(0, text)
        keep -= COUNT(text)
    return found


@given(
    messages=conversations(),
    trigger=st.integers(1, 60),
    keep=st.integers(0, 30),
)
def test_sends_what_the_slow_reference_sends(
    messages: list[Message], trigger: int, keep: int
) -> None:
    run = replay(messages, trigger_tokens=trigger, keep_user_tokens=keep)
    sent = [contents(run, number) for number in range(len(run.requests))]
    assert sent == expected(messages, trigger, keep)


TALK = [message for number in range(1, 9) for message in said(number)]
SEALED = {"trigger_tokens": 60, "keep_user_tokens": 0, "opaque_tokens": 25}


def test_a_block_of_the_providers_has_a_size_and_no_words() -> None:
    run = memviz.replay(
        TALK, memviz.strategy("hand_off", **SEALED), model=None, counter="chars4"
    )
    record = run.requests[-1]
    assert record.tokens["summary"] == 25
    assert contents(run)[0] == OPAQUE_TEXT
    compaction = run.compactions[0]
    assert (compaction.is_opaque, compaction.request, compaction.model) == (
        True,
        (),
        "",
    )
    # It reads what the request would have sent: 7 messages of 10 tokens and 4 of the format, and 3 for the request.
    assert (compaction.prompt_tokens, compaction.output_tokens) == (101, 25)
    fates = run.fates()[-1]
    covered = run.space.summaries.versions[-1].covers
    assert set(fates[covered.start : covered.stop].tolist()) == {Fate.OPAQUE}


def test_whether_a_fact_stands_in_the_block_is_unknown() -> None:
    probes = [
        Probe("early", ("question 01",), (0,), "fact"),
        Probe("late", ("question 08",), (14,), "fact"),
        Probe("nowhere", ("never said",), (), "fact"),
    ]
    run = memviz.replay(
        TALK, memviz.strategy("hand_off", **SEALED), model=None, counter="chars4"
    )
    kept = retention(run, probes)
    assert kept.states[-1].tolist() == [
        Knowledge.UNKNOWN,
        Knowledge.VERBATIM,
        Knowledge.LOST,
    ]
    assert (
        kept.share(kept.retained)[-1] == 0.5
    )  # the early one is neither kept nor lost
    assert kept.frame()["unknown_share"].iloc[-1] == pytest.approx(1 / 3)


def test_a_run_with_such_blocks_is_stored_whole() -> None:
    run = memviz.replay(
        TALK, memviz.strategy("hand_off", **SEALED), model=None, counter="chars4"
    )
    again = memviz.Run.from_dict(run.to_dict())
    assert (again.fates() == run.fates()).all()
    for one, other in pairwise([run, again]):
        assert [each.tokens for each in one.requests] == [
            each.tokens for each in other.requests
        ]


def test_a_block_of_the_providers_can_only_be_replayed() -> None:
    sealed = memviz.strategy("hand_off", **SEALED)
    with pytest.raises(ParameterError, match="opaque_tokens"):
        memviz.Chat(sealed)
    with pytest.raises(ParameterError, match="can only be replayed"):
        memviz.ChatMemory(sealed)


def test_the_block_costs_what_the_chat_model_costs() -> None:
    run = memviz.replay(
        TALK, memviz.strategy("hand_off", **SEALED), model=None, counter="chars4"
    )
    dear = make_unpriced("dear").by_hand(
        input_usd_per_million=1, output_usd_per_million=10
    )
    found = price_traffic(count_traffic(run), dear, None, cache=None, pause_seconds=60)
    read = sum(one.prompt_tokens for one in run.compactions)
    written = 25 * len(run.compactions)
    assert found.summarizer_usd == pytest.approx((read + 10 * written) / 1e6)
    assert not found.missing
