"""The health warnings of all settings on a page: in one line until somebody wants to read them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.core.text.wording import counted
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.run import Run
from memviz.metrics.health import HealthWarning, health_warnings

FAILED = "failed_summarization"
_ICONS = {"bad": ":material/error:", "caution": ":material/warning:"}


def health(settings: Sequence[SettingRun]) -> None:
    """Draw what is unhealthy about the runs; nothing where nothing is.

    Failed summarizations stand open, since without them the other numbers mislead. The rest is one line that
    names the settings, closed even if it is serious: it would push the picture off the screen.
    """
    prices = prices_in_force()
    found = [(setting, health_warnings(setting.run, prices)) for setting in settings]
    for setting, warnings in found:
        for warning in warnings:
            if warning.kind == FAILED:
                st.warning(
                    f"{plain(setting.label)}: {plain(warning.numbers)}",
                    icon=":material/warning:",
                )
    others = [
        (setting, [warning for warning in warnings if warning.kind != FAILED])
        for setting, warnings in found
    ]
    others = [(setting, warnings) for setting, warnings in others if warnings]
    if others:
        _in_one_line(others)


def _in_one_line(found: Sequence[tuple[SettingRun, Sequence[HealthWarning]]]) -> None:
    bad = sum(
        warning.severity == "bad" for _, warnings in found for warning in warnings
    )
    number = counted(sum(len(warnings) for _, warnings in found), "warning")
    names = ", ".join(
        f"{plain(setting.label)} ({len(warnings)})" for setting, warnings in found
    )
    serious = f", {bad} serious" if bad else ""
    # The key keeps it open while its label changes with a slider.
    with st.expander(
        f"{number}{serious}: {names}",
        key="health",
        icon=_ICONS["bad" if bad else "caution"],
    ):
        for setting, warnings in found:
            st.markdown(f"**{plain(setting.label)}**{_since(setting.run)}")
            for warning in warnings:
                _warning(warning)


def _since(run: Run) -> str:
    """Of a chat that was given another setting: which of them is meant."""
    return (
        f" · only of this setting, in force from turn {run.first_turn:,} on"
        if run.earlier_settings
        else ""
    )


def _warning(warning: HealthWarning) -> None:
    turns = warning.turns_in_words
    concerned = f" Concerns {turns}." if turns else ""
    with st.container(gap=None):
        st.markdown(
            f"{_ICONS[warning.severity]} {plain(warning.title)} · {plain(warning.numbers)}"
        )
        st.caption(
            f"{plain(warning.why)} **What to do:** {plain(warning.remedy + concerned)}"
        )
