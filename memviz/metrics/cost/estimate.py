"""What a paid model would cost that answers every turn of a conversation, told before it is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

from memviz.engine.run import Run
from memviz.models.base import Usage
from memviz.models.prices import price
from memviz.models.registry import OFFLINE

_EXACT_BELOW = 1000
"""Smaller numbers of tokens are said to the last one, larger ones to three digits."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Requests, tokens and list price of one model answering and one summarizing.

    The output of the chat model is what the replies of the transcript hold. ``usd`` is in US dollars,
    without any discount for a cached prompt; ``None`` if a price that is needed is unknown, and
    ``unknown_prices`` then names the models.
    """

    requests: int
    input_tokens: int
    output_tokens: int
    summarizer_input_tokens: int
    summarizer_output_tokens: int
    usd: float | None
    unknown_prices: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The estimate in words."""
        requests = f"{self.requests:,} request{'s' * (self.requests != 1)}"
        read, written = rounded_tokens(self.input_tokens), rounded_tokens(self.output_tokens)
        text = f"{requests}: about {read} tokens in and {written} out"
        if self.summarizer_input_tokens or self.summarizer_output_tokens:
            read, written = rounded_tokens(self.summarizer_input_tokens), rounded_tokens(self.summarizer_output_tokens)
            text += f", and for summaries {read} in and {written} out"
        if self.usd is None:
            several = len(self.unknown_prices) > 1
            names = " and ".join(self.unknown_prices)
            return f"{text}. The {'prices' if several else 'price'} of {names} {'are' if several else 'is'} unknown."
        return f"{text}, about {dollars(self.usd)} at list price." if self.usd else f"{text}, at no cost."


def estimate(runs: Sequence[Run], model: str, summarizer: str) -> CostEstimate:
    """What it will cost to let ``model`` answer every turn of ``runs``, and ``summarizer`` summarize.

    Each request is priced by itself, since some models cost more for long ones. Summaries that nobody
    was asked for cost nothing; one that failed was asked for, and its prompt counts.
    """
    chat = [Usage(record.total_tokens, record.reply_tokens) for run in runs for record in run.turns]
    asked = [compaction for run in runs for compaction in run.compactions if compaction.asked]
    summaries = [Usage(compaction.prompt_tokens, compaction.output_tokens) for compaction in asked]
    costs = {name: list_price_usd(name, usages) for name, usages in by_model((model, chat), (summarizer, summaries))}
    known = [cost for cost in costs.values() if cost is not None]
    return CostEstimate(
        requests=len(chat),
        input_tokens=sum(usage.input_tokens for usage in chat),
        output_tokens=sum(usage.output_tokens for usage in chat),
        summarizer_input_tokens=sum(usage.input_tokens for usage in summaries),
        summarizer_output_tokens=sum(usage.output_tokens for usage in summaries),
        usd=sum(known) if len(known) == len(costs) else None,
        unknown_prices=tuple(name for name, cost in costs.items() if cost is None),
    )


def by_model(*work: tuple[str, list[Usage]]) -> Iterable[tuple[str, list[Usage]]]:
    """What each model is asked to do, once if it does both."""
    merged: dict[str, list[Usage]] = {}
    for name, usages in work:
        merged.setdefault(name.strip(), []).extend(usages)
    return merged.items()


def list_price_usd(model: str, usages: Iterable[Usage]) -> float | None:
    """What all of ``usages`` cost, in US dollars; a model that is asked nothing needs no price for it."""
    if model == OFFLINE:
        return 0.0
    known = price(model)
    costs = [known.cost_usd(usage) if known else None for usage in usages]
    paid = [cost for cost in costs if cost is not None]
    return sum(paid) if len(paid) == len(costs) else None


def dollars(usd: float) -> str:
    """An amount of money: cents, or as many digits as it takes to show two that are not zero."""
    digits = 2 if usd == 0 else max(2, 1 - floor(log10(abs(usd))))
    text = f"{usd:,.{digits}f}"
    needless = len(text) - len(text.rstrip("0"))
    return f"${text[: len(text) - min(needless, digits - 2)]}"


def rounded_tokens(number: int) -> str:
    """A number of tokens: small ones to the last, large ones to three digits."""
    digits = 0 if number < _EXACT_BELOW else 2 - floor(log10(number))
    return f"{round(number, digits):,}"
