"""Whose summaries the figures of a page rest on: a badge, a sentence, and the other way to make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.metrics.summaries.authors import OFFLINE_SUMMARIES, Author, author_of, authors_of, whose_words
from memviz.models.registry import OFFLINE, RECORDING
from memviz.tuning.grounds import SURENESS
from memviz.ui.controls.pickers import RECORDED_FIRST, SUMMARIZER, name_key, named
from memviz.ui.shell.state import set_widget
from memviz.ui.shell.text import plain

BADGE_COLORS: dict[Author, Literal["blue", "gray", "green"]] = {
    Author.RECORDED: "blue",
    Author.STAND_IN: "gray",
    Author.LIVE: "green",
}
ALL_STAND_IN, WITH_RECORDINGS = "All with the stand-in", "Recorded where there are"
ALL_STAND_IN_HELP = (
    "Let the offline stand-in write the summaries of every setting, so that they differ by their strategies alone."
)
WITH_RECORDINGS_HELP = "Play what a language model wrote, for the settings that were recorded."


def author_badge(author: Author) -> None:
    """A badge that says who wrote a summary or gave a reply."""
    st.badge(author.value, color=BADGE_COLORS[author], help=author.about)


def summaries_by(settings: Sequence[SettingRun]) -> None:
    """Draw one line where anything was summarized in the runs that the page shows: their records say who wrote."""
    runs = [setting.run for setting in settings]
    found = frozenset[Author]().union(*map(authors_of, runs))
    if not found:
        return
    with _line():
        for author in Author:
            if author in found:
                author_badge(author)
        st.caption(plain(whose_words(runs)), width="content")
        if Author.RECORDED in found:
            _instead(ALL_STAND_IN, OFFLINE, ALL_STAND_IN_HELP)
        elif named(SUMMARIZER) == OFFLINE:
            _instead(WITH_RECORDINGS, RECORDED_FIRST, WITH_RECORDINGS_HELP)


def swept_by(summarizer: str) -> None:
    """The same for a sweep, all of whose summaries are by this one summarizer."""
    author = author_of(summarizer, recorded=summarizer.startswith(RECORDING))
    words = f"{OFFLINE_SUMMARIES} {SURENESS}" if author is Author.STAND_IN else f"Summaries here are by {summarizer}."
    with _line():
        author_badge(author)
        st.caption(plain(words), width="content")


def _line() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", gap="small")


def _instead(label: str, summarizer: str, help: str) -> None:
    st.button(
        label, key=f"summaries-{summarizer}", type="tertiary", help=help, on_click=set_widget,
        args=(name_key(SUMMARIZER), summarizer),
    )  # fmt: skip
