"""The most that calls of models may cost, said before they are made. The same numbers that a budget reserves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, inf, log10

from memviz.core.text.wording import counted, dollars, listed, plural
from memviz.models.names import is_free
from memviz.models.prices import Price, price

INPUT_MARGIN = 2.0
"""Reserved for each token counted: the model's own tokenizer may cut finer than the counter. Of letters other than
ASCII it may make a token for each byte: older tokenizers make 30 of a Hindi word of which o200k_base makes 5."""


def usd_at_most(known: Price, input_tokens: float, output_tokens: int) -> float:
    """The most that one call of so many tokens costs, in US dollars: none of them is read from a cache, all may be
    written to it."""
    rates = known.rates(int(input_tokens))
    dearest = max(
        rates.input_usd_per_token or 0.0, rates.cache_write_usd_per_token or 0.0
    )
    return input_tokens * dearest + output_tokens * (rates.output_usd_per_token or 0.0)


def has_prices(known: Price | None) -> bool:
    """Return whether what is read and what is written have a price."""
    return known is not None and None not in (
        known.input_usd_per_token,
        known.output_usd_per_token,
    )


@dataclass(frozen=True, slots=True)
class CostBound:
    """The most that some calls cost together. ``usd`` is of those whose price is known; ``calls``, ``input_tokens`` and
    ``output_tokens`` are of the others, made of the models ``unpriced``."""

    usd: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unpriced: tuple[str, ...] = ()

    def __add__(self, other: CostBound) -> CostBound:
        return CostBound(
            self.usd + other.usd,
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            tuple(dict.fromkeys((*self.unpriced, *other.unpriced))),
        )

    def words(self, left_usd: float | None = None) -> str:
        """The bound as a sentence: *At most $0.013.* With ``left_usd``, what a budget has left, no more than that."""
        said = []
        if self.usd and left_usd is not None and self.usd > left_usd:
            without = (
                f" (up to {rounded_up(self.usd)} without)" if self.usd < inf else ""
            )
            said.append(
                f"At most {dollars(left_usd)}, where the budget ends it{without}."
            )
        elif self.usd:
            said.append(f"At most {rounded_up(self.usd)}.")
        if self.unpriced:
            number = len(self.unpriced)
            is_or_are = "is" if len(self.unpriced) == 1 else "are"
            said.append(
                f"The {plural('price', number)} of {listed(self.unpriced)} {is_or_are} not known: at most "
                f"{counted(self.calls, 'call')}, {counted(self.input_tokens, 'token')} in and "
                f"{self.output_tokens:,} out."
            )
        return " ".join(said) or "At no cost."


def cost_bound(
    model: str,
    input_tokens: Iterable[float],
    reply_tokens: int,
    margin: float = INPUT_MARGIN,
) -> CostBound:
    """The most that calls of ``model`` cost: one for each number of ``input_tokens``,
    as they were counted, with at most ``reply_tokens`` written by each. ``margin`` is
    what the model's own tokenizer may make of a token counted."""
    sizes = [ceil(tokens * margin) for tokens in input_tokens]
    if is_free(model) or not sizes:
        return CostBound()
    known = price(model)
    if known is None or not has_prices(known):
        return CostBound(
            0.0, len(sizes), sum(sizes), reply_tokens * len(sizes), (model,)
        )
    written = min(reply_tokens, known.max_output_tokens or reply_tokens)
    return CostBound(sum(usd_at_most(known, tokens, written) for tokens in sizes))


def rounded_up(usd: float) -> str:
    """An amount that is not less than ``usd``, to two digits that are not zero."""
    if not usd:
        return dollars(0.0)
    digits = max(2, 1 - floor(log10(abs(usd))))
    return dollars(ceil(round(usd * 10**digits, 6)) / 10**digits)
