"""Calls of models before they are made, and the most that they may cost.

These are the numbers that a budget reserves. What calls likely cost is in
``memviz/metrics/cost/estimate.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, inf, log10

from memviz.core.text.wording import counted, dollars, listed
from memviz.core.translation import _, ngettext, noop
from memviz.models.base import Usage
from memviz.models.names import is_free
from memviz.models.prices import Price, known_price

INPUT_MARGIN = 2.0
"""Reserved for each token counted: the model's own tokenizer may cut finer than the counter. Of letters other than
ASCII it may make a token for each byte: older tokenizers make 30 of a Hindi word of which o200k_base makes 5."""


def usd_at_most(price: Price, input_tokens: float, output_tokens: float) -> float:
    """The most that one call of so many tokens costs, in US dollars: none of them is read from a cache, all may be
    written to it."""
    rates = price.rates(int(input_tokens))
    dearest = max(
        rates.input_usd_per_token or 0.0, rates.cache_write_usd_per_token or 0.0
    )
    return input_tokens * dearest + output_tokens * (rates.output_usd_per_token or 0.0)


_UP_TO = noop("At most {left}, where the budget ends it (up to {most} without).")


_ENDED = noop("At most {left}, where the budget ends it.")


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """Calls of ``model`` that are not made yet. They are priced by :func:`price_at_most` where ``usages`` are the most
    that each may use, by :func:`memviz.metrics.cost.estimate.price_likely` where they are what each likely uses."""

    model: str
    usages: tuple[Usage, ...] = ()
    noun: str = "call"
    """What a call gives: "request", "summary"."""

    @classmethod
    def at_most(
        cls,
        model: str,
        input_tokens: Iterable[float],
        reply_tokens: int,
        margin: float = INPUT_MARGIN,
    ) -> PlannedCalls:
        """Return one call for each number of ``input_tokens``, as they were counted, with at most ``reply_tokens``
        written by each. ``margin`` is what the model's own tokenizer may make of a token counted."""
        usages = [Usage(ceil(tokens * margin), reply_tokens) for tokens in input_tokens]
        return cls(model, tuple(usages))

    @property
    def calls(self) -> int:
        """The number of calls."""
        return len(self.usages)

    @property
    def input_tokens(self) -> int:
        """Tokens that all of them read."""
        return sum(usage.input_tokens for usage in self.usages)

    @property
    def output_tokens(self) -> int:
        """Tokens that all of them write."""
        return sum(usage.output_tokens for usage in self.usages)


@dataclass(frozen=True, slots=True)
class CostBound:
    """The most that some calls cost together."""

    usd: float = 0.0
    """US dollars of the calls whose price is known."""
    calls: int = 0
    """The number of the other calls, whose price is not known."""
    input_tokens: int = 0
    """Tokens that those calls read."""
    output_tokens: int = 0
    """Tokens that those calls write."""
    unpriced: tuple[str, ...] = ()
    """The models whose price is not known."""

    def words(self, left_usd: float | None = None) -> str:
        """The bound as a sentence: *At most $0.013.* With ``left_usd``, what a budget has left, no more than that."""
        sentences = []
        if self.usd and left_usd is not None and self.usd > left_usd:
            # A bound that is infinite has no number to show.
            is_finite = self.usd < inf
            sentence = _UP_TO if is_finite else _ENDED
            most = rounded_up(self.usd) if is_finite else ""
            sentences.append(_(sentence, left=dollars(left_usd), most=most))
        elif self.usd:
            sentences.append(_("At most {most}.", most=rounded_up(self.usd)))
        if self.unpriced:
            sentences.append(
                ngettext(
                    "The price of {models} is not known: at most {calls}, {tokens} in and {output_tokens:,} out.",
                    "The prices of {models} are not known: at most {calls}, {tokens} in and {output_tokens:,} out.",
                    len(self.unpriced),
                    models=listed(self.unpriced),
                    calls=counted(self.calls, "call"),
                    tokens=counted(self.input_tokens, "token"),
                    output_tokens=self.output_tokens,
                )
            )
        return " ".join(sentences) or _("At no cost.")


def price_at_most(plan: Iterable[PlannedCalls]) -> CostBound:
    """Return the most that all calls of ``plan`` cost together."""
    usd = 0.0
    unpriced = []
    for calls in plan:
        if is_free(calls.model):
            continue
        list_price = known_price(calls.model)
        if list_price is not None:
            # No answer is longer than the model can write, whatever it is allowed.
            longest = list_price.max_output_tokens or inf
            for usage in calls.usages:
                output_tokens = min(usage.output_tokens, longest)
                usd += usd_at_most(list_price, usage.input_tokens, output_tokens)
        elif calls.usages:
            unpriced.append(calls)
    return CostBound(
        usd,
        calls=sum(calls.calls for calls in unpriced),
        input_tokens=sum(calls.input_tokens for calls in unpriced),
        output_tokens=sum(calls.output_tokens for calls in unpriced),
        unpriced=tuple(dict.fromkeys(calls.model for calls in unpriced)),
    )


def rounded_up(usd: float) -> str:
    """An amount that is not less than ``usd``, to two digits that are not zero."""
    if not usd:
        return dollars(0.0)
    digits = max(2, 1 - floor(log10(abs(usd))))
    return dollars(ceil(round(usd * 10**digits, 6)) / 10**digits)
