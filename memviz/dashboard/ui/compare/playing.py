"""The three views of Compare, and the stage that plays them in their place.

All have the same settings over the same conversation, seen by what they send, what they
cost and what becomes of every message. Ten classic effects lead into them.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.lessons import lessons
from memviz.dashboard.lessons.lesson import Step, language_of_reader
from memviz.dashboard.lessons.library import classic_effects as effects
from memviz.dashboard.stage.data import MAX_STEPS, Measure, stage_data, steps_around
from memviz.dashboard.stage.predictions import asking_data
from memviz.dashboard.ui.compare.selection import Selection, move_to
from memviz.dashboard.ui.controls.effects import query_of_effect
from memviz.dashboard.ui.controls.known_facts import facts_of_study
from memviz.dashboard.ui.controls.links import STAGE, follow, is_link_opened
from memviz.dashboard.ui.controls.pictures import step_of
from memviz.dashboard.ui.controls.selected_request import is_read, select
from memviz.dashboard.ui.controls.sidebar import is_free_run
from memviz.dashboard.ui.controls.stage_widget import Move, stage
from memviz.dashboard.ui.shell.elements import row, show_caption
from memviz.dashboard.ui.shell.linked import linked_parts
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import STAGE_KEY, STAGED, Lost, View
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import axis_of, numbers_of_turn
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
TOKENS = "tokens"
DOLLARS = "dollars"
MEMORY_MAP = "memory_map"
_MEMORY = noop(
    "A memory strategy decides what a model is sent: what is left out it cannot know, what is sent "
    "you pay for, an unchanged beginning at a discount."
)
_REPLAYED = noop("The same conversation and replies under every {setting}.")
_FREE_RUN = noop(
    "A {free_run}: a model answers one conversation under every {setting}."
)
_PLAYED = noop(
    "Each lane is one {request}, built of its messages. Click a lane to follow it."
)
_IN_DOLLARS = noop(
    "The same conversation under every {setting}, at a model's list prices and with its {prompt_cache}."
)
_ON_THE_MAP = noop(
    "One column a {request}, one row a {message}. Click a cell to read both, drag to zoom, double-click to go back."
)
_LOST_IN_TOKENS = Lost(
    noop(
        "Look first at the lines: each is one setting, and its height is how many tokens a request sent."
    ),
    noop(
        "Press Play below the chart or click a diamond, where a summary was written, and read what that request "
        "sent, and why."
    ),
    noop(
        "It answers how fast each strategy's requests grow, and what a summary takes out of them."
    ),
)
_LOST_IN_DOLLARS = Lost(
    noop(
        "Look first at the ends of the lines: the lowest one is the setting under which the whole "
        "conversation cost least."
    ),
    noop(
        "Change the pause between turns above the chart, and see how the lines change places."
    ),
    noop(
        "It answers which setting is cheapest at a model's prices, from which turn on, and what the prompt "
        "cache has to do with it."
    ),
)
_LOST_ON_THE_MAP = Lost(
    noop(
        "Look first at the colours of one row from left to right: they are the life of one message."
    ),
    noop(
        "Click a cell to read that message and the request of its column, or press Play to walk through "
        "the requests."
    ),
    noop(
        "It answers which messages are sent word for word, which live on in a summary, and which are gone."
    ),
)
_VIEWS = (
    View(
        TOKENS,
        noop("Tokens"),
        noop("What does each strategy send?"),
        _MEMORY,
        _LOST_IN_TOKENS,
    ),
    View(
        DOLLARS,
        noop("Dollars"),
        noop("What does it cost, turn by turn?"),
        _IN_DOLLARS,
        _LOST_IN_DOLLARS,
    ),
    View(
        MEMORY_MAP,
        noop("Memory map"),
        noop("What became of every message?"),
        _ON_THE_MAP,
        _LOST_ON_THE_MAP,
    ),
)
"""The views with the charts, in English."""


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


def play(
    settings: Sequence[SettingRun],
    selection: Selection,
    transcript: Transcript,
    readout: Readout,
) -> None:
    """Draw the stage at the selected request; where the visitor rests is the selection, and while the stage plays too,
    if somebody reads the request beside it."""
    axis = axis_of(setting.run for setting in settings)
    at = axis.last(selection.turn) - 1
    if selection.call is not None:
        calls = len(numbers_of_turn(selection.setting.run, selection.turn))
        at -= calls - selection.call
    every = int(axis.lasts[-1])
    steps = _steps_to_play(at, every)
    if len(steps) < every:
        _offer_other_part(steps, every, selection, step_of(settings))
    probes = facts_of_study(settings[0].run)
    data = settings[0].run.once(
        (stage_data, tuple(settings), probes, steps, readout),
        partial(_asking_data, settings, transcript, probes, steps, readout),
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
    return steps_around(start_of_half + MAX_STEPS // 4, every)


def _asking_data(
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


def _with_terms(sentence: str) -> str:
    """Return a sentence in which the words of the glossary are said with their meanings."""
    return _(
        sentence,
        setting=term("setting"),
        free_run=term("free run"),
        request=term("request"),
        message=term("message"),
        prompt_cache=term("prompt cache"),
    )


def compare_views() -> tuple[View, ...]:
    """Return the views, by where the replies come from. To be called before anything is drawn: a link that was just
    opened says whether they show the stage or the charts."""
    if is_link_opened():
        set_widget(STAGE_KEY, STAGED if st.query_params.get(STAGE) == STAGED else None)
    replies = _with_terms(_FREE_RUN if is_free_run() else _REPLAYED)
    on_stage = _("{replies} {lanes}", replies=replies, lanes=_with_terms(_PLAYED))
    views = []
    for view in _VIEWS:
        sentence = _with_terms(view.sentence)
        if is_staged():
            sentence = on_stage
        elif view.id == TOKENS and is_free_run():
            sentence = _("{memory} {replies}", memory=sentence, replies=replies)
        views.append(
            View(
                view.id,
                _(view.name),
                _(view.question),
                sentence,
                Lost(*map(_, view.lost)),
                choose_stage,
            )
        )
    return tuple(views)


FIRST_LESSON = "first-look"
SHOWN_KEY = "effects-shown"


def help_key() -> str:
    """Return the key of the help: another one, so a closed one, once an effect is shown."""
    return f"lost-{widget_value(SHOWN_KEY) or 0}"


def draw_first_steps() -> None:
    """Draw the way to the first lesson, and the classic effects: each in one sentence, and
    a click that shows it."""
    st.page_link(
        "pages/lessons.py",
        label=_(
            "The first lesson: {minutes} minutes",
            minutes=lessons()[FIRST_LESSON].minutes,
        ),
        icon=":material/school:",
        query_params={"lesson": FIRST_LESSON},
    )
    st.markdown(_("**Ten classic effects**, each on a bundled conversation"))
    for number, effect in enumerate(effects(), 1):
        _draw_effect(number, effect)


def _draw_effect(number: int, effect: Step) -> None:
    with st.container(gap=None, key=f"classic-effect-{number}"):
        if st.button(
            f"**{number}. {effect.title.said(language_of_reader())}**",
            key=f"show-effect-{number}",
            type="tertiary",
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            set_widget(SHOWN_KEY, (widget_value(SHOWN_KEY) or 0) + 1)
            view = effect.view
            follow(view.page, query_of_effect(effect), view.show)
        show_caption(effect.text.said(language_of_reader()))
