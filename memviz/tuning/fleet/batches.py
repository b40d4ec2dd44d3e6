"""A batch of a fleet measured: conversations are read, each is replayed under every setting, and rows come back."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from memviz.core.counters import Counter
from memviz.core.errors import MemvizError, TranscriptError
from memviz.core.model_errors import BudgetSpentError, UnusableSummarizerError
from memviz.core.process_memory import uncollected
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.metrics.health.budgets import find_thrash
from memviz.metrics.requests.traffic import Traffic, add_up_traffic
from memviz.metrics.retention.knowledge import STATE_OF, FactState, Retention
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript
from memviz.transcripts.document import UNFORESEEN_ERRORS
from memviz.transcripts.fleet.reading import Outcome, read_item
from memviz.transcripts.fleet.source import Fleet, Item, Place
from memviz.tuning.cell import Cell, make_cell, replay_subject
from memviz.tuning.fleet.failure_words import kind_of_error, words_without_values
from memviz.tuning.fleet.tables import make_table
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import list_measures
from memviz.tuning.sweep_conversation import SweepConversation

HASH_BYTES = 12
CONVERSATIONS_AT_ONCE = 500
REQUESTS_AT_ONCE = 2_000
"""So many conversations at most, or so many requests and a few more, are measured and priced at once: for each short
conversation alone it takes ten times as long."""
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


class _ReplayedRun(NamedTuple):
    """A run that is not measured yet."""

    place: Place
    setting: int
    subject: SweepConversation
    run: Run
    kept: Retention | None
    known: Row
    """What its conversation has in each of its rows."""

    @property
    def measured(self) -> _UnpricedRun:
        """The run with its measures. May raise anything."""
        cell = make_cell(self.subject, self.run, self.kept)
        row = {
            **self.known,
            **_describe_facts_at_end(cell, self.kept),
            "setting": self.setting,
            "thrashes": find_thrash(self.run) is not None,
        }
        return _UnpricedRun(self.place, self.setting, cell, row)


class _UnpricedRun(NamedTuple):
    """A run that is measured, but for what it costs."""

    place: Place
    setting: int
    cell: Cell
    row: Row
    """Its row of the conversations, without the measures of its cell."""


@dataclass
class _Rows:
    """The rows of a batch so far."""

    plan: FleetPlan
    conversations: list[Row] = field(default_factory=list)
    requests: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)
    replayed: list[_ReplayedRun] = field(default_factory=list)
    replayed_requests: int = 0
    """The requests of all runs so far."""
    measured_requests: int = 0

    def add(self, run: _ReplayedRun) -> None:
        """Keep a run until it is measured with others."""
        # A long conversation has many requests under each of its settings.
        if self.replayed_requests - self.measured_requests >= REQUESTS_AT_ONCE:
            self.measure()
        self.replayed.append(run)
        self.replayed_requests += len(run.run.requests)

    def measure(self) -> None:
        """Make the rows of the runs that are not measured yet."""
        # Whatever happens to one of them, none is measured twice.
        replayed = self.replayed
        self.replayed = []
        self.measured_requests = self.replayed_requests
        measured = self._measured(replayed)
        for run, cost in zip(measured, _price_runs(measured, self.plan), strict=True):
            try:
                self._add_rows(run, cost)
            except UNFORESEEN_ERRORS as error:
                words = kind_of_error(error)
                self.failures.append(_make_failure_row(run.place, run.setting, words))

    def _add_rows(self, run: _UnpricedRun, cost: Cost | Exception) -> None:
        """Add the rows of a run. Raises the error of one that could not be priced."""
        if isinstance(cost, Exception):
            raise cost
        row = {**run.row, **list_measures(run.cell, cost)}
        if self.plan.has_requests:
            self.requests += _list_request_rows(run.place, run.setting, run.cell, cost)
        self.conversations.append(row)

    def _measured(self, runs: Sequence[_ReplayedRun]) -> list[_UnpricedRun]:
        """Return those of the runs that can be measured, and add the others to the failures: one of a million must not
        end the sweep."""
        # What cannot be worked out for all of them is asked for again one by one.
        with suppress(*UNFORESEEN_ERRORS):
            add_up_traffic([replayed.run for replayed in runs])
        measured = []
        for replayed in runs:
            try:
                measured.append(replayed.measured)
            except MemvizError:
                raise
            except UNFORESEEN_ERRORS as error:
                words = kind_of_error(error)
                self.failures.append(
                    _make_failure_row(replayed.place, replayed.setting, words)
                )
        return measured


def measure_batch(job: FleetJob) -> FleetBatch:
    """Return the tables of a batch. What cannot be read or run is a row of failures; a spent budget and a summarizer
    that no call reaches are raised."""
    plan = job.plan
    rows = _Rows(plan)
    outcomes = chain.from_iterable(read_item(item, plan.fleet) for item in job.items)
    while _measure_next(outcomes, rows):
        pass
    tables = {
        "conversations": make_table("conversations", rows.conversations, job.mark),
        "failures": make_table("failures", rows.failures),
    }
    if plan.has_requests:
        tables["requests"] = make_table("requests", rows.requests)
    return FleetBatch(job.number, tables)


def _measure_next(outcomes: Iterator[Outcome], rows: _Rows) -> bool:
    """Measure the next conversations together, and return whether there were any."""
    count = 0
    most_requests = rows.replayed_requests + REQUESTS_AT_ONCE
    # What they leave is collected once for all of them. That of a whole batch may be more than the memory has room for.
    with uncollected():
        for place, outcome in islice(outcomes, CONVERSATIONS_AT_ONCE):
            count += 1
            _measure_outcome(place, outcome, rows)
            if rows.replayed_requests >= most_requests:
                break
        rows.measure()
    # Other threads that measure keep the collector off, one after the other until the end.
    if not gc.isenabled():
        gc.collect()
    return count > 0


def _measure_outcome(
    place: Place, outcome: Transcript | TranscriptError, rows: _Rows
) -> None:
    """Measure a conversation that was read, and add what cannot be read or run."""
    if isinstance(outcome, TranscriptError):
        rows.failures.append(
            _make_failure_row(place, None, words_without_values(outcome))
        )
        return
    try:
        _measure(place, outcome, rows)
    except MemvizError:
        raise
    except UNFORESEEN_ERRORS as error:
        # One of a million must not end the sweep, nor come up again whenever it is gone on with.
        rows.failures.append(_make_failure_row(place, None, kind_of_error(error)))


def _measure(place: Place, transcript: Transcript, rows: _Rows) -> None:
    """Replay one conversation under all settings, to be measured with others, and add what failed."""
    plan = rows.plan
    subject = SweepConversation.of(transcript, plan.counter, retention=plan.has_facts)
    fields = {
        **place._asdict(),
        "conversation": hash_transcript(transcript),
        "messages": len(subject.log),
        "turns": subject.log.turn_count,
    }
    for number, setting in enumerate(plan.settings):
        try:
            run, retention = replay_subject(
                subject, setting, plan.counter, plan.summarizer
            )
        except (BudgetSpentError, UnusableSummarizerError):
            raise
        except MemvizError as error:
            rows.failures.append(
                _make_failure_row(place, number, words_without_values(error))
            )
            continue
        except UNFORESEEN_ERRORS as error:
            rows.failures.append(_make_failure_row(place, number, kind_of_error(error)))
            continue
        rows.add(_ReplayedRun(place, number, subject, run, retention, fields))


def _price_runs(
    runs: Sequence[_UnpricedRun], plan: FleetPlan
) -> list[Cost | Exception]:
    """Return the costs of runs; of one that cannot be priced the error: one of a million must not end the sweep."""
    traffics = [run.cell.traffic for run in runs]
    try:
        return [*plan.assumptions.costs(traffics)]
    except UNFORESEEN_ERRORS:
        return [_price_or_error(traffic, plan) for traffic in traffics]


def _price_or_error(traffic: Traffic, plan: FleetPlan) -> Cost | Exception:
    try:
        return plan.assumptions.cost(traffic)
    except UNFORESEEN_ERRORS as error:
        return error


def _make_failure_row(place: Place, setting: int | None, sentence: str) -> Row:
    return {**place._asdict(), "setting": setting, "error": sentence}


def hash_transcript(transcript: Transcript) -> str:
    """Return a hash of what was said, by whom: equal conversations have an equal one."""
    digest = blake2b(digest_size=HASH_BYTES)
    for message in transcript.messages:
        calls = [(call.name, call.arguments) for call in message.tool_calls]
        fields_text = repr((message.role, message.name, message.content, calls))
        digest.update(fields_text.encode("utf-8", "replace"))
    return digest.hexdigest()


def _describe_facts_at_end(cell: Cell, retention: Retention | None) -> dict[str, int]:
    """Return how many facts the last request knows, contradicts and has lost; nothing where no fact is judged."""
    if retention is None or not cell.facts or not len(retention.states):
        return {}
    states = STATE_OF[retention.states[-1]]
    counts = np.bincount(states, minlength=len(FactState))
    return {
        "known_facts": int(counts[FactState.KNOWN]),
        "contradicted_facts": int(counts[FactState.CONTRADICTED]),
        "lost_facts": int(counts[FactState.LOST]),
    }


def _list_request_rows(
    place: Place, setting: int, cell: Cell, cost: Cost
) -> Iterator[Row]:
    traffic = cell.traffic
    request_usd = cost.request_usd
    for number in range(len(traffic.turns)):
        yield {
            **place._asdict(),
            "setting": setting,
            "request": number + 1,
            "turn": int(traffic.turns[number]),
            "sent_tokens": int(traffic.input_tokens[number]),
            "shared_tokens": int(traffic.shared_tokens[number]),
            "reply_tokens": int(traffic.output_tokens[number]),
            "usd": None if request_usd is None else float(request_usd[number]),
            "facts": int(cell.born[number]),
            "retained_facts": int(cell.retained[number]),
        }
