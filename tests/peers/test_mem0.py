"""The store of facts against mem0's own, turn by turn, with the same facts extracted."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import cycle
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, ScriptedModel
from memviz.core.facts import facts_in
from memviz.strategies.facts_store import FactsStore

# Importing it would begin to report to its makers: the store below forbids that first.
if find_spec("mem0") is None:
    pytest.skip("mem0 is not installed", allow_module_level=True)

from tests.peers.judging import ANY, KNOWN, late_system_messages
from tests.peers.libraries.mem0_store import StoreAtWork
from tests.strategies.conversations import answered

NOTHING = "<facts></facts>"
WORDS = ["office", "Turin", "dog", "budget 40", "budget 50", "护照", "车站", "red"]
FACTS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=4)
ANSWERS = st.lists(FACTS, min_size=1, max_size=5)


class Both(NamedTuple):
    """A run of memviz's store, and what mem0 was shown turn by turn; it holds the same facts."""

    run: memviz.Run
    record: memviz.TurnRecord
    store: StoreAtWork
    turns: list[memviz.Compaction]
    shown: list[list[str]]


def both(
    messages: list[Message], answers: list[list[tuple[str, str]]], **parameters: int
) -> Both:
    """Let both stores extract the facts of ``answers`` from the turns, in a circle."""
    assume(any(message.role == "user" for message in messages))
    said = ("".join(f"<fact>{a} {b}</fact>" for a, b in one) for one in cycle(answers))
    run = memviz.replay(
        messages,
        memviz.strategy("facts_store", **parameters),
        model=ScriptedModel(one or NOTHING for one in said),
        counter="chars4",
    )
    record = run.pending
    assert record is not None
    store = StoreAtWork()
    turns = list(run.compactions)
    shown = []
    for one in turns:
        assert one.written is not None
        facts = [fact.text for fact in facts_in(one.written.text)]
        turn = [run.log[position] for position in one.summarized]
        shown.append(store.add(turn, facts))
    return Both(run, record, store, turns, shown)


def agree(theirs: object, ours: object, known: dict[str, Callable[[], bool]]) -> None:
    """Raise AssertionError where they differ and nothing of what is ``known`` holds."""
    if theirs == ours:
        return
    found = [why for why, holds in known.items() if holds()]
    if not found:
        assert theirs == ours
    KNOWN.append(found[0])


@given(
    messages=ANY,
    answers=ANSWERS,
    question=st.sampled_from([*WORDS, "red office", "Where is the dog?"]),
    top=st.sampled_from([2, 30]),
)
def test_finds_what_mem0_finds(
    messages: list[Message],
    answers: list[list[tuple[str, str]]],
    question: str,
    top: int,
) -> None:
    talk = [*answered(messages), Message("user", question)]
    one = both(talk, answers, top_k=top)
    assert isinstance(one.run.strategy, FactsStore)
    index = one.record.memory.space.summaries.fact_index()
    picks = one.run.strategy.picks(one.record.memory)
    ours = [index.facts[pick.number - 1].text for pick in picks]
    theirs = one.store.search(question, top)
    found = one.store.search(question, 99)
    agree(
        sorted(theirs),
        sorted(ours),
        {
            "a fact that was extracted again is held twice, and found twice, unless it was among the ten memories "
            "nearest to the turn": lambda: len(set(found)) < len(found),
            "it ranks by the nearness of vectors, where more is found than is sent": lambda: (
                len(found) > top
            ),
        },
    )


@given(messages=ANY, answers=ANSWERS)
def test_shows_who_extracts_what_mem0_shows(
    messages: list[Message], answers: list[list[tuple[str, str]]]
) -> None:
    talk = [*answered(messages), Message("user", "office")]
    one = both(talk, answers)
    ours = []
    for turn in one.turns:
        shown = turn.prompt.partition("<existing_facts>")[2].partition(
            "</existing_facts>"
        )[0]
        ours.append(sorted(fact.text for fact in facts_in(shown)))
    theirs = [sorted(shown) for shown in one.shown]
    log = Log(talk)

    def shows_what_is_not_near() -> bool:
        pairs = zip(theirs, ours, strict=True)
        return all(set(shown) >= set(near) or len(shown) == 10 for shown, near in pairs)

    agree(
        theirs,
        ours,
        {
            "it reads system messages too": lambda: late_system_messages(log),
            "it shows the ten nearest memories, however far they are": shows_what_is_not_near,
        },
    )
