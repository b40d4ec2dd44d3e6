"""Whose prices a sweep on the command line counts with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import BadParameter

from memviz.cli.output import complain
from memviz.core.bounds import MAX_USD, quoted

if TYPE_CHECKING:
    from memviz.metrics.cost.pricing import Pricing
    from memviz.tuning.pricing_assumptions import PricingAssumptions

Usd = tuple[float, ...]
"""Prices entered by hand, in US dollars a million tokens: input, output, read from and written to the cache."""
_NAMES = ("input", "output", "cache_read", "cache_write")


def prices_of(text: str | None, option: str, most: int = len(_NAMES)) -> Usd | None:
    """The prices that are written as ``IN,OUT`` or with more of them, up to ``most``."""
    if text is None:
        return None
    try:
        prices = tuple(float(part) for part in text.split(","))
    except ValueError:
        prices = ()
    if not 2 <= len(prices) <= most or not all(0 <= usd <= MAX_USD for usd in prices):
        numbers = "2" if most == 2 else f"2 to {most}"
        wrong = (
            f"{quoted(text)} is not {numbers} prices in US dollars a million tokens."
        )
        raise BadParameter(wrong, param_hint=option)
    return prices


def priced(model: str, by_hand: Usd | None) -> Pricing | None:
    """What a model costs: at list price, but for what is entered by hand. ``None`` where nothing is known."""
    from memviz.metrics.cost.pricing import pricing, unpriced

    listed = pricing(model)
    if by_hand is None:
        return listed
    given = {
        f"{name}_usd_per_million": usd
        for name, usd in zip(_NAMES, by_hand, strict=False)
    }
    return (listed or unpriced(model)).by_hand(**given)


def terms_of(
    model: str,
    summarizer: str,
    by_hand: Usd | None,
    summarizer_by_hand: Usd | None,
    pause_seconds: float,
) -> PricingAssumptions:
    """The terms of a sweep. A price that nobody knows is told on stderr."""
    from memviz.models.cache_rules import cache_rules
    from memviz.tuning.pricing_assumptions import PricingAssumptions

    main = priced(model, by_hand)
    writer = (
        main
        if summarizer == model and summarizer_by_hand is None
        else priced(summarizer, summarizer_by_hand)
    )
    unknown = [
        name
        for name, prices in {model: main, summarizer: writer}.items()
        if prices is None
    ]
    if unknown:
        names = " and of ".join(unknown)
        complain(
            f"Warning: no price is known of {names}, so costs are unknown. --usd-per-million gives one by hand."
        )
    return PricingAssumptions(main, writer, cache_rules(model), pause_seconds)
