"""The stage that plays the requests of all settings, in place of the charts of Compare."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.data import MAX_STEPS, Measure, stage_data, steps_around
from memviz.dashboard.stage.predictions import asking_data
from memviz.dashboard.ui.compare.selection import Selection, move_to
from memviz.dashboard.ui.controls.known_facts import facts_of_study
from memviz.dashboard.ui.controls.links import STAGE
from memviz.dashboard.ui.controls.pictures import step_of
from memviz.dashboard.ui.controls.selected_request import is_read, select
from memviz.dashboard.ui.controls.stage_widget import Move, stage
from memviz.dashboard.ui.shell.elements import row
from memviz.dashboard.ui.shell.linked import linked_parts
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.walk import STAGE_KEY, STAGED
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn, make_axis
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe, Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

TURN_KEY = "compare-play-around"
TURN_PIXELS = 150
_PLAYED_PART = {
    "turn": noop(
        "Turns {first:,} to {last:,} of {every:,} can be played here. Around turn"
    ),
    "request": noop(
        "Requests {first:,} to {last:,} of {every:,} can be played here. Around turn"
    ),
}


class Readout(NamedTuple):
    """The terms on which lanes speak of their requests: the unit, and on which terms dollars are worked out."""

    measure: Measure = "tokens"
    assumptions: PricingAssumptions | None = None


def choose_stage() -> None:
    """Draw the switch that shows the stage in place of the charts, on all views."""
    linked_parts().keys[STAGE] = STAGE_KEY
    st.pills(
        _("Animation"),
        [STAGED],
        key=STAGE_KEY,
        format_func={STAGED: _("Animation")}.__getitem__,
        label_visibility="collapsed",
        persist_state="session",
    )


def is_staged() -> bool:
    """Return whether the stage is shown."""
    return bool(widget_value(STAGE_KEY) == STAGED)


def play_on_stage(
    settings: Sequence[SettingRun],
    selection: Selection,
    transcript: Transcript,
    readout: Readout,
) -> None:
    """Draw the stage at the selected request; where the visitor rests is the selection, and while the stage plays too,
    if somebody reads the request beside it."""
    axis = make_axis(setting.run for setting in settings)
    # Places count from 1, steps from 0. Without a call the last one of the turn is selected.
    at = axis.last(selection.turn) - 1
    if selection.call is not None:
        calls = len(find_numbers_of_turn(selection.setting.run, selection.turn))
        at -= calls - selection.call
    every = int(axis.lasts[-1])
    steps = _steps_to_play(at, every)
    if len(steps) < every:
        _offer_other_part(steps, every, selection, step_of(settings))
    probes = facts_of_study(settings[0].run)
    # Kept with the run: each move of the visitor draws this fragment again.
    data = settings[0].run.once(
        (stage_data, tuple(settings), probes, steps, readout),
        partial(_make_asking_data, settings, transcript, probes, steps, readout),
        is_picture=True,
    )
    stage(
        {**data, "at": at, "chosen": selection.number},
        "compare-played",
        partial(_follow_move, settings),
        tells_while_playing=is_read() and not hides(Part.READER),
    )


def _offer_other_part(
    steps: range, every: int, selection: Selection, step: str
) -> None:
    """Show which part of a long conversation can be played, and the way to another one."""
    set_widget(TURN_KEY, selection.turn)
    words = _(_PLAYED_PART[step], first=steps.start + 1, last=steps.stop, every=every)
    with row():
        st.caption(words, width="content")
        st.number_input(
            _("Play around turn"),
            1,
            selection.setting.run.log.turn_count,
            key=TURN_KEY,
            width=TURN_PIXELS,
            label_visibility="collapsed",
            on_change=_go_to_turn,
        )


def _go_to_turn() -> None:
    select(widget_value(TURN_KEY) or 1)


def _steps_to_play(at: int, every: int) -> range:
    """Return the steps that can be played around step ``at``. They stay the same while the visitor walks among them:
    those of a long conversation begin at every half of :data:`MAX_STEPS`."""
    half = MAX_STEPS // 2
    start_of_half = at // half * half
    middle_of_half = start_of_half + MAX_STEPS // 4
    return steps_around(middle_of_half, every)


def _make_asking_data(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    probes: tuple[Probe, ...],
    steps: range,
    readout: Readout,
) -> dict[str, Any]:
    retentions = [_retention_of(setting.run, probes) for setting in settings]
    return asking_data(
        settings, transcript, retentions, readout.assumptions, steps, readout.measure
    )


def _retention_of(run: Run, probes: tuple[Probe, ...]) -> Retention | None:
    if not probes:
        return None
    return run.once((retention, probes), partial(retention, run, probes))


def _follow_move(settings: Sequence[SettingRun], move: Move) -> None:
    move_to(settings, move.turn, move.behind, move.setting)
