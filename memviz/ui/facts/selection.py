"""One selection on both views of Facts, and on Compare: a setting, a fact, and what happened to the summary."""

from __future__ import annotations

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.ui.controls.sidebar import TURN_KEY
from memviz.ui.facts.views import LIVES, SUMMARIES
from memviz.ui.shell.state import CompareState, set_widget, widget_value
from memviz.ui.shell.views import COMPARE_VIEW, FACTS_VIEW, turn_to


def fact_key(state: CompareState) -> str:
    """The key under which the number of the chosen fact is kept. Another conversation has other facts."""
    return f"retention-fact-{state.conversation_id}"


def view_of(state: CompareState, setting: SettingRun) -> str:
    """What tells the controls of one conversation and setting from another's."""
    return f"{state.conversation_id}-{setting.index}-{setting.run.strategy.label}-{state.counter}"


def event_key(state: CompareState, setting: SettingRun) -> str:
    """The key under which the number of the chosen compaction of a setting is kept."""
    return f"summaries-event-{view_of(state, setting)}"


def chosen_event(state: CompareState, setting: SettingRun) -> int | None:
    """The number of the compaction that is chosen for a setting, ``None`` as long as none is."""
    number = widget_value(event_key(state, setting))
    return number if number in range(len(setting.run.compactions)) else None


def choose_event(state: CompareState, setting: SettingRun, number: int | None) -> None:
    """Choose a compaction of a setting, or none."""
    set_widget(event_key(state, setting), number)


def follow_turn(state: CompareState, setting: SettingRun) -> None:
    """What a visitor's choice of a compaction chooses with it, on all pages: the setting, and the turn of the first
    request that it changed."""
    number = chosen_event(state, setting)
    turn = None if number is None else request_after(setting, number)
    if turn is not None:
        state.looked_at = setting.index
        set_widget(TURN_KEY, turn)


def request_after(setting: SettingRun, number: int) -> int | None:
    """The turn of the first request after compaction ``number``; ``None`` if none followed."""
    compaction = setting.run.compactions[number]
    records = (record for record in setting.run.turns if any(compaction is one for one in record.compactions))
    return next((record.turn for record in records), None)


def open_event(state: CompareState, setting: SettingRun, number: int) -> None:
    """Go to the summaries, to this compaction."""
    state.looked_at = setting.index
    choose_event(state, setting, number)
    follow_turn(state, setting)
    turn_to("facts", FACTS_VIEW, SUMMARIES)


def open_fact(state: CompareState, setting: SettingRun, probe: int) -> None:
    """Go to the life of a fact under a setting."""
    state.looked_at = setting.index
    set_widget(fact_key(state), probe)
    turn_to("facts", FACTS_VIEW, LIVES)


def open_request(state: CompareState, setting: SettingRun, turn: int) -> None:
    """Go to Compare, to the request of a turn."""
    state.looked_at = setting.index
    set_widget(TURN_KEY, turn)
    turn_to("compare", COMPARE_VIEW, "tokens")
