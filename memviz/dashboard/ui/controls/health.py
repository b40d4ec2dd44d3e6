"""The warnings about the runs that a page shows."""

from collections.abc import Sequence

import streamlit as st

from memviz.core.text.wording import comma_list, counted
from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.shell.elements import drawer
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.warning import HealthWarning

FAILED_SUMMARIZATION = "failed_summarization"
_ICONS = {"bad": ":material/error:", "caution": ":material/warning:"}
"""By how severe a warning is."""
Warned = tuple[SettingRun, list[HealthWarning]]
"""A setting with the warnings about its run."""


def draw_health(settings: Sequence[SettingRun]) -> None:
    """Draw what is unhealthy about the runs; nothing where nothing is.

    Failed summarizations stand open, since without them the other numbers mislead. The rest is one line that
    names the settings, closed even if it is serious: it would push the picture off the screen.
    """
    prices = prices_in_force()
    folded: list[Warned] = []
    for setting in settings:
        others = []
        for warning in health_warnings(setting.run, prices):
            if warning.kind == FAILED_SUMMARIZATION:
                label = plain(setting.label)
                numbers = plain(warning.numbers)
                words = _("{label}: {numbers}", label=label, numbers=numbers)
                st.warning(words, icon=_ICONS["caution"])
            else:
                others.append(warning)
        if others:
            folded.append((setting, others))
    if folded:
        _draw_in_one_line(folded)


def _draw_in_one_line(folded: Sequence[Warned]) -> None:
    names = []
    severities = []
    for setting, warnings in folded:
        names.append(f"{plain(setting.label)} ({len(warnings)})")
        severities += [warning.severity for warning in warnings]
    bad = severities.count("bad")
    words = counted(severities, "warning")
    if bad:
        words = _("{warnings}, {bad} serious", warnings=words, bad=bad)
    line = _("{warnings}: {settings}", warnings=words, settings=comma_list(names))
    # The key keeps it open while its label changes with a slider.
    with drawer(line, _ICONS["bad" if bad else "caution"], "health"):
        for setting, warnings in folded:
            st.markdown(_whose_warnings(setting))
            for warning in warnings:
                _draw_warning(warning)


def _whose_warnings(setting: SettingRun) -> str:
    label = f"**{plain(setting.label)}**"
    if not setting.run.earlier_settings:
        return label
    # A chat was given another setting: which of them is meant.
    return _(
        "{setting} · only of this setting, in force from turn {turn:,} on",
        setting=label,
        turn=setting.run.first_turn,
    )


def _draw_warning(warning: HealthWarning) -> None:
    turns = warning.turns_in_words
    remedy = warning.remedy
    if turns:
        remedy = _("{remedy} Concerns {turns}.", remedy=remedy, turns=turns)
    title = f"{plain(warning.title)} · {plain(warning.numbers)}"
    why = _(
        "{why} **What to do:** {remedy}", why=plain(warning.why), remedy=plain(remedy)
    )
    with st.container(gap=None):
        st.markdown(f"{_ICONS[warning.severity]} {title}")
        st.caption(why)
