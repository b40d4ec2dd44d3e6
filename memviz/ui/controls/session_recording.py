"""What live models replied in this session, to take away as a recording: whatever they were asked for, on any page."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from memviz.engine.recording import saved
from memviz.engine.run import Run
from memviz.models.recordings.files import SUFFIX, write_recording
from memviz.models.recordings.recording import About, RecordedSetting
from memviz.text.wording import counted, listed
from memviz.transcripts.base import Probe
from memviz.ui.controls.pickers import ModelChoice
from memviz.ui.controls.replaying import run_key
from memviz.ui.shell.frame import workspace
from memviz.ui.shell.state import compare_state, noted_replies
from memviz.ui.shell.text import file_name

HELP = (
    "A file that plays these replies again, with no key and no network: open it in the Library. It holds what was sent "
    "and what was answered, and never a key or an address."
)


def save_recording(summarizer: ModelChoice) -> None:
    """A button, once a live model has replied."""
    replies = noted_replies().replies
    if not replies:
        return
    name = f"memviz-{datetime.now(UTC):%Y-%m-%d}"
    st.download_button(
        f"Save {counted(len(replies), 'reply')} as a recording", lambda: _file(name, summarizer),
        file_name(name) + SUFFIX, "application/jsonl", icon=":material/radio_button_checked:", help=HELP,
        key="session-recording", on_click="ignore", width="stretch",
    )  # fmt: skip


def _file(name: str, summarizer: ModelChoice) -> str:
    replies = noted_replies().replies
    models = tuple(dict.fromkeys(one.reply.model for one in replies))
    runs = _shown(summarizer)
    title = workspace().conversation(compare_state().conversation_id or "")[0].title if runs else ""
    about = About(title=title, model=listed(models), made_on=f"{datetime.now(UTC):%Y-%m-%d}")
    return write_recording(saved(name, about, replies, runs))


def _shown(summarizer: ModelChoice) -> list[tuple[RecordedSetting, Run, tuple[Probe, ...]]]:
    """The replays of the settings that are compared, as far as they were made."""
    state, here = compare_state(), workspace()
    if state.conversation_id is None or summarizer.is_free or not here.store.exists(state.conversation_id):
        return []
    transcript, log = here.conversation(state.conversation_id)
    found = []
    for setting in state.settings:
        key = run_key(here, state, setting, summarizer)
        run = here.kept_run(key)
        if run is not None:
            made_for = here.recordings.setting(transcript, log, key.strategy, key.counter, key.recalls)
            found.append((made_for, run, tuple(transcript.probes)))
    return found
