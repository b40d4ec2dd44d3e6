"""The events of one request, as the stage tells them: what was summarized, cleared, brought back, dropped or lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.dashboard.stage.sentences import (
    compaction_sentence,
    dropped_sentence,
    loss_sentence,
    recall_sentence,
    setting_sentence,
)
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.memory_map.steps import code_of
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import LossCauses
from memviz.metrics.retention.probe_texts import ProbeTexts

KINDS = {
    "summarized": "summarization", "cleared": "clearing", "shortened": "shortening", "recalled": "recall",
    "fact lost": "lost fact", "dropped": "dropped message", "failed": "failure", "switched": "other setting",
    "decided": "decision of the user",
}  # fmt: skip
"""The kinds of events, and what one of them is called."""
_KIND_OF = {
    "summarized": "summarized",
    "cleared": "cleared",
    "shortened": "shortened",
    "evicted": "dropped",
}
_DROPPED = code_of(Fate.DROPPED)
Codes = NDArray[np.uint8]
Event = dict[str, Any]


@dataclass(frozen=True, eq=False)
class EventTeller:
    """Tells the events of the requests of ``run``. ``retention``, that of the run, says which facts are lost;
    ``texts`` are those that it was made with, if they are at hand."""

    run: Run
    retention: Retention | None = None
    texts: ProbeTexts | None = None

    def events(
        self, number: int, codes: Codes, codes_before: Codes | None
    ) -> list[Event]:
        """The events of request ``number`` (0-based) as JSON, the weightiest first. ``codes`` are what it does with
        every message (:data:`memviz.metrics.memory_map.steps.STEPS`), ``codes_before`` the same of the one before,
        ``None`` for the first."""
        run = self.run
        record = run.requests[number]
        found = []
        for compaction in record.compactions:
            sentence = compaction_sentence(run, compaction)
            found.append({"kind": _kind(compaction), "sentence": sentence})
        recalled_before: set[int] = set()
        is_switched = False
        if number:
            before = run.strategy_at(run.requests.turn_at(number - 1))
            is_switched = run.strategy_at(record.turn) is not before
            recalled_before.update(run.requests.parts_at(number - 1).recalled)
        if is_switched:
            sentence = setting_sentence(run, record)
            found.append({"kind": "switched", "sentence": sentence})
        if set(record.parts.recalled) - recalled_before:
            found.append({"kind": "recalled", "sentence": recall_sentence(record)})
        is_told = is_switched or any(event["kind"] == "dropped" for event in found)
        if codes_before is not None and not is_told:
            was_sent = codes_before != _DROPPED
            is_dropped = codes[: len(codes_before)] == _DROPPED
            dropped = np.flatnonzero(is_dropped & was_sent).tolist()
            if dropped:
                sentence = dropped_sentence(dropped)
                found.append({"kind": "dropped", "sentence": sentence})
        return [*found, *self._lost(number)]

    def _lost(self, number: int) -> Iterator[Event]:
        if self.retention is None or not number:
            return
        is_lost = self.retention.states[number] == Knowledge.LOST
        was_known = self.retention.retained[number - 1]
        causes: dict[int | None, list[int]] = {}
        for fact in np.flatnonzero(is_lost & was_known).tolist():
            causes.setdefault(self._causes.by(number, fact), []).append(fact)
        for cause, facts in causes.items():
            probes = [self.retention.probes[fact] for fact in facts]
            sentence = loss_sentence(self.run, probes, cause)
            yield {"kind": "fact lost", "facts": facts, "sentence": sentence}

    @cached_property
    def _causes(self) -> LossCauses:
        assert self.retention is not None  # noqa: S101 - asked for lost facts alone
        texts = self.texts or ProbeTexts(self.run.log, self.retention.probes)
        return LossCauses(self.run, texts)


def _kind(compaction: Compaction) -> str:
    if compaction.error is not None:
        return "failed"
    return _KIND_OF.get(compaction.kind, "decided")
