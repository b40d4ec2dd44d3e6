"""A batch of a fleet measured: conversations are read, each is replayed under every setting, and rows come back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from memviz.core.counters import Counter
from memviz.core.errors import MemvizError, TranscriptError
from memviz.core.model_errors import BudgetSpentError, UnusableSummarizerError
from memviz.core.process_memory import uncollected
from memviz.core.translation import _
from memviz.metrics.cost.cost import Cost
from memviz.metrics.health.budgets import thrash
from memviz.metrics.retention.knowledge import STATE_OF, FactState, Retention
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript
from memviz.transcripts.document import UNFORESEEN_ERRORS
from memviz.transcripts.fleet.reading import read_item
from memviz.transcripts.fleet.source import Fleet, Item, Place
from memviz.tuning.cell import Cell, cell_of, replay_subject
from memviz.tuning.fleet.tables import table_of
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import measures_of
from memviz.tuning.sweep_conversation import SweepConversation

HASH_BYTES = 12
Row = dict[str, Any]


@dataclass(frozen=True)
class FleetPlan:
    """All that decides the numbers of a sweep over a fleet."""

    fleet: Fleet
    settings: tuple[Strategy, ...]
    counter: Counter
    summarizer: Model | None
    assumptions: PricingAssumptions
    has_facts: bool = True
    """Facts are looked for."""
    has_requests: bool = False
    """The requests have a table of their own."""


class FleetJob(NamedTuple):
    """A batch to measure. Can be pickled."""

    number: int
    items: tuple[Item, ...]
    plan: FleetPlan


class FleetBatch(NamedTuple):
    """A batch that was measured: its tables by their names."""

    number: int
    tables: dict[str, pa.Table]


@dataclass
class _Rows:
    """The rows of a batch so far."""

    conversations: list[Row] = field(default_factory=list)
    requests: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)


def measure_batch(job: FleetJob) -> FleetBatch:
    """Return the tables of a batch. What cannot be read or run is a row of failures; a spent budget and a summarizer
    that no call reaches are raised."""
    rows = _Rows()
    plan = job.plan
    with uncollected():
        for item in job.items:
            for place, outcome in read_item(item, plan.fleet):
                if isinstance(outcome, TranscriptError):
                    rows.failures.append(_failure(place, None, str(outcome)))
                    continue
                try:
                    _measure(place, outcome, plan, rows)
                except MemvizError:
                    raise
                except UNFORESEEN_ERRORS as error:
                    # One of a million must not end the sweep, nor come up again whenever it is gone on with.
                    name = type(error).__name__
                    problem = _("memviz cannot measure it ({error}).", error=name)
                    rows.failures.append(_failure(place, None, problem))
    tables = {
        "conversations": table_of("conversations", rows.conversations),
        "failures": table_of("failures", rows.failures),
    }
    if plan.has_requests:
        tables["requests"] = table_of("requests", rows.requests)
    return FleetBatch(job.number, tables)


def _measure(
    place: Place, transcript: Transcript, plan: FleetPlan, rows: _Rows
) -> None:
    """Add the rows of one conversation under all settings."""
    subject = SweepConversation.of(transcript, plan.counter, retention=plan.has_facts)
    known = {
        **place._asdict(),
        "conversation": hash_of(transcript),
        "messages": len(subject.log),
        "turns": subject.log.turn_count,
    }
    for number, setting in enumerate(plan.settings):
        try:
            run, kept = replay_subject(subject, setting, plan.counter, plan.summarizer)
        except (BudgetSpentError, UnusableSummarizerError):
            raise
        except MemvizError as error:
            rows.failures.append(_failure(place, number, str(error)))
            continue
        cell = cell_of(subject, run, kept)
        cost = plan.assumptions.cost(cell.traffic)
        measures = measures_of(cell, cost)
        facts = _facts_at_the_end(cell, kept)
        thrashes = thrash(run) is not None
        row = {**known, **measures, **facts, "setting": number, "thrashes": thrashes}
        rows.conversations.append(row)
        if plan.has_requests:
            rows.requests += _request_rows(place, number, cell, cost)


def _failure(place: Place, setting: int | None, sentence: str) -> Row:
    return {**place._asdict(), "setting": setting, "error": sentence}


def hash_of(transcript: Transcript) -> str:
    """Return a hash of what was said, by whom: equal conversations have an equal one."""
    digest = blake2b(digest_size=HASH_BYTES)
    for message in transcript.messages:
        calls = [(call.name, call.arguments) for call in message.tool_calls]
        said = repr((message.role, message.name, message.content, calls))
        digest.update(said.encode("utf-8", "replace"))
    return digest.hexdigest()


def _facts_at_the_end(cell: Cell, kept: Retention | None) -> dict[str, int]:
    """Return how many facts the last request knows, contradicts and has lost; nothing where no fact is judged."""
    if kept is None or not cell.facts or not len(kept.states):
        return {}
    states = STATE_OF[kept.states[-1]]
    counts = np.bincount(states, minlength=len(FactState))
    return {
        "known_facts": int(counts[FactState.KNOWN]),
        "contradicted_facts": int(counts[FactState.CONTRADICTED]),
        "lost_facts": int(counts[FactState.LOST]),
    }


def _request_rows(place: Place, setting: int, cell: Cell, cost: Cost) -> Iterator[Row]:
    sent = cell.traffic
    request_usd = cost.request_usd
    for number in range(len(sent.turns)):
        yield {
            **place._asdict(),
            "setting": setting,
            "request": number + 1,
            "turn": int(sent.turns[number]),
            "sent_tokens": int(sent.input_tokens[number]),
            "shared_tokens": int(sent.shared_tokens[number]),
            "reply_tokens": int(sent.output_tokens[number]),
            "usd": None if request_usd is None else float(request_usd[number]),
            "facts": int(cell.born[number]),
            "retained_facts": int(cell.retained[number]),
        }
