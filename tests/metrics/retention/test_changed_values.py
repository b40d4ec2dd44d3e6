"""A proposed fact whose value was changed in the conversation asks for the newer value and knows the older as stale."""

from __future__ import annotations

import pytest

from memviz import Log, Message, Probe, propose_probes
from memviz.transcripts.samples import sample
from tests.tables import for_each


def proposed(*said: str) -> dict[str, tuple[str, ...]]:
    """The answers that are proposed where the user says ``said``, with what is stale."""
    messages = [
        one
        for text in said
        for one in (Message("user", text), Message("assistant", "Noted."))
    ]
    return {
        probe.answers[0]: probe.stale
        for probe in propose_probes(Log([*messages, Message("user", "Bye.")]))
    }


@for_each(
    ("first", "then", "newer", "older"),
    [
        (
            "The check-up is on Thursday.",
            "Actually, the check-up moved to Friday.",
            "Friday",
            "Thursday",
        ),
        (
            "We release it at 06:40.",
            "The couriers start earlier, so we release at 05:20 instead.",
            "05:20",
            "06:40",
        ),
        ("We expect 45 guests.", "Let's make it 38 guests.", "38 guests", "45 guests"),
        (
            "Our moving day is 30 August.",
            "Our moving day is now 6 September.",
            "6 September",
            "30 August",
        ),
        (
            "The budget for the trip is 3,000 euros.",
            "The budget for the trip was raised to 3,600 euros.",
            "3,600",
            "3,000",
        ),
        (
            "The go-live is on 9 March.",
            "The data is late: the go-live slips to 23 March.",
            "23 March",
            "9 March",
        ),
        (
            "The parade starts at 3 pm.",
            "About the start of the parade: make that 2 pm.",
            "2 pm",
            "3 pm",
        ),
        (
            "A ticket is £9.50 a child.",
            "Their rates went up and they take £11 a child.",
            "11",
            "9.50",
        ),
        (
            "We get four hours of downtime.",
            "They complained, and now we get ninety minutes of downtime.",
            "ninety minutes",
            "four hours",
        ),
        ("上线时间定在11月20日。", "上线推迟了，改到12月5日。", "12月5日", "11月20日"),
        (
            "昆明住翠湖宾馆，两间房。",
            "昆明的酒店换成了佳华广场酒店。",
            "佳华广场酒店",
            "翠湖宾馆",
        ),
    ],
)
def test_the_newer_value_replaces_the_older(
    first: str, then: str, newer: str, older: str
) -> None:
    found = proposed("Hello there!", first, "I have a dog.", then)
    assert found[newer] == (older,)
    assert older not in found
    assert not proposed("Hello there!", first, "I have a dog.").get(older), (
        "it is not stale before"
    )


@for_each(
    ("said", "newer", "older"),
    [
        ("Use port 6432 rather than 5433, please.", "6432", "5433"),
        ("We moved the meeting from Tuesday to Friday.", "Friday", "Tuesday"),
        ("Redis从6.2升到7.0了。", "7.0", "6.2"),
    ],
)
def test_a_sentence_may_name_both(said: str, newer: str, older: str) -> None:
    found = proposed("Hello there!", said)
    assert found[newer] == (older,)
    assert older not in found


def test_a_value_that_changed_twice_has_both() -> None:
    found = proposed(
        "The gala is on Monday.",
        "The gala moved to Tuesday.",
        "The gala was moved to Friday.",
    )
    assert found == {"Friday": ("Monday", "Tuesday")}


@for_each(
    ("first", "then"),
    [
        (
            "The permission slips are due on 16 May.",
            "The slips for the permission cost 3 euros on 2 June.",
        ),  # a noun
        ("We need 45 chairs.", "We also need 12 chairs for the kids now."),  # added
        (
            "The dentist is on Thursday.",
            "My sister comes on Friday.",
        ),  # something else, nothing changed
        (
            "The dentist is on Thursday at 10:15.",
            "I now have 38 guests.",
        ),  # of another sort
    ],
)
def test_what_changes_nothing_is_stale_nowhere(first: str, then: str) -> None:
    found = proposed("Hello there!", first, then)
    assert len(found) >= 2
    assert not any(found.values())


@pytest.mark.slow
def test_the_changes_of_the_bundled_conversations_are_known() -> None:
    def stale(id: str) -> dict[str, Probe]:
        return {
            probe.answers[0]: probe
            for probe in propose_probes(Log(sample(id).messages))
            if probe.stale
        }

    assert stale("agent")["Wednesday"].stale == ("Thursday",)
    assert stale("support")["6 September"].stale == ("30 August",)
    assert stale("trip")["3,600"].stale == ("3,000",)
    assert stale("trip")["3,600"].category == "updated fact"
    assert "40万元" in stale("chinese")["46万元"].stale


@for_each(
    ("before", "update", "older", "newer"),
    [
        (
            "We live in Lisbon with two kids.",
            "We moved from Lisbon to Porto last month.",
            "Lisbon",
            "Porto",
        ),
        (
            "The call with Dana is at 15:00 on Tuesday.",
            "Make it 14:00 instead.",
            "15:00",
            "14:00",
        ),
        (
            "Please book a table for 5 people at Luca.",
            "Actually 3 people, they can't come.",
            "5 people",
            "3 people",
        ),
        (
            "We run Python 3.9 in production.",
            "We upgraded to Python 3.12 last week.",
            "Python 3.9",
            "Python 3.12",
        ),
        ("买相机的预算是2000元。", "预算加到2500元吧。", "2000", "2500"),
    ],
)
def test_a_change_told_in_its_own_words(
    before: str, update: str, older: str, newer: str
) -> None:
    said = [before, "Noted.", update, "Done.", "What else?", "Nothing."]
    roles = ["user", "assistant"] * 3
    proposed = propose_probes([Message(*one) for one in zip(roles, said, strict=True)])
    (found,) = [probe for probe in proposed if newer in probe.answers]
    assert older in found.stale


def test_an_ending_beside_a_value_makes_no_other_value_of_its_kind_stale() -> None:
    said = [
        "The rent is 800 euros.",
        "Noted.",
        "We sold the books and paid 90 euros for tea.",
        "Ok.",
        "So?",
        "Yes.",
    ]
    roles = ["user", "assistant"] * 3
    proposed = propose_probes([Message(*one) for one in zip(roles, said, strict=True)])
    assert not any(probe.stale for probe in proposed)
