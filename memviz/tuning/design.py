"""``memviz.design``: the search for the cheapest memory that keeps what is asked for within a budget.

Candidates (:mod:`~memviz.tuning.candidates`) are measured over a part of the conversations, in rounds that drop the
worse half each. The winner is measured once over the rest, the holdout (:mod:`~memviz.tuning.holdout`), and without
each of its parts (:mod:`~memviz.tuning.ablation`). The command ``memviz design`` shows the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple

from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.errors import DesignError
from memviz.core.translation import _
from memviz.engine.replay import as_model
from memviz.metrics.cost.pricing import DEFAULT_PAUSE_SECONDS
from memviz.models.base import Model
from memviz.models.names import DEFAULT_MODEL, OFFLINE
from memviz.strategies import strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.base import RULE, Transcript
from memviz.tuning.ablation import EVERYTHING, Part, split_into_parts
from memviz.tuning.candidates import list_candidates
from memviz.tuning.cell import CellIndex
from memviz.tuning.executors import Executor
from memviz.tuning.figures import (
    CATEGORIES,
    KEEP_MOST_FACTS,
    RULES,
    Figures,
    PricedCell,
    Terms,
    count_facts,
    work_out_figures,
)
from memviz.tuning.grounds import Grounds
from memviz.tuning.holdout import DEFAULT_HOLDOUT, split_conversations
from memviz.tuning.kept_cells import KeptCells
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping

NEAREST = 2
"""The number of settings that are named where none meets the terms."""
LENIENCY = 0.5
"""In the rounds of a search each figure counts as halfway to the better end of its interval, about one standard error
better, so that bad luck over a few conversations drops no good setting."""
FIRST_CONVERSATIONS = 3
"""The fewest conversations of a round: on fewer, chance would decide which half of the settings goes on."""
LEAST_CANDIDATES = 12
"""The fewest settings that come to the last round, which is measured over all conversations."""
Work = Callable[[Sweeping], object]
"""A function that measures all cells of a sweep, or raises an error."""


class Round(NamedTuple):
    """A round of a search: so many settings over so many conversations, those of earlier rounds included."""

    candidates: int
    conversations: int


def plan_rounds(candidates: int, conversations: int) -> tuple[Round, ...]:
    """Return the rounds of a search by successive halving: each drops half of the settings and doubles conversations.

    100 settings and 12 conversations give 100 over 3, 50 over 6 and 25 over 12.
    """
    sizes = [conversations]
    while ceil(sizes[-1] / 2) >= FIRST_CONVERSATIONS:
        sizes.append(ceil(sizes[-1] / 2))
    rounds = []
    for size in reversed(sizes):
        rounds.append(Round(candidates, size))
        candidates = min(candidates, max(LEAST_CANDIDATES, ceil(candidates / 2)))
    return tuple(rounds)


@dataclass(frozen=True)
class MeasuredSetting:
    """A setting with its figures."""

    setting: Strategy
    figures: Figures


@dataclass(frozen=True, eq=False)
class Design:
    """The result of a design. Figures are over the conversations of the search, except :attr:`holdout`."""

    terms: Terms
    everything: Figures
    """The figures of the setting that sends everything, to compare with."""
    rounds: tuple[Round, ...]
    search_titles: tuple[str, ...]
    holdout_titles: tuple[str, ...]
    grounds: Grounds = field(default_factory=Grounds)
    rules_read: int = 0
    """Rules that memviz read off the conversations of the search, where rules are asked for and none came with any."""
    best: MeasuredSetting | None = None
    """The cheapest setting that meets the terms; ``None`` where none does."""
    holdout: Figures | None = None
    """The figures of ``best`` over conversations that the search has never seen."""
    parts: tuple[tuple[Part, MeasuredSetting], ...] = ()
    """The parts of ``best``, each with the setting that is left without it."""
    nearest: tuple[MeasuredSetting, ...] = ()
    """Where no setting meets the terms, the two that come nearest, of different strategies if possible."""

    @property
    def setting(self) -> Strategy | None:
        """The setting to take; ``None`` where none meets the terms."""
        return None if self.best is None else self.best.setting

    @property
    def is_held(self) -> bool:
        """True if ``best`` meets the terms over the holdout too."""
        if self.holdout is None or not self.holdout.can_be_used:
            return False
        return not self.holdout.misses(self.terms)


@dataclass
class Designing:
    """A design at work: :meth:`run` searches over ``search`` and measures what it found over ``holdout``.

    ``work`` measures the cells of each round, so that the caller can show the progress or stop it.
    """

    search: tuple[SweepConversation, ...]
    holdout: tuple[SweepConversation, ...]
    settings: tuple[Strategy, ...]
    terms: Terms
    work: Work
    counter: AnyCounter = DEFAULT_COUNTER
    summarizer: Model | None = None
    assumptions: PricingAssumptions = field(default_factory=PricingAssumptions.of)
    kept: KeptCells | None = None
    executor: Executor = "auto"
    workers: int | None = None
    _cells: dict[tuple[Strategy, str], PricedCell] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if RULES in self.terms.keep and not _have_rules(self.search + self.holdout):
            self.search = tuple(subject.with_rules() for subject in self.search)
            self.holdout = tuple(subject.with_rules() for subject in self.holdout)
        self.search = _order_stating_first(self.search, self.terms.keep)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds of the search."""
        return plan_rounds(len(self.settings), len(self.search))

    @property
    def planned_messages(self) -> int:
        """The number of messages that the rounds replay, counted once for every setting."""
        total = 0
        before = 0
        for settings, conversations in self.rounds:
            conversations_read = self.search[before:conversations]
            total += settings * sum(len(subject.log) for subject in conversations_read)
            before = conversations
        return total

    def run(self) -> Design:
        """Return the design: search, measure the best setting without each of its parts, and over the holdout."""
        # Done first because it costs little, and raises for an unknown price.
        (everything,) = self.measure([strategy(EVERYTHING)], self.search)
        _check_stated(self.terms.keep, everything.figures)
        alive = self.settings
        ranked: list[MeasuredSetting] = []
        for number, conversations in self.rounds:
            ranked = self.measure(alive[:number], self.search[:conversations])
            ranked.sort(
                key=lambda candidate: _rank_measured(candidate, self.terms, LENIENCY)
            )
            # Sending everything always goes on, for in the end it may be the only setting that keeps enough.
            ranked.sort(key=lambda candidate: candidate.setting.id != EVERYTHING)
            alive = tuple(candidate.setting for candidate in ranked)
        ranked.sort(key=lambda candidate: _rank_measured(candidate, self.terms))
        design = Design(
            terms=self.terms,
            everything=everything.figures,
            rounds=self.rounds,
            search_titles=tuple(subject.title for subject in self.search),
            holdout_titles=tuple(subject.title for subject in self.holdout),
            rules_read=sum(len(subject.rules) for subject in self.search),
        )
        best = ranked[0]
        if not best.figures.can_be_used or best.figures.misses(self.terms):
            usable = [
                candidate for candidate in ranked if candidate.figures.can_be_used
            ]
            nearest = _keep_one_of_each_strategy(usable or ranked)
            return replace(design, nearest=nearest)
        parts = split_into_parts(best.setting)
        others = self.measure([part.without for part in parts], self.search)
        (held_out,) = self.measure([best.setting], self.holdout)
        return replace(
            design,
            best=best,
            holdout=held_out.figures,
            parts=tuple(zip(parts, others, strict=True)),
            grounds=self._sweeping([best.setting], self.search).sweep.grounds,
        )

    def measure(
        self, settings: Sequence[Strategy], subjects: Sequence[SweepConversation]
    ) -> list[MeasuredSetting]:
        """Return the figures of each setting over these conversations; cells of earlier rounds are reused."""
        sweeping = self._sweeping(settings, subjects)
        if len(sweeping.cells) < sweeping.total:
            self.work(sweeping)
        kinds = tuple(self.terms.keep)
        measured = []
        for s, setting in enumerate(settings):
            priced = []
            for c, subject in enumerate(subjects):
                key = (setting, subject.digest)
                if key not in self._cells:
                    cell = sweeping.cells[CellIndex(s, c)]
                    self._cells[key] = PricedCell.of(cell, self.assumptions)
                priced.append(self._cells[key])
            measured.append(
                MeasuredSetting(setting, work_out_figures(priced, subjects, kinds))
            )
        return measured

    def _sweeping(
        self, settings: Sequence[Strategy], subjects: Sequence[SweepConversation]
    ) -> Sweeping:
        """The sweep over these conversations, with the cells that were measured before."""
        cells_before = {}
        for s, setting in enumerate(settings):
            for c, subject in enumerate(subjects):
                priced = self._cells.get((setting, subject.digest))
                if priced is not None:
                    cells_before[CellIndex(s, c)] = priced.cell
        return Sweeping(
            tuple(subjects),
            tuple(settings),
            counter=self.counter,
            summarizer=self.summarizer,
            assumptions=self.assumptions,
            kept=self.kept,
            executor=self.executor,
            workers=self.workers,
            cells=cells_before,
        )

    def replay_anew(self, setting: Strategy) -> Figures:
        """Return the figures of a setting over the holdout, measured again without any kept cells."""
        again = replace(self, kept=None, _cells={})
        (measured,) = again.measure([setting], self.holdout)
        return measured.figures


def _have_rules(subjects: Iterable[SweepConversation]) -> bool:
    return any(
        probe.category == RULE for subject in subjects for probe in subject.probes
    )


def _order_stating_first(
    subjects: Sequence[SweepConversation], kinds: Iterable[str]
) -> tuple[SweepConversation, ...]:
    """Return the conversations in an order in which the early rounds see facts of every kind.

    First comes one conversation for each of ``kinds`` that states facts of it, then a second one for each, and so on.
    Conversations that state none come last.
    """
    ranks: dict[str, int] = {}
    for kind in kinds:
        stating = [subject for subject in subjects if count_facts(subject, kind)]
        for rank, subject in enumerate(stating):
            ranks[subject.digest] = min(rank, ranks.get(subject.digest, rank))
    last = len(subjects)
    return tuple(sorted(subjects, key=lambda subject: ranks.get(subject.digest, last)))


def _check_stated(kinds: Iterable[str], everything: Figures) -> None:
    """Raise :class:`memviz.DesignError` for a kind of facts that no request holds, even if everything is sent."""
    for kind in kinds:
        if kind in everything.kept:
            continue
        sentence = _(
            "No conversation states any {kind} before its last request, so nobody can tell which are kept. Leave them "
            "out, or add facts of yours.",
            kind=kind,
        )
        if kind in CATEGORIES and kind != RULES:
            # What memviz proposes are names, numbers and the like.
            sentence += " " + _(
                "memviz proposes no facts of this kind: they come with a file's own facts."
            )
        raise DesignError(sentence)


def _rank_measured(
    measured: MeasuredSetting, terms: Terms, leniency: float = 0.0
) -> tuple[bool, int, float, float, float]:
    """Return a key to sort settings by, the best first.

    Settings that ran everywhere come first, then those with few requests that a provider refuses, then those nearest to
    the terms, then the cheapest, and of equal cost the one that keeps most.
    """
    figures = measured.figures
    kept_shares = sum(share.value for share in figures.kept.values())
    missed = sum(figures.misses(terms, leniency).values())
    usd = round(figures.usd_per_1000.value, 9)
    refused = figures.refused_requests
    return (not figures.is_measured, refused, missed, usd, -kept_shares)


def _keep_one_of_each_strategy(
    measured: Sequence[MeasuredSetting],
) -> tuple[MeasuredSetting, ...]:
    """Return the first two settings, of different strategies if possible."""
    first_of_each: dict[str, MeasuredSetting] = {}
    for candidate in measured:
        first_of_each.setdefault(candidate.setting.id, candidate)
    different = list(first_of_each.values())
    others = [candidate for candidate in measured if candidate not in different]
    return tuple([*different, *others][:NEAREST])


def design(
    conversations: Sequence[Transcript],
    usd_per_1000: float,
    keep: Mapping[str, float] = KEEP_MOST_FACTS,
    *,
    settings: Sequence[Strategy] = (),
    counter: AnyCounter = DEFAULT_COUNTER,
    model: str = DEFAULT_MODEL,
    pause_seconds: float = DEFAULT_PAUSE_SECONDS,
    assumptions: PricingAssumptions | None = None,
    holdout: float = DEFAULT_HOLDOUT,
    seed: int = 0,
    executor: Executor = "auto",
    workers: int | None = None,
    kept: KeptCells | None = None,
) -> Design:
    """Search the cheapest memory that keeps what is asked for within a budget.

    Many settings are measured over a few of the conversations, the better half over twice as many, and so on. The
    built-in model writes the summaries. The same ``seed`` gives the same design.

    Args:
        conversations: At least four.
        usd_per_1000: The most that 1,000 requests may cost in US dollars, replies and summaries included.
        keep: By kind, the least share (0 to 1) of those stated so far that a request holds on average, such as
            ``{"rules": 1.0, "facts": 0.85}``. Kinds are facts (all of them), rules, constraints, goals and preferences,
            as the conversations' own probes have them. Where these have none, memviz proposes facts and reads rules off
            the conversations ("Never book a flight before nine."), but no constraints, goals or preferences.
        settings: The settings to search, instead of the usual strategies, products and pipelines.
        model: The model whose prices count; or ``assumptions`` of your own.
        holdout: The share of the conversations over which only the result is measured, at the end.
        counter, pause_seconds, executor, workers, kept: Those of :func:`memviz.sweep`.

    Raises:
        DesignError: Fewer than four conversations, a kind that none of them states, or an unknown price.
        ParameterError: A budget or a share out of range.
    """
    terms = Terms(usd_per_1000, dict(keep))
    count = find_counter(counter)
    subjects = [SweepConversation.of(transcript, count) for transcript in conversations]
    search, held_out = split_conversations(subjects, holdout, seed)
    designing = Designing(
        search,
        held_out,
        tuple(dict.fromkeys(settings)) or list_candidates(search, count),
        terms,
        work_off_quietly,
        counter=count,
        summarizer=as_model(OFFLINE),
        assumptions=assumptions or PricingAssumptions.of(model, None, pause_seconds),
        kept=kept,
        executor=executor,
        workers=workers,
    )
    return designing.run()


def work_off_quietly(sweeping: Sweeping) -> None:
    """Measure all cells of a sweep."""
    for _cell in sweeping:
        pass
