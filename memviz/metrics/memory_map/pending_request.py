"""What the request that nobody has answered yet would send of every message: it is shown, and counts nowhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.engine.generations import Generations
from memviz.engine.run import Run
from memviz.metrics.memory_map.steps import code_of


def pending_codes(run: Run) -> NDArray[np.uint8]:
    """The codes of :data:`memviz.metrics.memory_map.steps.STEPS` of all messages, *not yet there* without a pending
    request."""
    record = run.pending
    if record is None:
        return np.zeros(len(run.log), np.uint8)
    generations = Generations(record.memory.space.summaries.versions)
    passed = np.ones(
        len(run.log), np.uint16
    )  # entries of a list: each was summarized once
    for sent in record.parts.notes:
        if sent.stop - sent.start == 1:
            passed = np.maximum(passed, generations.row(sent.start, len(run.log)))
    fates = run.fates_at(record)
    pairs = zip(fates.tolist(), passed.tolist(), strict=True)
    return np.array([code_of(Fate(fate), times) for fate, times in pairs], np.uint8)
