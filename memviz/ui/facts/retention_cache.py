"""What the retention page computes, kept as long as it stays the same: a click has to redraw in a moment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from memviz.charts.requests.tokens_per_turn import Line
from memviz.charts.retention.curve import Bounds, Shares
from memviz.charts.retention.result import Kept, Measure
from memviz.conversation import Log
from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.life_lines import LifeLine, life_lines
from memviz.metrics.retention.losses import Losses, fact_losses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.metrics.retention.rare_words import rare_words
from memviz.metrics.retention.retention import ceiling, floor, retention
from memviz.metrics.retention.survival import Survival, survival
from memviz.metrics.retention.tool_argument_recall import NeededArguments, needed_arguments
from memviz.text.terms import IS_UNSPACED
from memviz.transcripts.base import Probe
from memviz.ui.same import Same, run_of

LOGS_KEPT, RUNS_KEPT = 12, 36
"""Of so many conversations and runs the numbers are kept; of 1,000 turns and 100 facts one takes 0.5 MB."""
FIRST_MESSAGES = 20
"""What tells the script of a conversation."""
Probes = tuple[Probe, ...]


def kept_of(lines: Sequence[Line], probes: Probes) -> list[Kept]:
    """What each setting retained of ``probes``."""
    return [Kept(line, *_retained(Same(line.run), probes)) for line in lines]


def proposed(log: Log) -> Probes:
    """The probes that are proposed for a conversation."""
    return _proposed(Same(log))


def words_of(log: Log) -> Probes:
    """Its rare words."""
    return _rare_words(Same(log))


def survival_of(run: Run, probes: Probes) -> Survival:
    """Survival by age of ``probes`` in a run."""
    return _survival(Same(run), probes)


def needed_of(run: Run) -> NeededArguments:
    """The arguments of tool calls that the run needed."""
    return _needed(Same(run))


def bounds_of(kept: Sequence[Kept], others: Sequence[Run], measure: Measure) -> Bounds | None:
    """The ceiling, and what is found by chance in ``others``: another conversation under the settings of ``kept``,
    in their order; none of them, or for message word for word, no chance."""
    if not kept:
        return None
    first = kept[0]
    top = _ceiling(Same(first.run), first.retention.probes)
    alike = [one for one in kept if np.array_equal(one.retention.turns, first.retention.turns)]
    chance: tuple[Shares, Shares] | None = None
    if others and measure is not Measure.EVIDENCE:
        found = [_floor(Same(one.run), one.retention.probes, Same(other))
                 for one, other in zip(kept, others, strict=True) if one in alike]  # fmt: skip
        shares = np.stack([one.share(one.contained) for one in found])
        chance = shares.min(axis=0), shares.max(axis=0)
    return Bounds(first.retention.turns, top.share(measure.of(top)), chance)


def is_unspaced(log: Log) -> bool:
    """Whether a conversation is written in a script without spaces, such as Chinese, for the most part."""
    return _unspaced(Same(log))


@lru_cache(LOGS_KEPT)
def _texts(log: Same, probes: Probes) -> ProbeTexts:
    assert isinstance(log.value, Log)  # noqa: S101
    return ProbeTexts(log.value, probes)


@lru_cache(RUNS_KEPT)
def _retained(key: Same, probes: Probes) -> tuple[Retention, tuple[LifeLine, ...], Losses]:
    run = run_of(key)
    texts = _texts(Same(run.log), probes)
    found = retention(run, probes, texts)
    lives = life_lines(run, found, texts)
    return found, lives, fact_losses(run, found, lives, texts)


@lru_cache(RUNS_KEPT)
def _survival(key: Same, probes: Probes) -> Survival:
    run = run_of(key)
    return survival(retention(run, probes, _texts(Same(run.log), probes)), run.log)


@lru_cache(LOGS_KEPT)
def _ceiling(key: Same, probes: Probes) -> Retention:
    run = run_of(key)
    return ceiling(run, probes, _texts(Same(run.log), probes))


@lru_cache(RUNS_KEPT)
def _floor(key: Same, probes: Probes, other: Same) -> Retention:
    elsewhere = run_of(other)
    return floor(run_of(key), probes, elsewhere, _texts(Same(elsewhere.log), probes))


@lru_cache(LOGS_KEPT)
def _proposed(log: Same) -> Probes:
    assert isinstance(log.value, Log)  # noqa: S101
    return propose_probes(log.value)


@lru_cache(LOGS_KEPT)
def _rare_words(log: Same) -> Probes:
    assert isinstance(log.value, Log)  # noqa: S101
    return rare_words(log.value)


@lru_cache(LOGS_KEPT)
def _unspaced(log: Same) -> bool:
    assert isinstance(log.value, Log)  # noqa: S101
    letters = [letter for message in log.value[:FIRST_MESSAGES] for letter in message.content if letter.isalpha()]
    return sum(bool(IS_UNSPACED.match(letter)) for letter in letters) > len(letters) / 4


@lru_cache(RUNS_KEPT)
def _needed(key: Same) -> NeededArguments:
    return needed_arguments(run_of(key))
