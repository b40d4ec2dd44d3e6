"""What a recording that was chosen as the summarizer does not hold, and the way on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.core.text.wording import counted, listed
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.grounds import (
    WITH_RECORDINGS,
    WITH_RECORDINGS_HELP,
    instead,
)
from memviz.dashboard.ui.controls.pickers import SUMMARIZER, named
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import compare_state
from memviz.dashboard.ui.shell.text import plain
from memviz.models.names import RECORDED_FIRST, RECORDING

MOST_NAMED = 3


def say_not_recorded(settings: Sequence[SettingRun]) -> None:
    """Say which settings the recording that is chosen has not all summaries of, and which of its own there are."""
    name = named(SUMMARIZER)
    recording = workspace().recordings.all.get(name.removeprefix(RECORDING))
    failed = [
        one.label
        for one in settings
        if any(compaction.error for compaction in one.run.compactions)
    ]
    if recording is None or not name.startswith(RECORDING) or not failed:
        return
    state = compare_state()
    transcript, log = workspace().conversation(state.conversation_id or "", state.first)
    own = [
        one.label
        for one in workspace().recordings.settings_of(
            transcript, log, state.counter, recording.name
        )
    ]
    lacks = (
        listed(failed) if len(failed) <= MOST_NAMED else counted(len(failed), "setting")
    )
    way = (
        f"or one of its settings: {', '.join(own)}"
        if own
        else "for it was made for another conversation or counter"
    )
    st.warning(
        f"The recording “{plain(recording.name)}” does not hold all summaries of {plain(lacks)}: choose "
        f"*{RECORDED_FIRST}*, {plain(way)}.",
        icon=":material/error:",
    )
    instead(WITH_RECORDINGS, RECORDED_FIRST, WITH_RECORDINGS_HELP, key="not-recorded")
