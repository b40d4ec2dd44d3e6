"""The facts of a report, those that each setting still knows, and when which setting lost them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from memviz.core.division import ceil_div
from memviz.core.text.wording import (
    counted,
    message_list,
    message_range,
    request_name,
    share_of,
)
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.retention.result import STATE_WORDS
from memviz.dashboard.reporting.settings import Setting
from memviz.dashboard.words.authors import whose_words
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
from memviz.transcripts.base import Transcript
from memviz.tuning.recommendation import share_in_words
from memviz.tuning.sweep_conversation import SweepConversation

MAX_FACTS = 300
"""Rows of the list. Of more facts one in every so many is looked for, spread over the conversation."""
MAX_LOOKUPS = 3_000_000
"""Facts times requests of one setting: each takes tens of bytes."""
NO_FACTS = noop(
    "What each setting still knows could not be measured: the conversation brings no facts, and nothing in it could be "
    "proposed as one, no date, code, amount or name that is stated once and used again later."
)


class FactRow(NamedTuple):
    """One fact, where it was stated, and its fate under each setting."""

    answer: str
    question: str
    stated: str
    fates: tuple[tuple[str, bool], ...]
    """Its words under each setting, and whether it is lost."""


@dataclass(frozen=True, eq=False)
class SettingFacts:
    """The facts under one setting."""

    run: Run
    retained: Retention | None
    """``None`` where its conversation is another one."""
    lives: dict[int, LifeLine]
    losses: Losses

    @property
    def mean_share(self) -> str:
        """The share of the facts stated so far that a request holds, on average over the requests."""
        if self.retained is None:
            return _("not measured")
        shares = self.retained.share(self.retained.retained)
        if not np.isfinite(shares).any():
            return _("none was stated")
        return share_in_words(float(np.nanmean(shares)))

    @property
    def at_the_end(self) -> str:
        """The facts that the last request holds, of all that were stated."""
        if self.retained is None or not len(self.retained.retained):
            return _("not measured")
        born = int(self.retained.born[-1].sum())
        return share_of(int(self.retained.retained[-1].sum()), born, "fact")

    def fate(self, probe: int) -> str:
        """Return where a fact stands at the end, or when it was lost and by what."""
        life = self.lives.get(probe)
        if self.retained is None:
            return _("not measured")
        if life is None or not life.spans:
            return _("no request after it")
        last = life.spans[-1]
        if last.state is not Knowledge.LOST:
            state = _(STATE_WORDS[last.state])
            lost = [one for one in life.spans if one.state is Knowledge.LOST]
            if not lost:
                return _("{state} at the end", state=state)
            return _(
                "{state} at the end, lost before at {place}",
                state=state,
                place=request_name(*lost[0].first),
            )
        return self._loss(probe, last)

    def _loss(self, probe: int, lost: Span) -> str:
        place = request_name(*lost.first)
        number = self.losses.get((probe, lost.first_place))
        if number is None:
            return _("lost at {place}: no longer sent", place=place)
        compaction = self.run.compactions[number]
        return _(
            "lost at {place}: not in the summary of {messages}",
            place=place,
            messages=message_range(compaction.summarized),
        )

    def is_lost(self, probe: int) -> bool:
        """Return whether the last request does not hold a fact that was stated."""
        life = self.lives.get(probe)
        if self.retained is None or life is None or not life.spans:
            return False
        return life.spans[-1].state is Knowledge.LOST


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """The facts of a report under each of its settings, in their order."""

    subject: SweepConversation
    """The conversation, with the facts that are looked for."""
    settings: tuple[SettingFacts, ...]
    found: int
    """So many facts there would be."""

    @property
    def sentences(self) -> list[str]:
        """Sentences about what cannot be known, or not in full, and why."""
        if not self.found:
            return [_(NO_FACTS)]
        told = []
        looked_for = len(self.subject.probes)
        if looked_for < self.found:
            told.append(
                _(
                    "{looked_for:,} of the {found:,} facts were looked for, spread over all of them.",
                    looked_for=looked_for,
                    found=self.found,
                )
            )
        words = whose_words(one.run for one in self.settings)
        if words:
            told.append(words)
        others = sum(one.retained is None for one in self.settings)
        if others:
            told.append(
                ngettext(
                    "{settings} answered for itself, so what was said there is another conversation, and its facts "
                    "were not measured.",
                    "{settings} answered for themselves, so what was said there is another conversation, and its facts "
                    "were not measured.",
                    others,
                    settings=counted(others, "setting"),
                )
            )
        return told

    @property
    def rows(self) -> list[FactRow]:
        """The list, in the order of the facts."""
        rows = []
        for number, probe in enumerate(self.subject.probes):
            stated = _("no message named")
            if probe.evidence:
                stated = message_list(sorted(probe.evidence))
            fates = tuple(
                (one.fate(number), one.is_lost(number)) for one in self.settings
            )
            answer = " / ".join(probe.answers)
            rows.append(FactRow(answer, probe.question, stated, fates))
        return rows


def report_facts(settings: Sequence[Setting], transcript: Transcript) -> ReportFacts:
    """Return the facts of the conversation under every setting of the report, at least one."""
    runs = [setting.run for setting in settings]
    log = next((run.log for run in runs if _is_of(run, transcript)), None)
    subject = SweepConversation.of(transcript, runs[0].counter, log)
    found = len(subject.probes)
    requests = max(len(run.requests) for run in runs)
    one_in = max(ceil_div(found, MAX_FACTS), ceil_div(found * requests, MAX_LOOKUPS), 1)
    subject = replace(subject, probes=subject.probes[::one_in])
    kept = tuple(_facts(run, subject, transcript) for run in runs)
    return ReportFacts(subject, kept, found)


def _facts(
    run: Run, subject: SweepConversation, transcript: Transcript
) -> SettingFacts:
    if not subject.probes or not _is_of(run, transcript):
        return SettingFacts(run, None, {}, {})
    retained = retention(run, subject.probes, subject.texts)
    lives = life_lines(run, retained, subject.texts)
    losses = fact_losses(run, retained, lives, subject.texts)
    return SettingFacts(run, retained, {life.probe: life for life in lives}, losses)


def _is_of(run: Run, transcript: Transcript) -> bool:
    """Return whether the run replays this conversation, and its model did not answer for itself."""
    return list(run.log) == list(transcript.messages)
