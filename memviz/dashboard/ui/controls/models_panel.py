"""The models, in one place on all pages: who answers and who summarizes, with key, address and timeout. What is chosen
on one page holds on the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from memviz.dashboard.ui.controls.connection_check import offer_test
from memviz.dashboard.ui.controls.local_models import (
    keep_addresses_apart,
    local_models,
    names_found,
)
from memviz.dashboard.ui.controls.pickers import (
    CHAT_MODEL,
    JUDGE,
    SUMMARIZER,
    ModelChoice,
    model_picker,
    named,
)
from memviz.dashboard.ui.controls.session_recording import save_recording
from memviz.dashboard.ui.controls.spending import budget_controls, spent_line
from memviz.dashboard.ui.shell.text import plain
from memviz.models.names import in_words

WIDE_PIXELS = 640
"""Of the panel, with the two models beside each other."""
SUMMARIZER_HELP = (
    "Who writes the summaries. A recording plays what a language model wrote for exactly this conversation and "
    "setting; the offline stand-in writes them anywhere. Both need no key and no network."
)
CHAT_MODEL_HELP = (
    "Who answers: in Chat, where a question is put to all settings, and in a free run. Questions of a bundled "
    "conversation have recorded answers; the offline stand-in answers anything, only from what it was sent."
)
OTHER_CONNECTION = "With key and base URL empty, those of the summarizer hold, since it is the same model."


class StudyModels(NamedTuple):
    """Who answers where replies are not the conversation's own, and who summarizes."""

    answerer: ModelChoice
    summarizer: ModelChoice


def models_panel(
    sentence: str = "", above: Callable[[], object] | None = None
) -> StudyModels:
    """A line that says who writes what, and the panel to change it. ``sentence`` is what else the line says, and
    ``above`` draws what else the panel holds."""
    with st.container(
        key="models",
        horizontal=True,
        wrap=False,
        vertical_alignment="center",
        gap="xsmall",
    ):
        st.caption(" ".join(part for part in (sentence, _who()) if part))
        panel = st.popover("Change", key="models-panel", type="tertiary")
    spent_line()
    with (
        panel,
        st.container(width=WIDE_PIXELS, gap="xsmall", key="models-choice"),
    ):  # style.css gives it the height
        left, right = st.columns(2, vertical_alignment="bottom")
        with left:
            if above is not None:
                above()
        keep_addresses_apart()
        # Beside each other, so that all of it is seen without scrolling; a phone has one below the other.
        writing, answering = st.columns(2)
        with writing, st.container(gap="xsmall"):
            summarizer = model_picker(
                "Summarizer", SUMMARIZER, SUMMARIZER_HELP, names_found()
            )
            offer_test(summarizer, SUMMARIZER)
        with answering, st.container(gap="xsmall"):
            answerer = model_picker(
                "Chat model", CHAT_MODEL, CHAT_MODEL_HELP, names_found()
            )
            answerer = _as_the_other(answerer, summarizer)
            offer_test(answerer, CHAT_MODEL)
        local_models()
        save_recording(summarizer)
        with right if above is not None else left:
            budget_controls(
                [named(picker) for picker in (SUMMARIZER, CHAT_MODEL, JUDGE)]
            )
    return StudyModels(answerer, summarizer)


def _who() -> str:
    writer, answerer = (_in_words(named(picker)) for picker in (SUMMARIZER, CHAT_MODEL))
    if writer == answerer:
        return f"Summaries and answers: {writer}."
    return f"Summaries: {writer}. Answers: {answerer}."


def _in_words(name: str) -> str:
    return f"**{plain(in_words(name))}**"


def _as_the_other(answerer: ModelChoice, summarizer: ModelChoice) -> ModelChoice:
    """The same model is reached in the same way, unless something else is entered."""
    if (
        answerer.is_free
        or answerer.name != summarizer.name
        or answerer.api_key
        or answerer.api_base
    ):
        return answerer
    if summarizer.api_key or summarizer.api_base:
        st.caption(OTHER_CONNECTION)
    return replace(summarizer, timeout_seconds=answerer.timeout_seconds)
