"""What live models replied in this session, to take away as a recording: whatever they were asked for, on any page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from memviz.core.text.wording import counted, listed
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.replaying import run_key
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import (
    CompareState,
    compare_state,
    noted_replies,
    tune_state,
)
from memviz.dashboard.ui.shell.text import file_name
from memviz.engine.recording import Made, played, saved
from memviz.models.recordings.files import SUFFIX, write_recording
from memviz.models.recordings.noting import Notes
from memviz.models.recordings.recording import About, Recording
from memviz.storage.workspace import Workspace
from memviz.strategies.base import Strategy

Swept = tuple[str, Strategy, str]
"""A conversation, a setting of a sweep over it, and the counter."""
HELP = (
    "A file that plays these replies again, with no key and no network: open it in the Library. It holds what was sent "
    "and what was answered, and never a key or an address."
)


def save_recording(summarizer: ModelChoice) -> None:
    """A button, once a live model has replied."""
    notes, name = noted_replies(), f"memviz-{datetime.now(UTC):%Y-%m-%d}"
    if not (number := len(notes.replies)):
        return
    st.download_button(
        f"Save {counted(number, 'reply')} as a recording",
        partial(
            _file,
            name,
            notes,
            workspace(),
            compare_state(),
            summarizer,
            tuple(tune_state().swept),
        ),
        file_name(name) + SUFFIX,
        "application/jsonl",
        icon=":material/radio_button_checked:",
        help=HELP,
        key="session-recording",
        on_click="ignore",
        width="stretch",
    )


def _file(
    name: str,
    notes: Notes,
    here: Workspace,
    state: CompareState,
    summarizer: ModelChoice,
    swept: Sequence[Swept],
) -> str:
    replies = notes.replies
    runs = [
        *_shown(here, state, summarizer),
        *_swept(here, state, Recording.of(name, About(), replies), swept),
    ]
    models = tuple(dict.fromkeys(one.reply.model for one in replies))
    title = (
        here.store.about(state.conversation_id).title
        if state.conversation_id and runs
        else ""
    )
    about = About(
        title=title, model=listed(models), made_on=f"{datetime.now(UTC):%Y-%m-%d}"
    )
    return write_recording(saved(name, about, replies, runs))


def _shown(here: Workspace, state: CompareState, summarizer: ModelChoice) -> list[Made]:
    """The replays of the settings that are compared, as far as they were made."""
    if (
        state.conversation_id is None
        or summarizer.is_free
        or not here.store.exists(state.conversation_id)
    ):
        return []
    transcript, log = here.conversation(state.conversation_id, state.first)
    found: list[Made] = []
    for setting in state.settings:
        key = run_key(here, state, setting, summarizer)
        run = here.kept_run(key)
        if run is not None:
            made_for = here.recordings.setting(
                transcript, log, key.strategy, key.counter, key.recalls
            )
            found.append((made_for, run, transcript.probes))
    return found


def _swept(
    here: Workspace, state: CompareState, replies: Recording, swept: Sequence[Swept]
) -> list[Made]:
    """The replays of settings of sweeps, as far as these replies give all of their summaries: a sweep keeps figures,
    and no run."""
    found: list[Made] = []
    for id, strategy, counter in swept:
        if not strategy.writes_notes or not here.store.exists(id):
            continue
        transcript, log = here.conversation(id, state.first_of(id))
        run = played(
            log, strategy, replies, counter, transcript.system_prompt, transcript.tools
        )
        if run is not None:
            found.append(
                (
                    here.recordings.setting(transcript, log, strategy, counter),
                    run,
                    transcript.probes,
                )
            )
    return found
