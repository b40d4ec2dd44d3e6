"""Settings of a sweep whose summaries were recorded. A sweep has one summarizer for all of its settings: with a
recording, only what it holds can be measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from memviz.dashboard.ui.controls.grounds import (
    ALL_STAND_IN,
    LINE_KEY,
    instead,
    swept_by,
)
from memviz.dashboard.ui.controls.pickers import RECORDED_FIRST
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.shell.text import plain
from memviz.models.names import RECORDING
from memviz.storage.workspace import Workspace
from memviz.strategies.base import Strategy

ALONE_HELP = (
    "Measure them with the summaries that a language model wrote, beside the settings that summarize nothing. A sweep "
    "has one summarizer for all of its settings, so the others are left out."
)
BACK_HELP = "A sweep has one summarizer for all of its settings, and the stand-in writes for any."


class Tried(NamedTuple):
    """The ``settings`` that a sweep can measure with its summarizer, how many it cannot (``left_out``), and of the
    recording that plays the most of them its name and how many: empty where none plays any."""

    settings: tuple[Strategy, ...]
    left_out: int
    recording: str
    recorded: int


def recorded_settings(
    workspace: Workspace, ids: Sequence[str], study: CompareState
) -> list[Strategy]:
    """The settings of which recordings hold the summaries of any of these conversations, each once."""
    talks = (workspace.conversation(id, study.first_of(id)) for id in ids)
    found = (workspace.recordings.settings_of(*talk, study.counter) for talk in talks)
    return list(dict.fromkeys(one for settings in found for one in settings))


def tried_with(
    workspace: Workspace,
    ids: Sequence[str],
    settings: Sequence[Strategy],
    study: CompareState,
    summarizer: str,
) -> Tried:
    """Return what a sweep of ``settings`` can measure with the summarizer of this name."""
    talks = [workspace.conversation(id, study.first_of(id)) for id in ids]
    has_any = bool(recorded_settings(workspace, ids, study))
    at_hand = [RECORDING + name for name in workspace.recordings.unasked if has_any]
    names = [*at_hand, summarizer] if summarizer.startswith(RECORDING) else at_hand

    def is_played(name: str, one: Strategy) -> bool:
        plays = workspace.recordings.plays
        return all(plays(name, *talk, one, study.counter) for talk in talks)

    writing = [one for one in settings if one.writes_notes]
    played = {name: [one for one in writing if is_played(name, one)] for name in names}
    best = max(played, key=lambda name: len(played[name]), default="")
    kept = tuple(settings)
    if summarizer.startswith(RECORDING):
        held = played.get(summarizer, [])
        kept = tuple(one for one in settings if not one.writes_notes or one in held)
    return Tried(
        kept,
        len(settings) - len(kept),
        best if best and played[best] else "",
        len(played.get(best, [])),
    )


def whose_sweep(workspace: Workspace, summarizer: str, tried: Tried) -> None:
    """One line above the picture: who wrote the summaries of all settings, and the other way to measure them."""
    with st.container(
        key=LINE_KEY, horizontal=True, vertical_alignment="center", gap="xsmall"
    ):
        if not summarizer.startswith(RECORDING):
            swept_by(summarizer)
            if tried.recorded:
                settings = (
                    "the recorded one"
                    if tried.recorded == 1
                    else f"the {tried.recorded:,} recorded ones"
                )
                instead(f"Only {settings}", tried.recording, ALONE_HELP)
            return
        recording = workspace.recordings.all.get(summarizer.removeprefix(RECORDING))
        swept_by(
            summarizer,
            models=recording.models if recording is not None else (),
            left_out=tried.left_out,
        )
        instead(ALL_STAND_IN, RECORDED_FIRST, BACK_HELP)


def none_recorded(summarizer: str) -> None:
    """Say that the recording holds none of the settings, with the way back."""
    st.info(
        f"{plain(summarizer.removeprefix(RECORDING))} is a recording that holds none of these settings over these "
        "conversations.",
        icon=":material/info:",
    )
    instead(ALL_STAND_IN, RECORDED_FIRST, BACK_HELP)
