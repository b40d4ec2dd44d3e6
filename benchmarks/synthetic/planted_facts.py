"""Planting facts in a conversation: which message states what, and the probes that ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from benchmarks.synthetic.fact_kinds import (
    ASSISTANT_FRAMES,
    CATEGORIES,
    FACT_KINDS,
    USER_FRAMES,
    Deck,
    FactKind,
    decks,
)
from memviz.transcripts.base import Probe

ASSISTANT_SHARE = 0.25
"""Share of the statements that the assistant makes; the user makes the others."""


class Planted(NamedTuple):
    """``sentences`` to be said, by log position of the message, and the ``probes`` in order of evidence."""

    sentences: dict[int, str]
    probes: tuple[Probe, ...]


def plant(random: Random, turns: int, facts: int) -> Planted:
    """Facts of all categories in turn, stated at random places of ``turns`` turns of two messages each.

    No two facts share a subject, an answer or a turn. There must be a turn for every statement:
    ``facts`` may be half of ``turns`` at most, and at most 10,000.
    """
    kinds = list(_kinds(random, facts))
    free_turns = random.sample(
        range(turns), sum(len(kind.statements) for kind in kinds)
    )
    all_decks = decks(random)
    sentences: dict[int, str] = {}
    probes = []
    for kind in kinds:
        stated_in = sorted(free_turns.pop() for _ in kind.statements)
        positions = tuple(
            2 * turn + (random.random() < ASSISTANT_SHARE) for turn in stated_in
        )
        statements, probe = _fact(random, kind, positions, all_decks)
        probes.append(probe)
        for position, statement in zip(positions, statements, strict=True):
            frame = random.choice(ASSISTANT_FRAMES if position % 2 else USER_FRAMES)
            sentences[position] = frame.format(fact=statement)
    return Planted(
        sentences, tuple(sorted(probes, key=lambda probe: probe.evidence[-1]))
    )


def _kinds(random: Random, facts: int) -> Iterator[FactKind]:
    of_category = {
        name: [kind for kind in FACT_KINDS if kind.category == name]
        for name in CATEGORIES
    }
    return (
        random.choice(of_category[CATEGORIES[number % len(CATEGORIES)]])
        for number in range(facts)
    )


def _fact(
    random: Random,
    kind: FactKind,
    positions: tuple[int, ...],
    all_decks: dict[str, Deck],
) -> tuple[list[str], Probe]:
    """What is said at ``positions``, and the probe."""
    updated = kind.category == "updated fact"
    words = {
        "subject": f"the {all_decks['subject'].draw()} {random.choice(kind.nouns)}",
        "answer": all_decks[kind.answer].draw(),
        "stale": all_decks[kind.answer].draw() if updated else "",
        "person": all_decks["person"].draw()
        if kind.category == "multi-evidence"
        else "",
    }
    probe = Probe(
        question=kind.question.format(**words),
        answers=(words["answer"],),
        evidence=positions[-1:] if updated else positions,
        category=kind.category,
        stale=(words["stale"],) if updated else (),
    )
    return [statement.format(**words) for statement in kind.statements], probe
