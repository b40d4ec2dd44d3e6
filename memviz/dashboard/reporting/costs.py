"""The costs of each setting of the report, of the chat model and of the summarizer, on which assumptions, and which
setting is best, as a sweep over them would say it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memviz.core.text.wording import counted, listed
from memviz.core.translation import _
from memviz.dashboard.charts.cost.setting_cost import usd_words
from memviz.dashboard.reporting.facts import ReportFacts
from memviz.dashboard.reporting.settings import Setting, live_replies
from memviz.dashboard.words.prices import (
    basis_in_words,
    cache_in_words,
    missing_price_name,
    prices_of,
)
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.metrics.cost.pricing import MissingPrice
from memviz.metrics.requests.traffic import traffic
from memviz.models.names import OFFLINE
from memviz.tuning.constraints import Constraints
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import asked_in_words
from memviz.tuning.results import as_sweep


@dataclass(frozen=True, eq=False)
class ReportCosts:
    """The costs of the settings, in the order of the report."""

    assumptions: PricingAssumptions
    costs: tuple[Cost, ...]
    was_asked: bool
    """Any model but the bundled one was asked in fact."""
    counter: str

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """The rows of the table: a name, and one cell a setting."""
        columns = [dict(_numbers(cost)) for cost in self.costs]
        rows = []
        for name in columns[0]:
            rows.append((name, [column[name] for column in columns]))
        return rows

    @property
    def sentences(self) -> list[str]:
        """Sentences about what is assumed and what could not be known."""
        basis = basis_in_words(self.assumptions, self.counter)
        told = f"{_('No model was called; these costs are estimated.')} {basis}"
        if self.was_asked:
            told = f"{basis} {_('They are worked out from the tokens, whoever answered in fact.')}"
        found = [told]
        missing: dict[MissingPrice, None] = {}
        for cost in self.costs:
            missing |= dict.fromkeys(cost.missing)
        if missing:
            names = listed(map(missing_price_name, missing))
            found.append(
                _("Unknown, and so are the dollars that need it: {names}.", names=names)
            )
        found += prices_of(self.assumptions)
        found.append(cache_in_words(self.assumptions.cache))
        return found


def report_costs(
    settings: Sequence[Setting], assumptions: PricingAssumptions
) -> ReportCosts:
    """Return the costs of every setting of the report."""
    runs = [setting.run for setting in settings]
    was_asked = any(live_replies(run) or not _is_free(run) for run in runs)
    costs = tuple(assumptions.cost(traffic(run)) for run in runs)
    return ReportCosts(assumptions, costs, was_asked, runs[0].counter.name)


def _is_free(run: Run) -> bool:
    asked = [compaction for compaction in run.compactions if compaction.asked]
    return all(one.recorded or one.model == OFFLINE for one in asked)


def _numbers(cost: Cost) -> Iterator[tuple[str, str]]:
    sent = cost.traffic
    yield _("Chat model: tokens read"), f"{int(sent.input_tokens.sum()):,}"
    yield _("of them from the prompt cache"), f"{int(cost.cached_tokens.sum()):,}"
    yield _("Chat model: tokens written"), f"{int(sent.output_tokens.sum()):,}"
    yield _("Chat model, US dollars"), usd_words(cost.main_usd)
    yield _("Summarizer: tokens read"), f"{int(sent.summarizer_input_tokens.sum()):,}"
    yield (
        _("Summarizer: tokens written"),
        f"{int(sent.summarizer_output_tokens.sum()):,}",
    )
    yield _("Summarizer, US dollars"), usd_words(cost.summarizer_usd)
    yield _("Both, US dollars"), usd_words(cost.total_usd)
    yield (
        _("Both without a prompt cache, US dollars"),
        usd_words(cost.uncached_total_usd),
    )


def advice_sentences(
    settings: Sequence[Setting],
    facts: ReportFacts,
    assumptions: PricingAssumptions,
    asked: Constraints,
) -> list[str]:
    """Return the recommendation and what it rests on, or why there is none. Compared are settings that replayed this
    conversation: one that answered for itself had another one."""
    runs = []
    kept = []
    for setting, own in zip(settings, facts.settings, strict=True):
        is_measured = own.retained is not None or not facts.found
        if setting.run.requests and is_measured:
            runs.append(setting.run)
            kept.append(own.retained)
    if len(runs) < 2:
        return [
            _(
                "There is no recommendation: it takes two settings or more over the same conversation."
            )
        ]
    sweep = as_sweep(runs, kept, facts.subject, assumptions)
    best = sweep.best(asked.min_retention, asked.max_peak_tokens)
    basis = basis_in_words(assumptions, runs[0].counter.name)
    wanted = _(
        "Asked of {settings}: {do}.",
        settings=counted(len(runs), "setting"),
        do=asked_in_words(asked),
    )
    return [best.answer, *best.grounds.sentences, basis, wanted]
