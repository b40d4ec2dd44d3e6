"""The stage on Compare: the same settings as the charts, played step by step in their place."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.stage.data import MAX_STEPS, Measure, stage_data, steps_around
from memviz.dashboard.stage.predictions import asking_data
from memviz.dashboard.ui.compare.selection import Selection, move_to, select
from memviz.dashboard.ui.controls.known_facts import known_facts
from memviz.dashboard.ui.controls.links import STAGE, is_link_opened
from memviz.dashboard.ui.controls.pictures import step_of
from memviz.dashboard.ui.controls.selected_request import is_read
from memviz.dashboard.ui.controls.stage import Move, stage
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import row
from memviz.dashboard.ui.shell.linked import linked_parts
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.views import STAGE_KEY, STAGED
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, numbers_of_turn
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe, Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

ON = STAGED
TURN_KEY = "compare-play-around"
TURN_PIXELS = 150
_PLAYED_TURNS = noop(
    "Turns {first:,} to {last:,} of {every:,} can be played here. Around turn"
)
_PLAYED_REQUESTS = noop(
    "Requests {first:,} to {last:,} of {every:,} can be played here. Around turn"
)


class Readout(NamedTuple):
    """The terms on which lanes speak of their requests: the unit, and on which terms dollars are worked out."""

    measure: Measure = "tokens"
    assumptions: PricingAssumptions | None = None


def take_linked_stage() -> None:
    """Show the stage, or the charts, as the address asks for. To be called before anything is drawn."""
    if is_link_opened():
        set_widget(STAGE_KEY, ON if st.query_params.get(STAGE) == ON else None)


def choose_stage() -> None:
    """The switch that shows the stage in place of the charts, on all views."""
    linked_parts().keys[STAGE] = STAGE_KEY
    st.pills(
        _("Animation"),
        [ON],
        key=STAGE_KEY,
        format_func={ON: _("Animation")}.__getitem__,
        label_visibility="collapsed",
        persist_state="session",
    )


def is_staged() -> bool:
    """Return whether the stage is shown."""
    return bool(widget_value(STAGE_KEY) == ON)


def play(
    settings: Sequence[SettingRun],
    axis: RequestAxis,
    selection: Selection,
    transcript: Transcript,
    readout: Readout,
) -> None:
    """The stage, at the selected request; where the visitor rests is the selection, and
    while the stage plays too, if somebody reads the request beside it."""
    at = axis.last(selection.turn) - 1
    if selection.call is not None:
        calls = len(numbers_of_turn(selection.setting.run, selection.turn))
        at -= calls - selection.call
    every = int(axis.lasts[-1])
    steps = _played(at, every)
    if len(steps) < every:
        _other_part(steps, every, selection, step_of(settings))
    probes = known_facts(compare_state().conversation_id, settings[0].run.log)
    data = settings[0].run.once(
        (stage_data, tuple(settings), probes, steps, readout),
        partial(_data, settings, transcript, probes, steps, readout),
        is_picture=True,
    )
    stage(
        {**data, "at": at, "chosen": selection.number},
        "compare-played",
        partial(_moved, settings),
        tells_while_playing=is_read() and not hides(Part.READER),
    )


def _other_part(steps: range, every: int, selection: Selection, step: str) -> None:
    """Show which part of a long conversation can be played, and the way to another one."""
    set_widget(TURN_KEY, selection.turn)
    with row():
        st.caption(
            _(
                _PLAYED_TURNS if step == "turn" else _PLAYED_REQUESTS,
                first=steps.start + 1,
                last=steps.stop,
                every=every,
            ),
            width="content",
        )
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


def _played(at: int, every: int) -> range:
    """The steps that can be played, which stay while the visitor walks among them."""
    number = at // (MAX_STEPS // 2)
    return steps_around(number * (MAX_STEPS // 2) + MAX_STEPS // 4, every)


def _data(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    probes: tuple[Probe, ...],
    steps: range,
    readout: Readout,
) -> dict[str, Any]:
    kept = [_retained(one.run, probes) for one in settings]
    terms = readout.assumptions
    return asking_data(settings, transcript, kept, terms, steps, readout.measure)


def _retained(run: Run, probes: tuple[Probe, ...]) -> Retention | None:
    if not probes:
        return None
    return run.once((retention, probes), partial(retention, run, probes))


def _moved(settings: Sequence[SettingRun], move: Move) -> None:
    move_to(settings, move.turn, move.behind, move.setting)
