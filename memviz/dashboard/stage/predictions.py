"""Questions to whoever watches the stage, made from any conversation's runs and facts and answered by them.

Four kinds: will it summarize before this request, which messages stay word for word, does the model still know this
fact, which setting is cheapest by a turn (in dollars where prices are known, else in tokens). None is written by hand.
Of many candidates those are asked that are spread over the run, over the kinds of questions, their answers and
settings.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.division import ceil_div
from memviz.core.text.wording import counted, distinct_names, dollars
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.data import Measure, retentions_of, stage_data
from memviz.dashboard.stage.question import (
    KINDS,
    Candidate,
    Kind,
    Question,
    StagedRun,
    summarizing_candidates,
)
from memviz.dashboard.stage.what_stays import knowing_candidates, staying_candidates
from memviz.metrics.requests.request_axis import axis_of, request_turns
from memviz.metrics.requests.traffic import Traffic, traffic
from memviz.metrics.retention.knowledge import Retention
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

LEAST_MARGIN = 0.02
"""By how much of its own cost the cheapest has to be ahead for the answer to be one."""
LEAST_TURNS = 4
_IN_DOLLARS = noop("Which setting is cheapest by turn {turn:,}?")
_IN_TOKENS = noop("Which setting has used the fewest tokens by turn {turn:,}?")
MOST_QUESTIONS = 12
ROUND: tuple[Kind, ...] = ("summarizes", "knows", "stays", "summarizes", "knows")
"""The kinds about one request, in the order in which they are asked for over and over."""
PER_CHEAPEST = 6
"""Of so many questions one may ask for the cheapest setting: there are few such questions, each with a place of its
own."""
NEAR_WIDTHS = 1.5
"""Of its place in the run a question is at most so many of the equal parts away that there are."""
MOST_TRIED = 8
"""Candidates that turn out to be none before a place stays empty."""


class Race(NamedTuple):
    """The spending of every setting by every turn."""

    staged: Sequence[StagedRun]
    spent: NDArray[np.float64]
    """An array [settings x turns], in dollars or tokens."""
    asks: str
    """The question, with the ``turn`` to be filled in."""
    words: Callable[[float], str]
    """Writes an amount."""

    @property
    def turns(self) -> int:
        """The last turn that all settings have come to."""
        return int(self.spent.shape[1])

    def leader(self, turn: int) -> int:
        """The number of the setting that has spent least by ``turn``."""
        return int(self.spent[:, turn - 1].argmin())

    def margin(self, turn: int) -> float:
        """Return by which share of its own spending the leader is ahead of the next one."""
        least, second = np.sort(self.spent[:, turn - 1])[:2].tolist()
        return (second - least) / least if least else float(second > 0)


def run_race(
    staged: Sequence[StagedRun], assumptions: PricingAssumptions | None
) -> Race | None:
    """Return the spending of all settings; ``None`` of fewer than two, or before the first request."""
    if len(staged) < 2 or not all(setting.run.requests for setting in staged):
        return None
    turns = min(setting.run.requests[-1].turn for setting in staged)
    usd = []
    tokens = []
    for setting in staged:
        sent = setting.run.once(traffic, partial(traffic, setting.run))
        tokens.append(_tokens_by_turn(sent, turns))
        cost = None if assumptions is None else assumptions.cost(sent)
        if cost is not None and cost.cumulative_usd is not None:
            each = np.diff(cost.cumulative_usd, prepend=0.0)
            usd.append(_up_to(cost.turns, each, turns))
    if len(usd) == len(staged) and any(spent.any() for spent in usd):
        return Race(staged, np.stack(usd), _IN_DOLLARS, dollars)
    return Race(staged, np.stack(tokens), _IN_TOKENS, _token_words)


def _token_words(number: float) -> str:
    return counted(int(number), "token")


def _tokens_by_turn(sent: Traffic, turns: int) -> NDArray[np.float64]:
    """Return what both models read and wrote."""
    chat = sent.input_tokens + sent.output_tokens
    summarizer = sent.summarizer_input_tokens + sent.summarizer_output_tokens
    by_chat = _up_to(sent.turns, chat, turns)
    return by_chat + _up_to(sent.summarizer_turns, summarizer, turns)


def _up_to(
    at: NDArray[np.int64], amounts: NDArray[np.generic], turns: int
) -> NDArray[np.float64]:
    """Return the sum of all amounts up to each turn, from 1."""
    by_turn = np.bincount(at, weights=amounts, minlength=turns + 1)[: turns + 1]
    return np.cumsum(by_turn, dtype=np.float64)[1:]


def cheapest_candidates(race: Race) -> Iterator[Candidate]:
    """The winner at the end, and the one half way if that is another one."""
    end = race.turns
    half = end // 2
    if end < LEAST_TURNS:
        return
    turns = [end]
    if race.leader(half) != race.leader(end):
        turns.append(half)
    for turn in turns:
        step = _asked_at(race, turn)
        if race.margin(turn) >= LEAST_MARGIN and step in race.staged[0].steps:
            yield Candidate(
                step,
                None,
                frozenset({("cheapest", turn)}),
                None,
                float(turn == end),
                partial(ask_for_cheapest, race, turn),
            )


def ask_for_cheapest(race: Race, turn: int) -> Question:
    """Return which setting has spent least by ``turn``, at which no two are level."""
    spent = race.spent[:, turn - 1]
    first, second = np.argsort(spent, kind="stable").tolist()[:2]
    labels = distinct_names([setting.label for setting in race.staged])
    return Question(
        "cheapest",
        _asked_at(race, turn),
        None,
        _(race.asks, turn=turn),
        tuple(labels),
        first,
        _(
            "{winner} came to {least} by turn {turn:,}, summaries included; the next, {other}, to {more}.",
            winner=labels[first],
            least=race.words(spent[first]),
            turn=turn,
            other=labels[second],
            more=race.words(spent[second]),
        ),
    )


def _asked_at(race: Race, turn: int) -> int:
    """Return the step before the last turn at which another setting is still ahead, for then what was shown does not
    say it; where it is always the same one, an early step."""
    winner = race.leader(turn)
    asked_turn = max(2, turn // 3)
    for earlier in range(2, turn):
        if race.leader(earlier) != winner:
            asked_turn = earlier + 1
    steps = []
    for setting in race.staged:
        first = np.searchsorted(request_turns(setting.run), min(asked_turn, turn))
        steps.append(setting.step(int(first)))
    return min(steps)


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
        retentions = retentions_of(settings, transcript, {})
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
    axis = axis_of(setting.run for setting in settings)
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
    chosen = _Chosen(len(steps) / at_most)
    for _place in range(ceil_div(at_most, PER_CHEAPEST)):
        chosen.take("cheapest", by_kind["cheapest"])
    for place in range(at_most - len(chosen.questions)):
        middle = steps.start + (place + 0.5) * chosen.width
        turn = place % len(ROUND)
        for kind in dict.fromkeys([*ROUND[turn:], *ROUND[:turn]]):
            if chosen.take(kind, by_kind[kind], middle):
                break
    return sorted(chosen.questions, key=lambda question: question.step)


class _Chosen:
    """The questions that have been chosen so far."""

    def __init__(self, width: float) -> None:
        self.width = width
        """How many steps there are for each question."""
        self.questions: list[Question] = []
        self._keys: set[Hashable] = set()
        self._steps: set[int] = set()
        self._sides: Counter[Hashable] = Counter()
        self._settings: Counter[int | None] = Counter()

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
            is_new = (
                candidate.step not in self._steps and not candidate.keys & self._keys
            )
            if distance <= reach and is_new:
                ranked.append((self._rank(kind, candidate, distance), place))
        for _rank, place in sorted(ranked)[:MOST_TRIED]:
            candidate = candidates[place]
            question = candidate.question()
            if question is not None:
                self.questions.append(question)
                self._keys |= candidate.keys
                self._steps.add(candidate.step)
                self._sides[kind, candidate.side] += 1
                self._settings[candidate.setting] += 1
                return True
        return False

    def _rank(
        self, kind: Kind, candidate: Candidate, distance: float
    ) -> tuple[float, ...]:
        # First of all each answer as often as the other: whoever always says yes is to be wrong half of the time.
        return (
            self._sides[kind, candidate.side],
            round(distance / self.width),
            self._settings[candidate.setting],
            -candidate.interest,
            distance,
            candidate.step,
            -1 if candidate.setting is None else candidate.setting,
        )
