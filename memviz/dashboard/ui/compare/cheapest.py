"""The setting that costs least, in a sentence, with what the pause between turns does to that."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose
from typing import NamedTuple

from memviz.core.text.wording import dollars, duration_words
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.cost.cost import Cost
from memviz.tuning.pricing_assumptions import PricingAssumptions


class CheapestSetting(NamedTuple):
    """The setting that costs least, in words."""

    sentence: str
    """For which pauses it costs least, and which setting does with others; in Markdown, empty where nothing can be
    said."""
    mentions_pauses: bool = False
    """True where the sentence says what the pause does to the cache."""


def describe_cheapest(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> CheapestSetting:
    """Return the setting that costs least, in words."""
    usd_by_place = _known_usd([setting_cost.cost for setting_cost in costs])
    if len(usd_by_place) < 2:
        return CheapestSetting("")
    if isclose(min(usd_by_place.values()), max(usd_by_place.values()), rel_tol=1e-9):
        return CheapestSetting(_("All settings cost the same."))
    cheapest = _find_cheapest(usd_by_place)
    label = plain(costs[cheapest].label)
    amount = plain(dollars(usd_by_place[cheapest]))
    cache = assumptions.cache
    if cache is None or not cache.lifetime_seconds:
        sentence = _(
            "**{label}** costs least: {amount}. No pause changes that: no prompt cache is known that outlasts one.",
            label=label,
            amount=amount,
        )
        return CheapestSetting(sentence)
    # The same requests once more with pauses on the other side of the cache's life: too long for it, or none at all.
    is_alive = cache.is_alive(assumptions.pause_seconds)
    other_pause_seconds = cache.lifetime_seconds if is_alive else 0.0
    otherwise = replace(assumptions, pause_seconds=other_pause_seconds)
    costs_otherwise = [otherwise.cost(each.cost.traffic) for each in costs]
    usd_otherwise = _known_usd(costs_otherwise)
    other = cheapest
    if len(usd_otherwise) > 1:
        other = _find_cheapest(usd_otherwise)
    sentence = _(
        _describe_warm_cache(is_alive=is_alive, is_same=other == cheapest),
        label=label,
        amount=amount,
        pauses=duration_words(assumptions.pause_seconds),
        lives=duration_words(cache.lifetime_seconds),
        other=plain(costs[other].label),
        other_amount=plain(dollars(usd_otherwise.get(other, 0.0))),
    )
    return CheapestSetting(sentence, mentions_pauses=True)


def _describe_warm_cache(*, is_alive: bool, is_same: bool) -> str:
    """Return the sentence on a cache that outlives the pauses (``is_alive``) or not, where the same setting costs least
    with pauses on the other side of its life (``is_same``) or another one."""
    if is_alive and is_same:
        return noop(
            "**{label}** costs least: {amount} with pauses of {pauses}, shorter than the {lives} that the prompt cache "
            "lives. With pauses of {lives} or longer it does so too."
        )
    if is_alive:
        return noop(
            "**{label}** costs least: {amount} with pauses of {pauses}, shorter than the {lives} that the prompt cache "
            "lives. With pauses of {lives} or longer it would be **{other}**, with {other_amount}."
        )
    if is_same:
        return noop(
            "**{label}** costs least: {amount} with pauses of {pauses}, not shorter than the {lives} that the prompt "
            "cache lives. With shorter ones it does so too."
        )
    return noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, not shorter than the {lives} that the prompt "
        "cache lives. With shorter ones it would be **{other}**, with {other_amount}."
    )


def _known_usd(costs: Sequence[Cost]) -> dict[int, float]:
    """Return the dollars of the settings whose price is known, by their place."""
    usd_by_place = {}
    for place, cost in enumerate(costs):
        if cost.total_usd is not None:
            usd_by_place[place] = cost.total_usd
    return usd_by_place


def _find_cheapest(usd_by_place: Mapping[int, float]) -> int:
    """Return the place of the setting that costs least."""
    return min(usd_by_place, key=usd_by_place.__getitem__)
