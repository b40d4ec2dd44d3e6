"""Compare, by dollars: what they come to over the turns, and when one setting pays off."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import streamlit as st

from memviz.charts.cost.curve import BreakEven, cost_curve
from memviz.charts.cost.setting_cost import SettingCost, Unit, View
from memviz.charts.figure import CONFIG
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.metrics.cost.cost import break_even_turn
from memviz.metrics.cost.parts import cost_parts
from memviz.metrics.requests.traffic import traffic
from memviz.text.wording import dollars
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.ui.compare.dollars.prices import which_prices
from memviz.ui.compare.dollars.prompt_cache import from_the_cache
from memviz.ui.compare.dollars.table import turn_by_turn
from memviz.ui.compare.dollars.totals import cheapest_words, parts_table, totals
from memviz.ui.compare.dollars.window_use import against_the_window
from memviz.ui.controls.pricing import price_controls
from memviz.ui.controls.switch import switch
from memviz.ui.shell.links import copy_link
from memviz.ui.shell.state import CostsState, compare_state, costs_state, set_widget, widget_value
from memviz.ui.shell.text import plain


def dollars_view(settings: Sequence[SettingRun], transcript: Transcript) -> None:
    """What every setting costs."""
    with st.sidebar:
        assumptions = price_controls()
        copy_link(compare_state(), "costs-link")
    costs = costed(settings, assumptions)
    say_what_is_unknown(costs)
    in_total(costs_state(), costs, assumptions)
    parts_table(costs)
    from_the_cache(costs, assumptions)
    against_the_window(costs, assumptions)
    turn_by_turn(costs, transcript.title)


def costed(settings: Sequence[SettingRun], assumptions: PricingAssumptions) -> list[SettingCost]:
    """What each setting costs on these terms."""
    out = []
    for setting in settings:
        run = setting.run
        cost = assumptions.cost(run.once(traffic, partial(traffic, run)))
        out.append(SettingCost(setting, cost, cost_parts(cost, assumptions.main, assumptions.summarizer)))
    return out


Side = Literal["one", "other"]
KEYS: dict[Side, str] = {"one": "costs-one", "other": "costs-other"}


def choose_pair(state: CostsState, costs: Sequence[SettingCost]) -> tuple[SettingCost, SettingCost]:
    """Two settings of at least two that have a price: what the visitor chose, else the first and the cheapest of the
    others."""
    by_index = {one.setting.index: one for one in costs if one.cost.total_usd is not None}
    left, right = st.columns(2, gap="medium")
    with left:
        one = _choose(state, by_index, "one", next(iter(by_index)))
    others = {index: cost for index, cost in by_index.items() if index != one}
    cheapest = min(others, key=lambda index: others[index].cost.total_usd or 0.0)
    with right:
        return by_index[one], others[_choose(state, others, "other", cheapest)]


def _choose(state: CostsState, costs: dict[int, SettingCost], side: Side, first: int) -> int:
    """One setting by its index. A choice is kept while the setting is there; without one it follows the prices."""
    chosen: int | None = getattr(state, side)
    set_widget(KEYS[side], chosen if chosen in costs else first)
    index = st.selectbox(
        "One setting" if side == "one" else "compared with", list(costs), key=KEYS[side],
        format_func=lambda index: costs[index].label, on_change=_remember, args=(state, side),
    )  # fmt: skip
    return int(index)


def _remember(state: CostsState, side: Side) -> None:
    setattr(state, side, widget_value(KEYS[side]))


def break_even(one: SettingCost, other: SettingCost) -> BreakEven | None:
    """From when on one of them has cost less, whichever it is; ``None`` if both cost the same."""
    for cheaper, dearer in ((one, other), (other, one)):
        turn = break_even_turn(cheaper.cost, dearer.cost)
        if turn is not None:
            return BreakEven(turn, cheaper, dearer)
    return None


def break_even_words(one: SettingCost, other: SettingCost, found: BreakEven | None) -> str:
    """The answer as a sentence, in Markdown."""
    if found is None:
        return f"**{plain(one.label)}** and **{plain(other.label)}** cost the same in the end."
    cheaper, dearer = found.cheaper, found.dearer
    first = min(int(each.cost.turns[0]) for each in (one, other))
    since = "From the first turn on" if found.turn == first else f"From turn {found.turn:,} on"
    saved = (dearer.cost.total_usd or 0.0) - (cheaper.cost.total_usd or 0.0)
    return (
        f"{since}, **{plain(cheaper.label)}** has cost less in total than **{plain(dearer.label)}**: "
        f"{plain(dollars(saved))} less in the end."
    )


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
    verdict = cheapest_words(costs, assumptions)
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
            switch("Also without the cache", True, key=UNCACHED_KEY, help=UNCACHED_HELP)
        st.caption(_how_to_read(costs, uncached=uncached and unit is Unit.USD))


def _how_to_read(costs: Sequence[SettingCost], *, uncached: bool) -> str:
    told = ["Point at a line for what a turn cost, and for what."]
    if any(one.cost.traffic.summarizer_turns.size for one in costs):
        told.insert(0, "Violet band: the summarizer's part.")
    if uncached and any(one.cost.cached_tokens.any() for one in costs):
        told.insert(0, "Thin dotted: without the cache.")
    return " ".join(told)
