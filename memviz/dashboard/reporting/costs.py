"""What each setting of the report costs, of the chat model and of the summarizer, and on which assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memviz.core.text.wording import dollars, listed
from memviz.dashboard.reporting.settings import UNKNOWN, Setting, live_replies
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.metrics.requests.traffic import traffic
from memviz.models.registry import OFFLINE
from memviz.tuning.price_words import basis_in_words, cache_in_words, prices_of
from memviz.tuning.pricing_assumptions import PricingAssumptions


@dataclass(frozen=True, eq=False)
class ReportCosts:
    """The costs of the settings, in the order of the report, the assumptions behind them, and whether any model but the
    bundled one was asked in fact."""

    assumptions: PricingAssumptions
    costs: tuple[Cost, ...]
    was_asked: bool
    counter: str

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """A name and one cell a setting for each row of the table."""
        columns = [dict(_numbers(cost)) for cost in self.costs]
        return [(name, [column[name] for column in columns]) for name in columns[0]]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is assumed, and what could not be known."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        basis = basis_in_words(self.assumptions, self.counter)
        if self.was_asked:
            yield f"{basis} They are worked out from the tokens, whoever answered in fact."
        else:
            yield f"No model was called; these costs are estimated. {basis}"
        missing = list(
            dict.fromkeys(name for cost in self.costs for name in cost.missing)
        )
        if missing:
            yield f"Unknown, and so are the dollars that need it: {listed(missing)}."
        yield from prices_of(self.assumptions)
        yield cache_in_words(self.assumptions.cache)


def report_costs(
    settings: Sequence[Setting], assumptions: PricingAssumptions
) -> ReportCosts:
    """The costs of every setting of the report."""
    runs = [setting.run for setting in settings]
    was_asked = any(live_replies(run) or not _is_free(run) for run in runs)
    costs = tuple(assumptions.cost(traffic(run)) for run in runs)
    return ReportCosts(assumptions, costs, was_asked, runs[0].counter.name)


def _is_free(run: Run) -> bool:
    return all(
        compaction.recorded or compaction.model == OFFLINE
        for compaction in run.compactions
        if compaction.asked
    )


def _numbers(cost: Cost) -> Iterator[tuple[str, str]]:
    sent = cost.traffic
    yield "Chat model: tokens read", f"{int(sent.input_tokens.sum()):,}"
    yield "of them from the prompt cache", f"{int(cost.cached_tokens.sum()):,}"
    yield "Chat model: tokens written", f"{int(sent.output_tokens.sum()):,}"
    yield "Chat model, US dollars", _usd(cost.main_usd)
    yield "Summarizer: tokens read", f"{int(sent.summarizer_input_tokens.sum()):,}"
    yield "Summarizer: tokens written", f"{int(sent.summarizer_output_tokens.sum()):,}"
    yield "Summarizer, US dollars", _usd(cost.summarizer_usd)
    yield "Both, US dollars", _usd(cost.total_usd)
    yield "Both without a prompt cache, US dollars", _usd(cost.uncached_total_usd)


def _usd(amount: float | None) -> str:
    return UNKNOWN if amount is None else dollars(amount)
