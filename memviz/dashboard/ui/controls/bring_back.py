"""Bring back what a setting lost: a button that recalls the turns that state it, and says what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from memviz.core.text.wording import counted, dollars, turn_list
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.sidebar import REPLAYED, REPLIES_KEY
from memviz.dashboard.ui.shell.chosen_request import choose_request
from memviz.dashboard.ui.shell.state import AddedRecall, CompareState, set_widget
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, turn_to
from memviz.engine.recall import Recall
from memviz.engine.recall_tokens import added_tokens, stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import name_of, numbers_of_turn
from memviz.metrics.requests.traffic import traffic
from memviz.tuning.pricing_assumptions import PricingAssumptions


class BroughtBack(NamedTuple):
    """``turns`` that are brought back into a request: the tokens that this adds to it (0 if it has them already), and
    US dollars, ``None`` where the price is unknown. ``place`` is where, for the label, and ``calls`` how many requests
    of its turn get them."""

    turns: tuple[int, ...]
    tokens: int
    usd: float | None
    place: str = ""
    calls: int = 1

    @property
    def label(self) -> str:
        """What the button says."""
        cost = f"+{counted(self.tokens, 'token')}" + (
            f" in each of {self.calls:,} calls" if self.calls > 1 else ""
        )
        if self.usd is not None:
            # With prices entered by hand more can cost less: a request that a cache takes in may be cheaper as a whole.
            cost += f", {'-' if self.usd < 0 else '+'}{dollars(abs(self.usd))}"
        return f"Bring {turn_list(self.turns)} back{self.place}: {cost}"


def brought_back_into(
    run: Run,
    record: TurnRecord,
    turns: tuple[int, ...],
    prices: PricingAssumptions,
    priced_turn: int,
    place: str = "",
) -> BroughtBack:
    """What recalling ``turns`` adds to a request, priced as part of the bill of ``priced_turn``."""
    tokens = added_tokens(run, record, Recall(turns=turns))
    usd = prices.usd_of_more(
        run.once(traffic, partial(traffic, run)), priced_turn, tokens
    )
    return BroughtBack(turns, tokens, usd, place)


def bringing_back(
    setting: SettingRun,
    positions: Sequence[int],
    record: TurnRecord,
    prices: PricingAssumptions,
) -> BroughtBack | None:
    """What it takes to bring the messages at these log positions back into a request, with all of their turns; ``None``
    where none of them comes before its turn, or the strategy allows no recall. What is brought back goes into all
    requests of the turn: then the dollars are unknown, and the tokens are those of each."""
    run = setting.run
    turns = tuple(
        number
        for number in stating_turns(run.log, positions)
        if 0 < number < record.turn
    )
    if not turns or not run.strategy.allows_recall:
        return None
    calls = len(numbers_of_turn(run, record.turn))
    found = brought_back_into(run, record, turns, prices, record.turn, " here")
    return found if calls == 1 else found._replace(usd=None, calls=calls)


def bring_back(
    state: CompareState,
    setting: SettingRun,
    positions: Sequence[int],
    record: TurnRecord,
    key: str,
    *,
    free_run: bool = False,
) -> bool:
    """The button, for a setting of the sidebar: a click adds the recall for this setting alone, and shows that request
    in Compare. ``free_run``: the setting's run is one, and Compare goes on showing free runs. Returns whether there is
    anything to bring back, and so a button."""
    uid = next((one.uid for one in state.settings if one.index == setting.index), None)
    if (
        uid is None
    ):  # a chat as it was held: it has been sent, and cannot get anything more
        return False
    found = bringing_back(setting, positions, record, prices_in_force())
    if found is None:
        return False
    if not found.tokens:
        st.caption(
            f"The request of {name_of(setting.run, record)} has {turn_list(found.turns)} already."
        )
        return False
    recall = AddedRecall(record.turn, found.turns, uid)
    if st.button(
        plain(found.label),
        key=key,
        icon=":material/history:",
        on_click=_add,
        args=(state, setting, recall, free_run, record.call),
        help=f"Sends {turn_list(found.turns)} once more with {_requests(record, found)} under "
        f"{plain(setting.label)}, and shows that request in Compare.",
    ):
        turn_to("compare", COMPARE_VIEW, "tokens")
    return True


def _requests(record: TurnRecord, found: BroughtBack) -> str:
    turn = f"turn {record.turn:,}"
    return (
        f"the request of {turn}"
        if found.calls == 1
        else f"all {found.calls:,} requests of {turn}"
    )


def _add(
    state: CompareState,
    setting: SettingRun,
    recall: AddedRecall,
    free_run: bool,
    call: int,
) -> None:
    """In a callback: what it changes may be drawn already."""
    if recall not in state.recalls:
        state.recalls.append(recall)
    state.looked_at, state.free_run = setting.index, free_run
    choose_request(recall.turn, call)
    if not free_run:
        set_widget(REPLIES_KEY, REPLAYED)
