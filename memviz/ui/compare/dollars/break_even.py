"""From which turn on one of two settings has cost less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from memviz.charts.cost.curve import BreakEven
from memviz.charts.cost.setting_cost import SettingCost
from memviz.metrics.cost.cost import break_even_turn
from memviz.text.wording import dollars
from memviz.ui.shell.state import CostsState, set_widget, widget_value
from memviz.ui.shell.text import plain

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
