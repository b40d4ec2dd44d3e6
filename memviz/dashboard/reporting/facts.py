"""What each setting of the report still knows: a list of facts, and when which setting lost them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from memviz.core.text.wording import (
    counted,
    message_list,
    message_range,
    request_name,
    share_of,
)
from memviz.dashboard.charts.retention.knowledge_words import STATE_WORDS
from memviz.dashboard.reporting.settings import Setting
from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import (
    LifeLine,
    Losses,
    Span,
    fact_losses,
    life_lines,
)
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.authors import whose_words
from memviz.transcripts.base import Probe, Transcript
from memviz.tuning.recommendation import share_in_words
from memviz.tuning.sweep_conversation import SweepConversation

MAX_FACTS = 300
"""Rows of the list. Of more facts one in every so many is looked for, spread over the conversation."""
MAX_LOOKUPS = 3_000_000
"""Facts times requests of one setting: each takes tens of bytes."""
NOT_SENT = "no longer sent"


class FactRow(NamedTuple):
    """One fact: what is looked for, where it was stated, and what became of it under each setting."""

    answer: str
    question: str
    stated: str
    fates: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SettingFacts:
    """What one setting retained of the facts. ``retained`` is ``None`` where its conversation is another one."""

    run: Run
    retained: Retention | None
    lives: dict[int, LifeLine]
    losses: Losses

    @property
    def mean_share(self) -> str:
        """The share of the facts stated so far that a request holds, on average over the requests."""
        if self.retained is None:
            return "not measured"
        shares = self.retained.share(self.retained.retained)
        return (
            share_in_words(float(np.nanmean(shares)))
            if np.isfinite(shares).any()
            else "none was stated"
        )

    @property
    def at_the_end(self) -> str:
        """How many of the facts the last request holds."""
        if self.retained is None or not len(self.retained.retained):
            return "not measured"
        born = int(self.retained.born[-1].sum())
        return share_of(int(self.retained.retained[-1].sum()), born, "fact")

    def fate(self, probe: int) -> str:
        """What became of a fact: where it stands at the end, or when it was lost and by what."""
        life = self.lives.get(probe)
        if self.retained is None:
            return "not measured"
        if life is None or not life.spans:
            return "no request after it"
        last = life.spans[-1]
        if last.state is not Knowledge.LOST:
            lost = next(
                (span for span in life.spans if span.state is Knowledge.LOST), None
            )
            again = "" if lost is None else f", lost before at {_request(lost)}"
            return f"{STATE_WORDS[last.state]} at the end{again}"
        return f"lost at {_request(last)}: {self._cause(probe, last)}"

    def _cause(self, probe: int, lost: Span) -> str:
        number = self.losses.get((probe, lost.first_place))
        if number is None:
            return NOT_SENT
        compaction = self.run.compactions[number]
        return f"not in the summary of {message_range(compaction.summarized)}"


def _request(span: Span) -> str:
    """Its first request."""
    return request_name(*span.first)


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """The facts of a report and what each setting, in its order, retained of them. ``subject`` is the conversation
    with the facts that are looked for; ``found`` of them there would be."""

    subject: SweepConversation
    settings: tuple[SettingFacts, ...]
    found: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """What cannot be known, or not in full, and why."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if not self.found:
            yield (
                "What each setting still knows could not be measured: the conversation brings no facts, and nothing in "
                "it could be proposed as one, no date, code, amount or name that is stated once and used again later."
            )
        elif len(self.subject.probes) < self.found:
            yield f"{len(self.subject.probes):,} of the {self.found:,} facts were looked for, spread over all of them."
        if self.found and (words := whose_words(one.run for one in self.settings)):
            yield words
        others = sum(one.retained is None for one in self.settings) if self.found else 0
        if others:
            yield (
                f"{counted(others, 'setting')} answered for {'itself' if others == 1 else 'themselves'}, so what was "
                "said there is another conversation, and its facts were not measured."
            )

    @property
    def rows(self) -> list[FactRow]:
        """The list, in the order of the facts."""
        return [
            self._row(number, probe) for number, probe in enumerate(self.subject.probes)
        ]

    def _row(self, number: int, probe: Probe) -> FactRow:
        stated = (
            message_list(sorted(probe.evidence))
            if probe.evidence
            else "no message named"
        )
        fates = tuple(one.fate(number) for one in self.settings)
        return FactRow(" / ".join(probe.answers), probe.question, stated, fates)


def report_facts(settings: Sequence[Setting], transcript: Transcript) -> ReportFacts:
    """The facts of the conversation under every setting of the report, at least one."""
    runs = [setting.run for setting in settings]
    log = next((run.log for run in runs if _is_of(run, transcript)), None)
    subject = SweepConversation.of(transcript, runs[0].counter, log)
    found, requests = len(subject.probes), max(len(run.requests) for run in runs)
    one_in = max(-(-found // MAX_FACTS), -(-found * requests // MAX_LOOKUPS), 1)
    subject = replace(subject, probes=subject.probes[::one_in])
    return ReportFacts(
        subject, tuple(_facts(run, subject, transcript) for run in runs), found
    )


def _facts(
    run: Run, subject: SweepConversation, transcript: Transcript
) -> SettingFacts:
    if not subject.probes or not _is_of(run, transcript):
        return SettingFacts(run, None, {}, {})
    retained = retention(run, subject.probes, subject.texts)
    lives = life_lines(run, retained, subject.texts)
    return SettingFacts(
        run,
        retained,
        {life.probe: life for life in lives},
        fact_losses(run, retained, lives, subject.texts),
    )


def _is_of(run: Run, transcript: Transcript) -> bool:
    """Whether the run replays this conversation, and its model did not answer for itself."""
    return len(run.log) == len(transcript.messages) and list(run.log) == list(
        transcript.messages
    )
