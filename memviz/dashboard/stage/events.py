"""The events of one request, as the stage tells them: what was summarized, cleared, brought back, dropped or lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from memviz.core.context import Fate
from memviz.dashboard.stage.sentences import (
    compaction_sentence,
    dropped_sentence,
    loss_sentence,
    recall_sentence,
    setting_sentence,
)
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
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


@dataclass(frozen=True, eq=False)
class EventTeller:
    """Tells the events of the requests of ``run``. ``retention``, that of the run, says which facts are lost;
    ``texts`` are those that it was made with, if they are at hand."""

    run: Run
    retention: Retention | None = None
    texts: ProbeTexts | None = None

    def events(
        self, number: int, codes: Any, codes_before: Any
    ) -> list[dict[str, Any]]:
        """The events of request ``number`` (0-based) as JSON, the weightiest first. ``codes`` are what it does with
        every message (:data:`memviz.metrics.memory_map.steps.STEPS`), ``codes_before`` the same of the one before,
        ``None`` for the first."""
        record = self.run.requests[number]
        found = [*self._compacted(record)]
        if number and self.run.strategy_at(record.turn) is not self.run.strategy_at(
            self.run.requests.turn_at(number - 1)
        ):
            found.append(
                {"kind": "switched", "sentence": setting_sentence(self.run, record)}
            )
        found += self._recalled(record, number)
        if codes_before is not None and not any(
            event["kind"] in ("dropped", "switched") for event in found
        ):
            found += self._dropped(codes, codes_before)
        return [*found, *self._lost(number)]

    def _compacted(self, record: TurnRecord) -> Iterator[dict[str, Any]]:
        for compaction in record.compactions:
            yield {
                "kind": _kind(compaction),
                "sentence": compaction_sentence(self.run, compaction),
            }

    def _recalled(self, record: TurnRecord, number: int) -> Iterator[dict[str, Any]]:
        recalled = set(record.parts.recalled)
        before = (
            set(self.run.requests.parts_at(number - 1).recalled)
            if number
            else set[int]()
        )
        if recalled - before:
            yield {"kind": "recalled", "sentence": recall_sentence(record)}

    def _dropped(self, codes: Any, codes_before: Any) -> Iterator[dict[str, Any]]:
        then = len(codes_before)
        dropped = np.flatnonzero(
            (codes[:then] == _DROPPED) & (codes_before != _DROPPED)
        )
        if dropped.size:
            yield {"kind": "dropped", "sentence": dropped_sentence(dropped.tolist())}

    def _lost(self, number: int) -> Iterator[dict[str, Any]]:
        if self.retention is None or not number:
            return
        now = self.retention.states[number]
        was_known = self.retention.retained[number - 1]
        lost = np.flatnonzero((now == Knowledge.LOST) & was_known).tolist()
        causes: dict[int | None, list[int]] = {}
        for fact in lost:
            causes.setdefault(self._causes.by(number, fact), []).append(fact)
        for cause, facts in causes.items():
            probes = [self.retention.probes[fact] for fact in facts]
            yield {
                "kind": "fact lost",
                "facts": facts,
                "sentence": loss_sentence(self.run, probes, cause),
            }

    @cached_property
    def _causes(self) -> LossCauses:
        assert self.retention is not None  # noqa: S101 - asked for lost facts alone
        return LossCauses(
            self.run, self.texts or ProbeTexts(self.run.log, self.retention.probes)
        )


def _kind(compaction: Compaction) -> str:
    if compaction.error is not None:
        return "failed"
    return _KIND_OF.get(compaction.kind, "decided")
