"""Files and texts on their way into the library: choosing and reading them, what has to be asked first (which of
several conversations are wanted, and who the user is where the names do not show it), and what became of each."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from memviz.core.errors import UnclearUserError
from memviz.core.process_memory import give_back
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.ui.library.file_table import columns_of_table, table_of
from memviz.dashboard.ui.library.mapping import mapping_panel
from memviz.dashboard.ui.library.state import Import, library_state
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    buttons_row,
    error_shown,
    main_button,
    popup,
    show_caption,
    show_info,
    show_problem,
    show_success,
    show_warning,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.entries import ConversationEntry
from memviz.transcripts.background import BackgroundReading, NamedBytes, Outcome
from memviz.transcripts.loading import LoadedFile, formats

AT_ONCE_SECONDS = 0.4
"""Most files are read in less: their outcome is there without a progress bar in between."""
REFRESH_SECONDS = 0.3
MAX_NOTES = 4
MOST_IN_SIGHT = 6
"""More names than these are in a list that opens."""
UPLOAD_HELP = noop(
    "Chat exports, API requests, logs of agents, chat databases, tables and plain text, also in a zip. "
    "The format of a file is detected by what is in it. Several files at once are fine."
)
FORMAT_HELP = noop(
    "Choose one only where the format of a file is not detected, or a wrong one is."
)
PASTE_HELP = noop("Any of the formats, or lines such as “User: …” and “Assistant: …”.")


def import_controls() -> None:
    """Draw the controls that take files or a pasted text, and begin to read them at once."""
    state = library_state()
    files = st.file_uploader(
        _("Import conversations"),
        accept_multiple_files=True,
        help=_(UPLOAD_HELP),
        key=f"library-upload-{state.uploads}",
    )
    with popup(_("Paste text"), ":material/content_paste:", width="stretch"):
        text = st.text_area(
            _("A conversation as text"),
            key=f"library-paste-{state.uploads}",
            height=240,
            help=_(PASTE_HELP),
            placeholder=_("User: Where does my sister live?\nAssistant: In Lisbon."),
        )
        is_pasted = button(
            _("Import the text"), None, ":material/download:", width="stretch"
        )
    titles = {name: _(known.title) for name, known in formats().items()}
    format = st.selectbox(
        _("Format"),
        ["", *sorted(titles, key=lambda name: titles[name].casefold())],
        key="library-format",
        format_func=lambda name: titles.get(name, _("Detect automatically")),
        help=_(FORMAT_HELP),
    )
    if files:
        contents = [NamedBytes(file.name, file.getvalue()) for file in files]
        state.read(contents, format or None)
        _give_back([file.file_id for file in files])
        st.rerun()
    if is_pasted:
        content = text.encode("utf-8", "replace")
        state.read([NamedBytes(_("pasted text"), content)], format or None)
        st.rerun()


def _give_back(file_ids: Sequence[str]) -> None:
    """Let Streamlit forget what was uploaded: it would keep the bytes until the visitor closes the page."""
    context = get_script_run_ctx()
    if context is None or not isinstance(
        context.uploaded_file_mgr, MemoryUploadedFileManager
    ):
        return
    for file_id in file_ids:
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)


def import_panel() -> None:
    """Show how far the reading is, or what became of every file."""
    state = library_state()
    if state.reading is not None and not state.reading.wait(AT_ONCE_SECONDS):
        _draw_progress(state.reading)
        return
    if state.reading is not None:
        reading = state.reading
        state.reading = None
        outcomes = list(reading.outcomes)
        if reading.error is not None:
            outcomes.append(Outcome(reading.current, error=reading.error))
        # Files behind one that was cancelled, or that ended it all, have no outcome.
        outcomes_with_files = zip(outcomes, reading.files, strict=False)
        state.imports = [
            _import_outcome(outcome, file, reading.format)
            for outcome, file in outcomes_with_files
        ]
        del reading, outcomes_with_files
        give_back()
    for number, upload in enumerate(state.imports):
        _show(upload, f"{state.uploads}-{number}")


@st.fragment(run_every=REFRESH_SECONDS)
def _draw_progress(reading: BackgroundReading) -> None:
    if reading.wait(0):
        st.rerun()
    share = 0.0
    what = noop("taking it apart")
    if reading.total:
        share = reading.done / reading.total
        what = noop("conversation {done:,} of {total:,}")
    what = _(what, done=reading.done, total=reading.total)
    name = plain(reading.current)
    if len(reading.files) > 1:
        name = _(
            "{name} (file {number} of {files})",
            name=name,
            number=len(reading.outcomes) + 1,
            files=len(reading.files),
        )
    with box():
        st.progress(share, _("Reading {name}: {what}", name=name, what=what))
        if button(_("Cancel"), "library-cancel", ":material/close:"):
            reading.cancel()
            library_state().reading = None
            st.rerun()


def _show(upload: Import, key: str) -> None:
    name = upload.outcome.name
    loaded = upload.outcome.loaded
    error = upload.outcome.error
    if upload.left:
        show_info(plain(_("Nothing of {name} was imported.", name=name)))
    elif upload.saved:
        show_success(" ".join(_saved_words(upload)))
    elif isinstance(error, UnclearUserError) and error.names and upload.file:
        _ask_who_is_the_user(upload, upload.file, error, key)
    elif loaded is None:
        show_problem(_("{name} was not imported. {error}", name=name, error=error))
        if upload.file is not None:
            mapping_panel(upload.file, key)
    elif len(loaded.transcripts) > 1:
        _choose_conversations(upload, loaded, key)


def _saved_words(upload: Import) -> Iterator[str]:
    """Yield ``Imported talk.json: 8 messages in 4 turns, read as …``, and the notes on what was read."""
    saved = upload.saved
    what = upload.outcome.name
    if len(saved) != 1:
        what = _(
            "{conversations} of {name}",
            conversations=counted(saved, "conversation"),
            name=what,
        )
    yield _("Imported {what}: {size}.", what=what, size=_size(saved))
    notes = upload.notes
    if upload.outcome.loaded:
        notes = [*map(str, upload.outcome.loaded.failures), *notes]
    for note in notes[:MAX_NOTES]:
        yield _("Note: {note}", note=note)
    if len(notes) > MAX_NOTES:
        yield _(
            "And {more}, kept with the conversations.",
            more=counted(len(notes) - MAX_NOTES, "more note"),
        )


def _size(saved: list[ConversationEntry]) -> str:
    messages = counted(sum(entry.message_count for entry in saved), "message")
    kinds = ", ".join(dict.fromkeys(entry.format for entry in saved))
    title = _(formats()[kinds].title) if kinds in formats() else kinds
    return _(
        "{messages} in {turns}, read as {title}",
        messages=messages,
        turns=counted(sum(entry.turn_count for entry in saved), "turn"),
        title=title,
    )


ROWS_SHOWN = 10
ROW_PIXELS = 36


def _import_outcome(outcome: Outcome, file: NamedBytes, format: str | None) -> Import:
    """Return what became of a file: a single conversation is saved at once; of several the visitor chooses."""
    # A file that was not read is kept: to be read for its user, or by a mapping.
    upload = Import(outcome, file if outcome.error is not None else None, format)
    if outcome.loaded and len(outcome.loaded.transcripts) == 1:
        with error_shown():
            _save(upload, outcome.loaded, [0])
    return upload


def _save(upload: Import, loaded: LoadedFile, numbers: Sequence[int]) -> None:
    """Import the conversations of these numbers, all or none. Raises StorageError."""
    transcripts = [loaded.whole(number) for number in numbers]
    additions = workspace().add_once(transcripts)
    upload.saved = [addition.entry for addition in additions]
    upload.let_go()  # what is saved is not kept a second time
    upload.notes = []
    for addition in additions:
        if addition.was_there:
            upload.notes.append(
                _(
                    "{title} is in the library already, so it was not saved a second time.",
                    title=addition.entry.title,
                )
            )
    for transcript in transcripts:
        whose = f"{transcript.title}: " if len(transcripts) > 1 else ""
        upload.notes += [whose + _(warning) for warning in transcript.warnings]


def _choose_conversations(upload: Import, loaded: LoadedFile, key: str) -> None:
    """Draw the conversations of a file with title, date, turns and tokens; all or the chosen ones are imported."""
    count = len(loaded.transcripts)
    with box(f"pick-{key}"):
        st.markdown(
            _(
                "**{name}** holds {conversations}. Which do you want?",
                name=plain(upload.outcome.name),
                conversations=counted(count, "conversation"),
            )
        )
        for failure in loaded.failures[:3]:
            show_warning(_("Not readable: {failure}", failure=failure))
        table = st.dataframe(
            table_of(loaded, upload.outcome.tokens),
            hide_index=True,
            on_select="rerun",
            selection_mode="multi-row",
            key=f"pick-table-{key}",
            height=ROW_PIXELS * (min(count, ROWS_SHOWN) + 1),
            column_config=columns_of_table(),
            alt=_("The conversations of the file, one a row"),
        )
        row_numbers = [int(row) for row in table["selection"]["rows"]]
        _import_buttons(upload, loaded, row_numbers, key)


def _import_buttons(
    upload: Import, loaded: LoadedFile, ticked: Sequence[int], key: str
) -> None:
    """Draw the buttons that import the ticked rows, or all where none is ticked, and that import nothing."""
    with buttons_row():
        label = _("Import all {there:,}", there=len(loaded.transcripts))
        if ticked:
            label = _(
                "Import {conversations}",
                conversations=counted(ticked, "conversation"),
            )
        if main_button(label, f"pick-import-{key}", ":material/download:"):
            with st.spinner(_("Saving")), error_shown():
                _save(upload, loaded, ticked or range(len(loaded.transcripts)))
                st.rerun()
        _leave_button(upload, f"pick-leave-{key}")
        st.caption(_("Tick rows to import only these."))


def _ask_who_is_the_user(
    upload: Import, file: NamedBytes, error: UnclearUserError, key: str
) -> None:
    """Draw the names that speak in a file; it is read again once one of them is chosen."""
    with box(f"user-{key}"):
        st.markdown(
            _(
                "**{name}** does not show who the user is.",
                name=plain(upload.outcome.name),
            )
        )
        show_caption(_(error.reason))
        name = _choose_user(error.names, key)
        with buttons_row():
            if main_button(
                _("Import"),
                f"user-import-{key}",
                ":material/download:",
                disabled=name is None,
            ):
                with st.spinner(_("Reading")):
                    _read_again(upload, file, name)
                st.rerun()
            _leave_button(upload, f"user-leave-{key}")


def _leave_button(upload: Import, key: str) -> None:
    if button(_("Import nothing"), key, ":material/close:"):
        upload.left = True
        upload.let_go()
        st.rerun()


def _choose_user(names: Sequence[str], key: str) -> str | None:
    choose: Callable[..., str | None] = st.selectbox
    if len(names) <= MOST_IN_SIGHT:
        choose = partial(st.radio, format_func=plain, horizontal=True)
    return choose(
        _("Who is the user?"),
        names,
        index=None,
        key=f"user-name-{key}",
        help=_("Everybody else in the file becomes the assistant, under their names."),
    )


def _read_again(upload: Import, file: NamedBytes, user: str | None) -> None:
    reading = BackgroundReading([file], upload.format, user=user)
    while not reading.wait(1):
        pass
    again = _import_outcome(reading.outcomes[0], file, upload.format)
    vars(upload).update(vars(again))  # it is the same file, read otherwise
