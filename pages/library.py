"""The page Library: all conversations, the import of others, and recordings."""

import streamlit as st

from memviz.core import page_titles
from memviz.core.translation import _
from memviz.dashboard.ui.controls.models_panel import models_panel
from memviz.dashboard.ui.library.class_controls import class_controls
from memviz.dashboard.ui.library.importing import import_controls, import_panel
from memviz.dashboard.ui.library.page import keep_address, open_address, shelf, undo_bar
from memviz.dashboard.ui.library.recordings import backup_controls, recordings
from memviz.dashboard.ui.library.sharing import (
    from_teacher,
    shared_by_link,
    shared_with_me,
)
from memviz.dashboard.ui.library.state import library_state
from memviz.dashboard.ui.shell.frame import open_page
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost

open_page(
    _("Which conversations are there?"),
    _(
        "Bundled samples, your chats, and what you import from other programs. Open one in {compare} to "
        "see what each {strategy} would have sent.",
        compare=_(page_titles.COMPARE),
        strategy=term("strategy"),
    ),
    Lost(
        _(
            "Look first at the list: each row is a conversation, with how long it is and where it comes from."
        ),
        _(
            "Open one in {compare} with its button, or import a file of your own in the sidebar.",
            compare=_(page_titles.COMPARE),
        ),
        _(
            "It answers which conversations you can look at, and which recordings of real models play their "
            "summaries."
        ),
    ),
)
state = library_state()
open_address()
with st.sidebar:
    import_controls()
    models_panel()
    backup_controls()
    class_controls()
import_panel()
undo_bar()
shared_with_me()
from_teacher()
shelf()
shared_by_link()
recordings()
keep_address()
