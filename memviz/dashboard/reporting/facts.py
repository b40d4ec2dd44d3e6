"""The facts and the costs of a report.

Of facts: those that each setting still knows, and when which setting lost them. Of costs:
those of the chat model and of the summarizer, on which assumptions, and which setting is
best, as a sweep over them would say it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from memviz.core.division import ceil_div
from memviz.core.text.wording import (
    counted,
    listed,
    message_list,
    message_range,
    request_name,
    share_of,
)
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.cost.setting_cost import usd_words
from memviz.dashboard.charts.retention.result import STATE_WORDS
from memviz.dashboard.reporting.settings import Setting, live_replies
from memviz.dashboard.words.authors import whose_words
from memviz.dashboard.words.prices import (
    basis_in_words,
    cache_in_words,
    missing_price_name,
    prices_of,
)
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.metrics.cost.pricing import MissingPrice
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import (
    LifeLine,
    Losses,
    Span,
    life_lines,
    list_fact_losses,
)
from memviz.metrics.retention.retention import retention
from memviz.models.names import OFFLINE
from memviz.transcripts.base import Transcript
from memviz.tuning.constraints import Constraints
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import describe_constraints, format_share
from memviz.tuning.results import make_sweep
from memviz.tuning.sweep_conversation import SweepConversation

MAX_FACTS = 300
"""Rows of the list. Of 900 facts every third one is looked for, so that they are spread over the conversation."""
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
    """Under each setting ``("in the summary at the end", False)``: the words, and whether the fact is lost."""


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
        return format_share(float(np.nanmean(shares)))

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
        if last.state is Knowledge.LOST:
            return self._loss(probe, last)
        state = _(STATE_WORDS[last.state])
        losses = [span for span in life.spans if span.state is Knowledge.LOST]
        if not losses:
            return _("{state} at the end", state=state)
        place = request_name(*losses[0].first)
        return _("{state} at the end, lost before at {place}", state=state, place=place)

    def _loss(self, probe: int, span: Span) -> str:
        place = request_name(*span.first)
        number = self.losses.get((probe, span.first_place))
        if number is None:
            return _("lost at {place}: no longer sent", place=place)
        messages = message_range(self.run.compactions[number].summarized)
        return _(
            "lost at {place}: not in the summary of {messages}",
            place=place,
            messages=messages,
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
    """The number of facts in the conversation, also of those that are not looked for."""

    @property
    def sentences(self) -> list[str]:
        """Sentences about what cannot be known, or not in full, and why."""
        if not self.found:
            return [_(NO_FACTS)]
        sentences = []
        looked_for = len(self.subject.probes)
        if looked_for < self.found:
            sentences.append(
                _(
                    "{looked_for:,} of the {found:,} facts were looked for, spread over all of them.",
                    looked_for=looked_for,
                    found=self.found,
                )
            )
        authors = whose_words(setting.run for setting in self.settings)
        if authors:
            sentences.append(authors)
        unmeasured = sum(setting.retained is None for setting in self.settings)
        if unmeasured:
            sentences.append(
                ngettext(
                    "{settings} answered for itself, so what was said there is another conversation, and its facts "
                    "were not measured.",
                    "{settings} answered for themselves, so what was said there is another conversation, and its facts "
                    "were not measured.",
                    unmeasured,
                    settings=counted(unmeasured, "setting"),
                )
            )
        return sentences

    @property
    def rows(self) -> list[FactRow]:
        """The list, in the order of the facts."""
        rows = []
        for number, probe in enumerate(self.subject.probes):
            stated = _("no message named")
            if probe.evidence:
                stated = message_list(sorted(probe.evidence))
            fates = []
            for setting in self.settings:
                fates.append((setting.fate(number), setting.is_lost(number)))
            answer = " / ".join(probe.answers)
            rows.append(FactRow(answer, probe.question, stated, tuple(fates)))
        return rows


def report_facts(settings: Sequence[Setting], transcript: Transcript) -> ReportFacts:
    """Return the facts of the conversation under every setting of the report, at least one."""
    runs = [setting.run for setting in settings]
    # A log that was counted and searched already saves doing both again.
    logs = [run.log for run in runs if _is_of(run, transcript)]
    log = logs[0] if logs else None
    subject = SweepConversation.of(transcript, runs[0].counter, log)
    facts = len(subject.probes)
    requests = max(len(run.requests) for run in runs)
    # Of too many facts, or facts at too many requests, every second, third ... is looked for.
    by_facts = ceil_div(facts, MAX_FACTS)
    by_lookups = ceil_div(facts * requests, MAX_LOOKUPS)
    step = max(by_facts, by_lookups, 1)
    subject = replace(subject, probes=subject.probes[::step])
    facts_of_settings = [_facts(run, subject, transcript) for run in runs]
    return ReportFacts(subject, tuple(facts_of_settings), facts)


def _facts(
    run: Run, subject: SweepConversation, transcript: Transcript
) -> SettingFacts:
    if not subject.probes or not _is_of(run, transcript):
        return SettingFacts(run, None, {}, {})
    retained = retention(run, subject.probes, subject.texts)
    lives = life_lines(run, retained, subject.texts)
    losses = list_fact_losses(run, retained, lives, subject.texts)
    return SettingFacts(run, retained, {life.probe: life for life in lives}, losses)


def _is_of(run: Run, transcript: Transcript) -> bool:
    """Return whether the run replays this conversation, and its model did not answer for itself."""
    return list(run.log) == list(transcript.messages)


@dataclass(frozen=True, eq=False)
class ReportCosts:
    """The costs of the settings, in the order of the report."""

    assumptions: PricingAssumptions
    costs: tuple[Cost, ...]
    was_asked: bool
    """True if any model but the built-in one was asked in fact."""
    counter: str

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """The rows of the table: a name, and one cell a setting."""
        rows = []
        for name, write in _ROWS:
            cells = [write(cost) for cost in self.costs]
            rows.append((_(name), cells))
        return rows

    @property
    def sentences(self) -> list[str]:
        """Sentences about what is assumed and what could not be known."""
        basis = basis_in_words(self.assumptions, self.counter)
        sentences = [_("No model was called; these costs are estimated."), basis]
        if self.was_asked:
            how = _("They are worked out from the tokens, whoever answered in fact.")
            sentences = [basis, how]
        sentences = [" ".join(sentences)]
        missing: dict[MissingPrice, None] = {}
        for cost in self.costs:
            missing |= dict.fromkeys(cost.missing)
        if missing:
            sentences.append(
                _(
                    "Unknown, and so are the dollars that need it: {names}.",
                    names=listed(map(missing_price_name, missing)),
                )
            )
        sentences += prices_of(self.assumptions)
        sentences.append(cache_in_words(self.assumptions.cache))
        return sentences


def report_costs(
    settings: Sequence[Setting], assumptions: PricingAssumptions
) -> ReportCosts:
    """Return the costs of every setting of the report."""
    runs = [setting.run for setting in settings]
    was_asked = any(live_replies(run) or _asked_summarizer(run) for run in runs)
    costs = [assumptions.cost(count_traffic(run)) for run in runs]
    return ReportCosts(assumptions, tuple(costs), was_asked, runs[0].counter.name)


def _asked_summarizer(run: Run) -> bool:
    """Return whether a summarizer other than the built-in one answered, and not from a recording."""
    for compaction in run.compactions:
        is_live = not compaction.recorded and compaction.model != OFFLINE
        if compaction.asked and is_live:
            return True
    return False


_ROWS: tuple[tuple[str, Callable[[Cost], str]], ...] = (
    (
        noop("Chat model: tokens read"),
        lambda cost: f"{int(cost.traffic.input_tokens.sum()):,}",
    ),
    (
        noop("of them from the prompt cache"),
        lambda cost: f"{int(cost.cached_tokens.sum()):,}",
    ),
    (
        noop("Chat model: tokens written"),
        lambda cost: f"{int(cost.traffic.output_tokens.sum()):,}",
    ),
    (noop("Chat model, US dollars"), lambda cost: usd_words(cost.main_usd)),
    (
        noop("Summarizer: tokens read"),
        lambda cost: f"{int(cost.traffic.summarizer_input_tokens.sum()):,}",
    ),
    (
        noop("Summarizer: tokens written"),
        lambda cost: f"{int(cost.traffic.summarizer_output_tokens.sum()):,}",
    ),
    (noop("Summarizer, US dollars"), lambda cost: usd_words(cost.summarizer_usd)),
    (noop("Both, US dollars"), lambda cost: usd_words(cost.total_usd)),
    (
        noop("Both without a prompt cache, US dollars"),
        lambda cost: usd_words(cost.uncached_total_usd),
    ),
)
"""The rows of the table of costs: the name of each, and how a cell is written."""


def advice_sentences(
    settings: Sequence[Setting],
    facts: ReportFacts,
    assumptions: PricingAssumptions,
    constraints: Constraints,
) -> list[str]:
    """Return the recommendation and what it rests on, or why there is none. Compared are settings that replayed this
    conversation: one that answered for itself had another one."""
    runs = []
    retentions = []
    for setting, setting_facts in zip(settings, facts.settings, strict=True):
        is_measured = setting_facts.retained is not None or not facts.found
        if setting.run.requests and is_measured:
            runs.append(setting.run)
            retentions.append(setting_facts.retained)
    if len(runs) < 2:
        return [
            _(
                "There is no recommendation: it takes two settings or more over the same conversation."
            )
        ]
    sweep = make_sweep(runs, retentions, facts.subject, assumptions)
    best = sweep.best(constraints.min_retention, constraints.max_peak_tokens)
    basis = basis_in_words(assumptions, runs[0].counter.name)
    question = _(
        "Asked of {settings}: {do}.",
        settings=counted(runs, "setting"),
        do=describe_constraints(constraints),
    )
    return [best.answer, *best.grounds.sentences, basis, question]
