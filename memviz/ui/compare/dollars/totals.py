"""What the settings cost in total, and what that is made of."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

import pandas as pd
import streamlit as st

from memviz.charts.cost.setting_cost import SettingCost
from memviz.charts.cost.words import usd_words
from memviz.metrics.cost.parts import Part
from memviz.text.wording import dollars
from memviz.ui.compare.small_multiples import places
from memviz.ui.shell.text import plain

TOTAL_HELP = "US dollars of the chat model and the summarizer over all turns; the change is against the first setting."
TOTAL_PIXELS = 180
FIRST, NONE = "first setting", "–"
PARTS_ALT = "Tokens and US dollars of each part of the cost, one column a setting"
PARTS_HELP = (
    "Input that a request has in common with the one before is read from the cache. What goes into it anew is counted "
    "as written, at the provider's price for that; most charge no more than for fresh input. Requests too short for "
    "the cache are fresh. Tokens are counted as chosen under Counter and models; a provider's own count may differ."
)


def totals(costs: Sequence[SettingCost]) -> None:
    """Dollars in total, each against the first setting, and what share of it the cache and the summarizer have."""
    for column, one in zip(places(len(costs), TOTAL_PIXELS), costs, strict=True):
        change = _change(one, costs[0])
        is_first = one is costs[0]
        delta = None if change is None or len(costs) == 1 else FIRST if is_first else _change_words(change)
        column.metric(
            one.label, usd_words(one.cost.total_usd), delta, help=TOTAL_HELP,
            delta_color="inverse" if change is not None and change < 0 else "off",
            delta_arrow="auto" if change and not is_first else "off",
        )  # fmt: skip
        shares = shares_words(one, has_hits=_any_hits(costs))
        if shares:
            column.caption(shares)


def _change(one: SettingCost, first: SettingCost) -> float | None:
    """By which share it costs more than the first one; ``None`` if that is unknown, or the first is free."""
    usd, against = one.cost.total_usd, first.cost.total_usd
    if usd is None or not against:
        return None
    return 0.0 if isclose(usd, against, rel_tol=1e-9) else usd / against - 1  # sums of floats, so nearly equal


def _change_words(change: float) -> str:
    return f"{change:+.0%} cost" if change else "same cost"


def shares_words(one: SettingCost, *, has_hits: bool) -> str:
    """How much of its input came from the cache, where any did (``has_hits``), and how much of its cost is the
    summarizer's; in Markdown."""
    told = [f"{one.cost.hit_rate:.0%} of its input read from the cache"] if has_hits else []
    if one.cost.traffic.summarizer_turns.size:
        share = one.summarizer_share
        told.append("summarizer's share unknown" if share is None else f"{share:.0%} of the cost is the summarizer's")
    return plain(", ".join(told))


def cheapest_words(costs: Sequence[SettingCost]) -> str:
    """Which setting costs least, and whether the cache decides that; in Markdown, empty where nothing can be said."""
    known = [(one, one.cost.total_usd, one.cost.uncached_total_usd) for one in costs]
    priced = [(one, usd, otherwise) for one, usd, otherwise in known if usd is not None and otherwise is not None]
    if len(priced) < 2:
        return ""
    cheapest, usd, _ = min(priced, key=lambda row: row[1])
    uncached, _, otherwise = min(priced, key=lambda row: row[2])
    if isclose(usd, max(row[1] for row in priced), rel_tol=1e-9):
        return "All settings cost the same."
    words = f"**{plain(cheapest.label)}** costs least: {plain(dollars(usd))}."
    if uncached is cheapest:
        return f"{words} So it would without a prompt cache." if _any_hits(costs) else words
    return f"{words} Without a prompt cache it would be **{plain(uncached.label)}**, with {plain(dollars(otherwise))}."


def parts_table(costs: Sequence[SettingCost]) -> None:
    """Tokens and dollars of each part, one column a setting."""
    st.header("What is paid for?", anchor=False, help=PARTS_HELP)
    table = pd.DataFrame({plain(one.label): _cells(one) for one in costs})
    st.table(table[(table != NONE).any(axis=1)], border="horizontal", alt=PARTS_ALT)


def _cells(one: SettingCost) -> dict[str, str]:
    cost, parts = one.cost, {f"{part.value} (tokens · USD)": _cell(one, part) for part in Part}
    uses_cache = bool(cost.cached_tokens.any() or cost.written_tokens.any())
    return {
        "Requests": f"{len(cost.traffic.turns):,}",
        **parts,
        "Chat model (USD)": usd_words(cost.main_usd),
        "Summarizer (USD)": usd_words(cost.summarizer_usd) if cost.traffic.summarizer_turns.size else NONE,
        "Both (USD)": usd_words(cost.total_usd),
        "Both, without a cache (USD)": usd_words(cost.uncached_total_usd) if uses_cache else NONE,
    }


def _cell(one: SettingCost, part: Part) -> str:
    tokens = int(one.parts.tokens[part].sum())
    return f"{tokens:,} · {usd_words(one.parts.total_usd(part))}" if tokens else NONE


def _any_hits(costs: Sequence[SettingCost]) -> bool:
    return any(one.cost.cached_tokens.any() for one in costs)
