"""What the report says about each setting: its key numbers, what happened to its summary, and how it was made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memviz.core.context import Fate
from memviz.core.text.wording import cost_words, dollars
from memviz.dashboard.charts.palette import STEP_COLORS
from memviz.dashboard.charts.requests.limit_lines import budget_fits
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.engine.calls import ReplyFacts
from memviz.engine.run import Run
from memviz.metrics.health import HealthWarning, health_warnings
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.memory_map.steps import code_of
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
UNKNOWN = "unknown"


class Share(NamedTuple):
    """How many messages had one fate at the last request."""

    name: str
    messages: int
    color: str


@dataclass(frozen=True, eq=False)
class Setting:
    """One setting of the report; ``index`` decides its colour and line, ``assumptions`` what its warnings say about
    cost."""

    run: Run
    label: str
    index: int
    assumptions: PricingAssumptions | None = None

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
        """Whether anything happened but that messages were sent with less in them, so that there is a chart to draw."""
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
        shown: list[CompactionEvent] = []
        chars = 0
        for event in reversed(self.events):
            if event.version:
                chars += len(event.version.text)
                if shown and chars > MAX_SUMMARY_CHARS:
                    break
                shown.append(event)
        return tuple(shown)

    @property
    def hidden_budget_tokens(self) -> int | None:
        """Its budget where the chart leaves it out."""
        budget = self.run.strategy.budget_tokens
        return budget if budget and not budget_fits(self.run) else None

    @property
    def version_noun(self) -> str:
        """What one summary is called."""
        return "Entry" if grows_a_list(self.run) else "Version"

    @cached_property
    def warnings(self) -> tuple[HealthWarning, ...]:
        """What is unhealthy about it."""
        return health_warnings(self.run, self.assumptions)

    @property
    def summarizers(self) -> str:
        """The names of those who wrote its summaries."""
        names = dict.fromkeys(
            compaction.model for compaction in self.run.compactions if compaction.asked
        )
        return ", ".join(in_words(name) or UNKNOWN for name in names) or "never asked"

    @property
    def repliers(self) -> str:
        """The names of the models whose replies were recorded; of a replay there are none."""
        names = dict.fromkeys(
            record.facts.model or UNKNOWN
            for record in self.run.requests
            if record.facts
        )
        return ", ".join(names) or "none: the replies are those of the conversation"

    @property
    def parameters(self) -> str:
        """All parameters with their values."""
        strategy = self.run.strategy
        values = (
            (parameter.name, getattr(strategy, parameter.name))
            for parameter in strategy.parameters()
        )
        return ", ".join(f"{name} = {value!r}" for name, value in values) or "none"

    @property
    def shares(self) -> tuple[Share, ...]:
        """What became of all messages at the last request; only what occurs."""
        shares = fate_map(self.run).shares(-1)
        found = (
            Share(
                "word for word", shares.verbatim, STEP_COLORS[code_of(Fate.VERBATIM)]
            ),
            Share("shortened", shares.shortened, STEP_COLORS[code_of(Fate.SHORTENED)]),
            Share(
                "sent as a placeholder",
                shares.cleared,
                STEP_COLORS[code_of(Fate.CLEARED)],
            ),
            Share("recalled", shares.recalled, STEP_COLORS[code_of(Fate.RECALLED)]),
            Share(
                "replaced by a summary",
                shares.summarized,
                STEP_COLORS[code_of(Fate.SUMMARIZED, 1)],
            ),
            Share("dropped", shares.dropped, STEP_COLORS[code_of(Fate.DROPPED)]),
        )
        return tuple(share for share in found if share.messages)

    @cached_property
    def numbers(self) -> dict[str, str]:
        """Its column of the table of key numbers."""
        return dict(
            _numbers(
                token_use(self.run), _chat_cost(self.run), _summarizer_cost(self.run)
            )
        )


def _numbers(
    use: TokenUse, chat_cost: str, summarizer_cost: str
) -> Iterator[tuple[str, str]]:
    yield "Requests to the chat model", f"{use.requests:,}"
    yield "Prompt tokens sent to the chat model", f"{use.sent_tokens:,}"
    yield "Mean request, tokens", f"{use.mean_tokens:,.0f}"
    yield "Largest request, tokens", f"{use.peak_tokens:,}"
    largest = use.peak_name.removeprefix("turn ")
    yield "Largest request, turn", largest if use.requests else "-"
    yield "Reply tokens", f"{use.reply_tokens:,}"
    yield "Paid to the chat model, US dollars", chat_cost
    yield "Summaries written", f"{use.summarizations:,}"
    yield "Times that messages were cleared or shortened", f"{use.reductions:,}"
    yield "Messages cleared or shortened at the end", f"{use.reduced_messages:,}"
    yield "Summarizer calls", f"{use.summarizer_calls:,}"
    yield "Summarizer calls that failed", f"{use.failed_summarizations:,}"
    yield "Tokens sent to the summarizer", f"{use.summarizer_prompt_tokens:,}"
    yield "Tokens the summarizer wrote", f"{use.summarizer_output_tokens:,}"
    yield "Paid to the summarizer, US dollars", summarizer_cost
    yield "All tokens sent and summarized", f"{use.all_tokens:,}"
    yield "Requests over their limit", f"{use.over_budget_requests:,}"


def _usd(amount: float | None) -> str:
    return UNKNOWN if amount is None else dollars(amount)


def live_replies(run: Run) -> list[ReplyFacts]:
    """What is known of each call of a live model; none in a replay."""
    return [record.facts for record in run.requests if record.facts is not None]


def _chat_cost(run: Run) -> str:
    """US dollars of all calls of the chat model. A replay calls none."""
    facts = live_replies(run)
    known = [fact.cost_usd for fact in facts if fact.cost_usd is not None]
    if not facts:
        return "none: no model was called"
    return _usd(sum(known) if len(known) == len(facts) else None)


def _summarizer_cost(run: Run) -> str:
    """US dollars of all calls of the summarizer. The offline one takes none; what a paid one would take is among the
    costs."""
    models = {compaction.model for compaction in run.compactions if compaction.asked}
    if not models:
        return "none: it was not asked"
    if models == {OFFLINE}:
        return f"none: the {STAND_IN} is free"
    if all(compaction.recorded for compaction in run.compactions if compaction.asked):
        then = cost_words(token_use(run).summarizer_cost_usd, recorded=True)
        return f"none now: played from a recording ({then} when it was made)"
    return _usd(token_use(run).summarizer_cost_usd)
