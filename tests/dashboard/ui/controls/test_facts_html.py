"""Facts that a memory keeps: what each version added, replaced and removed, and why each is remembered."""

from __future__ import annotations

from html import unescape

import memviz
from memviz import Message
from memviz.dashboard.ui.controls.facts_html import (
    changed_facts_html,
    facts_html,
    of_version,
)
from memviz.metrics.summaries.facts import list_facts_versions
from tests.reducing import FactsInside, fact_writer

MARKUP = "<b>nuts</b>"


def run() -> memviz.Run:
    said = [
        Message("user", f"Mira is allergic to {MARKUP}."),
        Message("assistant", "Noted."),
        Message("user", "The budget is 3,000 euros."),
        Message("assistant", "Good."),
        Message("user", "Make the budget 3,600 euros."),
        Message("assistant", "Good. The flight is on 9 July."),
        *(Message(("user", "assistant")[n % 2], f"Message {n}.") for n in range(6)),
    ]
    return memviz.replay(said, FactsInside(), model=fact_writer(), counter="chars4")


def test_a_version_says_what_it_added_replaced_and_kept() -> None:
    replayed = run()
    second = list_facts_versions(replayed)[1]
    html = facts_html(second, replayed.log)
    assert "<b>3 facts</b>: 1 added · 1 replaced · 1 kept" in html
    assert (
        "<del>The budget is 3,000 euros.</del> <ins>The budget is 3,600 euros.</ins>"
        in html
    )
    assert "<ins>The flight is on 9 July.</ins>" in html
    assert '<span aria-hidden="true">=</span> Mira is allergic to nuts.' in html


def test_what_was_removed_is_struck_through() -> None:
    third = list_facts_versions(run())[2]
    assert third.removed == ("The budget is 3,600 euros.",)
    assert "<del>The budget is 3,600 euros.</del>" in changed_facts_html(third)
    assert "Mira" not in changed_facts_html(third), "what was kept is not told here"
    assert "2 kept · 1 removed" in changed_facts_html(third)


def test_each_fact_says_why_it_is_remembered_and_the_message_is_text() -> None:
    replayed = run()
    html = facts_html(list_facts_versions(replayed)[0], replayed.log)
    assert "Why? From message 1 (user, turn 1), since version 1" in html
    assert "Mira is allergic to &lt;b&gt;nuts&lt;/b&gt;." in html
    assert MARKUP not in html
    assert "<small>All words of the fact stand in that message.</small>" in html


def test_a_source_that_says_a_part_of_a_fact_says_how_much() -> None:
    found = list_facts_versions(run())[0]
    half = found._replace(lines=tuple(line._replace(share=0.5) for line in found.lines))
    html = unescape(facts_html(half, run().log))
    assert "50% of the fact's words stand in that message" in html


def test_a_version_is_found_by_its_number() -> None:
    versions = list_facts_versions(run())
    assert of_version(versions, 2) is versions[1]
    assert of_version(versions, None) is of_version((), 1) is None
