"""The work on one batch of a fleet, in whichever process: from places of conversations to rows of tables.

:mod:`~memviz.tuning.fleet.sweeping` hands out the jobs. :func:`measure_batch` reads the conversations of a job, replays
each under every setting, prices the runs, and returns the rows, which :mod:`~memviz.tuning.fleet.folder` writes. A
conversation that cannot be read or run becomes a row of failures: one of a million must not end the sweep.
"""

from __future__ import annotations

import gc
import re
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
from memviz.core.translation import _
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
from memviz.tuning.fleet.tables import make_table
from memviz.tuning.measures import list_measures
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.sweep_conversation import SweepConversation

HASH_BYTES = 12
CONVERSATIONS_AT_ONCE = 500
REQUESTS_AT_ONCE = 2_000
"""The most conversations, and about the most requests, that are measured and priced at once. To do it for each short
conversation by itself takes ten times as long."""
Row = dict[str, Any]
FIELD = re.compile(r"\{[^{}]*\}")
"""The place of a value in the text of an error, such as ``{start!r}``."""
LEFT_OUT = "…"


@dataclass(frozen=True)
class FleetPlan:
    """Everything that the numbers of a sweep over a fleet depend on."""

    fleet: Fleet
    settings: tuple[Strategy, ...]
    counter: Counter
    summarizer: Model | None
    assumptions: PricingAssumptions
    has_facts: bool = True
    """True if facts are looked for in the conversations."""
    has_requests: bool = False
    """True if there is a table with a row for each request."""


class FleetJob(NamedTuple):
    """A batch to measure, which is pickled to be sent to another process."""

    number: int
    items: tuple[Item, ...]
    plan: FleetPlan

    @property
    def mark(self) -> str:
        """A hash of the places of its items, to notice that a batch of this number has other conversations now."""
        digest = blake2b(digest_size=HASH_BYTES)
        for item in self.items:
            digest.update(f"{item.file} {item.first_row}\n".encode())
        return digest.hexdigest()


class FleetBatch(NamedTuple):
    """The result of a batch: its tables by name."""

    number: int
    tables: dict[str, pa.Table]


class _ReplayedRun(NamedTuple):
    """A run that waits to be measured together with others."""

    place: Place
    setting: int
    subject: SweepConversation
    run: Run
    kept: Retention | None
    fields_of_conversation: Row
    """The fields that all rows of its conversation share."""

    def measure(self) -> _UnpricedRun:
        """Return the run with its measures. May raise anything."""
        cell = make_cell(self.subject, self.run, self.kept)
        row = {
            **self.fields_of_conversation,
            **_describe_facts_at_end(cell, self.kept),
            "setting": self.setting,
            "thrashes": find_thrash(self.run) is not None,
        }
        return _UnpricedRun(self.place, self.setting, cell, row)


class _UnpricedRun(NamedTuple):
    """A run that is measured, except for its cost."""

    place: Place
    setting: int
    cell: Cell
    row: Row
    """Its row in the table of conversations, without the columns of :func:`list_measures`."""


@dataclass
class _Rows:
    """The rows of a batch so far, and the runs that wait to become rows."""

    plan: FleetPlan
    conversations: list[Row] = field(default_factory=list)
    requests: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)
    replayed: list[_ReplayedRun] = field(default_factory=list)
    replayed_requests: int = 0
    """The number of requests of all runs so far; of these ``measured_requests`` are in rows."""
    measured_requests: int = 0

    def add(self, run: _ReplayedRun) -> None:
        """Add a run, which waits to be measured together with others."""
        # One long conversation may have enough requests under a few settings.
        if self.replayed_requests - self.measured_requests >= REQUESTS_AT_ONCE:
            self.measure()
        self.replayed.append(run)
        self.replayed_requests += len(run.run.requests)

    def measure(self) -> None:
        """Make rows of the runs that wait."""
        # Removed first, so that none is measured twice, whatever is raised.
        replayed = self.replayed
        self.replayed = []
        self.measured_requests = self.replayed_requests
        measured = self._measure_all(replayed)
        for run, cost in zip(measured, _price_runs(measured, self.plan), strict=True):
            try:
                self._add_rows(run, cost)
            except UNFORESEEN_ERRORS as error:
                words = name_error(error)
                self.failures.append(_make_failure_row(run.place, run.setting, words))

    def _add_rows(self, run: _UnpricedRun, cost: Cost | Exception) -> None:
        """Add the rows of a run. Raises ``cost`` if that is the error of a run that could not be priced."""
        if isinstance(cost, Exception):
            raise cost
        row = {**run.row, **list_measures(run.cell, cost)}
        if self.plan.has_requests:
            self.requests += _list_request_rows(run.place, run.setting, run.cell, cost)
        self.conversations.append(row)

    def _measure_all(self, runs: Sequence[_ReplayedRun]) -> list[_UnpricedRun]:
        """Return the runs that can be measured, and add the others to the failures."""
        # Where this fails, the traffic of each run is added up when it is asked for.
        with suppress(*UNFORESEEN_ERRORS):
            add_up_traffic([replayed.run for replayed in runs])
        measured = []
        for replayed in runs:
            try:
                measured.append(replayed.measure())
            except MemvizError:
                raise
            except UNFORESEEN_ERRORS as error:
                words = name_error(error)
                self.failures.append(
                    _make_failure_row(replayed.place, replayed.setting, words)
                )
        return measured


def measure_batch(job: FleetJob) -> FleetBatch:
    """Return the tables of a batch.

    A conversation that cannot be read or run becomes a row of failures. A spent budget and a summarizer that cannot be
    reached are raised.
    """
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
    """Measure the next conversations together. Return false where there are none left."""
    count = 0
    most_requests = rows.replayed_requests + REQUESTS_AT_ONCE
    # Garbage is collected once for all of them: not more often, because that is slow, and not once for a whole batch,
    # because that may not fit into memory.
    with uncollected():
        for place, outcome in islice(outcomes, CONVERSATIONS_AT_ONCE):
            count += 1
            _measure_outcome(place, outcome, rows)
            if rows.replayed_requests >= most_requests:
                break
        rows.measure()
    # As long as other threads measure, the collector stays off.
    if not gc.isenabled():
        gc.collect()
    return count > 0


def _measure_outcome(
    place: Place, outcome: Transcript | TranscriptError, rows: _Rows
) -> None:
    """Replay a conversation, or add a failure for one that could not be read or run."""
    if isinstance(outcome, TranscriptError):
        rows.failures.append(_make_failure_row(place, None, strip_values(outcome)))
        return
    try:
        _replay(place, outcome, rows)
    except MemvizError:
        raise
    except UNFORESEEN_ERRORS as error:
        # Kept as a failure, so that it does not end the sweep again each time that it is continued.
        rows.failures.append(_make_failure_row(place, None, name_error(error)))


def _replay(place: Place, transcript: Transcript, rows: _Rows) -> None:
    """Replay a conversation under all settings, and add a failure for each setting that cannot be run."""
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
            rows.failures.append(_make_failure_row(place, number, strip_values(error)))
            continue
        except UNFORESEEN_ERRORS as error:
            rows.failures.append(_make_failure_row(place, number, name_error(error)))
            continue
        rows.add(_ReplayedRun(place, number, subject, run, retention, fields))


def _price_runs(
    runs: Sequence[_UnpricedRun], plan: FleetPlan
) -> list[Cost | Exception]:
    """Return the cost of each run, or the error of one that cannot be priced."""
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


def strip_values(error: MemvizError) -> str:
    """Return the sentence of an error with ``…`` for each value in it: ``x.txt: found a text that starts with ….``

    Errors quote what users said, and the tables of a fleet hold no text. An error of another package, whose text may be
    anything, is only named by its class.
    """
    sentence = FIELD.sub(LEFT_OUT, error.template) or name_error(error)
    if isinstance(error, TranscriptError) and error.place:
        return f"{error.place}: {sentence}"
    return sentence


def name_error(error: Exception) -> str:
    """Return a sentence that has nothing of an error but its class."""
    name = type(error).__name__
    return _("memviz cannot measure it ({error}).", error=name)


def hash_transcript(transcript: Transcript) -> str:
    """Return a hash of who said what, which is the same for equal conversations."""
    digest = blake2b(digest_size=HASH_BYTES)
    for message in transcript.messages:
        calls = [(call.name, call.arguments) for call in message.tool_calls]
        fields_text = repr((message.role, message.name, message.content, calls))
        digest.update(fields_text.encode("utf-8", "replace"))
    return digest.hexdigest()


def _describe_facts_at_end(cell: Cell, retention: Retention | None) -> dict[str, int]:
    """Return the fields that count facts by their state in the last request; none where no fact could be judged."""
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
