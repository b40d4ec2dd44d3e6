"""The title, key numbers, charts and animation that a notebook shows of a run, a sweep or kept facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, NamedTuple

import plotly.graph_objects as go

from memviz.core.text.wording import counted, dollars, share_of
from memviz.core.translation import _, ngettext
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.retention.life_lines import draw_life_lines, sort_by_birth
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.charts.sweeps.pareto import pareto_chart, pareto_finding
from memviz.dashboard.reporting.facts import report_facts
from memviz.dashboard.reporting.settings import Setting
from memviz.dashboard.stage.data import MEASURES, stage_data
from memviz.dashboard.words.prices import basis_in_words, whose_prices
from memviz.engine.run import Run
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import FactState, Knowledge, Retention
from memviz.metrics.retention.life_lines import LifeLine, life_lines, list_fact_losses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import format_share
from memviz.tuning.results import Sweep

CHART_PIXELS = 250
FRONT_PIXELS = 330
FRONT_TOP_PIXELS = 30
"""The height of the chart of tokens, and of that of a sweep, with room above it for a name."""
MORE_FOR_NAMES_PIXELS = 28
"""More room for the names beside a chart: letters of a notebook's system may be wider than those of the dashboard."""
MOST_MESSAGES_GUESSED = 200
"""Of a longer conversation without facts of its own none are guessed: it would take seconds at each end of a cell."""
MOST_LIVES = 40
"""Facts whose lives are drawn; of more, those that were lost come first."""


class Picture(NamedTuple):
    """A chart and what it shows, for those who see no pictures."""

    figure: go.Figure
    words: str


@dataclass(frozen=True)
class Output:
    """All that a notebook shows of one value."""

    title: str
    numbers: tuple[str, ...]
    """Key numbers, each with its unit, to stand in one line."""
    sentence: str = ""
    grounds: tuple[str, ...] = ()
    """Sentences on what the numbers rest on."""
    pictures: tuple[Picture, ...] = ()
    stage: dict[str, Any] | None = None
    """The data of the animation."""


@singledispatch
def output_of(value: object) -> Output:
    """Return what a notebook shows of a :class:`Run`, a :class:`Sweep` or a :class:`Retention`."""
    raise TypeError(f"notebooks show no {type(value).__name__}")


@output_of.register
def _run_output(run: Run) -> Output:
    if not run.requests:
        return Output(run.label, (_("no request was sent yet"),))
    terms = PricingAssumptions.of()
    transcript = Transcript(tuple(run.log), probes=run.probes)
    setting = SettingRun(run, run.label, 0)
    numbers = [*_token_numbers(run), *_cost_numbers(run, terms)]
    retained = None
    if run.probes or len(run.log) <= MOST_MESSAGES_GUESSED:
        facts = report_facts([Setting(run, run.label, 0)], transcript)
        retained = facts.settings[0].retained
    if retained is not None:
        noun = "fact" if run.probes else "guessed fact"
        numbers += _fact_numbers(retained, noun)
    # It stands at the end, where it shows what became of everything. Play begins at the first request, of a long run at
    # the first of the last MAX_STEPS.
    stage = stage_data(
        [setting],
        transcript,
        retentions=[retained],
        assumptions=terms,
        at=len(run.requests) - 1,
    )
    words = _("Tokens sent with each request of {setting}", setting=run.label)
    figure = tokens_per_turn([setting], height=CHART_PIXELS)
    figure.update_layout(margin_r=figure.layout.margin.r + MORE_FOR_NAMES_PIXELS)
    chart = Picture(figure, words)
    return Output(
        run.label,
        tuple(numbers),
        pictures=(chart,),
        stage={**stage, "title": "", "measures": MEASURES},
    )


def _token_numbers(run: Run) -> Iterator[str]:
    use = count_token_use(run)
    yield counted(use.requests, "request")
    yield _("{tokens:,} tokens sent", tokens=use.sent_tokens)
    yield _("largest request {tokens:,}", tokens=use.peak_tokens)
    if use.summarizations:
        yield counted(use.summarizations, "summarization")
    if use.failed_summarizations:
        yield ngettext(
            "{number:,} failed", "{number:,} failed", use.failed_summarizations
        )


def _cost_numbers(run: Run, terms: PricingAssumptions) -> Iterator[str]:
    usd = terms.cost(count_traffic(run)).total_usd
    if usd is not None:
        yield _(
            "{usd} at the prices {prices}", usd=dollars(usd), prices=whose_prices(terms)
        )


def _fact_numbers(retention: Retention, noun: str) -> Iterator[str]:
    """Yield the facts that the last request knows, and how many it does not."""
    counts = Counter(retention.state[-1:].ravel().tolist())
    stated = counts.total() - counts[FactState.NOT_BORN]
    if not stated:
        return
    known_share = share_of(counts[FactState.KNOWN], stated, noun)
    yield _("{facts} known at the end", facts=known_share)
    if counts[FactState.CONTRADICTED]:
        yield _("{number:,} contradicted", number=counts[FactState.CONTRADICTED])


@output_of.register
def _retention_output(retention: Retention) -> Output:
    run = retention.run
    numbers = [
        *_fact_numbers(retention, "fact"),
        _(
            "{share} of those stated so far on average over the requests",
            share=format_share(retention.mean_share()),
        ),
    ]
    is_whole = len(retention.turns) == len(run.requests)
    if not is_whole or not retention.probes:
        return Output(run.label, tuple(numbers))
    texts = ProbeTexts(run.log, retention.probes)
    lives = life_lines(run, retention, texts)
    losses = list_fact_losses(run, retention, lives, texts)
    setting = SettingRun(run, run.label, 0)
    result = RetentionResult(setting, retention, lives, losses)
    shown = _lives_shown(lives)
    sentence = ""
    if len(shown) < len(lives):
        sentence = _(
            "The lives of {shown} are drawn, those that were lost first.",
            shown=share_of(len(shown), len(lives), "fact"),
        )
    words = _("The life of every fact under {setting}", setting=run.label)
    figure = draw_life_lines(result, shown)
    figure.update_layout(margin_l=figure.layout.margin.l + MORE_FOR_NAMES_PIXELS)
    chart = Picture(figure, words)
    return Output(run.label, tuple(numbers), sentence, pictures=(chart,))


def _lives_shown(lives: tuple[LifeLine, ...]) -> list[LifeLine]:
    """Return the lives that there is room for, in the order in which their facts were stated."""

    def was_never_lost(life: LifeLine) -> bool:
        return Knowledge.LOST not in [span.state for span in life.spans]

    lost_first = sorted(sort_by_birth(lives), key=was_never_lost)
    return sort_by_birth(lost_first[:MOST_LIVES])


@output_of.register
def _sweep_output(sweep: Sweep) -> Output:
    numbers = [
        counted(sweep.settings, "setting"),
        counted(sweep.subjects, "conversation"),
    ]
    table = sweep.by_setting()
    if table.empty:
        return Output(_("A sweep in which nothing was measured"), tuple(numbers))
    if sweep.grounds.facts:
        numbers.append(sweep.grounds.facts_in_words)
    best = sweep.best()
    recommended = None if best.row is None else int(best.row["setting"])
    grounds = [*best.grounds.sentences]
    grounds.append(basis_in_words(sweep.assumptions, sweep.counter))
    if sweep.stopped:
        grounds.append(sweep.stopped)
    measure = sweep.cost_measure
    figure = pareto_chart(table, measure, recommended=recommended, title="")
    figure.update_layout(height=FRONT_PIXELS, margin_t=FRONT_TOP_PIXELS)
    chart = Picture(figure, pareto_finding(table, measure))
    title = best.headline or _("No setting fits")
    return Output(title, tuple(numbers), best.why, tuple(grounds), (chart,))
