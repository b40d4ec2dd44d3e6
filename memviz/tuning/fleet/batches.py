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
from memviz.metrics.cost.cost import Cost
from memviz.metrics.health.budgets import thrash
from memviz.metrics.requests.traffic import Traffic
from memviz.metrics.retention.knowledge import STATE_OF, FactState, Retention
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript
from memviz.transcripts.document import UNFORESEEN_ERRORS
from memviz.transcripts.fleet.reading import read_item
from memviz.transcripts.fleet.source import Fleet, Item, Place
from memviz.tuning.cell import Cell, cell_of, replay_subject
from memviz.tuning.fleet.failure_words import kind_of_error, words_without_values
from memviz.tuning.fleet.tables import table_of
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import measures_of
from memviz.tuning.sweep_conversation import SweepConversation

HASH_BYTES = 12
PRICED_REQUESTS = 2_000
"""So many requests, or a few more, are priced at once: for each short conversation alone it takes ten times as long."""
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

    @property
    def mark(self) -> str:
        """A hash of the places of its items: a batch of this number with another one has other conversations."""
        digest = blake2b(digest_size=HASH_BYTES)
        for item in self.items:
            digest.update(f"{item.file} {item.first_row}\n".encode())
        return digest.hexdigest()


class FleetBatch(NamedTuple):
    """A batch that was measured: its tables by their names."""

    number: int
    tables: dict[str, pa.Table]


class _Unpriced(NamedTuple):
    """A run that is measured, but for what it costs."""

    place: Place
    setting: int
    cell: Cell
    row: Row
    """Its row of the conversations, without the measures of its cell."""


@dataclass
class _Rows:
    """The rows of a batch so far."""

    conversations: list[Row] = field(default_factory=list)
    requests: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)
    unpriced: list[_Unpriced] = field(default_factory=list)
    unpriced_requests: int = 0

    def add(self, run: _Unpriced) -> None:
        """Keep a run until it is priced with others."""
        self.unpriced.append(run)
        self.unpriced_requests += len(run.cell.traffic.turns)

    def price(self, plan: FleetPlan) -> None:
        """Make the rows of the runs that have no price yet."""
        for run, cost in zip(self.unpriced, self._costs(plan), strict=True):
            if isinstance(cost, Exception):
                words = kind_of_error(cost)
                self.failures.append(_failure(run.place, run.setting, words))
                continue
            self.conversations.append({**run.row, **measures_of(run.cell, cost)})
            if plan.has_requests:
                self.requests += _request_rows(run.place, run.setting, run.cell, cost)
        self.unpriced.clear()
        self.unpriced_requests = 0

    def _costs(self, plan: FleetPlan) -> list[Cost | Exception]:
        """Return the costs of the runs that have no price yet; of one that cannot be priced the error: one of a million
        must not end the sweep."""
        traffics = [run.cell.traffic for run in self.unpriced]
        try:
            return [*plan.assumptions.costs(traffics)]
        except UNFORESEEN_ERRORS:
            return [_cost_or_error(traffic, plan) for traffic in traffics]


def measure_batch(job: FleetJob) -> FleetBatch:
    """Return the tables of a batch. What cannot be read or run is a row of failures; a spent budget and a summarizer
    that no call reaches are raised."""
    rows = _Rows()
    plan = job.plan
    for item in job.items:
        for place, outcome in read_item(item, plan.fleet):
            _measure_outcome(place, outcome, plan, rows)
            if rows.unpriced_requests >= PRICED_REQUESTS:
                rows.price(plan)
    rows.price(plan)
    tables = {
        "conversations": table_of("conversations", rows.conversations, job.mark),
        "failures": table_of("failures", rows.failures),
    }
    if plan.has_requests:
        tables["requests"] = table_of("requests", rows.requests)
    return FleetBatch(job.number, tables)


def _measure_outcome(
    place: Place, outcome: Transcript | TranscriptError, plan: FleetPlan, rows: _Rows
) -> None:
    """Measure a conversation that was read, and add what cannot be read or run."""
    if isinstance(outcome, TranscriptError):
        rows.failures.append(_failure(place, None, words_without_values(outcome)))
        return
    try:
        # The garbage of a thousand conversations would be more than the memory has room for.
        with uncollected():
            _measure(place, outcome, plan, rows)
    except MemvizError:
        raise
    except UNFORESEEN_ERRORS as error:
        # One of a million must not end the sweep, nor come up again whenever it is gone on with.
        rows.failures.append(_failure(place, None, kind_of_error(error)))


def _measure(
    place: Place, transcript: Transcript, plan: FleetPlan, rows: _Rows
) -> None:
    """Measure one conversation under all settings, and add what failed."""
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
            rows.failures.append(_failure(place, number, words_without_values(error)))
            continue
        except UNFORESEEN_ERRORS as error:
            rows.failures.append(_failure(place, number, kind_of_error(error)))
            continue
        cell = cell_of(subject, run, kept)
        row = {
            **known,
            **_facts_at_the_end(cell, kept),
            "setting": number,
            "thrashes": thrash(run) is not None,
        }
        rows.add(_Unpriced(place, number, cell, row))


def _cost_or_error(traffic: Traffic, plan: FleetPlan) -> Cost | Exception:
    try:
        return plan.assumptions.cost(traffic)
    except UNFORESEEN_ERRORS as error:
        return error


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
