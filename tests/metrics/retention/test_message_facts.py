"""Which facts of a message its summary still holds: by hand, and against what retention says of the same request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz import Recall, Run
from memviz.core.context import Fate
from memviz.dashboard.words.authors import MOST_NAMED, message_facts_words
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.message_facts import (
    MessageFacts,
    find_facts_of_messages,
    find_message_facts,
    find_summary_facts,
)
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from tests.engine.probes import REPRESENTATIVES
from tests.metrics.random_probes import probed_odd_runs, probed_runs
from tests.metrics.retention.stated_facts import BUDGET, CODE, run_of

OLD_BUDGET = Probe("Budget at first?", ("3,000",), (0,), "number")


def facts_at(run: Run, turn: int, position: int, *probes: Probe) -> MessageFacts:
    return find_message_facts(run.turns[turn - 1], position, probes)


def test_of_a_message_replaced_by_a_summary_some_facts_live_on_and_some_are_lost() -> (
    None
):
    run = run_of("summary", "The code is qx7r4m.", "Nothing.", buffer_size=2)
    assert facts_at(run, 4, 2, CODE, OLD_BUDGET) == MessageFacts(held=(CODE,), lost=())
    assert facts_at(run, 4, 0, CODE, OLD_BUDGET) == MessageFacts(
        held=(), lost=(OLD_BUDGET,)
    )
    assert facts_at(run, 5, 2, CODE) == MessageFacts(held=(), lost=(CODE,))


def test_a_message_that_is_sent_word_for_word_or_recalled_needs_no_summary() -> None:
    assert not facts_at(run_of("summary", *["Nothing."] * 9, buffer_size=2), 2, 2, CODE)
    assert not facts_at(
        run_of("window", window_size=1, recalls={4: Recall(messages=[2])}), 4, 2, CODE
    )
    assert not facts_at(run_of("buffer"), 1, 2, CODE)  # not said yet


def test_a_fact_that_another_message_repeats_is_not_lost() -> None:
    said = [
        ("user", "The code is QX7R4M."),
        ("assistant", "Fine."),
        ("user", "QX7R4M, right?"),
        ("assistant", "Yes."),
    ]
    code = Probe("Code?", ("QX7R4M",), (0,), "name")
    typed = Probe(
        "Code?", ("QX7R4M",), (), "name"
    )  # typed in without a message: stated where its answer stands
    run = run_of("window", window_size=1, said=said)
    assert facts_at(run, 2, 0, code, typed) == MessageFacts(
        (), (), elsewhere=(code, typed)
    )


def test_the_words_name_each_kind_and_leave_out_what_is_not() -> None:
    assert message_facts_words(MessageFacts((), ())) == ""
    assert message_facts_words(MessageFacts((BUDGET,), (CODE, OLD_BUDGET))) == (
        "The summary still holds: 3,600 euros. Lost: QX7R4M; 3,000."
    )
    assert (
        message_facts_words(MessageFacts((), (), (CODE,)))
        == "Sent in another message: QX7R4M."
    )
    assert (
        message_facts_words(MessageFacts((), (), contradicted=(CODE,)))
        == "Contradicted: QX7R4M."
    )
    many = tuple(
        Probe("?", (f"fact {number}",), (), "name") for number in range(MOST_NAMED + 2)
    )
    assert message_facts_words(MessageFacts(many, ())).endswith("fact 5; and 2 more.")


def test_a_fact_that_the_summary_denies_or_holds_in_an_older_value_is_contradicted() -> (
    None
):
    moved = [
        ("user", "I live in Porto now."),
        ("assistant", "Noted."),
        *[("user", "Fine?"), ("assistant", "Yes.")] * 2,
    ]
    home = Probe(
        "Where does the user live?", ("Porto",), (0,), "single fact", ("Lisbon",)
    )
    for summary in ("The user does not live in Porto.", "The user lives in Lisbon."):
        run = run_of("summary", *[summary] * 3, buffer_size=1, said=moved)
        assert facts_at(run, 3, 0, home) == MessageFacts((), (), contradicted=(home,))


def test_the_summary_answers_for_all_messages_it_stands_for() -> None:
    run = run_of("summary", "The code is qx7r4m.", "Nothing.", buffer_size=2)
    assert find_summary_facts(run.turns[3], [CODE, OLD_BUDGET]) == MessageFacts(
        held=(CODE,), lost=(OLD_BUDGET,)
    )
    assert not find_summary_facts(run.turns[0], [CODE, OLD_BUDGET])


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_lost_and_held_agree_with_retention(id: str, data: st.DataObject) -> None:
    run, probes = data.draw(probed_runs(id))
    found = retention(run, probes)
    for row, record in enumerate(run.requests):
        by_message = find_facts_of_messages(record, probes)
        fates = run.fates_at(record)
        assert not any(fates[at] in (Fate.VERBATIM, Fate.RECALLED) for at in by_message)
        for facts in by_message.values():
            states = {
                probe: Knowledge(found.states[row, number])
                for number, probe in enumerate(probes)
            }
            assert not any(
                states[probe].is_known for probe in (*facts.lost, *facts.contradicted)
            )
            assert all(
                states[probe] == Knowledge.CONTRADICTED for probe in facts.contradicted
            )
            assert all(states[probe] >= Knowledge.SUMMARY for probe in facts.held)
            assert all(states[probe] > Knowledge.LOST for probe in facts.elsewhere)


@given(probed=probed_odd_runs())
def test_of_messages_in_another_form_it_says_what_is_left(
    probed: tuple[Run, tuple[Probe, ...]],
) -> None:
    run, probes = probed
    found = retention(run, probes)
    for row, record in enumerate(run.requests):
        fates = run.fates_at(record)
        for position, facts in find_facts_of_messages(record, probes).items():
            assert fates[position] not in (Fate.VERBATIM, Fate.RECALLED)
            states = {
                probe: Knowledge(found.states[row, number])
                for number, probe in enumerate(probes)
            }
            assert not any(
                states[probe].is_known for probe in (*facts.lost, *facts.contradicted)
            )
            assert all(
                states[probe] == Knowledge.CONTRADICTED for probe in facts.contradicted
            )
            assert all(states[probe] >= Knowledge.SUMMARY for probe in facts.held)
            assert all(states[probe] > Knowledge.LOST for probe in facts.elsewhere)
            assert not facts.left or fates[position] in (Fate.CLEARED, Fate.SHORTENED)
            assert all(states[probe] == Knowledge.VERBATIM for probe in facts.left)
