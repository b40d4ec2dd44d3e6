"""Questions to whoever watches the stage, made from any conversation's runs and facts and answered by them.

Four kinds: will it summarize before this request, which messages stay word for word, does the model still know this
fact, which setting is cheapest by a turn (in dollars where prices are known, else in tokens). None is written by hand.
Of many candidates those are asked that are spread over the run, over the kinds of questions, their answers and
settings.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from memviz.core.division import ceil_div
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.cheapest import cheapest_candidates, run_race
from memviz.dashboard.stage.data import (
    Measure,
    look_up_facts,
    retentions_of,
    stage_data,
)
from memviz.dashboard.stage.question import (
    KINDS,
    Candidate,
    Kind,
    Question,
    StagedRun,
    summarizing_candidates,
)
from memviz.dashboard.stage.what_stays import knowing_candidates, staying_candidates
from memviz.metrics.requests.request_axis import make_axis
from memviz.metrics.retention.knowledge import Retention
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

MOST_QUESTIONS = 12
ROUND: tuple[Kind, ...] = ("summarizes", "knows", "stays", "summarizes", "knows")
"""The kinds about one request, in the order in which they are asked for over and over."""
PER_CHEAPEST = 6
"""One question of so many may ask for the cheapest setting: there are few such questions, each with a place of its
own."""
NEAR_WIDTHS = 1.5
"""With four questions the run has four equal parts: a question is at most so many of such parts away from the middle of
its own."""
MOST_TRIED = 8
"""Candidates that turn out to be none before a place stays empty."""


def predictions(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    retentions: Sequence[Retention | None] | None = None,
    assumptions: PricingAssumptions | None = None,
    at_most: int = MOST_QUESTIONS,
    steps: range | None = None,
) -> list[Question]:
    """Return at most so many questions on the runs of ``settings``, which are over one conversation, in the order of
    their steps, of all or of those ``steps`` (from 0) that are shown; the same ones for the same runs. No two stand
    before one step or are about one event.

    ``retentions`` are those of the settings, in their order (``None``: no fact of it is asked for); without them the
    facts of ``transcript`` are looked up. Without ``assumptions`` on prices, or where one is unknown, the cheapest
    setting is told by tokens.
    """
    staged = staged_runs(settings, steps)
    if not staged or at_most < 1:
        return []
    if retentions is None:
        retentions = retentions_of(settings, look_up_facts(settings, transcript))
    by_kind: dict[Kind, list[Candidate]] = {kind: [] for kind in KINDS}
    for setting, retention in zip(staged, retentions, strict=True):
        by_kind["summarizes"] += summarizing_candidates(setting)
        by_kind["stays"] += staying_candidates(setting)
        if retention is not None:
            by_kind["knows"] += knowing_candidates(setting, retention)
    race = run_race(staged, assumptions)
    if race is not None:
        by_kind["cheapest"] += cheapest_candidates(race)
    return _spread(by_kind, staged[0].steps, at_most)


def asking_data(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    retentions: Sequence[Retention | None],
    assumptions: PricingAssumptions | None,
    steps: range,
    measure: Measure = "tokens",
) -> dict[str, Any]:
    """Return what the stage plays of ``settings`` (:func:`memviz.dashboard.stage.data.stage_data`), with the
    predictions that it can ask for."""
    questions = predictions(settings, transcript, retentions, assumptions, steps=steps)
    return stage_data(
        settings,
        transcript,
        retentions=retentions,
        assumptions=assumptions,
        measure=measure,
        steps=steps,
        questions=[question.as_data() for question in questions],
    )


def staged_runs(
    settings: Sequence[SettingRun], steps: range | None = None
) -> list[StagedRun]:
    """Return the runs as settings of a stage that shows all or some of their steps."""
    axis = make_axis(setting.run for setting in settings)
    shown_steps = range(int(axis.lasts[-1]))
    if steps is not None:
        shown_steps = shown_steps[steps.start : steps.stop]
    staged = []
    for number, setting in enumerate(settings):
        staged.append(StagedRun(setting.run, setting.label, number, axis, shown_steps))
    return staged


def _spread(
    by_kind: Mapping[Kind, Sequence[Candidate]], steps: range, at_most: int
) -> list[Question]:
    """Return at most so many of the candidates as questions, spread over the steps."""
    chosen = _Chosen(len(steps) / at_most)
    # The few that have no place of their own take theirs first.
    for _number in range(ceil_div(at_most, PER_CHEAPEST)):
        chosen.take("cheapest", by_kind["cheapest"])
    for place in range(at_most - len(chosen.questions)):
        middle = steps.start + (place + 0.5) * chosen.width
        # Another kind is asked first at each place; where it has no candidate, the next one in the round is asked.
        first = place % len(ROUND)
        for kind in dict.fromkeys([*ROUND[first:], *ROUND[:first]]):
            if chosen.take(kind, by_kind[kind], middle):
                break
    return sorted(chosen.questions, key=lambda question: question.step)


@dataclass
class _Chosen:
    """The questions that have been chosen so far."""

    width: float
    """The number of steps for each question."""
    questions: list[Question] = field(default_factory=list)
    keys: set[Hashable] = field(default_factory=set)
    steps: set[int] = field(default_factory=set)
    sides: Counter[Hashable] = field(default_factory=Counter)
    settings: Counter[int | None] = field(default_factory=Counter)

    def take(
        self, kind: Kind, candidates: Sequence[Candidate], middle: float | None = None
    ) -> bool:
        """Take the best of the candidates of this kind, of those around the step ``middle``, and return whether there
        was one."""
        reach = inf if middle is None else NEAR_WIDTHS * self.width
        ranked = []
        for place, candidate in enumerate(candidates):
            distance = abs(candidate.step - (middle or 0))
            # Two questions before one step would stop the stage twice, and each says something of the other.
            is_new = candidate.step not in self.steps and not candidate.keys & self.keys
            if distance <= reach and is_new:
                ranked.append((self._rank(kind, candidate, distance), place))
        for _rank, place in sorted(ranked)[:MOST_TRIED]:
            candidate = candidates[place]
            question = candidate.question()
            if question is not None:
                self.questions.append(question)
                self.keys |= candidate.keys
                self.steps.add(candidate.step)
                self.sides[kind, candidate.side] += 1
                self.settings[candidate.setting] += 1
                return True
        return False

    def _rank(
        self, kind: Kind, candidate: Candidate, distance: float
    ) -> tuple[float, ...]:
        # First of all each answer as often as the other: whoever always says yes is to be wrong half of the time.
        return (
            self.sides[kind, candidate.side],
            round(distance / self.width),
            self.settings[candidate.setting],
            -candidate.interest,
            distance,
            candidate.step,
            -1 if candidate.setting is None else candidate.setting,
        )
