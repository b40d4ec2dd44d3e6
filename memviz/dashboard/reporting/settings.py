"""A setting as the report tells of it: its key numbers, what happened to its summary, and how it was made."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memviz.core.context import Fate
from memviz.core.text.wording import COMMA, cost_words
from memviz.core.translation import _
from memviz.dashboard.charts.cost.setting_cost import UNKNOWN, usd_words
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS
from memviz.dashboard.charts.palette import STEP_COLORS, SettingRun
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.requests import place_in_a_table
from memviz.dashboard.words.warning import HealthWarning
from memviz.engine.calls import ReplyFacts
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.memory_map.stretches import code_of
from memviz.metrics.requests.token_use import TokenUse, token_use
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    compaction_events,
    grows_a_list,
)
from memviz.models.names import OFFLINE, STAND_IN, in_words
from memviz.tuning.pricing_assumptions import PricingAssumptions

MAX_COMPACTIONS = 500
"""Rows of the table of compactions of one setting; of more, the first and the last are shown."""
MAX_SUMMARY_CHARS = 400_000
"""All summary texts of one setting together; the newest are shown."""
FATES = (
    Fate.VERBATIM,
    Fate.SHORTENED,
    Fate.CLEARED,
    Fate.RECALLED,
    Fate.SUMMARIZED,
    Fate.OPAQUE,
    Fate.DROPPED,
)
"""From what is sent whole to what is not sent at all."""


class Share(NamedTuple):
    """The messages that had one fate at the last request."""

    name: str
    messages: int
    color: str


@dataclass(frozen=True, eq=False)
class Setting:
    """One setting of the report."""

    run: Run
    label: str
    index: int
    """Decides its colour and its line."""
    assumptions: PricingAssumptions | None = None
    """The prices that its warnings about cost rest on."""

    @cached_property
    def setting(self) -> SettingRun:
        """The setting as the charts take it."""
        return SettingRun(self.run, self.label, self.index)

    @cached_property
    def events(self) -> tuple[CompactionEvent, ...]:
        """Everything that happened to its summary."""
        return compaction_events(self.run)

    @property
    def changes_notes(self) -> bool:
        """There is a chart of its summary to draw: something other happened than that messages were cleared or
        shortened."""
        reduced = (CompactionOutcome.CLEARED, CompactionOutcome.SHORTENED)
        return any(event.what not in reduced for event in self.events)

    @property
    def shown_events(self) -> tuple[CompactionEvent, ...]:
        """The rows of its table: all, or of too many the first and the last."""
        if len(self.events) <= MAX_COMPACTIONS:
            return self.events
        half = MAX_COMPACTIONS // 2
        return (*self.events[:half], *self.events[-half:])

    @cached_property
    def versions(self) -> tuple[CompactionEvent, ...]:
        """The events that wrote the summaries whose texts are shown, the newest first."""
        newest: list[CompactionEvent] = []
        chars = 0
        for event in reversed(self.events):
            if event.version:
                chars += len(event.version.text)
                if newest and chars > MAX_SUMMARY_CHARS:
                    break
                newest.append(event)
        return tuple(newest)

    @property
    def version_noun(self) -> str:
        """The name of one summary."""
        return _("Entry") if grows_a_list(self.run) else _("Version")

    @cached_property
    def warnings(self) -> tuple[HealthWarning, ...]:
        """The signs that it is unhealthy."""
        return health_warnings(self.run, self.assumptions)

    @property
    def summarizers(self) -> str:
        """The names of those who wrote its summaries."""
        models: dict[str, None] = {}
        for compaction in self.run.compactions:
            if compaction.asked:
                models[compaction.model] = None
        names = [in_words(model) or _(UNKNOWN) for model in models]
        return _(COMMA).join(names) or _("never asked")

    @property
    def repliers(self) -> str:
        """The names of the models whose replies were recorded; of a replay there are none."""
        replies = live_replies(self.run)
        names = dict.fromkeys(reply.model or _(UNKNOWN) for reply in replies)
        return _(COMMA).join(names) or _(
            "none: the replies are those of the conversation"
        )

    @property
    def parameters(self) -> str:
        """All parameters with their values."""
        values = []
        for parameter in self.run.strategy.parameters():
            value = getattr(self.run.strategy, parameter.name)
            values.append(f"{parameter.name} = {value!r}")
        return ", ".join(values) or _("none")

    @property
    def shares(self) -> list[Share]:
        """The fates of all messages at the last request; only those that occur."""
        counts = fate_map(self.run).counts[-1].tolist()
        shares = []
        for fate in FATES:
            if counts[fate]:
                color = STEP_COLORS[code_of(fate, 1)]
                shares.append(Share(_(FATE_WORDS[fate]), counts[fate], color))
        return shares

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The column of the setting in the table of key numbers."""
        return dict(_numbers(self.run))


def _numbers(run: Run) -> Iterator[tuple[str, str]]:
    use = token_use(run)
    yield _("Requests to the chat model"), f"{use.requests:,}"
    yield _("Prompt tokens sent to the chat model"), f"{use.sent_tokens:,}"
    yield _("Mean request, tokens"), f"{use.mean_tokens:,.0f}"
    yield _("Largest request, tokens"), f"{use.peak_tokens:,}"
    largest = place_in_a_table(use.peak)
    yield _("Largest request, turn"), largest if use.requests else "-"
    yield _("Reply tokens"), f"{use.reply_tokens:,}"
    yield _("Paid to the chat model, US dollars"), _chat_cost(run)
    yield _("Summaries written"), f"{use.summarizations:,}"
    yield _("Times that messages were cleared or shortened"), f"{use.reductions:,}"
    yield _("Messages cleared or shortened at the end"), f"{use.reduced_messages:,}"
    yield _("Summarizer calls"), f"{use.summarizer_calls:,}"
    yield _("Summarizer calls that failed"), f"{use.failed_summarizations:,}"
    yield _("Tokens sent to the summarizer"), f"{use.summarizer_prompt_tokens:,}"
    yield _("Tokens the summarizer wrote"), f"{use.summarizer_output_tokens:,}"
    yield _("Paid to the summarizer, US dollars"), _summarizer_cost(run, use)
    yield _("All tokens sent and summarized"), f"{use.all_tokens:,}"
    yield _("Requests over their limit"), f"{use.over_budget_requests:,}"


def live_replies(run: Run) -> list[ReplyFacts]:
    """Return what is known of each call of a live model; empty for a replay."""
    return [record.facts for record in run.requests if record.facts is not None]


def _chat_cost(run: Run) -> str:
    """Return the US dollars of all calls of the chat model. A replay calls none."""
    costs = [facts.cost_usd for facts in live_replies(run)]
    if not costs:
        return _("none: no model was called")
    known_costs = [cost for cost in costs if cost is not None]
    return usd_words(sum(known_costs) if len(known_costs) == len(costs) else None)


def _summarizer_cost(run: Run, use: TokenUse) -> str:
    """Return the US dollars of all calls of the summarizer. The offline one takes none; what a paid one would take is
    among the costs."""
    calls = [compaction for compaction in run.compactions if compaction.asked]
    if not calls:
        return _("none: it was not asked")
    if all(compaction.model == OFFLINE for compaction in calls):
        return _("none: the {stand_in} is free", stand_in=_(STAND_IN))
    if all(compaction.recorded for compaction in calls):
        then = cost_words(use.summarizer_cost_usd, recorded=True)
        return _(
            "none now: played from a recording ({cost} when it was made)", cost=then
        )
    return usd_words(use.summarizer_cost_usd)
