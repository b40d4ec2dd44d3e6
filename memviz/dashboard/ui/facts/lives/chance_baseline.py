"""Another conversation under the same settings: what is found in it was found by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.errors import MemvizError
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.facts.retention_cache import is_unspaced
from memviz.engine.run import Run
from memviz.models.registry import OFFLINE, model
from memviz.storage.workspace import SAMPLE_PREFIX, RunKey, Workspace
from memviz.strategies.base import Strategy
from memviz.transcripts.samples import bundled


class ChanceBaseline(NamedTuple):
    """The bundled conversation that facts of another one are looked up in, under each of its settings."""

    title: str
    runs: tuple[Run, ...]


def elsewhere(
    workspace: Workspace, kept: Sequence[RetentionResult]
) -> ChanceBaseline | None:
    """The bundled conversation in the same kind of script whose length is nearest, replayed under the settings of
    ``kept`` with the offline summarizer; ``None`` if there is no such conversation, or it cannot be replayed."""
    if not kept or not kept[0].retention.probes:
        return None
    log = kept[0].run.log
    try:
        id = _nearest(workspace, log)
        if id is None:
            return None
        runs = {
            one.run.strategy: _replayed(
                workspace, id, one.run.strategy, one.run.counter.name
            )
            for one in kept
        }
    except MemvizError:
        return None  # a sample was deleted, or a counter cannot count any more: no bound, and no harm
    return ChanceBaseline(
        workspace.conversation(id)[0].title,
        tuple(runs[one.run.strategy] for one in kept),
    )


def _nearest(workspace: Workspace, log: Log) -> str | None:
    others = {
        SAMPLE_PREFIX + name: other
        for name in bundled()
        if (other := workspace.conversation(SAMPLE_PREFIX + name)[1])[:1] != log[:1]
        and is_unspaced(other) == is_unspaced(log)
    }
    return min(
        others, key=lambda id: abs(others[id].turn_count - log.turn_count), default=None
    )


def _replayed(workspace: Workspace, id: str, strategy: Strategy, counter: str) -> Run:
    return workspace.run(RunKey(id, strategy, counter, OFFLINE), model(OFFLINE))
