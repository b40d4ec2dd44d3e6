"""What became of each fact from version to version, and which message it came from: by hand, and that nothing is lost
or invented on the way."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Run, ScriptedModel
from memviz.core.facts import FACTS
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.metrics.summaries.facts import (
    FactsVersion,
    list_facts_versions,
    split_fact_lines,
    strip_tags,
)
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from tests.tables import for_each


class Remembers(Strategy):
    """Facts of all that was said but the newest two messages, and beside them a digest."""

    trigger: ClassVar[Trigger] = Trigger.REQUEST

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """The facts first, and a digest of the same messages."""
        if memory.pending <= 2:
            return ()
        taken = range(memory.cursor, memory.length - 2)
        of = {"summarize": taken, "keep_from": taken.stop, "reason": "told"}
        facts = Write(**of, replaces=memory.head(FACTS), track=FACTS)
        return (facts, Write(**of, replaces=memory.head("digest"), track="digest"))

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The facts inside the system prompt."""
        facts = notes(memory.notes_of(FACTS), "behind system")
        return (
            *facts,
            *notes(memory.notes_of("digest")),
            Messages(memory.cursor, memory.length),
        )


SAID = (
    "My budget is 3,000 euros.", "Noted: 3,000 euros.",
    "Ada is allergic to peanuts.", "Understood.",
    "We raised the budget, it is 3,600 euros now.", "Good.",
    "Bye.", "Bye.",
)  # fmt: skip


def run_of(*facts: str) -> Run:
    talk = [
        Message(("user", "assistant")[number % 2], text)
        for number, text in enumerate(SAID)
    ]
    answers = [text for one in facts for text in (one, "A digest.")]
    return memviz.replay(
        talk,
        Remembers(),
        model=ScriptedModel(answers),
        counter="chars4",
        system_prompt="Be brief.",
    )


def told(version: FactsVersion) -> list[tuple[str, str, str, int | None, int]]:
    return [
        (line.text, line.change, line.replaces, line.source, line.since)
        for line in version.lines
    ]


def test_lines_are_added_kept_replaced_and_removed() -> None:
    run = run_of(
        "- The budget is 3,000 euros.",
        "- The budget is 3,000 euros\n- Ada is allergic to peanuts.\n- Likes trains.",
        "1. The budget is 3,600 euros.\n2. Ada is allergic to peanuts.",
    )
    assert [list(version.version.added) for version in list_facts_versions(run)] == [
        [0],
        [1, 2],
        [3, 4],
    ]
    first, second, third = list_facts_versions(run)
    assert told(first) == [("The budget is 3,000 euros.", "added", "", 0, 1)]
    assert told(second) == [
        ("The budget is 3,000 euros", "kept", "", 0, 1),
        ("Ada is allergic to peanuts.", "added", "", 2, 3),
        ("Likes trains.", "added", "", None, 3),
    ]
    assert told(third) == [
        ("The budget is 3,600 euros.", "replaced", "The budget is 3,000 euros", 4, 5),
        ("Ada is allergic to peanuts.", "kept", "", 2, 3),
    ]
    assert (first.removed, second.removed, third.removed) == (
        (),
        (),
        ("Likes trains.",),
    )
    assert [line.text for line in third.of("kept")] == ["Ada is allergic to peanuts."]


def test_a_fact_in_other_words_keeps_its_source() -> None:
    """As where a list that is too long is condensed: no new message says it."""
    _, _, third = list_facts_versions(
        run_of(
            "None yet.",
            "Ada is allergic to peanuts.",
            "Ada is very allergic to peanuts.",
        )
    )
    assert told(third) == [
        (
            "Ada is very allergic to peanuts.",
            "replaced",
            "Ada is allergic to peanuts.",
            2,
            third.version.version,
        )
    ]


def test_an_event_without_facts_is_none_of_them() -> None:
    run = run_of("One.", "One.", "One.")
    assert {version.version.track for version in list_facts_versions(run)} == {FACTS}
    assert (
        list_facts_versions(
            memviz.replay(run.log, memviz.strategy("buffer"), counter="chars4")
        )
        == ()
    )


def test_facts_in_tags_are_facts_whatever_their_track() -> None:
    talk = [
        Message(("user", "assistant")[number % 2], text * 9)
        for number, text in enumerate(SAID)
    ]
    answers = [
        "<facts><fact>Ada is allergic\n to peanuts.</fact></facts>",
        "<facts></facts>",
        "none",
    ]
    run = memviz.replay(
        talk,
        memviz.strategy("fifo_facts", token_limit=200),
        model=ScriptedModel(answers * 9),
        counter="chars4",
    )
    first, second, *_ = list_facts_versions(run)
    assert [line.text for line in first.lines] == ["Ada is allergic to peanuts."]
    assert [(line.change, line.since) for line in second.lines] == [
        ("kept", first.version.version)
    ]


def test_facts_in_tags_are_read_as_lines() -> None:
    assert (
        strip_tags("<fact>Ada is\n allergic.</fact>\n<fact>a < b</fact>")
        == "- Ada is allergic.\n- a < b"
    )
    assert strip_tags("- no tags") == "- no tags"


@for_each("text", ["", "\n \n", "- \n*"])
def test_a_text_without_facts_has_no_lines(text: str) -> None:
    assert split_fact_lines(text) == [
        line for line in ("-", "*") if text.startswith("-")
    ]


words = st.sampled_from(["budget", "Ada", "3,600", "peanuts", "the", "Lisbon"])
facts = st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), max_size=5).map(
    "\n".join
)


@given(texts=st.lists(facts, min_size=3, max_size=3))
def test_old_lines_and_new_ones_are_all_accounted_for(texts: list[str]) -> None:
    run = run_of(*(text or "none" for text in texts))
    before: list[str] = []
    for version in list_facts_versions(run):
        lines = split_fact_lines(version.version.text)
        assert [line.text for line in version.lines] == lines
        kept, replaced = (
            [line.text for line in version.of(one)] for one in ("kept", "replaced")
        )
        gone = [line.replaces for line in version.of("replaced")] + list(
            version.removed
        )
        assert Counter(kept) + Counter(gone) == Counter(before)
        assert len(version.of("added")) + len(replaced) + len(kept) == len(lines)
        for line in version.lines:
            assert line.source is None or line.source < version.version.added.stop
            assert (line.share >= 0.5) == (line.source is not None)
        before = lines
