"""The recordings: what a real model answered, played without a key and without a network. Bundled ones, and those that
a visitor opens."""

import streamlit as st

from memviz.core import page_titles
from memviz.core.text.wording import cost_words, counted, listed, seconds_words
from memviz.dashboard.ui.library.state import library_state
from memviz.dashboard.ui.shell.errors import error_shown
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.models.recordings import bundled
from memviz.models.recordings.files import SUFFIX, write_recording
from memviz.models.recordings.holes import hole_words
from memviz.models.recordings.recording import Recording

OPEN_HELP = (
    f"A file made with `memviz record`, or saved on {page_titles.COMPARE} under Download. It stays "
    "until you remove it."
)
MOST_HOLES = 5
ABOUT = (
    "What a language model answered, word for word. Where a recording was made for exactly the conversation and the "
    "setting that you look at, it is played in place of the stand-in: no key, no network, no cost."
)


def recordings() -> None:
    """One row a recording, and a way to open another one."""
    opened = workspace().recordings.opened
    head, way_in = st.columns([3, 1], vertical_alignment="bottom")
    head.header("Recordings", anchor=False)
    with way_in.popover(
        "Open a recording", icon=":material/folder_open:", width="stretch"
    ):
        _open()
    st.caption(ABOUT)
    for name, recording in workspace().recordings.all.items():
        _row(name, recording, is_own=name in opened)


def _open() -> None:
    file = st.file_uploader(
        f"A file *{SUFFIX}*",
        key=f"library-recording-{library_state().uploads}",
        help=OPEN_HELP,
    )
    if file is None:
        return
    with error_shown():
        found = workspace().open_recording(file.getvalue(), file.name)
        library_state().uploads += 1  # a fresh control, so that nothing is opened twice
        st.toast(
            plain(f"Opened “{found.name}”: {counted(len(found.replies), 'reply')}.")
        )
        st.rerun()


def _row(name: str, recording: Recording, *, is_own: bool) -> None:
    with st.container(border=True, key=f"recording-{name}"):
        text, buttons = st.columns([5, 4], vertical_alignment="center")
        with text:
            title = recording.about.title or name
            st.markdown(f"**{plain(f'{name}: {title}' if is_own else title)}**")
            st.caption(plain(" · ".join(_facts(name, recording))))
            if recording.is_cut:
                st.warning(
                    "The file ends in the middle of a line. What is whole in it plays; take a whole copy."
                )
            if recording.holes:
                st.warning(
                    plain(" ".join(map(hole_words, recording.holes[:MOST_HOLES])))
                )
            if recording.about.note:
                with st.expander("How it was made"):
                    st.text(recording.about.note)
        with (
            buttons,
            st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"),
        ):
            st.download_button(
                "Download",
                lambda: write_recording(recording),
                file_name(name) + SUFFIX,
                "application/jsonl",
                icon=":material/download:",
                key=f"download-recording-{name}",
                on_click="ignore",
            )
            if is_own and st.button(
                "Remove", icon=":material/delete:", key=f"remove-recording-{name}"
            ):
                workspace().remove_recording(name)
                st.toast(
                    plain(f"Removed “{name}”. Its file plays again when you open it.")
                )
                st.rerun()


def _facts(name: str, recording: Recording) -> list[str]:
    """Return what it says of itself. What nobody measured is said to be not recorded."""
    about = recording.about
    settings = len(recording.settings)
    seconds = seconds_words(recording.seconds)
    cost = cost_words(recording.cost_usd, recorded=True)
    facts = [
        "bundled" if name in bundled.recordings() else "opened",
        listed(recording.models or (about.model,)),
    ]
    if about.made_on:
        facts.append(about.made_on)
    facts.append(counted(len(recording.replies), "reply"))
    facts.append(counted(settings, "setting"))
    if seconds == cost:
        return [*facts, "seconds and cost not recorded"]
    return [*facts, f"took {seconds}", f"cost {cost}"]
