"""Which facts a new version of a summary lost and gained."""

from __future__ import annotations

from memviz.metrics.retention.message_facts import compare_summaries
from memviz.transcripts.base import Probe

CASHEWS = Probe("What is Niamh allergic to?", ("cashews", "nuts"), (0,), "single fact")
CODE = Probe("What is the code?", ("QX7R4M",), (1,), "single fact")
BUDGET = Probe("What is the budget?", ("3,000 euros",), (2,), "number")


def test_a_fact_is_lost_or_new_by_any_accepted_answer() -> None:
    found = compare_summaries(
        "Niamh is allergic to nuts. The budget is 3,000 euros.",
        "The budget is 3,000 euros, the code QX7R4M.",
        [CASHEWS, CODE, BUDGET],
    )
    assert found.lost == (CASHEWS,)
    assert found.gained == (CODE,)


def test_without_facts_or_without_a_change_there_is_nothing_to_say() -> None:
    assert compare_summaries("Niamh eats nuts.", "Nothing.", []) == ((), (), ())
    assert compare_summaries("Cashews.", "Nuts.", [CASHEWS]) == ((), (), ())


def test_what_the_new_text_denies_is_contradicted() -> None:
    home = Probe("Where does the user live?", ("Lisbon",), (0,), "single fact")
    found = compare_summaries(
        "The user lives in Lisbon.", "The user does not live in Lisbon.", [home]
    )
    assert found == ((), (), (home,))
