"""The conversations of a file that are saved, and what has to be asked first: which of several are wanted, and who the
user is where the names do not show it."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import UnclearUserError
from memviz.core.text.wording import counted
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.library.state import Import
from memviz.dashboard.ui.shell.errors import error_shown
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import plain
from memviz.transcripts.background import BackgroundReading, NamedBytes, Outcome
from memviz.transcripts.loading import LoadedFile

ROWS_SHOWN = 10
ROW_PIXELS = 36


def imported(outcome: Outcome, file: NamedBytes, format: str | None) -> Import:
    """Return what became of a file: a single conversation is saved at once; of several the visitor chooses."""
    unclear = isinstance(outcome.error, UnclearUserError) and bool(outcome.error.names)
    made = Import(outcome, file if unclear else None, format)
    if outcome.loaded and len(outcome.loaded.transcripts) == 1:
        with error_shown():
            save(made, [0])
    return made


def save(made: Import, numbers: Sequence[int]) -> None:
    """Import the conversations of these numbers, all or none. Raises StorageError."""
    loaded = made.outcome.loaded
    if loaded is None:
        return
    chosen = [loaded.whole(number) for number in numbers]
    added = workspace().add_once(chosen)
    made.saved = [one.entry for one in added]
    made.let_go()  # what is saved is not kept a second time
    made.notes = []
    for one in added:
        if one.was_there:
            made.notes.append(
                f"{one.entry.title} is in the library already, so it was not saved a second time."
            )
    for transcript in chosen:
        whose = f"{transcript.title}: " if len(chosen) > 1 else ""
        made.notes += [whose + warning for warning in transcript.warnings]


def pick(made: Import, key: str) -> None:
    """The conversations of a file with title, date, turns and tokens; all or the chosen ones are imported."""
    loaded = made.outcome.loaded
    if loaded is None:
        return
    there = len(loaded.transcripts)
    with st.container(border=True, key=f"pick-{key}"):
        st.markdown(
            f"**{plain(made.outcome.name)}** holds {counted(there, 'conversation')}. Which do you want?"
        )
        for failure in loaded.failures[:3]:
            st.warning(plain(f"Not readable: {failure}"), icon=":material/warning:")
        chosen = st.dataframe(
            _table(loaded, made.outcome.tokens),
            hide_index=True,
            on_select="rerun",
            selection_mode="multi-row",
            key=f"pick-table-{key}",
            height=ROW_PIXELS * (min(there, ROWS_SHOWN) + 1),
            column_config=_columns(),
            alt="The conversations of the file, one a row",
        )
        rows = [int(row) for row in chosen["selection"]["rows"]]
        with st.container(horizontal=True):
            label = f"Import all {there:,}"
            if rows:
                label = f"Import {counted(len(rows), 'conversation')}"
            if st.button(
                label,
                type="primary",
                icon=":material/download:",
                key=f"pick-import-{key}",
            ):
                with st.spinner("Saving"), error_shown():
                    save(made, rows or range(there))
                    st.rerun()
            if st.button(
                "Import nothing", icon=":material/close:", key=f"pick-leave-{key}"
            ):
                made.left = True
                made.let_go()
                st.rerun()
            st.caption("Tick rows to import only these.")


def _table(loaded: LoadedFile, tokens: Sequence[int]) -> pd.DataFrame:
    held_at = [transcript.held_at for transcript in loaded.transcripts]
    logs = [Log(transcript.messages) for transcript in loaded.transcripts]
    turns = [log.turn_count for log in logs]
    requests = [log.request_count for log in logs]
    columns: dict[str, Any] = {
        "title": [transcript.title for transcript in loaded.transcripts]
    }
    if any(held_at):
        columns["date"] = pd.Series(held_at, dtype="datetime64[us, UTC]")
    columns["turns"] = turns
    if requests != turns:
        columns["requests"] = requests
    columns["messages"] = [len(one.messages) for one in loaded.transcripts]
    columns["tokens"] = tokens
    columns["notes"] = [len(one.warnings) for one in loaded.transcripts]
    return pd.DataFrame(columns)


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "title": st.column_config.TextColumn("Title", width="large"),
        "date": st.column_config.DatetimeColumn("Date", format="YYYY-MM-DD"),
        "turns": number("Turns", format="localized", help=tooltip("turn")),
        "requests": number(
            "Requests",
            format="localized",
            help="Calls of the model: several in a turn with tools.",
        ),
        "messages": number("Messages", format="localized", help=tooltip("message")),
        "tokens": number(
            "Tokens",
            format="localized",
            help=f"{tooltip('token')} With tool calls, counted by {DEFAULT_COUNTER}.",
        ),
        "notes": number(
            "Notes",
            help="What had to be repaired or left out. The notes come with the conversation.",
        ),
    }


MOST_IN_SIGHT = 6
"""More names than these are in a list that opens."""


def ask_who_is_the_user(made: Import, key: str) -> None:
    """The names that speak in a file; it is read again once one of them is chosen."""
    error = made.outcome.error
    if not isinstance(error, UnclearUserError) or made.file is None:
        return
    with st.container(border=True, key=f"user-{key}"):
        st.markdown(f"**{plain(made.outcome.name)}** does not show who the user is.")
        st.caption(plain(error.reason))
        name = _chosen(error.names, key)
        with st.container(horizontal=True):
            if st.button(
                "Import",
                type="primary",
                icon=":material/download:",
                key=f"user-import-{key}",
                disabled=name is None,
            ):
                with st.spinner("Reading"):
                    _read_again(made, name)
                st.rerun()
            if st.button(
                "Import nothing", icon=":material/close:", key=f"user-leave-{key}"
            ):
                made.left = True
                st.rerun()


def _chosen(names: Sequence[str], key: str) -> str | None:
    help = "Everybody else in the file becomes the assistant, under their names."
    if len(names) > MOST_IN_SIGHT:
        return st.selectbox(
            "Who is the user?", names, index=None, key=f"user-name-{key}", help=help
        )
    return st.radio(
        "Who is the user?",
        names,
        index=None,
        format_func=plain,
        key=f"user-name-{key}",
        horizontal=True,
        help=help,
    )


def _read_again(made: Import, name: str | None) -> None:
    if made.file is None:
        return
    reading = BackgroundReading([made.file], made.format, user=name)
    while not reading.wait(1):
        pass
    again = imported(reading.outcomes[0], made.file, made.format)
    made.outcome = again.outcome
    made.saved = again.saved
    made.notes = again.notes
    made.file = again.file
