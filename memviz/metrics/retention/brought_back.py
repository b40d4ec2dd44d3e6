"""Which facts a request knows again because earlier messages were recalled into it."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.engine.records import TurnRecord
from memviz.metrics.retention.message_text import readable
from memviz.text.containment import contains
from memviz.transcripts.base import Probe


def brought_back(record: TurnRecord, probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """The ``probes`` of which an accepted answer stands in a recalled message of the request and nowhere else in it,
    by the rule of :mod:`memviz.text.containment`."""
    recalled, others = list[str](), list[str]()
    for block in record.context.blocks if record.parts.recalled else ():
        (recalled if block.kind == "recalled" else others).extend(readable(message) for message in block.messages)

    def holds(texts: Sequence[str], probe: Probe) -> bool:
        return any(contains(text, answer) for text in texts for answer in probe.answers)

    return tuple(probe for probe in probes if holds(recalled, probe) and not holds(others, probe))
