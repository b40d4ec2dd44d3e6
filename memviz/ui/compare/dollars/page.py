"""The costs page's main picture: dollars over the turns, what they come to, and when one setting pays off."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.charts.cost.curve import BreakEven, cost_curve
from memviz.charts.cost.setting_cost import SettingCost, Unit, View
from memviz.charts.figure import CONFIG
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.ui.compare.dollars.break_even import break_even, break_even_words, choose_pair
from memviz.ui.compare.dollars.prices import which_prices
from memviz.ui.compare.dollars.totals import cheapest_words, totals
from memviz.ui.shell.state import CostsState, widget_value
from memviz.ui.shell.text import plain

VIEW_KEY, UNCACHED_KEY = "costs-view", "costs-uncached"
UNCACHED_HELP = "Thin dotted lines: the same requests, if the provider had no prompt cache."


def say_what_is_unknown(costs: Sequence[SettingCost]) -> None:
    """Name the prices that are needed and not known, and how to enter them."""
    missing: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for one in costs for name in one.cost.missing):
        model, _, what = name.rpartition(": ")
        missing.setdefault(model, []).append(what)
    if missing:
        names = "; ".join(f"{' and '.join(what)} of {plain(model)}" for model, what in missing.items())
        st.info(
            f"Unknown: {names}. Where it is needed, only tokens are shown. Check the model's name, or enter what it "
            "costs in the sidebar, under **Prices and cache by hand**.", icon=":material/info:",
        )  # fmt: skip


@st.fragment
def in_total(state: CostsState, costs: Sequence[SettingCost], assumptions: PricingAssumptions) -> None:
    """The main picture, the totals under it, and the break-even of two settings, which is marked in the picture."""
    picture = st.container()
    totals(costs)
    verdict = cheapest_words(costs)
    if verdict:
        st.markdown(verdict)
    which_prices(assumptions)
    found = _break_even(state, costs)
    with picture:
        _picture(costs, found)


def _break_even(state: CostsState, costs: Sequence[SettingCost]) -> BreakEven | None:
    if sum(one.cost.total_usd is not None for one in costs) < 2:
        return None
    st.subheader("From when on does one setting pay off?", anchor=False)
    pair = choose_pair(state, costs)
    found = break_even(*pair)
    st.markdown(break_even_words(*pair, found))
    return found


def _picture(costs: Sequence[SettingCost], found: BreakEven | None) -> None:
    view = View(widget_value(VIEW_KEY) or View.SO_FAR.value)
    unit = Unit.USD if any(one.cost.total_usd is not None for one in costs) else Unit.TOKENS
    uncached = widget_value(UNCACHED_KEY) is not False
    st.plotly_chart(
        cost_curve(costs, view, unit=unit, uncached=uncached, break_even=found), key="costs-curve", config=CONFIG,
        alt="Cost over the turns, one line a setting",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.segmented_control(
            "Shown", [one.value for one in View], default=View.SO_FAR.value, required=True, key=VIEW_KEY,
            label_visibility="collapsed", width="content",
        )  # fmt: skip
        if unit is Unit.USD:
            st.toggle("Also without the cache", True, key=UNCACHED_KEY, help=UNCACHED_HELP)
        st.caption(_how_to_read(costs, uncached=uncached and unit is Unit.USD))


def _how_to_read(costs: Sequence[SettingCost], *, uncached: bool) -> str:
    told = ["Point at a line for what a turn cost, and for what."]
    if any(one.cost.traffic.summarizer_turns.size for one in costs):
        told.insert(0, "Violet band: the summarizer's part.")
    if uncached and any(one.cost.cached_tokens.any() for one in costs):
        told.insert(0, "Thin dotted: without the cache.")
    return " ".join(told)
