"""Which statements a summary is made of: those that still hold, best first, as many as fit, none said twice."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log

from memviz.core.text.sentences import Sentence
from memviz.models.offline.statements import Statement, statements_of
from memviz.models.offline.summary_request import Entry
from memviz.models.offline.topics import says_the_same, supersedes

OLDEST_DECAY = 0.7
NEWEST_DECAY = 1.0
"""What a clause of the previous summary keeps of its weight, from the first to the last. The oldest facts
are its first, so a fact that is carried on from summary to summary fades as newer ones join behind it."""
MOST_COMPARED = 50
"""Of many statements about one thing the last so many are looked at for one that no longer holds."""
CANDIDATES = 60
WORTH_SAYING = 0.12
"""A clause with less than this part of the best one's weight is left out even where there is room."""
SAME_WORDS = 0.7
SAME_WORDS_AND_VALUES = 0.5
"""The share of words in common from which on two clauses say the same; less is needed where all values agree."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A statement among all that were made, with what it weighs here, and the one that it points back to, if any."""

    position: int
    statement: Statement
    weight: float
    leader: Candidate | None

    @property
    def sentence(self) -> Sentence:
        """The clause."""
        return self.statement.sentence


def candidates_of(entries: Iterable[Entry]) -> list[Candidate]:
    """What is stated, without what a later statement supersedes."""
    found: list[Candidate] = []
    for entry in entries:
        stated = statements_of(entry)
        before: Candidate | None = None
        for at, statement in enumerate(stated):
            weight = statement.weight
            if entry.role == "summary":
                weight *= OLDEST_DECAY + (NEWEST_DECAY - OLDEST_DECAY) * (at + 1) / len(
                    stated
                )
            leader = before if statement.points_back else None
            before = Candidate(len(found), statement, weight, leader)
            found.append(before)
    return _holding(found)


def _holding(candidates: list[Candidate]) -> list[Candidate]:
    """Without older states of what changed; the newest is worth no less than they were."""
    holding = dict.fromkeys(candidates)
    by_topic: dict[frozenset[str], list[Candidate]] = {}
    by_value: dict[str, list[Candidate]] = {}
    for one in candidates:
        topic = one.statement.topic
        alike = by_topic.setdefault(topic.about, []) if topic.about else []
        named = chain.from_iterable(by_value.get(value, ()) for value in topic.replaced)
        for old in [
            old
            for old in chain(alike[-MOST_COMPARED:], named)
            if supersedes(topic, old.statement.topic)
        ]:
            holding.pop(old, None)
            one.weight = max(one.weight, old.weight)
        alike.append(one)
        for value in topic.values:
            by_value.setdefault(value, []).append(one)
    return list(holding)


def ranked(candidates: list[Candidate]) -> list[Candidate]:
    """The best candidates, best first, with what rare words add to their weight; none before the one it points to."""
    frequency = Tally(
        chain.from_iterable(candidate.sentence.words for candidate in candidates)
    )
    rarities = [
        0.0,
        *(
            log(len(candidates) / times)
            for times in range(1, max(frequency.values(), default=0) + 1)
        ),
    ]
    best = sorted(candidates, key=lambda one: -one.weight)[:CANDIDATES]
    for candidate in best:
        words = candidate.sentence.words
        rarity = sum([rarities[frequency[word]] for word in words]) / (len(words) or 1)
        candidate.weight *= 1 + 0.1 * rarity
    for candidate in sorted(best, key=lambda one: one.position):
        if candidate.leader is not None:
            candidate.weight = min(candidate.weight, candidate.leader.weight)
    best.sort(key=lambda one: (-one.weight, one.position))
    return [
        candidate
        for candidate in best
        if candidate.weight >= WORTH_SAYING * best[0].weight
    ]


def choose(
    best_first: Sequence[Candidate], room_tokens: int, cost: Callable[[Sentence], int]
) -> list[Candidate]:
    """Best first while they fit, of those that say the same only the first, and none without the one it points to."""
    chosen: list[Candidate] = []
    for candidate in best_first:
        if candidate.leader is not None and candidate.leader not in chosen:
            continue
        tokens = cost(candidate.sentence)
        if tokens <= room_tokens and not _is_said(candidate, chosen):
            chosen.append(candidate)
            room_tokens -= tokens
    return chosen or list(best_first[:1])


def _is_said(candidate: Candidate, chosen: list[Candidate]) -> bool:
    """Whether one of ``chosen`` says the same already."""
    words = candidate.sentence.words
    return any(
        not words.isdisjoint(one.sentence.words)
        and _says(one.statement, candidate.statement)
        for one in chosen
    )


def _says(one: Statement, other: Statement) -> bool:
    """Whether ``one`` has the values of ``other`` and most of its words."""
    if not says_the_same(one.topic, other.topic):
        return False
    told = other.sentence.subject
    shared = len(told & one.sentence.subject)
    return shared >= (
        SAME_WORDS_AND_VALUES if other.topic.values else SAME_WORDS
    ) * len(told)
