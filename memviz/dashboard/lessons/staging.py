"""The view of a step as data of the stage: which requests can be played, where it stands, what is highlighted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.lessons.lesson import Prediction, Step, View
from memviz.dashboard.lessons.playing import Played
from memviz.dashboard.stage.data import stage_data
from memviz.dashboard.stage.followed import follow
from memviz.metrics.requests.request_axis import RequestAxis, axis_of
from memviz.tuning.pricing_assumptions import PricingAssumptions


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the stage stands: on turn ``turn``, to be played from ``first`` to ``last``."""

    first: int
    turn: int
    last: int


def standing(step: Step, turns: int, *, is_answered: bool) -> Standing:
    """Where the stage stands in a step of a conversation of so many turns. A prediction that waits for its answer stops
    it before the predicted turn; once it is answered it stands there."""
    view = step.view
    first, last = min(view.first_turn or 1, turns), min(view.last_turn or turns, turns)
    at = min(max(view.turn or first, first), last)
    if isinstance(step.asked, Prediction) and step.asked.turn <= turns:
        asked = step.asked.turn
        if is_answered:
            at, last = asked, max(last, asked)
        elif asked > first:
            at, last = min(at, asked - 1), asked - 1
    return Standing(first, at, last)


def staged(step: Step, played: Played, *, is_answered: bool = True) -> dict[str, Any]:
    """The data of the stage for a step, as :func:`memviz.dashboard.stage.data.stage_data` gives it."""
    runs = [
        SettingRun(run, label, n)
        for n, (run, label) in enumerate(zip(played.runs, played.labels, strict=True))
    ]
    axis, view = axis_of(played.runs), step.view
    where = standing(step, played.runs[0].log.turn_count, is_answered=is_answered)
    steps = range(axis.last(where.first - 1), axis.last(where.last))
    data = stage_data(
        runs,
        played.transcript,
        assumptions=_terms(played),
        measure=view.measure,  # type: ignore[arg-type]
        steps=steps,
        at=_place(axis, view, where),
        chosen=_chosen(step),
    )
    highlight = _highlight(view, played)
    followed = follow(
        data, played.runs, [played.probes[fact] for fact in highlight["facts"]]
    )
    return {**followed, "title": "", "highlight": highlight, **_controls(view)}


def _place(axis: RequestAxis, view: View, where: Standing) -> int:
    """The place (0-based) of the request that the stage stands on."""
    last = axis.last(where.turn) - 1
    if view.call is None or where.turn != view.turn:
        return last
    return min(axis.last(where.turn - 1) + view.call - 1, last)


def _terms(played: Played) -> PricingAssumptions:
    return PricingAssumptions.of(
        played.study.prices_of, pause_seconds=played.study.pause_seconds
    )


def _chosen(step: Step) -> int:
    named = step.view.highlight.setting
    if named is None and isinstance(step.asked, Prediction):
        return step.asked.setting
    return named or 0


def _highlight(view: View, played: Played) -> dict[str, list[int]]:
    """What is pointed at; with a fact the messages that told it, as long as no message is named."""
    wanted = view.highlight
    fact = None if wanted.fact is None else played.fact(wanted.fact)
    told = [] if fact is None else list(played.probes[fact].evidence)
    return {
        "settings": [] if wanted.setting is None else [wanted.setting],
        "facts": [] if fact is None else [fact],
        "messages": told if wanted.message is None else [wanted.message - 1],
    }


def _controls(view: View) -> dict[str, list[str]]:
    return {} if view.controls is None else {"controls": list(view.controls)}
