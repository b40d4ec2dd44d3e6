"""The extent of a sweep: whole families of strategies, what programs do, and the time that it takes, or may take."""

from collections.abc import Mapping, Sequence

import streamlit as st

from memviz.core.text.wording import counted, duration_words
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.jobs import start_button
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import button
from memviz.dashboard.ui.shell.frame import workspace as the_workspace
from memviz.dashboard.ui.shell.linked import linked, linked_list
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value
from memviz.dashboard.ui.tune.state import SECONDS_KEY, Asked, tune_state
from memviz.dashboard.words.estimates import time_words
from memviz.models.names import OFFLINE
from memviz.storage.workspace import Workspace
from memviz.strategies.base import Strategy
from memviz.strategies.families import FAMILIES
from memviz.strategies.presets import presets
from memviz.tuning.pace import HERE
from memviz.tuning.scaling import scale_product

AT_ONCE_MESSAGES = 60_000
"""Settings times messages up to which a free sweep begins by itself: some seconds of work."""
SHORT_SECONDS = 30
"""Offered where a sweep would take long."""
SECONDS = (10, SHORT_SECONDS, 120, 600)
"""Times to choose from."""
CHOICES = (0, *SECONDS)
"""With the choice of as long as it takes."""
SECONDS_HELP = noop(
    "In a chosen time the settings that tell most are measured first: of each family of strategies one in the middle, "
    "then those at both ends. What did not fit is said, and can be measured afterwards."
)
PROGRAMS_KEY = "tune-programs"
PROGRAMS_HELP = noop(
    "Each is one more setting: what it does when nothing is configured, with its limits scaled to the largest "
    "conversation, or they would never be reached."
)
STRATEGIES_KEY = "tune-strategies"
FAMILIES_KEY = "tune-families"
FAMILIES_HELP = noop("Takes all strategies of a family, or none of them.")
PROGRAMS = noop("What programs do")
_TRIED = noop("{settings} of {strategies} are tried.")
_TRIED_FOR = noop(
    "{settings} of {strategies} are tried, which takes about {time} here."
)
_TRIED_AS_FAR = noop("As many of {settings} of {strategies} as fit into {time}.")


def choose_extent(choices: Mapping[str, type[Strategy]]) -> None:
    """Draw the controls of the time that the sweep may take, and of the families whose strategies are all tried."""
    _choose_seconds()
    _choose_families(choices)


def _choose_families(choices: Mapping[str, type[Strategy]]) -> None:
    """Draw the families, of which those are chosen whose strategies all are."""
    offered = {cls.family for cls in choices.values()}
    families = [family for family in FAMILIES if family in offered]
    ids_before = widget_value(STRATEGIES_KEY) or ()
    incomplete = {cls.family for id, cls in choices.items() if id not in ids_before}
    whole = [family for family in families if family not in incomplete]
    if len(widget_value(PROGRAMS_KEY) or ()) == len(presets()):
        whole.append(PROGRAMS)

    def take() -> None:
        """Take all strategies of the families that are chosen now, and none of those that no longer are; single ones of
        other families stay."""
        families_now = widget_value(FAMILIES_KEY) or ()
        ids = []
        for id, cls in choices.items():
            stays = id in ids_before and cls.family not in whole
            if cls.family in families_now or stays:
                ids.append(id)
        set_widget(STRATEGIES_KEY, ids)
        takes_programs = PROGRAMS in families_now
        if takes_programs != (PROGRAMS in whole):
            set_widget(PROGRAMS_KEY, list(presets()) if takes_programs else [])

    set_widget(FAMILIES_KEY, whole)
    st.pills(
        _("Whole families"),
        [*families, PROGRAMS],
        selection_mode="multi",
        format_func=_,
        key=FAMILIES_KEY,
        help=_(FAMILIES_HELP),
        on_change=take,
    )


def choose_programs(largest: Mapping[str, int]) -> tuple[Strategy, ...]:
    """Draw the choice of products and libraries, whose memories are settings beside the grid of values. Return those of
    the chosen ones, for a conversation of the ``largest`` sizes, by unit."""
    all_presets = presets()
    linked_list("programs", PROGRAMS_KEY, all_presets)
    chosen = st.multiselect(
        _(PROGRAMS),
        all_presets,
        default=begin_with(PROGRAMS_KEY, []),
        format_func=lambda id: _(all_presets[id].title),
        key=PROGRAMS_KEY,
        help=_(PROGRAMS_HELP),
        placeholder=_("A product or a library"),
        persist_state="session",
    )
    return tuple(scale_product(id, largest["tokens"]) for id in chosen)


def _choose_seconds() -> None:
    linked("seconds", SECONDS_KEY, SECONDS)
    st.selectbox(
        _("Time"),
        CHOICES,
        index=CHOICES.index(begin_with(SECONDS_KEY, 0)),
        format_func=_seconds_choice,
        key=SECONDS_KEY,
        help=_(SECONDS_HELP),
        persist_state="session",
    )


def _seconds_choice(seconds: int) -> str:
    if seconds:
        return _("What fits into {time}", time=duration_words(seconds))
    return _("As long as all settings take")


def extent_words(settings: Sequence[Strategy]) -> str:
    """Return how many settings are tried, and how long that takes or may take: nothing of the time before any was
    measured here."""
    workspace = the_workspace()
    study = compare_state()
    firsts = {}
    for id in tune_state().conversations:
        firsts[id] = workspace.beginning(id, study.first_of(id))
    messages = _count_messages(workspace, firsts)
    limit = widget_value(SECONDS_KEY)
    seconds = HERE.predict_total_seconds(settings, OFFLINE, messages)
    words = _TRIED
    time = ""
    if limit:
        words = _TRIED_AS_FAR
        time = duration_words(limit)
    elif seconds is not None:
        words = _TRIED_FOR
        time = time_words(seconds)
    return _(
        words,
        settings=counted(settings, "setting"),
        strategies=counted({setting.id for setting in settings}, "strategy"),
        time=time,
    )


def _count_messages(workspace: Workspace, firsts: Mapping[str, int | None]) -> int:
    """Return the messages of conversations, of each the first ones, if not all."""
    messages = 0
    for id, first in firsts.items():
        messages += first or workspace.store.entry(id).message_count
    return messages


def may_begin(workspace: Workspace, asked: Asked) -> bool:
    """Return whether the sweep, which costs nothing, is short enough to begin by itself, or its button was clicked."""
    messages = _count_messages(workspace, asked.first)
    if asked.seconds is not None or len(asked.settings) * messages <= AT_ONCE_MESSAGES:
        return True
    number = counted(asked.settings, "setting")
    st.info(
        _(
            "{settings} over {conversations} with {messages} take about {time}, as measured here, so it begins when "
            "you say so. Cells that were measured before are not measured again.",
            settings=number,
            conversations=counted(asked.ids, "conversation"),
            messages=counted(messages, "message"),
            time=time_words(_forecast_seconds(workspace, asked, messages)),
        ),
        icon=":material/hourglass_empty:",
    )
    with st.container(horizontal=True):
        button(
            _("Only what fits into {time}", time=duration_words(SHORT_SECONDS)),
            "tune-short",
            ":material/timer:",
            set_widget,
            SECONDS_KEY,
            SHORT_SECONDS,
        )
        return start_button(_("Try {settings}", settings=number), "tune-start")


def _forecast_seconds(workspace: Workspace, asked: Asked, messages: int) -> float:
    """Return the time that the sweep takes, from what its strategies took here: those that were never measured are
    tried out over the beginning of a conversation."""
    id, first = next(iter(asked.first.items()))
    transcript = workspace.conversation(id, first)[0]
    writer = workspace.recordings.player(asked.summarizer)
    with st.spinner(_("Trying out how long that takes")):
        HERE.try_out(asked.settings, transcript, asked.counter, writer)
    return HERE.predict_total_seconds(asked.settings, asked.summarizer, messages) or 0.0
