"""Estimates in words: the calls of a model with their cost, the time of a sweep, and the settings it leaves out."""

from collections.abc import Iterator
from math import ceil

from memviz.core.text.wording import (
    counted,
    dollars,
    duration_words,
    listed,
    rounded_tokens,
)
from memviz.core.translation import _, ngettext, noop
from memviz.metrics.cost.estimate import Estimate
from memviz.models.planned_calls import PlannedCalls
from memviz.tuning.results import Sweep


def work_words(work: PlannedCalls) -> str:
    """Return ``12 requests: about 3,400 tokens in and 560 out``."""
    return _(
        "{calls}: about {read} tokens in and {written} out",
        calls=counted(work.calls, work.noun),
        read=rounded_tokens(work.input_tokens),
        written=rounded_tokens(work.output_tokens),
    )


def estimate_words(estimate: Estimate) -> str:
    """Return an estimate as a sentence. Parts without a call are left out, except for the first."""
    first, *others = estimate.parts
    parts = [first, *(part for part in others if part.calls)]
    work = "; ".join(map(work_words, parts))
    usd = estimate.usd
    if usd is None:
        template = noop("{work}. The prices of {models} are unknown.")
        if len(estimate.unknown_prices) == 1:
            template = noop("{work}. The price of {models} is unknown.")
        return _(template, work=work, models=listed(estimate.unknown_prices))
    if not usd:
        return _("{work}, at no cost.", work=work)
    has_one_part = len(parts) == 1
    if estimate.at_list_price:
        template = noop("{work}, in all about {dollars} at list price.")
        if has_one_part:
            template = noop("{work}, about {dollars} at list price.")
    else:
        template = noop("{work}, in all about {dollars} at the prices given.")
        if has_one_part:
            template = noop("{work}, about {dollars} at the prices given.")
    return _(template, work=work, dollars=dollars(usd))


def likely_words(estimate: Estimate) -> str:
    """Return the estimate as a sentence for work that may take more calls: ``Likely 12 requests: ...``."""
    return _("Likely {estimate}", estimate=estimate_words(estimate))


def summaries_words(summarizer: str, estimate: Estimate) -> str:
    """Return what the summarizer of this name would write, as a sentence."""
    return _(
        "{summarizer} would write {estimate}",
        summarizer=summarizer,
        estimate=estimate_words(estimate),
    )


def time_words(seconds: float) -> str:
    """Return a time that was worked out, rounded up: ``30 s``, ``5 min``."""
    whole = max(1, ceil(seconds))
    if whole >= 100:
        whole = 60 * ceil(whole / 60)
    return duration_words(whole)


def left_out_words(sweep: Sweep) -> Iterator[str]:
    """Yield the sentences on the settings that were not measured: strategies of which none was, and how many of
    others."""
    left_out = sweep.left_out
    tried = {sweep.settings[place.setting].id for place in sweep.cells}
    missing = dict.fromkeys(
        _(target.title) for target in left_out if target.id not in tried
    )
    if missing:
        yield _("Not tried at all: {strategies}.", strategies=listed(missing))
    others = sum(target.id in tried for target in left_out)
    if others:
        yield ngettext(
            "{number:,} more setting is left out: values in the middle and at the ends come first.",
            "{number:,} more settings are left out: values in the middle and at the ends come first.",
            others,
            number=others,
        )
