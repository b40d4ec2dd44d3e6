"""Warnings in words: every kind of finding has them, and each case of a remedy is one whole sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memviz.dashboard.words.health import TELL
from memviz.dashboard.words.warning import WarningWords
from memviz.metrics.cost.pricing import make_unpriced
from memviz.metrics.health import HealthFinding
from memviz.metrics.health.budgets import LargerValue, Room, Thrash
from memviz.metrics.health.contents import (
    AssistantFirst,
    FailedSummarizations,
    LargerSummaries,
)
from memviz.metrics.health.growth import DearClearing
from tests.tables import for_each


@for_each("kind", HealthFinding.__subclasses__())
def test_every_kind_of_finding_has_words(kind: type[HealthFinding]) -> None:
    assert kind in TELL


def tell(finding: HealthFinding) -> WarningWords:
    return TELL[type(finding)](finding)


CLEARING = DearClearing(
    clearings=1,
    saved_tokens=-4,
    broken_tokens=10,
    usd=2.0,
    whole_usd=1.0,
    pricing=make_unpriced("a model"),
    pause_seconds=60.0,
    parameter="",
    value=0,
    keep_results=None,
    saving_with_long_pauses=None,
)


@for_each(
    ("case", "remedy"),
    [
        ({}, "Send all messages whole as long as they fit the context window."),
        (
            {"keep_results": 3},
            "Lower keep_results from 3, so that fewer tokens stand behind a result when it is cleared, or send all "
            "messages whole as long as they fit the context window.",
        ),
        (
            {"parameter": "trigger_tokens", "value": 1500},
            "Raise trigger_tokens from 1,500, so that clearing begins later, or send all messages whole as long as "
            "they fit the context window.",
        ),
    ],
)
def test_what_to_do_about_clearing_names_what_the_strategy_has(
    case: dict[str, Any], remedy: str
) -> None:
    assert tell(replace(CLEARING, **case)).remedy == remedy


LARGER = LargerSummaries(
    larger=1, written=2, after_message=2, tokens=31, replaced_tokens=30
)


@for_each(
    ("case", "remedy"),
    [
        (
            {},
            "Summarize more at a time, or choose a summarizer that writes less.",
        ),
        (
            {"every_turn": True},
            "Turns this short are not worth a summary each: choose a strategy that summarizes several turns at once.",
        ),
    ],
)
def test_what_to_do_about_larger_summaries(case: dict[str, Any], remedy: str) -> None:
    assert tell(replace(LARGER, **case)).remedy == remedy


def test_messages_that_were_left_out_after_a_failure_are_said() -> None:
    failed = FailedSummarizations(
        failed=2, asked=3, dropped=1, kept=False, first_error="down"
    )
    assert tell(failed).numbers == (
        "2 of 3 summarizer calls failed. After 1 of 2 failures the messages were left out all the same. The first "
        "said: down"
    )
    other = tell(replace(failed, dropped=0))
    assert "The rule did something else in its place." in other.numbers


def test_a_greeting_is_moved_and_a_cut_is_made_elsewhere() -> None:
    first = AssistantFirst(found=1, requests=2)
    assert tell(first).remedy.startswith("Choose a strategy that begins")
    greeting = tell(replace(first, has_greeting=True)).remedy
    assert greeting.startswith("The conversation itself begins")


def test_a_window_that_fills_at_once_is_not_made_wider_by_its_limit() -> None:
    thrash = Thrash(
        summarizations=7, steps=7, step="request", room=Room(1.0, 2.0, "messages")
    )
    told = tell(replace(thrash, cuts_to_limit=True))
    assert told.remedy.endswith("as the summary buffer does (to half of it).")
    assert told.numbers == (
        "7 summarizations in 7 requests: one every 1.0 requests. Each makes room for 1 messages, and a request takes 2."
    )
    wider = tell(replace(thrash, wider=LargerValue("size", 1, 4)))
    assert wider.remedy == (
        "Raise size from 1 to about 4, which makes room for 4 requests."
    )
