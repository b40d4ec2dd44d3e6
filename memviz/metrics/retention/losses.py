"""Every loss of every fact in a run, and which summarization was behind it: a fact may come back and be lost again."""

from __future__ import annotations

from collections.abc import Iterable

from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import LifeLine, LossCauses
from memviz.metrics.retention.probe_texts import ProbeTexts

Losses = dict[tuple[int, int], int | None]
"""By number of the probe and place of the first request that does not know it (``Span.first_place``: its turn, as long
as every turn has one request): the number in ``run.compactions`` of the summarization that took it, by the rule of
:class:`memviz.metrics.retention.life_lines.LifeLine`, or ``None``."""


def fact_losses(
    run: Run, retention: Retention, lives: Iterable[LifeLine], texts: ProbeTexts
) -> Losses:
    """All losses of ``lives``, in the order of the probes and, of each, in that of the requests. ``texts`` are those
    that ``retention``, that of ``run``, was made with."""
    took = LossCauses(run, texts)
    return {
        (life.probe, span.first_place): took.by(
            retention.number_at(span.first_place), life.probe
        )
        for life in lives
        for span in life.spans
        if span.state is Knowledge.LOST
    }
