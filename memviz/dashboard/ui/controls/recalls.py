"""Recall in a replay: turns brought back into requests, named by the visitor or because a setting lost a fact."""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import streamlit as st

from memviz.core import page_titles
from memviz.core.errors import MemvizError, RecallError
from memviz.core.text.wording import counted, dollars, turn_list
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.selected_request import select
from memviz.dashboard.ui.controls.study import (
    REPLAYED,
    REPLIES_KEY,
    AddedRecall,
    compare_state,
)
from memviz.dashboard.ui.shell.elements import (
    button,
    level_columns,
    quiet_button,
    show_error,
)
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, turn_to
from memviz.dashboard.words.requests import name_of
from memviz.engine.recall import Recall, parse_numbers
from memviz.engine.recall_tokens import count_added_tokens, find_stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn
from memviz.metrics.requests.traffic import count_traffic
from memviz.tuning.pricing_assumptions import PricingAssumptions

INTO_KEY = "added-into"
TURNS_KEY = "added-turns"
SETTING_KEY = "added-setting"
ALL_SETTINGS = noop("all settings")


def added_recalls(labels: dict[int | str, str], turn_count: int) -> None:
    """Draw the list of recalls, and the controls that add one. ``labels`` names the settings by their uid."""
    state = compare_state()
    for number, recall in enumerate(state.recalls):
        what, where = level_columns([5, 1])
        whose = _(ALL_SETTINGS) if recall.uid is None else labels.get(recall.uid, "")
        what.markdown(
            _(
                "Turn {turn} gets {turns}, {whose}",
                turn=recall.turn,
                turns=turn_list(recall.turns),
                whose=plain(whose),
            )
        )
        with where:
            quiet_button(
                "",
                f"added-remove-{number}",
                ":material/close:",
                _remove_recall,
                recall,
                help=_("Remove this recall"),
            )
    _draw_controls_to_add(labels, turn_count)
    if state.recall_error is not None:
        show_error(state.recall_error)


def _draw_controls_to_add(labels: dict[int | str, str], turn_count: int) -> None:
    st.number_input(
        _("Into the request of turn"),
        1,
        max(1, turn_count),
        max(1, min(2, turn_count)),
        key=INTO_KEY,
    )
    st.text_input(_("Turns to bring back"), key=TURNS_KEY, placeholder="1, 3-5")
    st.selectbox(
        _("For"),
        [ALL_SETTINGS, *labels],
        format_func=lambda uid: labels.get(uid, _(ALL_SETTINGS)),
        key=SETTING_KEY,
    )
    button(_("Add"), None, ":material/history:", _add_typed, width="stretch")


def _add_typed() -> None:
    state = compare_state()
    into = widget_value(INTO_KEY)
    whose = widget_value(SETTING_KEY)
    state.recall_error = None
    try:
        turns = _earlier_turns(widget_value(TURNS_KEY) or "", into)
    except MemvizError as error:
        state.recall_error = error
        return
    uid = None if whose == ALL_SETTINGS else whose
    state.add_recall(AddedRecall(into, turns, uid))
    set_widget(TURNS_KEY, "")


def _earlier_turns(text: str, into: int) -> tuple[int, ...]:
    """Return the turns that a list names, each once and in order. Raises RecallError unless all of them come before."""
    turns = tuple(sorted(set(parse_numbers(text))))
    if not turns:
        raise RecallError(_("Name the turns to bring back, such as 1, 3-5."))
    if not turns[0]:
        raise RecallError(_("There is no turn 0: the first one is turn 1."))
    for turn in turns:
        if turn >= into:
            raise RecallError(
                _(
                    "Turn {turn} does not come before turn {into}: only earlier turns can be brought back.",
                    turn=turn,
                    into=into,
                )
            )
    return turns


def _remove_recall(recall: AddedRecall) -> None:
    # A second click may arrive before the list is drawn again.
    with suppress(ValueError):
        compare_state().recalls.remove(recall)


def recalls_label() -> str:
    """Return what the closed list says of itself."""
    return ngettext(
        "{number} recall added", "{number} recalls added", len(compare_state().recalls)
    )


class BroughtBack(NamedTuple):
    """Turns that are brought back into a request."""

    turns: tuple[int, ...]
    tokens: int
    """The tokens that this adds to the request; 0 if it has them already."""
    usd: float | None
    """``None`` where the price is unknown."""
    place: str = ""
    """The words in the label that say where they go: `` here``."""
    calls: int = 1
    """The number of requests of the turn that get them."""

    @property
    def label(self) -> str:
        """The words of the button."""
        cost = f"+{counted(self.tokens, 'token')}"
        if self.calls > 1:
            cost = _("{cost} in each of {calls:,} calls", cost=cost, calls=self.calls)
        if self.usd is not None:
            # With prices entered by hand more can cost less: a request that a cache takes in may be cheaper as a whole.
            sign = "-" if self.usd < 0 else "+"
            usd = f"{sign}{dollars(abs(self.usd))}"
            cost = _("{cost}, {usd}", cost=cost, usd=usd)
        return _(
            "Bring {turns} back{place}: {cost}",
            turns=turn_list(self.turns),
            place=_(self.place),
            cost=cost,
        )


def brought_back_into(
    run: Run,
    record: TurnRecord,
    turns: tuple[int, ...],
    prices: PricingAssumptions,
    priced_turn: int,
    place: str = "",
) -> BroughtBack:
    """Return what recalling ``turns`` adds to a request, priced as part of the bill of ``priced_turn``."""
    tokens = count_added_tokens(run, record, Recall(turns=turns))
    usd = prices.usd_of_more(count_traffic(run), priced_turn, tokens)
    return BroughtBack(turns, tokens, usd, place)


def bringing_back(
    setting: SettingRun,
    positions: Sequence[int],
    record: TurnRecord,
    prices: PricingAssumptions,
) -> BroughtBack | None:
    """Return what it takes to bring the messages at these log positions back into a request, with their turns; ``None``
    where none of them comes before its turn, or the strategy allows no recall. What is brought back goes into all
    requests of the turn: then the dollars are unknown, and the tokens are those of each."""
    run = setting.run
    stating = find_stating_turns(run.log, positions)
    turns = tuple(turn for turn in stating if 0 < turn < record.turn)
    if not turns or not run.strategy.allows_recall:
        return None
    calls = len(find_numbers_of_turn(run, record.turn))
    recall = brought_back_into(run, record, turns, prices, record.turn, noop(" here"))
    if calls == 1:
        return recall
    return recall._replace(usd=None, calls=calls)


def bring_back(
    setting: SettingRun, positions: Sequence[int], record: TurnRecord
) -> bool:
    """Draw the button that brings the messages at these log positions back into the request of ``record``, where the
    sidebar has the setting: a click adds the recall for this setting alone, and shows that request in Compare. Returns
    whether there is anything to bring back, and so a button."""
    edited = compare_state().setting_at(setting.index)
    if edited is None:
        # A chat as it was held: it has been sent, and cannot get anything more.
        return False
    brought = bringing_back(setting, positions, record, prices_in_force())
    if brought is None:
        return False
    if not brought.tokens:
        st.caption(
            _(
                "The request of {request} has {turns} already.",
                request=name_of(setting.run, record),
                turns=turn_list(brought.turns),
            )
        )
        return False
    recall = AddedRecall(record.turn, brought.turns, edited.uid)
    if button(
        plain(brought.label),
        "retention-bring-back",
        ":material/history:",
        _add_recall,
        setting,
        recall,
        record.call,
        help=_help_to_bring_back(setting, brought, record.turn),
    ):
        turn_to("compare", COMPARE_VIEW, "tokens")
    return True


def _help_to_bring_back(setting: SettingRun, brought: BroughtBack, into: int) -> str:
    requests = noop("the request of {turn}")
    if brought.calls > 1:
        requests = noop("all {calls:,} requests of {turn}")
    turn = _("turn {turn:,}", turn=into)
    return _(
        "Sends {turns} once more with {requests} under {label}, and shows that request in {compare}.",
        turns=turn_list(brought.turns),
        requests=_(requests, calls=brought.calls, turn=turn),
        label=plain(setting.label),
        compare=_(page_titles.COMPARE),
    )


def _add_recall(setting: SettingRun, recall: AddedRecall, call: int) -> None:
    state = compare_state()
    state.add_recall(recall)
    state.free_run = False
    select(recall.turn, setting.index, call)
    set_widget(REPLIES_KEY, REPLAYED)
