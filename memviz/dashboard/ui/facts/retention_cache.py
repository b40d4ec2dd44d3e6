"""The results of the Facts page, kept as long as they stay the same: a click has to redraw in a moment.

Runs and logs are keys by identity: comparing what they hold would take longer than anything here. That is safe
because those of the pages never change: a chat that goes on has another run and another log. What is found in another
conversation under the same settings was found by chance.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.errors import MemvizError
from memviz.core.process_memory import uncollected
from memviz.core.text.terms import IS_UNSPACED
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.retention.curve import Bounds, Shares
from memviz.dashboard.charts.retention.result import Measure, RetentionResult
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.presence import kept_until_left
from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.life_lines import (
    LifeLine,
    Losses,
    VersionProbes,
    compare_version_probes,
    life_lines,
    list_fact_losses,
)
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.proposed_probes import propose_rare_words
from memviz.metrics.retention.retention import measure_ceiling, measure_floor, retention
from memviz.metrics.retention.survival import Survival, measure_survival
from memviz.metrics.retention.tool_argument_recall import measure_tool_argument_recall
from memviz.models.names import OFFLINE
from memviz.models.registry import model
from memviz.storage.workspace import SAMPLE_PREFIX, RunKey
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import bundled

LOGS_KEPT = 4
RUNS_KEPT = 12
"""Of so many conversations and runs the numbers are kept; of 25,000 turns and 100 facts one takes 15 MB."""
SCRIPTS_KEPT = 16
"""Of so many conversations the script is known: each redraw asks for that of every sample."""
FIRST_MESSAGES = 20
"""What tells the script of a conversation."""
Probes = tuple[Probe, ...]


def retention_results(
    settings: Sequence[SettingRun], probes: Probes
) -> list[RetentionResult]:
    """Return what each setting retained of ``probes``."""
    return [
        RetentionResult(setting, *_retained(setting.run, probes))
        for setting in settings
    ]


def bounds_of(
    results: Sequence[RetentionResult], others: Sequence[Run], measure: Measure
) -> Bounds:
    """Return the ceiling, and what is found by chance in ``others``: another conversation under the settings of
    ``results``, in their order; none of them, or for message word for word, no chance."""
    first = results[0]
    top = _ceiling(first.run, first.retention.probes)
    chance: tuple[Shares, Shares] | None = None
    if others and measure is not Measure.EVIDENCE:
        shares_of_settings = []
        for result, other in zip(results, others, strict=True):
            # The band has one place for each request: a setting with other requests takes no part in it.
            if np.array_equal(result.retention.turns, first.retention.turns):
                by_chance = _floor(result.run, result.retention.probes, other)
                shares_of_settings.append(by_chance.share(by_chance.contained))
        shares = np.stack(shares_of_settings)
        chance = (shares.min(axis=0), shares.max(axis=0))
    return Bounds(first.retention.turns, top.share(measure.of(top)), chance)


@kept_until_left(SCRIPTS_KEPT)
def is_unspaced(log: Log) -> bool:
    """Return whether a conversation is written in a script without spaces, such as Chinese: more than a quarter of its
    letters, for names and code in it are not."""
    text = "".join(message.content for message in log[:FIRST_MESSAGES])
    letters = [letter for letter in text if letter.isalpha()]
    unspaced = [letter for letter in letters if IS_UNSPACED.match(letter)]
    return len(unspaced) > len(letters) / 4


@kept_until_left(RUNS_KEPT)
def survival_of(run: Run, probes: Probes) -> Survival:
    """Return the survival of ``probes`` in a run, by their age."""
    retained = retention(run, probes, _texts(run.log, probes))
    return measure_survival(retained, run.log)


@kept_until_left(RUNS_KEPT)
def _retained(
    run: Run, probes: Probes
) -> tuple[Retention, tuple[LifeLine, ...], Losses, tuple[VersionProbes, ...]]:
    texts = _texts(run.log, probes)
    retained = retention(run, probes, texts)
    lives = life_lines(run, retained, texts)
    losses = list_fact_losses(run, retained, lives, texts)
    return retained, lives, losses, compare_version_probes(run, losses, texts)


@kept_until_left(LOGS_KEPT)
def _ceiling(run: Run, probes: Probes) -> Retention:
    return measure_ceiling(run, probes, _texts(run.log, probes))


@kept_until_left(RUNS_KEPT)
def _floor(run: Run, probes: Probes, other: Run) -> Retention:
    return measure_floor(run, probes, other, _texts(other.log, probes))


@kept_until_left(LOGS_KEPT)
def _texts(log: Log, probes: Probes) -> ProbeTexts:
    with uncollected():
        return ProbeTexts(log, probes)


rare_words_of = kept_until_left(LOGS_KEPT)(propose_rare_words)
tool_argument_recall_of = kept_until_left(RUNS_KEPT)(measure_tool_argument_recall)


class ChanceBaseline(NamedTuple):
    """The bundled conversation that facts of another one are looked up in, under each of its settings."""

    title: str
    runs: tuple[Run, ...]


def elsewhere(results: Sequence[RetentionResult]) -> ChanceBaseline | None:
    """Return the bundled conversation in the same kind of script whose length is nearest, replayed under the settings
    of ``results`` with the offline summarizer; ``None`` if there is no such conversation, or it cannot be replayed."""
    try:
        id = _nearest(results[0].run.log)
        if id is None:
            return None
        runs = []
        for result in results:
            key = RunKey(id, result.run.strategy, result.run.counter.name, OFFLINE)
            runs.append(workspace().run(key, model(OFFLINE)))
        title = workspace().conversation(id)[0].title
    except MemvizError:
        return None  # a sample was deleted, or a counter cannot count any more: no bound, and no harm
    return ChanceBaseline(title, tuple(runs))


def _nearest(log: Log) -> str | None:
    """Return the id of the sample in the same kind of script whose number of turns is nearest."""
    turns_apart = {}
    for name in bundled():
        id = SAMPLE_PREFIX + name
        _transcript, other = workspace().conversation(id)
        # A conversation that begins with the same message is the same one, or goes on from it.
        if other[:1] != log[:1] and is_unspaced(other) == is_unspaced(log):
            turns_apart[id] = abs(other.turn_count - log.turn_count)
    return min(turns_apart, key=turns_apart.__getitem__, default=None)
