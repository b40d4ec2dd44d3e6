"""Estimates of what work costs that a model is paid for, in words."""

from memviz.core.text.wording import counted, dollars, listed, rounded_tokens
from memviz.core.translation import _
from memviz.metrics.cost.estimate import Estimate
from memviz.models.cost_bound import PlannedCalls


def work_words(work: PlannedCalls) -> str:
    """Return ``12 requests: about 3,400 tokens in and 560 out``."""
    calls = counted(work.calls, work.noun)
    read = rounded_tokens(work.input_tokens)
    written = rounded_tokens(work.output_tokens)
    return _(
        "{calls}: about {read} tokens in and {written} out",
        calls=calls,
        read=read,
        written=written,
    )


def estimate_words(estimate: Estimate) -> str:
    """Return an estimate as a sentence. Parts without a call are left out, except for the first."""
    first, *others = estimate.parts
    parts = [first, *(part for part in others if part.calls)]
    work = "; ".join(map(work_words, parts))
    usd = estimate.usd
    if usd is None:
        models = listed(estimate.unknown_prices)
        if len(estimate.unknown_prices) == 1:
            return _(
                "{work}. The price of {models} is unknown.", work=work, models=models
            )
        return _(
            "{work}. The prices of {models} are unknown.", work=work, models=models
        )
    if not usd:
        return _("{work}, at no cost.", work=work)
    if len(parts) == 1:
        if estimate.at_list_price:
            return _(
                "{work}, about {dollars} at list price.",
                work=work,
                dollars=dollars(usd),
            )
        return _(
            "{work}, about {dollars} at the prices given.",
            work=work,
            dollars=dollars(usd),
        )
    if estimate.at_list_price:
        return _(
            "{work}, in all about {dollars} at list price.",
            work=work,
            dollars=dollars(usd),
        )
    return _(
        "{work}, in all about {dollars} at the prices given.",
        work=work,
        dollars=dollars(usd),
    )


def likely_words(estimate: Estimate) -> str:
    """Return the estimate of work that may cost more, as a sentence."""
    return _("Likely {estimate}", estimate=estimate_words(estimate))


def summaries_words(summarizer: str, estimate: Estimate) -> str:
    """Return what the summarizer of this name would write, as a sentence."""
    return _(
        "{summarizer} would write {estimate}",
        summarizer=summarizer,
        estimate=estimate_words(estimate),
    )
