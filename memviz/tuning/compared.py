"""Runs of one conversation as a sweep, so that they are judged by the same rules and in the same words."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.summaries.authors import has_offline_summary
from memviz.models.registry import OFFLINE
from memviz.tuning.cell import cell_of
from memviz.tuning.grid import largest_sizes
from memviz.tuning.jobs import CellIndex
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep
from memviz.tuning.sweep_conversation import SweepConversation


def as_sweep(
    runs: Sequence[Run],
    kept: Sequence[Retention | None],
    subject: SweepConversation,
    assumptions: PricingAssumptions,
) -> Sweep:
    """The sweep whose settings are those of ``runs``, at least one, of the conversation ``subject``. ``kept`` is what
    each of them retains of its probes, ``None`` where that is not known."""
    cells = {
        CellIndex(number, 0): cell_of(subject, run, retained)
        for number, (run, retained) in enumerate(zip(runs, kept, strict=True))
    }
    return Sweep(
        tuple(run.strategy for run in runs),
        (subject.title,),
        cells,
        assumptions,
        guessed_facts=(subject.guessed_facts,),
        unmeasured_results=(subject.unmeasured_results,),
        summarizer=OFFLINE if any(map(has_offline_summary, runs)) else "",
        counter=runs[0].counter.name,
        largest=largest_sizes((subject.log,), runs[0].counter),
    )
