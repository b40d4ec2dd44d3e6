"""Words that one message alone says."""

from __future__ import annotations

import pytest
from hypothesis import given

import memviz
from memviz import Log, Message
from memviz.core.text.containment import PhraseIndex, contains
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.proposed_probes import propose_rare_words
from memviz.metrics.retention.retention import retention
from memviz.transcripts.samples import bundled
from tests.metrics.naive_retention import said
from tests.strategies.conversations import conversations

LOG = Log(
    [
        Message(
            "user",
            "We met the architect near 4711 Harbour Street. We were there about noon.",
        ),
        Message("assistant", "The Architect, at 4,711? See plan B2 or QX7R4M."),
        Message("user", "Ship 2,800 crates by the harbour, the ABC way; ask for 99."),
        Message(
            "assistant",
            "",
            tool_calls=(
                {"function": {"name": "book", "arguments": '{"city": "T\\u00f6nder"}'}},
            ),
        ),
    ]
)


def test_a_rare_word_stands_in_one_message_and_is_no_stop_word() -> None:
    words = {(probe.answers[0], probe.evidence[0]) for probe in propose_rare_words(LOG)}
    assert words == {
        ("near", 0),
        ("Street", 0),
        ("noon", 0),
        ("plan", 1),
        ("QX7R4M", 1),
        ("Ship", 2),
        ("2,800", 2),
        ("crates", 2),
        ("Tönder", 3),
    }


def test_the_choice_is_spread_evenly_and_always_the_same() -> None:
    log = Log(
        [
            Message(("user", "assistant")[n % 2], f"word{n:03} other{n:03}")
            for n in range(50)
        ]
    )
    chosen = propose_rare_words(log, limit=10)
    assert [probe.evidence[0] for probe in chosen] == [
        2,
        7,
        12,
        17,
        22,
        27,
        32,
        37,
        42,
        47,
    ]
    assert chosen == propose_rare_words(log, limit=10)
    assert len(propose_rare_words(log, limit=100)) == 100
    assert propose_rare_words(log, limit=0) == ()
    assert propose_rare_words(Log()) == ()


def test_chinese_pieces_between_function_words_are_taken_for_words() -> None:
    log = Log(
        [
            Message("user", "房东的桂花树在后院"),
            Message("assistant", "后院很大"),
            Message("user", "好的，茶书店"),
        ]
    )
    words = [probe.answers[0] for probe in propose_rare_words(log)]
    assert "桂花树" in words
    assert "茶书店" in words
    assert "后院" not in words


def test_they_are_scored_like_any_probe() -> None:
    said = (
        ("user", "The zeppelin arrives."),
        ("assistant", "Fine."),
        ("user", "Good."),
        ("assistant", "Thanks."),
    )
    log = Log([Message(role, text) for role, text in said])
    probes = propose_rare_words(log)
    assert [probe.answers for probe in probes if probe.evidence == (0,)] == [
        ("zeppelin",),
        ("arrives",),
    ]
    found = retention(
        memviz.replay(log, memviz.strategy("window", window_size=1), counter="chars4"),
        probes,
    )
    assert found.share(found.contained).tolist() == [1, 1 / 4], (
        "of four words one is of the input"
    )


@pytest.mark.parametrize("id", list(bundled()))
@pytest.mark.slow
def test_no_other_message_of_a_bundled_conversation_contains_them(id: str) -> None:
    messages = bundled()[id].messages
    probes = propose_rare_words(Log(messages), limit=60)
    assert len(probes) == 60
    found = PhraseIndex([probe.answers[0] for probe in probes]).find(
        [read_message(message) for message in messages]
    )
    holders = set(zip(found.phrases.tolist(), found.texts.tolist(), strict=True))
    assert sorted(holders) == [
        (number, *probe.evidence) for number, probe in enumerate(probes)
    ]


@given(messages=conversations())
def test_of_any_conversation_they_stand_in_one_message(messages: list[Message]) -> None:
    for probe in propose_rare_words(Log(messages)):
        holders = [
            p
            for p, message in enumerate(messages)
            if contains(said(message), probe.answers[0])
        ]
        assert holders == [*probe.evidence]
