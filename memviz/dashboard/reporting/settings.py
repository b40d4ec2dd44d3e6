"""A setting as the report tells of it: its key numbers, what happened to its summary, and how it was made."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memviz.core.context import Fate
from memviz.core.text.wording import COMMA, cost_words
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import UNKNOWN, usd_words
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS
from memviz.dashboard.charts.palette import STEP_COLORS, SettingRun
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.requests import table_place_words
from memviz.dashboard.words.warning import HealthWarning
from memviz.engine.calls import ReplyFacts
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.memory_map.stretches import encode_fate
from memviz.metrics.requests.token_use import TokenUse, count_token_use
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    grows_a_list,
    list_compaction_events,
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
        return list_compaction_events(self.run)

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
        counts = build_fate_map(self.run).counts[-1].tolist()
        shares = []
        for fate in FATES:
            if counts[fate]:
                color = STEP_COLORS[encode_fate(fate, 1)]
                shares.append(Share(_(FATE_WORDS[fate]), counts[fate], color))
        return shares

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The column of the setting in the table of key numbers."""
        use = count_token_use(self.run)
        return {_(name): write(self.run, use) for name, write in _ROWS}


_ROWS: tuple[tuple[str, Callable[[Run, TokenUse], str]], ...] = (
    (noop("Requests to the chat model"), lambda run, use: f"{use.requests:,}"),
    (
        noop("Prompt tokens sent to the chat model"),
        lambda run, use: f"{use.sent_tokens:,}",
    ),
    (noop("Mean request, tokens"), lambda run, use: f"{use.mean_tokens:,.0f}"),
    (noop("Largest request, tokens"), lambda run, use: f"{use.peak_tokens:,}"),
    (
        noop("Largest request, turn"),
        lambda run, use: table_place_words(use.peak) if use.requests else "-",
    ),
    (noop("Reply tokens"), lambda run, use: f"{use.reply_tokens:,}"),
    (noop("Paid to the chat model, US dollars"), lambda run, use: _chat_cost(run)),
    (noop("Summaries written"), lambda run, use: f"{use.summarizations:,}"),
    (
        noop("Times that messages were cleared or shortened"),
        lambda run, use: f"{use.reductions:,}",
    ),
    (
        noop("Messages cleared or shortened at the end"),
        lambda run, use: f"{use.reduced_messages:,}",
    ),
    (noop("Summarizer calls"), lambda run, use: f"{use.summarizer_calls:,}"),
    (
        noop("Summarizer calls that failed"),
        lambda run, use: f"{use.failed_summarizations:,}",
    ),
    (
        noop("Tokens sent to the summarizer"),
        lambda run, use: f"{use.summarizer_prompt_tokens:,}",
    ),
    (
        noop("Tokens the summarizer wrote"),
        lambda run, use: f"{use.summarizer_output_tokens:,}",
    ),
    (
        noop("Paid to the summarizer, US dollars"),
        lambda run, use: _summarizer_cost(run, use),
    ),
    (noop("All tokens sent and summarized"), lambda run, use: f"{use.all_tokens:,}"),
    (
        noop("Requests over their limit"),
        lambda run, use: f"{use.over_budget_requests:,}",
    ),
)
"""The rows of the table of key numbers: the name of each, and how its cell is written."""


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
