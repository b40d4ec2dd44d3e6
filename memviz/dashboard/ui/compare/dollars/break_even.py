"""From which request on one of two settings has cost less, in words, and the choice of the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from memviz.core.text.wording import dollars, request_name
from memviz.dashboard.charts.cost.curve import BreakEven
from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.compare.dollars.state import CostsState
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.cost.cost import break_even_request

Side = Literal["one", "other"]
KEYS: dict[Side, str] = {"one": "costs-one", "other": "costs-other"}


PLACES: dict[Side, str] = {"one": "costs-one-place", "other": "costs-other-place"}
"""Under which the places of the two are kept for links: a colour index is not the same for who opens the link."""


def take_linked(state: CostsState, costs: Sequence[SettingCost]) -> None:
    """Choose the two settings that a link asks for, by their places; links hold those that were chosen."""
    for side, key in PLACES.items():
        if linked(f"break-even-{side}", key, range(len(costs))):
            setattr(state, side, costs[widget_value(key)].setting.index)


def compare_two(state: CostsState, costs: Sequence[SettingCost]) -> None:
    """Choose two settings, and say from which request on one of them has cost less."""
    pair = _pair(state, costs)
    if pair is None:
        return
    st.header(
        "When does one setting become cheaper?",
        anchor=False,
        help=tooltip("break-even"),
    )
    for key, chosen in zip(PLACES.values(), (state.one, state.other), strict=True):
        set_widget(
            key,
            next(
                (
                    place
                    for place, one in enumerate(costs)
                    if one.setting.index == chosen
                ),
                None,
            ),
        )
    labels = {
        one.setting.index: one.label for one in costs if one.cost.total_usd is not None
    }
    left, right = st.columns(2, gap="medium")
    with left:
        _choose(state, labels, "one", pair[0])
    with right:
        _choose(
            state,
            {
                index: label
                for index, label in labels.items()
                if index != pair[0].setting.index
            },
            "other",
            pair[1],
        )
    st.markdown(break_even_words(*pair, break_even(*pair)))


def chosen_break_even(
    state: CostsState, costs: Sequence[SettingCost]
) -> BreakEven | None:
    """That of the two settings that are compared; ``None`` if there are no two, or if both cost the same."""
    pair = _pair(state, costs)
    return break_even(*pair) if pair else None


def _pair(
    state: CostsState, costs: Sequence[SettingCost]
) -> tuple[SettingCost, SettingCost] | None:
    """Two of the settings that have a price: what the visitor chose, else the first and the cheapest of the others. A
    choice is kept while its setting is there."""
    priced = [one for one in costs if one.cost.total_usd is not None]
    if len(priced) < 2:
        return None
    one = next((each for each in priced if each.setting.index == state.one), priced[0])
    others = [each for each in priced if each is not one]
    cheapest = min(others, key=lambda each: each.cost.total_usd or 0.0)
    return one, next(
        (each for each in others if each.setting.index == state.other), cheapest
    )


def _choose(
    state: CostsState, labels: dict[int, str], side: Side, chosen: SettingCost
) -> None:
    set_widget(KEYS[side], chosen.setting.index)
    st.selectbox(
        "Which setting" if side == "one" else "Compared with",
        list(labels),
        key=KEYS[side],
        format_func=labels.__getitem__,
        on_change=_remember,
        args=(state, side),
    )


def _remember(state: CostsState, side: Side) -> None:
    setattr(state, side, widget_value(KEYS[side]))


def break_even(one: SettingCost, other: SettingCost) -> BreakEven | None:
    """From which request on one of them has cost less, whichever it is; ``None`` if both cost the same."""
    for cheaper, dearer in ((one, other), (other, one)):
        request = break_even_request(cheaper.cost, dearer.cost)
        if request is not None:
            return BreakEven(request, cheaper, dearer)
    return None


def break_even_words(
    one: SettingCost, other: SettingCost, found: BreakEven | None
) -> str:
    """The answer as a sentence, in Markdown."""
    if found is None:
        return f"**{plain(one.label)}** and **{plain(other.label)}** cost the same in the end."
    cheaper, dearer = found.cheaper, found.dearer
    first, call, calls = found.request
    is_first = call == 1 and first == min(
        int(each.cost.turns[0]) for each in (one, other)
    )
    whole = "turn" if calls == 1 else "request"
    since = (
        f"From the first {whole} on"
        if is_first
        else f"From {request_name(*found.request)} on"
    )
    saved = (dearer.cost.total_usd or 0.0) - (cheaper.cost.total_usd or 0.0)
    return (
        f"{since}, **{plain(cheaper.label)}** has cost less in total than **{plain(dearer.label)}**: "
        f"{plain(dollars(saved))} less in the end."
    )
