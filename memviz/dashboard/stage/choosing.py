"""Which of many candidates are asked: spread over the run, over the kinds of questions, their answers and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from math import inf

from memviz.dashboard.stage.question import Candidate, Kind, Question

ROUND: tuple[Kind, ...] = ("summarizes", "knows", "stays", "summarizes", "knows")
"""The kinds about one request, in the order in which they are asked for over and over."""
PER_CHEAPEST = 6
"""Of so many questions one may ask for the cheapest setting: there are few such questions, each with a place of its
own."""
NEAR_WIDTHS = 1.5
"""Of its place in the run a question is at most so many of the equal parts away that there are."""
MOST_TRIED = 8
"""Candidates that turn out to be none before a place stays empty."""


def spread(
    by_kind: Mapping[Kind, Sequence[Candidate]], steps: range, at_most: int
) -> list[Question]:
    """At most so many questions over ``steps``, in the order of their steps. The same for the same candidates."""
    chosen = _Chosen(len(steps) / at_most)
    for _ in range(-(-at_most // PER_CHEAPEST)):
        chosen.take("cheapest", by_kind.get("cheapest", ()))
    for place in range(at_most - len(chosen.questions)):
        middle = steps.start + (place + 0.5) * chosen.width
        kinds = [*ROUND[place % len(ROUND) :], *ROUND[: place % len(ROUND)]]
        any(
            chosen.take(kind, by_kind.get(kind, ()), middle)
            for kind in dict.fromkeys(kinds)
        )
    return sorted(chosen.questions, key=lambda one: one.step)


class _Chosen:
    """What has been chosen so far. ``width`` is how many steps there are for each question."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.questions: list[Question] = []
        self._keys: set[Hashable] = set()
        self._steps: set[int] = set()
        self._sides: Counter[Hashable] = Counter()
        self._settings: Counter[int | None] = Counter()

    def take(
        self, kind: Kind, candidates: Sequence[Candidate], middle: float | None = None
    ) -> bool:
        """Take the best of the candidates of this kind, of those around the step ``middle``; whether there was one."""
        reach = inf if middle is None else NEAR_WIDTHS * self.width
        near = [
            one
            for one in candidates
            if abs(one.step - (middle or 0)) <= reach and self._is_new(one)
        ]
        for one in sorted(near, key=lambda one: self._rank(kind, one, middle or 0))[
            :MOST_TRIED
        ]:
            question = one.question()
            if question is not None:
                self._add(kind, one, question)
                return True
        return False

    def _is_new(self, one: Candidate) -> bool:
        # Two questions before one step would stop the stage twice, and each says something of the other.
        return one.step not in self._steps and not one.keys & self._keys

    def _rank(self, kind: Kind, one: Candidate, middle: float) -> tuple[float, ...]:
        distance = abs(one.step - middle)
        asked, number = (
            self._settings[one.setting],
            -1 if one.setting is None else one.setting,
        )
        # First of all each answer as often as the other: whoever always says yes is to be wrong half of the time.
        return (
            self._sides[kind, one.side],
            round(distance / self.width),
            asked,
            -one.interest,
            distance,
            one.step,
            number,
        )

    def _add(self, kind: Kind, one: Candidate, question: Question) -> None:
        self.questions.append(question)
        self._keys |= one.keys
        self._steps.add(one.step)
        self._sides[kind, one.side] += 1
        self._settings[one.setting] += 1
