"""The losses of a fact under a setting, and the choice of one of them: with it the compaction behind it is chosen, and
the request that it concerns."""

from __future__ import annotations

from collections.abc import Mapping

from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.facts.selection import (
    choose_event,
    choose_request_of,
    chosen_event,
    fact_key,
    loss_key,
)
from memviz.dashboard.ui.shell.state import set_widget
from memviz.engine.records import TurnRecord


def losses_of(one: RetentionResult, probe: int) -> dict[int, int | None]:
    """The places of the requests at which a fact was lost (see ``Retention.places``: turns, as long as every turn has
    one request), each with the number of the compaction that took it, if one did."""
    return {place: by for (number, place), by in one.losses.items() if number == probe}


def first_loss(lost: Mapping[int, int | None], event: int | None = None) -> int | None:
    """The loss that is looked at first: that by compaction ``event``, else one by a summarization, else the first."""
    by_event = (at for at, by in lost.items() if by is not None and by == event)
    by_any = (at for at, by in lost.items() if by is not None)
    return next(by_event, next(by_any, next(iter(lost), None)))


def request_lost_at(one: RetentionResult, place: int) -> TurnRecord:
    """The request at such a place."""
    return one.run.requests[one.retention.number_at(place)]


def choose_fact(
    state: CompareState, one: RetentionResult, probe: int, place: int | None = None
) -> None:
    """Choose a fact and one of its losses: that at ``place``, else the first one to look at."""
    set_widget(fact_key(state), probe)
    choose_loss(state, one, probe, place)


def choose_loss(
    state: CompareState, one: RetentionResult, probe: int, place: int | None = None
) -> None:
    """Choose a loss of a fact, with the compaction behind it, if there is one, and the request that it concerns."""
    lost = losses_of(one, probe)
    if place not in lost:
        place = first_loss(lost, chosen_event(state, one.setting))
    set_widget(loss_key(state), place)
    if place is not None:
        by = lost[place]
        if by is not None:
            choose_event(state, one.setting, by)
        record = request_lost_at(one, place)
        choose_request_of(state, one.setting, record.turn, record.call)
