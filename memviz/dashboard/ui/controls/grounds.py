"""The grounds of a page's figures: who wrote the summaries, which are not recorded, the other way to make them, and the
warnings about the runs."""

from collections.abc import Iterable, Sequence
from typing import Literal

import streamlit as st

from memviz.core.text.wording import SEMICOLON, comma_list, counted, listed
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.links import SUMMARIZER
from memviz.dashboard.ui.controls.pickers import named, summarizer_button
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import drawer, row, show_caption
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.authors import (
    author_help,
    badge_words,
    where_recorded,
)
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.warning import HealthWarning
from memviz.engine.calls import ReplyFacts
from memviz.engine.drafts import Draft
from memviz.metrics.summaries.events import Author, author_of, authors_of, models_of
from memviz.models.names import OFFLINE, RECORDED_FIRST, RECORDING
from memviz.tuning.grounds import Grounds

BADGE_COLORS: dict[Author, Literal["blue", "gray", "green"]] = {
    Author.RECORDED: "blue",
    Author.STAND_IN: "gray",
    Author.LIVE: "green",
}
LINE_KEY = "whose-summaries"
NO_RECORDING = noop(
    "No recording answers this, so the built-in model does, which only quotes what it was sent; another chat model "
    "is chosen under Models in the sidebar."
)
QUOTES = noop("which quotes; a language model words them differently")
ALL_STAND_IN = noop("All with the built-in model")
WITH_RECORDINGS = noop("Recorded where there is one")
ALL_STAND_IN_HELP = noop(
    "Let the built-in model write the summaries of every "
    "setting, so that they differ by their strategies alone."
)
WITH_RECORDINGS_HELP = noop(
    "Play what a language model wrote, for the settings that were recorded."
)


def draw_author_badge(author: Author, *models: str) -> None:
    """Draw a badge that says who wrote a summary or gave a reply: which of these ``models``, if it is recorded."""
    st.badge(
        plain(badge_words(author, models)),
        color=BADGE_COLORS[author],
        help=author_help(author),
    )


def draw_badge_of(reply: ReplyFacts | Draft) -> None:
    """Draw a badge that says who gave a reply, or wrote a draft of a summary."""
    draw_author_badge(author_of(reply.model, recorded=reply.recorded), reply.model)


def say_who_summarized(settings: Sequence[SettingRun]) -> None:
    """Draw one line where anything was summarized in the runs that the page shows: their records say who wrote. It
    stands above the picture, so that nobody reads the one without the other."""
    runs = [setting.run for setting in settings]
    authors = frozenset[Author]().union(*map(authors_of, runs))
    if not authors:
        return
    with row(LINE_KEY, gap="xsmall"):
        sentences = []
        for author in Author:
            if author in authors:
                words = _author_words(author, settings, authors)
                sentences.append(_badged(author, models_of(runs, author), words))
        st.caption(
            _("Summaries: {authors}.", authors=_(SEMICOLON).join(sentences)),
            width="content",
        )
        if Author.RECORDED in authors and len(authors) > 1:
            offer_summarizer(_(ALL_STAND_IN), OFFLINE, _(ALL_STAND_IN_HELP))
        elif named(SUMMARIZER) == OFFLINE:
            _offer_recordings("summaries")


def say_who_answered(replies: Iterable[ReplyFacts]) -> None:
    """Draw one line that says who gave how many of these answers."""
    labels: dict[Author, list[str]] = {author: [] for author in Author}
    for reply in replies:
        author = author_of(reply.model, recorded=reply.recorded)
        labels[author].append(reply.model)
    sentences = []
    for author, models in labels.items():
        number = f"{len(models):,}"
        if author is Author.LIVE:
            by = listed(dict.fromkeys(models))
            number = _("{number}, by {models}", number=number, models=by)
        if models:
            sentences.append(_badged(author, models, number))
    if sentences:
        with st.container(key="whose-answers"):
            st.caption(_("Answers: {authors}.", authors=_(SEMICOLON).join(sentences)))


def say_why_stand_in(answers: Sequence[tuple[str, ReplyFacts | None]]) -> None:
    """Say why the built-in model gave some of these answers, each with the label of its setting, although
    recordings were to be played."""
    labels = []
    for label, reply in answers:
        if reply is not None:
            author = author_of(reply.model, recorded=reply.recorded)
            if author is Author.STAND_IN:
                labels.append(label)
    if labels and len(labels) == len(answers):
        st.caption(_(NO_RECORDING))
    elif labels:
        show_caption(
            _(
                "No recording holds the answer under {settings}, so there the built-in model answers, which only "
                "quotes what it was sent.",
                settings=listed(labels),
            )
        )


def _badged(author: Author, models: Iterable[str], words: str) -> str:
    """Return the badge of an author with these words behind it, as Markdown: ``:blue-badge[recorded] by gpt-5``."""
    badge = f":{BADGE_COLORS[author]}-badge[{plain(badge_words(author, models))}]"
    return f"{badge} {plain(words)}".rstrip()


def _author_words(
    author: Author, settings: Sequence[SettingRun], authors: frozenset[Author]
) -> str:
    """Return the words of the line behind the badge of ``author``, one of the ``authors`` of the settings."""
    runs = [setting.run for setting in settings]
    if author is Author.RECORDED:
        return where_recorded(runs) if len(authors) == 1 else ""
    if author is Author.LIVE:
        return _("by {models}", models=listed(models_of(runs, author)))
    if len(authors) == 1:
        return _(QUOTES)
    if len(settings) == 1:
        return _("from the first one on that was not recorded")
    labels = [
        setting.label for setting in settings if author in authors_of(setting.run)
    ]
    under = labels[0] if len(labels) == 1 else counted(labels, "setting")
    return _("under {settings}: compare with care", settings=under)


def say_who_swept(
    summarizer: str, *, models: Sequence[str] = (), left_out: int = 0
) -> None:
    """Say who wrote the summaries of a sweep, which has one summarizer for all of its settings: the ``models`` of a
    recording, which ``left_out`` settings are not in, or the one of this name."""
    author = author_of(summarizer, recorded=summarizer.startswith(RECORDING))
    models = models or (summarizer,)
    words = ""
    if author is Author.STAND_IN:
        words = _(QUOTES)
    elif author is Author.LIVE:
        words = _("by {models}", models=listed(models))
    authors = _badged(author, models, words)
    sentence = _("Summaries of all settings: {authors}.", authors=authors)
    if left_out:
        sentence = ngettext(
            "Summaries of all settings: {authors}; {number:,} setting was not recorded and is left out.",
            "Summaries of all settings: {authors}; {number:,} settings were not recorded and are left out.",
            left_out,
            authors=authors,
        )
    st.caption(sentence, width="content")


def say_how_sure(summarizer: str) -> None:
    """Say how far to trust what rests on the summaries of ``summarizer``, where that is known."""
    if summarizer == OFFLINE:
        show_caption(" ".join(Grounds(summarizer=summarizer).about_summaries))


def offer_summarizer(
    label: str, summarizer: str, help: str, key: str = "summaries"
) -> None:
    """Draw a button that chooses another summarizer on all pages; before an audience nothing is chosen."""
    if not hides(Part.CONTROLS):
        summarizer_button(label, summarizer, f"{key}-{summarizer}", help)


def _offer_recordings(key: str) -> None:
    offer_summarizer(_(WITH_RECORDINGS), RECORDED_FIRST, _(WITH_RECORDINGS_HELP), key)


MOST_NAMED = 3


def say_not_recorded(settings: Sequence[SettingRun]) -> None:
    """Say which settings the recording that is chosen has not all summaries of, and which of its own there are."""
    name = named(SUMMARIZER)
    recording = workspace().recordings.all.get(name.removeprefix(RECORDING))
    labels = []
    for setting in settings:
        if any(compaction.error for compaction in setting.run.compactions):
            labels.append(setting.label)
    if recording is None or not name.startswith(RECORDING) or not labels:
        return
    recorded_settings = workspace().recordings.settings_of(
        *studied_conversation(), compare_state().counter, recording.name
    )
    lacks = counted(labels, "setting")
    if len(labels) <= MOST_NAMED:
        lacks = listed(labels)
    template = noop(
        "The recording “{name}” does not hold all summaries of {settings}: choose *{recorded_first}*, for it was made "
        "for another conversation or counter."
    )
    if recorded_settings:
        template = noop(
            "The recording “{name}” does not hold all summaries of {settings}: choose *{recorded_first}*, or one of "
            "its settings: {own}."
        )
    words = _(
        template,
        name=plain(recording.name),
        settings=plain(lacks),
        recorded_first=_(RECORDED_FIRST),
        own=plain(comma_list(setting.label for setting in recorded_settings)),
    )
    st.warning(words, icon=":material/error:")
    _offer_recordings("not-recorded")


FAILED_SUMMARIZATION = "failed_summarization"
_SEVERITY_ICONS = {"bad": ":material/error:", "caution": ":material/warning:"}


def draw_health(settings: Sequence[SettingRun]) -> None:
    """Draw what is unhealthy about the runs; nothing where nothing is.

    Failed summarizations stand open, since without them the other numbers mislead. The rest is one line that
    names the settings, closed even if it is serious: it would push the picture off the screen.
    """
    prices = prices_in_force()
    folded: list[tuple[SettingRun, list[HealthWarning]]] = []
    for setting in settings:
        other_warnings = []
        for warning in health_warnings(setting.run, prices):
            if warning.kind == FAILED_SUMMARIZATION:
                words = _(
                    "{label}: {numbers}",
                    label=plain(setting.label),
                    numbers=plain(warning.numbers),
                )
                st.warning(words, icon=":material/warning:")
            else:
                other_warnings.append(warning)
        if other_warnings:
            folded.append((setting, other_warnings))
    if folded:
        _draw_in_one_line(folded)


def _draw_in_one_line(
    folded: Sequence[tuple[SettingRun, Sequence[HealthWarning]]],
) -> None:
    names = []
    severities = []
    for setting, warnings in folded:
        names.append(f"{plain(setting.label)} ({len(warnings)})")
        severities += [warning.severity for warning in warnings]
    bad = severities.count("bad")
    label = counted(severities, "warning")
    if bad:
        label = _("{warnings}, {bad} serious", warnings=label, bad=bad)
    # The key keeps it open while its label changes with a slider.
    with drawer(
        _("{warnings}: {settings}", warnings=label, settings=comma_list(names)),
        _SEVERITY_ICONS["bad" if bad else "caution"],
        "health",
    ):
        for setting, warnings in folded:
            whose = f"**{plain(setting.label)}**"
            if setting.run.earlier_settings:
                # A chat was given another setting: which of them is meant.
                turn = setting.run.first_turn
                whose = _(
                    "{setting} · only of this setting, in force from turn {turn:,} on",
                    setting=whose,
                    turn=turn,
                )
            st.markdown(whose)
            for warning in warnings:
                _draw_warning(warning)


def _draw_warning(warning: HealthWarning) -> None:
    turns = warning.turns_in_words
    remedy = warning.remedy
    if turns:
        remedy = _("{remedy} Concerns {turns}.", remedy=remedy, turns=turns)
    with st.container(gap=None):
        st.markdown(
            f"{_SEVERITY_ICONS[warning.severity]} {plain(warning.title)} · {plain(warning.numbers)}"
        )
        st.caption(
            _(
                "{why} **What to do:** {remedy}",
                why=plain(warning.why),
                remedy=plain(remedy),
            )
        )
