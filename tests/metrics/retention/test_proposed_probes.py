"""Probes proposed for a conversation that has none."""

from __future__ import annotations

import pytest
from hypothesis import given

import memviz
from memviz import Log, Message
from memviz.core.text.containment import contains, normal_tokens
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.proposed_probes import BLANK, propose_probes
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import bundled, sample
from tests.strategies.conversations import conversations
from tests.tables import for_each


def log_of(*texts: str) -> Log:
    return Log(
        [Message(("user", "assistant")[n % 2], text) for n, text in enumerate(texts)]
    )


def proposed(*texts: str) -> list[tuple[str, str, int]]:
    return [
        (probe.question, *probe.answers, *probe.evidence)
        for probe in propose_probes(log_of(*texts))
    ]


@pytest.mark.parametrize(
    ("stated", "used", "question", "answer"),
    [
        (
            "My budget for the trip is 3,000 euros.",
            "Is 3000 enough?",
            "My budget for the trip is ___ euros.",
            "3,000",
        ),
        (
            "The hotel room costs 92 euros a night.",
            "So 92 euros?",
            "The hotel room costs ___ a night.",
            "92 euros",
        ),
        (
            "The code of my flight is QX7R4M.",
            "QX7R4M again.",
            "The code of my flight is ___.",
            "QX7R4M",
        ),
        (
            "My passport expires on 9 July 2027.",
            "Before 9 July 2027?",
            "My passport expires on ___.",
            "9 July 2027",
        ),
        (
            "The train to Porto leaves at 12:10 now.",
            "12:10, right?",
            "The train to Porto leaves at ___ now.",
            "12:10",
        ),
        (
            "Our skipper Duarte takes us through the lagoon.",
            "Who is Duarte?",
            "Our skipper ___ takes us through the lagoon.",
            "Duarte",
        ),
        (
            "We booked a house called Casa Flor de Sal there.",
            "Casa Flor de Sal has a courtyard.",
            "We booked a house called ___ there.",
            "Casa Flor de Sal",
        ),
        (
            "My address for the invoice is anna.b@example.com, please.",
            "To anna.b@example.com?",
            "My address for the invoice is ___, please.",
            "anna.b@example.com",
        ),
        (
            "启动资金的总预算是40万元。",
            "40万元够吗？",
            "启动资金的总预算是___。",
            "40万元",
        ),
        (
            "房东开口要每月9500元的房租。",
            "9500元贵不贵？",
            "房东开口要每月___元的房租。",
            "9500",
        ),
        (
            "我们的开业日期定在6月15日。",
            "6月15日是周六吗？",
            "我们的开业日期定在___。",
            "6月15日",
        ),
        (
            "食品经营许可的受理编号是QSH-04172。",
            "QSH-04172在哪查？",
            "食品经营许可的受理编号是___。",
            "QSH-04172",
        ),
    ],
)
def test_a_value_that_a_later_turn_uses_is_asked_for(
    stated: str, used: str, question: str, answer: str
) -> None:
    assert (question, answer, 2) in proposed(
        "Hello there!", "Hi.", stated, "Noted.", used
    )


@for_each(
    ("stated", "used"),
    [
        ("Is my budget for the trip 3,000 euros?", "3,000 euros."),  # asked, not stated
        ("Remind me of my budget for the trip, 3,000 euros.", "3,000 euros."),
        ("It is 3,000.", "3,000?"),  # nobody could tell what is asked
        ("You could perhaps pay 3,000 euros for the trip.", "3,000 euros?"),  # advice
        (
            "Perhaps I will have booked my house and my boat for 3,000 euros.",
            "3,000 euros?",
        ),
        (
            "The budget of my trip is 1,500 + 1,500 = 3,000 euros.",
            "3,000 euros?",
        ),  # a calculation
        (
            "My budget for the trip is 3,000 euros, so 3000.",
            "3,000?",
        ),  # the question would give it away
        (
            "My sister keeps saying that we should pay 3,000 euros.",
            "3,000 euros?",
        ),  # hearsay
    ],
)
def test_what_is_no_statement_is_not(stated: str, used: str) -> None:
    assert proposed("Hello there!", "Hi.", stated, "Noted.", used) == []


def test_an_entry_of_a_list_is_taken_from_a_user_alone() -> None:
    entry = "Rooms for the whole trip: 3,000 euros"
    assert [
        answer for _, answer, _ in proposed("Hello there!", "Hi.", entry, "Noted.")
    ] == ["3,000"]
    assert proposed("Hello there!", entry, "Good.", "Noted.", "3,000 euros?") == []


def test_a_name_of_the_assistant_said_before_or_too_often_is_not() -> None:
    walked = "We have walked to Gaia and back this morning, which was lovely."
    assert proposed("Hello there!", walked, "Lovely.", "Yes.") == []
    assert [
        position
        for *_, position in proposed("Gaia", "Where?", walked, "Noted.", "Gaia")
    ] == [2]
    assert proposed(*[walked] * 24) == []


def test_an_answer_is_asked_for_with_the_question_that_it_answers() -> None:
    (found,) = proposed(
        "Hello there!", "Fine. How large is your database?", "About 240 GB.", "Good."
    )
    assert found[:2] == ("How large is your database? About ___ GB.", "240")


def test_what_the_assistant_brings_up_has_to_interest_the_user() -> None:
    advice = "From the station a tram goes to Foz in half an hour, along the water."
    assert proposed("Hello there!", advice, "Good.", "To Foz, then.", "Thanks.") == []
    assert len(proposed("Hello there!", advice, "Is Foz far?", "No.")) == 1
    assert (
        proposed(
            "Hello there!",
            "Together that makes 368 euros for the beds.",
            "So 368 euros?",
            "Yes.",
        )
        == []
    )


def test_what_the_assistant_did_is_taken_from_it() -> None:
    said = "I've booked a table for six at half past seven."
    assert {
        answer for _, answer, _ in proposed("Please do.", said, "Thanks!", "Sure.")
    } == {"six", "half past seven"}


def test_many_values_in_one_frame_do_not_crowd_out_those_that_stand_alone() -> None:
    """The log of an agent is full of numbers; what was said once and matters is asked for before them."""
    filler = [
        text
        for number in range(120)
        for text in (
            f"Reading {number} of the flow meter is {3000 + 17 * number} litres.",
            "Noted.",
        )
    ]
    facts = [
        "My sister Odile pays the deposit.",
        "Noted.",
        "We can only meet before 4 pm.",
        "Fine.",
    ]
    facts += [
        "Please deploy to eu-west-3 only.",
        "Yes.",
        "No shellfish for the captain, please.",
        "Of course.",
    ]
    found = [answer for _, answer, _ in proposed(*filler[:120], *facts, *filler[120:])]
    assert len(found) == 50
    assert {"Odile", "4 pm", "eu-west-3", "shellfish"} <= set(found)


def test_a_tool_result_states_nothing_but_may_use() -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": "{}"}}
    told = Message("tool", "The gate code of the house is KLM-4471.", tool_call_id="1")
    start = [Message("user", "Look."), Message("assistant", "", tool_calls=(call,))]
    again = [Message("user", "The gate code is KLM-4471?")]
    assert propose_probes(Log([*start, told, *again])) == ()
    said = [
        Message("user", "The gate code of my house is KLM-4471."),
        Message("assistant", "Good."),
        *start,
    ]
    (probe,) = propose_probes(Log([*said, told]))
    assert probe == Probe(
        "The gate code of my house is ___.", ("KLM-4471",), (0,), "single fact"
    )


def test_at_most_so_many_the_most_telling_in_order() -> None:
    whole = propose_probes(Log(sample("trip").messages), limit=100)
    few = propose_probes(Log(sample("trip").messages), limit=10)
    assert len(whole) > 30
    assert len(few) == 10
    assert set(few) <= set(whole)
    assert [probe.evidence for probe in few] == sorted(probe.evidence for probe in few)
    assert propose_probes(Log(sample("trip").messages), limit=0) == ()


def test_the_facts_that_a_reader_would_ask_for_are_among_them() -> None:
    found = {
        (probe.answers[0], probe.evidence[0])
        for probe in propose_probes(Log(sample("trip").messages))
    }
    assert found >= {
        ("QX7R4M", 14),
        ("PT-58231", 18),
        ("9 July 2027", 10),
        ("Odete", 26),
        ("Orla", 30),
        ("3,600", 34),
        ("HV-440962", 42),
        ("4917", 50),
        ("Duarte", 52),
        ("12:10", 56),
        ("Apartamento Andorinha", 40),
    }
    chinese = {
        (probe.answers[0], probe.evidence[0])
        for probe in propose_probes(Log(sample("chinese").messages))
    }
    assert chinese >= {("8800", 8), ("QSH-04172", 50), ("5800", 46)}


@pytest.mark.parametrize("id", list(bundled()))
@pytest.mark.slow
def test_every_probe_of_a_bundled_conversation_is_sound(id: str) -> None:
    log = Log(sample(id).messages)
    probes = propose_probes(log)
    assert len(probes) >= 10
    assert (
        len({probe.question for probe in probes})
        == len({normal_tokens(p.answers[0]) for p in probes})
        == len(probes)
    )
    for probe in probes:
        (answer,), (position,) = probe.answers, probe.evidence
        assert BLANK in probe.question
        assert not contains(probe.question, answer)
        assert contains(read_message(log[position]), answer)
    kept = retention(
        memviz.replay(log, memviz.strategy("buffer"), counter="chars4"), probes
    )
    assert kept.contained[-1].all()
    assert probes == propose_probes(Log(sample(id).messages))


@given(messages=conversations())
def test_any_conversation_is_read_without_error(messages: list[Message]) -> None:
    for probe in propose_probes(Log(messages)):
        assert contains(messages[probe.evidence[0]].content, probe.answers[0])


def test_a_transcript_a_log_and_a_list_of_messages_are_taken_alike() -> None:
    transcript = sample("trip")
    found = propose_probes(Log(transcript.messages))
    assert found
    assert (
        propose_probes(transcript) == propose_probes(list(transcript.messages)) == found
    )


@for_each(
    ("said", "answer", "stale"),
    [
        (
            ("Our train to Coimbra now departs at 12:10 instead of 10:40.",),
            "12:10",
            ("10:40",),
        ),
        (
            (
                "The total budget for the trip is 3,000 euros.",
                "The total budget for the trip is now 3,600 euros.",
            ),
            "3,600",
            ("3,000",),
        ),
        (
            (
                "Our total budget is 3,000 euros.",
                "The deposit of the flat is now 3,600 euros.",
            ),
            "3,600",
            (),
        ),
        (("The total budget for the trip is 3,000 euros.",), "3,000", ()),
    ],
)
def test_a_changed_value_makes_the_one_before_stale(
    said: tuple[str, ...], answer: str, stale: tuple[str, ...]
) -> None:
    messages = [
        one
        for text in (*said, "Bye.")
        for one in (Message("user", text), Message("assistant", "Noted."))
    ]
    found = {probe.answers[0]: probe.stale for probe in propose_probes(Log(messages))}
    assert found[answer] == stale
