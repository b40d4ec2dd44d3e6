"""Estimates of what work costs that a model is paid for, in words."""

from memviz.core.text.wording import counted, dollars, listed, rounded_tokens
from memviz.metrics.cost.estimate import Estimate
from memviz.models.cost_bound import PlannedCalls


def work_words(work: PlannedCalls) -> str:
    """Return ``12 requests: about 3,400 tokens in and 560 out``."""
    calls = counted(work.calls, work.noun)
    read = rounded_tokens(work.input_tokens)
    written = rounded_tokens(work.output_tokens)
    return f"{calls}: about {read} tokens in and {written} out"


def estimate_words(estimate: Estimate) -> str:
    """Return an estimate as a sentence. Parts without a call are left out, except for the first."""
    first, *others = estimate.parts
    parts = [first, *(part for part in others if part.calls)]
    work = "; ".join(map(work_words, parts))
    usd = estimate.usd
    if usd is None:
        models = listed(estimate.unknown_prices)
        if len(estimate.unknown_prices) == 1:
            return f"{work}. The price of {models} is unknown."
        return f"{work}. The prices of {models} are unknown."
    if not usd:
        return f"{work}, at no cost."
    if len(parts) == 1:
        if estimate.at_list_price:
            return f"{work}, about {dollars(usd)} at list price."
        return f"{work}, about {dollars(usd)} at the prices given."
    if estimate.at_list_price:
        return f"{work}, in all about {dollars(usd)} at list price."
    return f"{work}, in all about {dollars(usd)} at the prices given."


def likely_words(estimate: Estimate) -> str:
    """Return the estimate of work that may cost more, as a sentence."""
    return f"Likely {estimate_words(estimate)}"


def summaries_words(summarizer: str, estimate: Estimate) -> str:
    """Return what the summarizer of this name would write, as a sentence."""
    return f"{summarizer} would write {estimate_words(estimate)}"
