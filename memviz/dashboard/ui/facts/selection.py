"""One selection on both views of Facts, and on Compare: a setting and a request, and with them what happened to the
summary by then; on Facts a fact besides, and one of its losses."""

from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.selected_request import (
    chosen_call,
    chosen_turn,
    select,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.views import LIVES, SUMMARIES
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, FACTS_VIEW, turn_to
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_places import find_event_at, list_changed_places


def fact_key() -> str:
    """The key under which the number of the chosen fact is kept. Another conversation has other facts."""
    return f"retention-fact-{compare_state().conversation_id}"


def told_fact() -> int | None:
    """The number of the chosen fact, if it is one that came with the conversation or was typed in: what memviz proposes
    may be something else tomorrow."""
    chosen = widget_value(fact_key())
    probes = studied_conversation()[0].probes
    return chosen if isinstance(chosen, int) and chosen < len(probes) else None


def view_of(setting: SettingRun) -> str:
    """Return what tells the controls of one conversation and setting from another's."""
    state = compare_state()
    return f"{state.conversation_id}-{setting.index}-{setting.run.strategy.label}-{state.counter}"


def event_key(setting: SettingRun) -> str:
    """The key under which the number of the chosen compaction of a setting is kept."""
    return f"summaries-event-{view_of(setting)}"


def chosen_event(setting: SettingRun) -> int | None:
    """The number of the compaction that the selected request of a setting rests on, ``None`` if it rests on none."""
    return find_event_at(
        setting.run,
        chosen_turn() or 0,
        widget_value(event_key(setting)),
        chosen_call(),
    )


def choose_event(setting: SettingRun, number: int) -> None:
    """Choose a compaction of a setting, and with it, on all pages, the setting and the first request that it
    changed."""
    set_widget(event_key(setting), number)
    turn, call = list_changed_places(setting.run)[number]
    select(turn, setting.index, call)


def follow_event(setting: SettingRun) -> None:
    """For callbacks of the control that holds the number of a setting's compaction: what is chosen with it."""
    choose_event(setting, widget_value(event_key(setting)))


def loss_key() -> str:
    """The key under which the turn of the chosen loss of the fact is kept."""
    return f"{fact_key()}-loss"


def opened_key() -> str:
    """The key under which the number of a fact is kept that was opened, until its life is drawn."""
    return f"{fact_key()}-opened"


def open_fact(setting: SettingRun, probe: int) -> None:
    """Go to the life of a fact under a setting, to where it was lost."""
    compare_state().looked_at = setting.index
    set_widget(opened_key(), probe)
    turn_to("facts", FACTS_VIEW, LIVES)


def open_event(setting: SettingRun, number: int) -> None:
    """Go to the summaries, to this compaction."""
    choose_event(setting, number)
    turn_to("facts", FACTS_VIEW, SUMMARIES)


def open_request(setting: SettingRun, turn: int, call: int | None = None) -> None:
    """Go to Compare, to a request."""
    select(turn, setting.index, call)
    turn_to("compare", COMPARE_VIEW, "tokens")


def losses_of(result: RetentionResult, probe: int) -> dict[int, int | None]:
    """The places of the requests at which a fact was lost (see ``Retention.places``: turns, as long as every turn has
    one request), each with the number of the compaction that took it, if one did."""
    return {
        place: by for (number, place), by in result.losses.items() if number == probe
    }


def first_loss(result: RetentionResult, probe: int) -> int | None:
    """Return the place of the loss that is looked at first: that by the chosen compaction, else the first by any
    compaction, else the first of all; ``None`` where nothing is lost."""
    losses = losses_of(result, probe)
    event = chosen_event(result.setting)
    by_compaction = [place for place, by in losses.items() if by is not None]
    by_event = [place for place in by_compaction if losses[place] == event]
    return next(iter(by_event or by_compaction or losses), None)


def request_lost_at(result: RetentionResult, place: int) -> TurnRecord:
    """Return the request at which a fact was lost, by a place of :func:`losses_of`."""
    return result.run.requests[result.retention.number_at(place)]


def choose_fact(result: RetentionResult, probe: int, place: int | None = None) -> None:
    """Choose a fact and one of its losses: that at ``place``, else the first one to look at."""
    set_widget(fact_key(), probe)
    choose_loss(result, probe, place)


def choose_loss(result: RetentionResult, probe: int, place: int | None = None) -> None:
    """Choose a loss of a fact, with the compaction behind it, if there is one, and the request that it concerns."""
    losses = losses_of(result, probe)
    if place not in losses:
        place = first_loss(result, probe)
    set_widget(loss_key(), place)
    if place is not None:
        by = losses[place]
        if by is not None:
            choose_event(result.setting, by)
        record = request_lost_at(result, place)
        select(record.turn, result.setting.index, record.call)
