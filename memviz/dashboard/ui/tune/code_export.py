"""Export a setting to code: a file for memviz, or a program for it and for other libraries."""

from __future__ import annotations

import streamlit as st

from memviz.code_export import NoCodeError, targets
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.text import plain
from memviz.tuning.constraints import Constraints
from memviz.tuning.found_setting import setting_to_export
from memviz.tuning.results import Sweep

MAX_PIXELS = 460
MIME = {"yaml": "application/yaml", "python": "text/x-python"}


def export_to_code(
    sweep: Sweep, number: int, constraints: Constraints, counter: str, summarizer: str
) -> None:
    """Choose a target, read the code, save it."""
    setting = setting_to_export(sweep, number, constraints.over, counter, summarizer)
    if setting is None:
        return
    known = targets()
    st.header("Export to code", anchor=False, help=tooltip("export to code"))
    st.caption(
        f"{plain(setting.strategy.code_label)} as a file or as code, in each library's own words. Comments say where a "
        "library behaves otherwise than what was measured here."
    )
    linked("target", "tune-target", known)
    chosen = st.pills(
        "For",
        list(known),
        default=next(iter(known)),
        required=True,
        format_func=lambda id: known[id].title,
        key="tune-target",
        label_visibility="collapsed",
        persist_state="session",
    )
    target = known[chosen or next(iter(known))]
    try:
        text = target.write(setting)
    except NoCodeError as error:
        st.info(plain(str(error)), icon=":material/code_off:")
        return
    if target.install:
        st.code(target.install, language="bash")
    st.code(
        text,
        language=target.language,
        wrap_lines=True,
        height=min(MAX_PIXELS, 90 + 21 * text.count("\n")),
    )
    st.download_button(
        f"Save as {target.file_name}",
        text,
        file_name=target.file_name,
        mime=MIME[target.language],
        icon=":material/download:",
        key="tune-save",
        on_click="ignore",
    )
