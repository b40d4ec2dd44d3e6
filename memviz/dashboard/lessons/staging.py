"""The view of a step as data of the stage: which requests can be played, where it stands, and what is highlighted."""

from dataclasses import dataclass
from typing import Any

from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.lessons.followed_facts import follow_facts
from memviz.dashboard.lessons.lesson import Prediction, Step
from memviz.dashboard.lessons.playing import PlayedStudy
from memviz.dashboard.lessons.study import View
from memviz.dashboard.stage.data import stage_data
from memviz.metrics.requests.request_axis import RequestAxis, make_axis
from memviz.tuning.pricing_assumptions import PricingAssumptions


@dataclass(frozen=True, slots=True)
class StagePosition:
    """The turn that the stage shows, and the turns between which it can be played. All count from 1."""

    first: int
    turn: int
    last: int


def find_stage_position(step: Step, turns: int, *, is_answered: bool) -> StagePosition:
    """Return the position of the stage in a step of a conversation of ``turns`` turns.

    A prediction that is not answered yet stops the stage before the predicted turn; an answered one shows that turn.
    After the answer to any other question the stage shows the last turn that can be played.
    """
    view = step.view
    first = min(view.first_turn or 1, turns)
    last = min(view.last_turn or turns, turns)
    at = min(max(view.turn or first, first), last)
    if isinstance(step.asked, Prediction) and step.asked.turn <= turns:
        predicted_turn = step.asked.turn
        if is_answered:
            at = predicted_turn
            last = max(last, predicted_turn)
        elif predicted_turn > first:
            at = min(at, predicted_turn - 1)
            last = predicted_turn - 1
    elif step.asked is not None and is_answered:
        at = last
    return StagePosition(first, at, last)


def prepare_stage(
    step: Step, played: PlayedStudy, *, is_answered: bool = True
) -> dict[str, Any]:
    """Return the data of the stage for a step, as :func:`memviz.dashboard.stage.data.stage_data` gives it."""
    settings: list[SettingRun] = []
    for run, label in zip(played.runs, played.labels, strict=True):
        settings.append(SettingRun(run, label, len(settings)))
    axis = make_axis(played.runs)
    view = step.view
    where = find_stage_position(
        step, played.runs[0].log.turn_count, is_answered=is_answered
    )
    study = played.study
    terms = PricingAssumptions.of(study.prices_of, pause_seconds=study.pause_seconds)
    data = stage_data(
        settings,
        played.transcript,
        assumptions=terms,
        measure=view.measure,  # type: ignore[arg-type]
        steps=range(axis.last(where.first - 1), axis.last(where.last)),
        at=_place(axis, view, where),
        chosen=_chosen_setting(step),
    )
    highlight = _highlight(view, played)
    facts = [played.probes[fact] for fact in highlight["facts"]]
    followed = follow_facts(data, played.runs, facts)
    staged = {**followed, "title": "", "highlight": highlight}
    if view.controls is not None:
        staged["controls"] = list(view.controls)
    return staged


def _place(axis: RequestAxis, view: View, where: StagePosition) -> int:
    """Return the place (0-based) of the request that the stage stands on."""
    last = axis.last(where.turn) - 1
    if view.call is None or where.turn != view.turn:
        return last
    return min(axis.last(where.turn - 1) + view.call - 1, last)


def _chosen_setting(step: Step) -> int:
    setting = step.view.highlight.setting
    if setting is None and isinstance(step.asked, Prediction):
        return step.asked.setting
    return setting or 0


def _highlight(view: View, played: PlayedStudy) -> dict[str, list[int]]:
    """Return what is pointed at; with a fact the messages that told it, as long as no message is named."""
    wanted = view.highlight
    fact = None if wanted.fact is None else played.fact(wanted.fact)
    facts = [] if fact is None else [fact]
    messages = []
    if wanted.message is not None:
        messages = [wanted.message - 1]
    elif fact is not None:
        messages = list(played.probes[fact].evidence)
    settings = [] if wanted.setting is None else [wanted.setting]
    return {"settings": settings, "facts": facts, "messages": messages}
