"""Taking a setting home: as a file for memviz, or as code for it and for other libraries."""

from __future__ import annotations

import streamlit as st

from memviz.code_export import recipes
from memviz.tuning.constraints import Constraints
from memviz.tuning.found_setting import setting_to_take
from memviz.tuning.results import Sweep
from memviz.ui.shell.text import plain

MAX_PIXELS = 460
MIME = {"yaml": "application/yaml", "python": "text/x-python"}


def take_home(sweep: Sweep, number: int, constraints: Constraints, counter: str, summarizer: str) -> None:
    """Choose where to, read the code, save it."""
    setting = setting_to_take(sweep, number, constraints.over, counter, summarizer)
    if setting is None:
        return
    known = recipes()
    st.subheader("Take it home", anchor=False)
    st.caption(
        f"{plain(setting.strategy.label)} as a file or as code, in each library's own words. Comments say where a "
        "library behaves otherwise than what was measured here."
    )
    chosen = st.pills(
        "For", list(known), default=next(iter(known)), required=True, format_func=lambda id: known[id].title,
        key="tune-recipe", label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    recipe = known[chosen or next(iter(known))]
    text = recipe.write(setting)
    if recipe.install:
        st.code(recipe.install, language="bash")
    st.code(text, language=recipe.language, height=min(MAX_PIXELS, 40 + 21 * text.count("\n")))
    st.download_button(
        f"Save as {recipe.file_name}", text, file_name=recipe.file_name, mime=MIME[recipe.language],
        icon=":material/download:", key="tune-save", on_click="ignore",
    )  # fmt: skip
