"""Which facts a request knows again because earlier messages were recalled into it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from memviz.engine.records import TurnRecord
from memviz.metrics.retention.message_text import readable
from memviz.metrics.retention.probe_texts import answers_of, in_any
from memviz.transcripts.base import Probe


def brought_back(record: TurnRecord, probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """The ``probes`` of which an accepted answer stands in a recalled message of the request and nowhere else in it,
    and is affirmed there, as :class:`memviz.metrics.retention.knowledge.Retention` reads it."""
    if not probes or not record.parts.recalled:
        return ()
    recalled, others = list[str](), list[str]()
    for block in record.context.blocks:
        (recalled if block.kind == "recalled" else others).extend(
            readable(message) for message in block.messages
        )
    texts = answers_of(tuple(probes))
    back, there = (in_any(texts.holding(read).answers) for read in (recalled, others))
    return tuple(compress(probes, (back & ~there).tolist()))
