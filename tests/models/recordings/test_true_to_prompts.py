"""Every recorded reply rests on its own prompt: it says no name that the prompt lacks, and no number without a
reviewed reason."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from memviz.metrics.summaries.inventions import is_name
from memviz.models.recordings.recording import RecordedReply
from tests.models.recordings.true_to_prompts import (
    reason_fault,
    reviewed,
    reviewed_recordings,
    unsupported,
)
from tests.tables import for_each

GUESTHOUSE = "The user asked for a reply to a Porto guesthouse"
TEA_SPECIALIST = "用户面试五人后定下茶艺师白露"


@cache
def replies_by_mark() -> dict[str, RecordedReply]:
    return {
        one.mark: one
        for recording in reviewed_recordings().values()
        for one in recording.replies.values()
    }


def reply_that_begins(beginning: str) -> RecordedReply:
    return next(
        one
        for one in replies_by_mark().values()
        if one.reply.text.startswith(beginning)
    )


def said(beginning: str, text: str) -> tuple[str, ...]:
    """What a reply with ``text`` added would say without its prompt; the first reply that begins so is taken."""
    one = reply_that_begins(beginning)
    added = replace(one, reply=replace(one.reply, text=f"{one.reply.text}\n{text}"))
    return tuple(term for term in unsupported(added) if term not in unsupported(one))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(reviewed_recordings()))
def test_a_recorded_reply_says_no_name_or_number_that_is_not_reviewed(
    name: str,
) -> None:
    """A leak that is known stands on its list with exactly what it leaks; a new one fails."""
    found = {
        one.mark: unsupported(one)
        for one in reviewed_recordings()[name].replies.values()
    }
    allowed = {
        mark: {*reviewed().leaks.get(mark, ()), *reviewed().terms.get(mark, {})}
        for mark in found
    }
    new = {
        mark: [term for term in terms if term not in allowed[mark]]
        for mark, terms in found.items()
    }
    assert {mark: terms for mark, terms in new.items() if terms} == {}


def test_the_list_names_nothing_that_is_no_longer_there() -> None:
    for mark, terms in [*reviewed().leaks.items(), *reviewed().terms.items()]:
        one = replies_by_mark().get(mark)
        assert one is not None, f"no reply has the mark {mark}"
        assert set(terms) <= set(unsupported(one)), mark


def test_every_reason_is_a_sum_of_numbers_that_are_there_or_words_of_the_prompt() -> (
    None
):
    for mark, terms in reviewed().terms.items():
        faults = {
            term: reason_fault(term, reason, replies_by_mark()[mark])
            for term, reason in terms.items()
        }
        assert {term: fault for term, fault in faults.items() if fault} == {}, mark


def test_ordinary_words_are_no_names_of_the_conversations() -> None:
    leaked = {
        term for terms in reviewed().leaks.values() for term in terms if is_name(term)
    }
    assert not leaked & {*reviewed().ordinary, *reviewed().same_as}


@for_each(
    ("beginning", "text", "terms"),
    [
        (
            GUESTHOUSE,
            "Declan will call Ryanair on a Thursday.",
            ("Declan", "Ryanair", "Thursday"),
        ),
        (
            GUESTHOUSE,
            "Declan's bag weighs 23 kg; Gerês is near.",
            ("Declan", "23", "Gerês"),
        ),
        (GUESTHOUSE, "It costs 1,900 euros. They walk. Maureen waits.", ("1900",)),
        (
            TEA_SPECIALIST,
            "店员赵敏住在武夷山，老秦来过，共31人。",
            ("赵敏住", "武夷山", "老秦", "31"),
        ),
        (TEA_SPECIALIST, "白露做过四年，29岁。", ()),
    ],
)
def test_a_name_or_number_of_nowhere_or_of_another_prompt_is_found(
    beginning: str, text: str, terms: tuple[str, ...]
) -> None:
    assert set(said(beginning, text)) >= set(terms)
    assert bool(said(beginning, text)) == bool(terms)


@for_each(
    ("term", "reason", "fault"),
    [
        ("28", "12 + 16", "neither the prompt nor the reply has 16"),
        ("17", "12 + 6", "neither"),
        ("5", "12 - 5", "it makes 7"),
        ("7", "12 - 5", ""),
        ("7", "a guess", "neither a sum nor words"),
        ("7", "“half past one”", ""),
        ("7", "“half past ten”", "does not say “half past ten”"),
        ("Niamh", "12 - 5", "neither a sum nor words"),
    ],
)
def test_a_reason_that_does_not_hold_is_found(
    term: str, reason: str, fault: str
) -> None:
    base = reply_that_begins(GUESTHOUSE)
    one = replace(base, reply=replace(base.reply, text="From 12 to 5."))
    assert fault in reason_fault(term, reason, one)
    assert bool(fault) == bool(reason_fault(term, reason, one))
