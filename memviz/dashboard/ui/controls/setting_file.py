"""A setting out of a file: what the page Tune saves, Compare opens."""

import streamlit as st

from memviz.core import page_titles
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.links import SUMMARIZER
from memviz.dashboard.ui.controls.pickers import name_key
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import error_shown
from memviz.dashboard.ui.shell.state import set_widget
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.memory_config import read_memory_config, strategy_of
from memviz.models.names import is_free

COUNTER_KEY = "compare-counter"
FILE_HELP = noop(
    "A setting as saved on the {tune} page: a strategy with its parameters, the counter and the summarizer."
)


def setting_from_file() -> None:
    """Choose a memory.yaml: its strategy becomes one more setting, its counter that of the page, and so does its
    summarizer if it is free."""
    # A fresh control for every setting, so that no file is opened twice.
    state = compare_state()
    file = st.file_uploader(
        _("Open a memory.yaml"),
        type=["yaml", "yml"],
        key=f"setting-file-{state.settings_made}",
        help=_(FILE_HELP, tune=_(page_titles.TUNE)),
    )
    if file is None:
        return
    with error_shown():
        config = read_memory_config(file.getvalue(), file.name)
        setting = strategy_of(config)
        state.add(setting.id, setting.model_dump())
        memory = config["memory"]
        state.counter = memory.get("counter", state.counter)
        set_widget(COUNTER_KEY, state.counter)
        name = memory.get("summarizer")
        if name is not None and is_free(name):
            set_widget(name_key(SUMMARIZER), name)
        elif name is not None:  # opening a file spends nothing
            st.toast(
                _(
                    "The file summarizes with {name}, which costs money. This page goes on with its own summarizer.",
                    name=plain(name),
                ),
                icon=":material/payments:",
            )
        st.rerun()
