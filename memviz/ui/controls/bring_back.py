"""Bring back what a setting lost: a button that recalls the turns that state it, and says what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.engine.recall import Recall
from memviz.engine.recall_tokens import added_tokens, stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.traffic import traffic
from memviz.metrics.requests.turn_changes import record_of_turn
from memviz.text.wording import dollars, turn_list
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.ui.controls.pricing import prices_in_force
from memviz.ui.controls.sidebar import REPLAYED, REPLIES_KEY
from memviz.ui.shell.chosen_request import choose_request
from memviz.ui.shell.state import AddedRecall, CompareState, set_widget
from memviz.ui.shell.text import plain
from memviz.ui.shell.views import COMPARE_VIEW, turn_to


class BroughtBack(NamedTuple):
    """``turns`` that are brought back into a request: the tokens that this adds to it (0 if it has them already), and
    US dollars, ``None`` where the price is unknown. ``place`` is where, for the label."""

    turns: tuple[int, ...]
    tokens: int
    usd: float | None
    place: str = ""

    @property
    def label(self) -> str:
        """What the button says."""
        cost = f"+{self.tokens:,} tokens"
        if self.usd is not None:
            # With prices entered by hand more can cost less: a request that a cache takes in may be cheaper as a whole.
            cost += f", {'-' if self.usd < 0 else '+'}{dollars(abs(self.usd))}"
        return f"Bring {turn_list(self.turns)} back{self.place}: {cost}"


def brought_back_into(
    run: Run, record: TurnRecord, turns: tuple[int, ...], prices: PricingAssumptions, priced_turn: int, place: str = ""
) -> BroughtBack:
    """What recalling ``turns`` adds to a request, priced as part of the bill of ``priced_turn``."""
    tokens = added_tokens(run, record, Recall(turns=turns))
    usd = prices.usd_of_more(run.once(traffic, partial(traffic, run)), priced_turn, tokens)
    return BroughtBack(turns, tokens, usd, place)


def bringing_back(
    setting: SettingRun, positions: Sequence[int], turn: int, prices: PricingAssumptions
) -> BroughtBack | None:
    """What it takes to bring the messages at these log positions back into the request of ``turn``, with all of their
    turns; ``None`` where there is no such request, none of them comes before it, or the strategy allows no recall."""
    run = setting.run
    record = record_of_turn(run, turn)
    turns = tuple(number for number in stating_turns(run.log, positions) if 0 < number < turn)
    if record is None or not turns or not run.strategy.allows_recall:
        return None
    return brought_back_into(run, record, turns, prices, turn, " here")


def bring_back(
    state: CompareState, setting: SettingRun, positions: Sequence[int], turn: int, key: str, *, free_run: bool = False
) -> None:
    """The button, for a setting of the sidebar: a click adds the recall for this setting alone, and shows that request
    in Compare. ``free_run``: the setting's run is one, and Compare goes on showing free runs."""
    uid = next((one.uid for one in state.settings if one.index == setting.index), None)
    if uid is None:  # a chat as it was held: it has been sent, and cannot get anything more
        return
    found = bringing_back(setting, positions, turn, prices_in_force())
    if found is None:
        return
    if not found.tokens:
        st.caption(f"The request of turn {turn:,} has {turn_list(found.turns)} already.")
        return
    recall = AddedRecall(turn, found.turns, uid)
    if st.button(
        plain(found.label), key=key, icon=":material/history:", on_click=_add, args=(state, setting, recall, free_run),
        help=f"Sends {turn_list(found.turns)} once more with the request of turn {turn:,} under "
        f"{plain(setting.label)}, and shows that request in Compare.",
    ):  # fmt: skip
        turn_to("compare", COMPARE_VIEW, "tokens")


def _add(state: CompareState, setting: SettingRun, recall: AddedRecall, free_run: bool) -> None:
    """In a callback: what it changes may be drawn already."""
    if recall not in state.recalls:
        state.recalls.append(recall)
    state.looked_at, state.free_run = setting.index, free_run
    choose_request(recall.turn)
    if not free_run:
        set_widget(REPLIES_KEY, REPLAYED)
