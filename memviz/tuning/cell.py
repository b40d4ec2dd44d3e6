"""One cell of a sweep: what one setting did with one conversation, in tokens and facts. No prices."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.counters import AnyCounter
from memviz.core.errors import BudgetSpentError, MemvizError, UnusableSummarizerError
from memviz.engine.replay import replay
from memviz.engine.run import Run
from memviz.metrics.requests.refused import orphaned_requests, refused_requests
from memviz.metrics.requests.traffic import Traffic, sends_everything, traffic
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.retention import retention
from memviz.models.base import Model
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy
from memviz.tuning.sweep_conversation import SweepConversation

VERSION = 6
"""Part of every key: raise it when a measurement changes, so that kept cells are measured again."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One setting over one conversation.

    ``retained`` and ``born`` are arrays [requests]: of how many facts a request held the evidence or the answer, and
    how many had been stated by then (see :class:`memviz.metrics.retention.knowledge.Retention`).
    ``failed_summarizations`` are calls that gave no summary,
    ``over_budget_requests`` those larger than the strategy's own budget, ``orphaned_requests`` those that hold a tool's
    result without its call. ``sends_everything``: it did what the full buffer does, see
    :func:`memviz.metrics.requests.traffic.sends_everything`. ``error`` says in a sentence why there is nothing, and
    then all counts are empty.
    """

    strategy: Strategy
    subject: str
    """Title of the conversation."""
    traffic: Traffic = field(default_factory=Traffic.nothing, repr=False)
    retained: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, np.int64), repr=False
    )
    born: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, np.int64), repr=False
    )
    facts: int = 0
    summarizations: int = 0
    failed_summarizations: int = 0
    over_budget_requests: int = 0
    orphaned_requests: int = 0
    refused_requests: int = 0
    """Requests that a provider refuses: those, and requests with a call of a tool without its result."""
    sends_everything: bool = False
    seconds: float = 0.0
    error: str = ""

    @cached_property
    def retention(self) -> float:
        """The share of the facts stated so far that a request holds (0 to 1), on average over the requests by which
        any was stated; NaN where none is ever."""
        asked = self.born > 0
        return (
            float(np.mean(self.retained[asked] / self.born[asked]))
            if asked.any()
            else float("nan")
        )

    @property
    def final_retention(self) -> float:
        """The same share at the last request alone."""
        return (
            float(self.retained[-1] / self.born[-1])
            if self.born.size and self.born[-1]
            else float("nan")
        )

    @property
    def can_be_kept(self) -> bool:
        """Whether measuring again would give the same: a failed call may work next time."""
        return not self.error and not self.failed_summarizations

    def to_dict(self) -> dict[str, Any]:
        """The cell as JSON."""
        plain = (
            "subject",
            "facts",
            "summarizations",
            "failed_summarizations",
            "over_budget_requests",
            "orphaned_requests",
            "refused_requests",
            "sends_everything",
            "seconds",
            "error",
        )
        return {
            **{name: getattr(self, name) for name in plain},
            "strategy": {
                "id": self.strategy.id,
                "parameters": self.strategy.model_dump(),
            },
            "traffic": self.traffic.to_dict(),
            "retained": self.retained.tolist(),
            "born": self.born.tolist(),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Cell:
        """The cell that :meth:`to_dict` described."""
        apart = {
            "strategy": make_strategy(
                value["strategy"]["id"], **value["strategy"]["parameters"]
            ),
            "traffic": Traffic.from_dict(value["traffic"]),
            "retained": np.array(value["retained"], dtype=np.int64),
            "born": np.array(value["born"], dtype=np.int64),
        }
        return cls(**{**value, **apart})


def cell_key(
    subject: SweepConversation, strategy: Strategy, counter: str, summarizer: str
) -> str:
    """A hash of everything that a cell depends on."""
    parts = [
        VERSION,
        subject.digest,
        strategy.id,
        strategy.model_dump(),
        counter,
        summarizer,
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def measure(
    subject: SweepConversation,
    strategy: Strategy,
    counter: AnyCounter,
    summarizer: Model | None,
) -> Cell:
    """Replay ``subject`` under ``strategy`` and measure it. A setting that cannot be run (a system prompt larger
    than its budget) gives a cell that says so; failed summarizer calls are counted. A spent budget and a summarizer
    that no call reaches are raised: no other cell would do better."""
    started = perf_counter()
    try:
        run = replay(
            subject.log,
            strategy,
            model=summarizer,
            counter=counter,
            system_prompt=subject.system_prompt,
            tools=subject.tools,
        )
    except (BudgetSpentError, UnusableSummarizerError):
        raise
    except MemvizError as error:
        return Cell(
            strategy, subject.title, seconds=perf_counter() - started, error=str(error)
        )
    kept = retention(run, subject.probes, subject.texts) if subject.probes else None
    return cell_of(subject, run, kept, perf_counter() - started)


def cell_of(
    subject: SweepConversation,
    run: Run,
    kept: Retention | None,
    seconds: float = 0.0,
) -> Cell:
    """The cell of a run of ``subject``. ``kept`` is what it retains of the subject's probes, ``None`` where that is not
    known or there are none."""
    sent = traffic(run)
    nothing = np.zeros(len(sent.turns), np.int64)
    return Cell(
        run.strategy,
        subject.title,
        traffic=sent,
        retained=nothing if kept is None else kept.retained.sum(axis=1, dtype=np.int64),
        born=nothing if kept is None else kept.born.sum(axis=1, dtype=np.int64),
        facts=0 if kept is None else len(subject.probes),
        summarizations=sum(
            compaction.is_summarization for compaction in run.compactions
        ),
        failed_summarizations=sum(
            compaction.failed_calls for compaction in run.compactions
        ),
        over_budget_requests=run.columns.over_budget,
        orphaned_requests=len(orphaned_requests(run)),
        refused_requests=refused_requests(run),
        sends_everything=sends_everything(run),
        seconds=seconds,
    )
