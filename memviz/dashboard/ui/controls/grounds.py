"""Whose summaries the figures of a page rest on: a badge, a sentence, and the other way to make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import streamlit as st

from memviz.core.text.wording import counted, listed
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.pickers import (
    RECORDED_FIRST,
    SUMMARIZER,
    name_key,
    named,
)
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.state import set_widget
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.calls import ReplyFacts
from memviz.metrics.summaries.authors import (
    Author,
    author_of,
    authors_of,
    badge_words,
    models_of,
    where_recorded,
    whose_words,
)
from memviz.models.registry import OFFLINE, RECORDING
from memviz.tuning.grounds import Grounds

BADGE_COLORS: dict[Author, Literal["blue", "gray", "green"]] = {
    Author.RECORDED: "blue",
    Author.STAND_IN: "gray",
    Author.LIVE: "green",
}
LINE_KEY, ANSWERS_KEY = "whose-summaries", "whose-answers"
NO_RECORDING = (
    "No recording answers this, so the offline stand-in does, which only quotes what it was sent; another chat model "
    "is chosen under Change in the sidebar."
)
QUOTES = "which quotes; a language model words them differently"
ALL_STAND_IN, WITH_RECORDINGS = "All with the stand-in", "Recorded where there is one"
ALL_STAND_IN_HELP = (
    "Let the offline stand-in write the summaries of every "
    "setting, so that they differ by their strategies alone."
)
WITH_RECORDINGS_HELP = (
    "Play what a language model wrote, for the settings that were recorded."
)


def author_badge(author: Author, *models: str) -> None:
    """A badge that says who wrote a summary or gave a reply: which of these ``models``, if it is recorded."""
    st.badge(
        plain(badge_words(author, models)),
        color=BADGE_COLORS[author],
        help=author.about,
    )


def summaries_by(settings: Sequence[SettingRun]) -> None:
    """Draw one line where anything was summarized in the runs that the page shows: their records say who wrote. It
    stands above the picture, so that nobody reads the one without the other."""
    runs = [setting.run for setting in settings]
    found = frozenset[Author]().union(*map(authors_of, runs))
    if not found:
        return
    with st.container(
        key=LINE_KEY, horizontal=True, vertical_alignment="center", gap="xsmall"
    ):
        told = [
            f"{_inline_badge(author, models_of(runs, author))} {plain(_of(author, settings, found))}".rstrip()
            for author in Author
            if author in found
        ]
        st.caption(
            f"Summaries: {'; '.join(told)}.",
            width="content",
            help=plain(whose_words(runs)),
        )
        if Author.RECORDED in found:
            instead(ALL_STAND_IN, OFFLINE, ALL_STAND_IN_HELP)
        elif named(SUMMARIZER) == OFFLINE:
            instead(WITH_RECORDINGS, RECORDED_FIRST, WITH_RECORDINGS_HELP)


def answers_by(replies: Iterable[ReplyFacts]) -> None:
    """One line that says who gave how many of these answers."""
    given = [
        (author_of(reply.model, recorded=reply.recorded), reply.model)
        for reply in replies
    ]
    told = []
    for author in Author:
        models = [model for one, model in given if one is author]
        by = f", by {listed(dict.fromkeys(models))}" if author is Author.LIVE else ""
        if models:
            told.append(
                f"{_inline_badge(author, models)} {plain(f'{len(models):,}{by}')}"
            )
    if told:
        with st.container(key=ANSWERS_KEY):
            st.caption(f"Answers: {'; '.join(told)}.")


def why_stand_in(answers: Sequence[tuple[str, ReplyFacts | None]]) -> None:
    """Say why the stand-in gave some of these answers, each with the label of its setting, although recordings were to
    be played."""
    own = [
        label
        for label, reply in answers
        if reply is not None
        and author_of(reply.model, recorded=reply.recorded) is Author.STAND_IN
    ]
    if own and len(own) == len(answers):
        st.caption(NO_RECORDING)
    elif own:
        st.caption(
            plain(
                f"No recording holds the answer under {listed(own)}, so there the offline stand-in answers, which only "
                "quotes what it was sent."
            )
        )


def _inline_badge(author: Author, models: Iterable[str]) -> str:
    return f":{BADGE_COLORS[author]}-badge[{plain(badge_words(author, models))}]"


def _of(
    author: Author, settings: Sequence[SettingRun], found: frozenset[Author]
) -> str:
    """What the line says behind the badge of ``author``, one of those that were ``found``."""
    runs = [setting.run for setting in settings]
    if author is Author.RECORDED:
        return where_recorded(runs) if len(found) == 1 else ""
    if author is Author.LIVE:
        return f"by {listed(models_of(runs, author))}"
    if len(found) == 1:
        return QUOTES
    if len(settings) == 1:
        return "from the first one on that was not recorded"
    own = [setting.label for setting in settings if author in authors_of(setting.run)]
    return f"under {own[0] if len(own) == 1 else counted(len(own), 'setting')}: compare with care"


def swept_by(summarizer: str, *, models: Sequence[str] = (), left_out: int = 0) -> None:
    """Who wrote the summaries of a sweep, which has one summarizer for all of its settings: the ``models`` of a
    recording, which ``left_out`` settings are not in, or the one of this name."""
    author = author_of(summarizer, recorded=summarizer.startswith(RECORDING))
    models = models or (summarizer,)
    of = {
        Author.STAND_IN: QUOTES,
        Author.RECORDED: "",
        Author.LIVE: f"by {listed(models)}",
    }[author]
    was, is_ = ("was", "is") if left_out == 1 else ("were", "are")
    not_in_it = (
        f"; {counted(left_out, 'setting')} {was} not recorded and {is_} left out"
    )
    who = f"{_inline_badge(author, models)} {plain(of)}".rstrip()
    st.caption(
        f"Summaries of all settings: {who}{not_in_it * (left_out > 0)}.",
        width="content",
    )


def how_sure(summarizer: str) -> None:
    """How far to trust what rests on the summaries of ``summarizer``, where that is known."""
    if summarizer == OFFLINE:
        st.caption(plain(" ".join(Grounds(summarizer=summarizer).about_summaries)))


def instead(label: str, summarizer: str, help: str, key: str = "summaries") -> None:
    """A button that chooses another summarizer on all pages; before an audience nothing is chosen."""
    if hides(Part.CONTROLS):
        return
    st.button(
        label,
        key=f"{key}-{summarizer}",
        help=help,
        on_click=set_widget,
        args=(name_key(SUMMARIZER), summarizer),
    )
