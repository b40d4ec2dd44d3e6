"""The dollars of each setting in total, and the parts that they are made of."""

from collections.abc import Sequence
from math import isclose

import pandas as pd
import streamlit as st

from memviz.core.text.wording import COMMA
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import SettingCost, usd_words
from memviz.dashboard.ui.controls.pictures import places
from memviz.dashboard.ui.shell.elements import header
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.prices import PART_NAMES
from memviz.metrics.cost.pricing import Part

TOTAL_HELP = noop(
    "US dollars of the chat model and the summarizer over all turns; the change is against the first "
    "setting."
)
TOTAL_PIXELS = 180
FIRST = noop("baseline")
NONE = "–"
PARTS_ALT = noop("Tokens and US dollars of each part of the cost, one column a setting")
PARTS_HELP = noop(
    "Input that a request has in common with the one before is read from the cache. What is put into "
    "it is counted as written, at the provider's price for that; most charge no more than for fresh "
    "input. Requests too short for the cache are fresh. Tokens are counted as chosen under Models, "
    "sharing and more in the sidebar; a provider's own count may differ."
)


def draw_totals(costs: Sequence[SettingCost]) -> None:
    """Draw the dollars in total, each against the first setting, and what share of it the cache and the summarizer
    have."""
    has_hits = any(setting_cost.cost.cached_tokens.any() for setting_cost in costs)
    for column, setting_cost in places(costs, TOTAL_PIXELS):
        change = _share_of_change(setting_cost, costs[0])
        delta = None
        if setting_cost is not costs[0]:
            delta = _change_words(change)
        elif change is not None and len(costs) > 1:
            delta = _(FIRST)
        column.metric(
            setting_cost.label,
            usd_words(setting_cost.cost.total_usd),
            delta,
            help=_(TOTAL_HELP),
            delta_color="inverse" if change and change < 0 else "off",
            delta_arrow="auto" if change else "off",
        )
        shares = shares_words(setting_cost, has_hits=has_hits)
        if shares:
            column.caption(shares)


def _share_of_change(setting_cost: SettingCost, first: SettingCost) -> float | None:
    """By which share it costs more than the first one; ``None`` if that is unknown, or the first is free."""
    usd = setting_cost.cost.total_usd
    against = first.cost.total_usd
    if usd is None or not against:
        return None
    # Sums of floats, so nearly equal ones are.
    if isclose(usd, against, rel_tol=1e-9):
        return 0.0
    return usd / against - 1


def _change_words(change: float | None) -> str | None:
    if change is None:
        return None
    return _("{change:+.0%} cost", change=change) if change else _("same cost")


def shares_words(setting_cost: SettingCost, *, has_hits: bool) -> str:
    """Return how much of its input came from the cache, where any did (``has_hits``), and how much of its cost is the
    summarizer's; in Markdown."""
    shares = []
    if has_hits:
        shares.append(
            _(
                "{hit_rate:.0%} of its input read from the cache",
                hit_rate=setting_cost.cost.hit_rate,
            )
        )
    if setting_cost.cost.traffic.summarizer_turns.size:
        share = setting_cost.summarizer_share
        if share is None:
            shares.append(_("summarizer's share unknown"))
        else:
            shares.append(_("{share:.0%} of the cost is the summarizer's", share=share))
    return plain(_(COMMA).join(shares))


def draw_parts_table(costs: Sequence[SettingCost]) -> None:
    """Draw tokens and dollars of each part, one column a setting."""
    header(_("What is paid for?"), help=_(PARTS_HELP))
    table = pd.DataFrame(
        {plain(setting_cost.label): _cells(setting_cost) for setting_cost in costs}
    )
    is_told = (table != NONE).any(axis=1)
    # style.css aligns them at the right, where digits compare.
    with st.container(key="costs-parts"):
        st.table(table[is_told], border="horizontal", alt=_(PARTS_ALT))


def _cells(setting_cost: SettingCost) -> dict[str, str]:
    cost = setting_cost.cost
    cells = {_("Requests"): f"{len(cost.traffic.turns):,}"}
    for part, name in PART_NAMES.items():
        cells[_("{part} (tokens · USD)", part=_(name))] = _cell(setting_cost, part)
    has_summarizer = cost.traffic.summarizer_turns.size
    uses_cache = cost.cached_tokens.any() or cost.written_tokens.any()
    summarizer = usd_words(cost.summarizer_usd) if has_summarizer else NONE
    uncached = usd_words(cost.uncached_total_usd) if uses_cache else NONE
    return cells | {
        _("Chat model (USD)"): usd_words(cost.main_usd),
        _("Summarizer (USD)"): summarizer,
        _("Both (USD)"): usd_words(cost.total_usd),
        _("Both, without a cache (USD)"): uncached,
    }


def _cell(setting_cost: SettingCost, part: Part) -> str:
    tokens = int(setting_cost.parts.tokens[part].sum())
    if not tokens:
        return NONE
    return f"{tokens:,} · {usd_words(setting_cost.parts.total_usd(part))}"
