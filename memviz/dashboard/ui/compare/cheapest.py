"""The setting that costs least, in a sentence, with what the pause between turns does to that."""

from collections.abc import Sequence
from math import isclose
from typing import NamedTuple

from memviz.core.text.wording import dollars, duration_words
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.cost.cost import Cost, CostByPause, cost_by_pause
from memviz.tuning.pricing_assumptions import PricingAssumptions

_COSTS_LEAST = {
    (True, True): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, shorter than the {lives} that the prompt cache "
        "lives. With pauses of {lives} or longer it does so too."
    ),
    (True, False): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, shorter than the {lives} that the prompt cache "
        "lives. With pauses of {lives} or longer it would be **{other}**, with {other_amount}."
    ),
    (False, True): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, not shorter than the {lives} that the prompt "
        "cache lives. With shorter ones it does so too."
    ),
    (False, False): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, not shorter than the {lives} that the prompt "
        "cache lives. With shorter ones it would be **{other}**, with {other_amount}."
    ),
}
"""By whether the cache outlives the pauses, and whether the same setting costs least with the other ones."""


def cheapest_words(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> str:
    """Return which setting costs least, for which pauses that holds, and which one does with others; in Markdown, empty
    where nothing can be said."""
    cheapest = _only_cheapest(costs)
    if cheapest is None:
        same = _cheapest([setting_cost.cost for setting_cost in costs]) is not None
        return _("All settings cost the same.") if same else ""
    label = plain(costs[cheapest.place].label)
    amount = plain(dollars(cheapest.usd))
    by_setting = _known_by_pause(costs, assumptions)
    if not by_setting or assumptions.cache is None:
        return _(
            "**{label}** costs least: {amount}. No pause changes that: no prompt cache is known that outlasts one.",
            label=label,
            amount=amount,
        )
    reads = assumptions.cache.is_alive(assumptions.pause_seconds)
    costs_otherwise = [both.longer if reads else both.shorter for both in by_setting]
    other = _cheapest(costs_otherwise)
    lives = duration_words(assumptions.cache.lifetime_seconds or 0.0)
    is_same = other is None or other.place == cheapest.place
    return _(
        _COSTS_LEAST[reads, is_same],
        label=label,
        amount=amount,
        pauses=duration_words(assumptions.pause_seconds),
        lives=lives,
        other="" if other is None else plain(costs[other.place].label),
        other_amount="" if other is None else plain(dollars(other.usd)),
    )


def says_how_pauses_matter(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> bool:
    """Return whether :func:`cheapest_words` says what the pause does to the cache."""
    is_compared = bool(_known_by_pause(costs, assumptions))
    return (
        _only_cheapest(costs) is not None
        and is_compared
        and assumptions.cache is not None
    )


def _known_by_pause(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> list[CostByPause]:
    prices = (assumptions.main, assumptions.summarizer, assumptions.cache)
    known = []
    for setting_cost in costs:
        by_pause = cost_by_pause(setting_cost.cost.traffic, *prices)
        if by_pause is not None:
            known.append(by_pause)
    return known


class _Cheapest(NamedTuple):
    """The place of the setting that costs least, and what it costs."""

    place: int
    usd: float


def _cheapest(costs: Sequence[Cost]) -> _Cheapest | None:
    """Return the cheapest of the settings whose price is known; ``None`` where these are fewer than two."""
    priced = [
        _Cheapest(place, cost.total_usd)
        for place, cost in enumerate(costs)
        if cost.total_usd is not None
    ]
    return min(priced, key=lambda setting: setting.usd) if len(priced) > 1 else None


def _only_cheapest(costs: Sequence[SettingCost]) -> _Cheapest | None:
    """Return the setting that costs least; ``None`` where all cost the same, or nothing is known."""
    cheapest = _cheapest([setting_cost.cost for setting_cost in costs])
    if cheapest is None:
        return None
    dearest_usd = max(setting_cost.cost.total_usd or 0.0 for setting_cost in costs)
    return None if isclose(cheapest.usd, dearest_usd, rel_tol=1e-9) else cheapest
