"""A setting from a file: the memory.yaml that was taken home comes back as a setting to look at."""

from __future__ import annotations

import streamlit as st

from memviz.memory_config import read_memory_config, strategy_of
from memviz.ui.errors import error_shown
from memviz.ui.state import CompareState, set_widget

COUNTER_KEY, SUMMARIZER_KEY = "compare-counter", "compare-summarizer-name"


def setting_from_file(state: CompareState) -> None:
    """Choose a memory.yaml: its strategy becomes one more setting, its counter and summarizer those of the page."""
    with st.popover("Open a memory.yaml", icon=":material/upload_file:", width="stretch"):
        # A fresh control for every setting, so that no file is opened twice.
        file = st.file_uploader(
            "A setting that was taken home", type=["yaml", "yml"], key=f"setting-file-{state.settings_made}",
            help="As saved on the Tune page: a strategy with its parameters, the counter and the summarizer.",
        )  # fmt: skip
        if file is None:
            return
        with error_shown():
            config = read_memory_config(file.getvalue(), file.name)
            setting = strategy_of(config)
            state.add(setting.id, setting.model_dump())
            memory = config["memory"]
            state.counter = memory.get("counter", state.counter)
            set_widget(COUNTER_KEY, state.counter)
            if "summarizer" in memory:
                set_widget(SUMMARIZER_KEY, memory["summarizer"])
            st.rerun()
