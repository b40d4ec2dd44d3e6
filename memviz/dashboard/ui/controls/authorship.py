"""The authors of the summaries and the answers that a page's figures rest on: badges, one line for all of them, and the
way to have others write them."""

from collections.abc import Iterable, Sequence
from typing import Literal

import streamlit as st

from memviz.core.text.wording import SEMICOLON, comma_list, counted, listed
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.links import SUMMARIZER
from memviz.dashboard.ui.controls.pickers import model_name_in, summarizer_button
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import row, show_caption
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.authors import (
    author_help,
    badge_words,
    recorded_settings_words,
)
from memviz.engine.calls import ReplyFacts
from memviz.engine.drafts import Draft
from memviz.metrics.summaries.events import (
    Author,
    list_authors,
    list_models,
    name_author,
)
from memviz.models.names import OFFLINE, RECORDED_FIRST, RECORDING
from memviz.tuning.grounds import Grounds

BADGE_COLORS: dict[Author, Literal["blue", "gray", "green"]] = {
    Author.RECORDED: "blue",
    Author.STAND_IN: "gray",
    Author.LIVE: "green",
}
LINE_KEY = "whose-summaries"
MOST_NAMED = 3
"""The most settings that are named; of more their number is said."""
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
    draw_author_badge(_author_of(reply), reply.model)


def _author_of(reply: ReplyFacts | Draft) -> Author:
    return name_author(reply.model, recorded=reply.recorded)


def say_who_summarized(settings: Sequence[SettingRun]) -> None:
    """Draw one line where anything was summarized in the runs that the page shows: their records say who wrote. It
    stands above the picture, so that nobody reads the one without the other."""
    runs = [setting.run for setting in settings]
    authors = frozenset[Author]().union(*map(list_authors, runs))
    if not authors:
        return
    sentences = []
    for author in Author:
        if author in authors:
            words = _author_words(author, settings, authors)
            models = list_models(runs, author)
            sentences.append(_badge_with_words(author, models, words))
    with row(LINE_KEY, gap="xsmall"):
        st.caption(
            _("Summaries: {authors}.", authors=_(SEMICOLON).join(sentences)),
            width="content",
        )
        if Author.RECORDED in authors and len(authors) > 1:
            offer_summarizer(_(ALL_STAND_IN), OFFLINE, _(ALL_STAND_IN_HELP))
        elif model_name_in(SUMMARIZER) == OFFLINE:
            _offer_recordings("summaries")


def say_who_answered(replies: Iterable[ReplyFacts]) -> None:
    """Draw one line that says who gave how many of these answers."""
    models_by_author: dict[Author, list[str]] = {author: [] for author in Author}
    for reply in replies:
        models_by_author[_author_of(reply)].append(reply.model)
    sentences = []
    for author, models in models_by_author.items():
        number = f"{len(models):,}"
        if author is Author.LIVE:
            by = listed(dict.fromkeys(models))
            number = _("{number}, by {models}", number=number, models=by)
        if models:
            sentences.append(_badge_with_words(author, models, number))
    if sentences:
        with st.container(key="whose-answers"):
            st.caption(_("Answers: {authors}.", authors=_(SEMICOLON).join(sentences)))


def say_why_stand_in(answers: Sequence[tuple[str, ReplyFacts | None]]) -> None:
    """Say why the built-in model gave some of these answers, each with the label of its setting, although
    recordings were to be played."""
    labels = []
    for label, reply in answers:
        if reply is not None and _author_of(reply) is Author.STAND_IN:
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


def _badge_with_words(author: Author, models: Iterable[str], words: str) -> str:
    """Return the badge of an author with these words behind it, as Markdown: ``:blue-badge[recorded] by gpt-5``."""
    name = plain(badge_words(author, models))
    return f":{BADGE_COLORS[author]}-badge[{name}] {plain(words)}".rstrip()


def _author_words(
    author: Author, settings: Sequence[SettingRun], authors: frozenset[Author]
) -> str:
    """Return the words of the line behind the badge of ``author``, one of the ``authors`` of the settings."""
    runs = [setting.run for setting in settings]
    if author is Author.RECORDED:
        return recorded_settings_words(runs) if len(authors) == 1 else ""
    if author is Author.LIVE:
        return _("by {models}", models=listed(list_models(runs, author)))
    if len(authors) == 1:
        return _(QUOTES)
    if len(settings) == 1:
        return _("from the first one on that was not recorded")
    labels = []
    for setting in settings:
        if author in list_authors(setting.run):
            labels.append(setting.label)
    under = labels[0] if len(labels) == 1 else counted(labels, "setting")
    return _("under {settings}: compare with care", settings=under)


def say_who_swept(
    summarizer: str, *, models: Sequence[str] = (), left_out: int = 0
) -> None:
    """Say who wrote the summaries of a sweep, which has one summarizer for all of its settings: the ``models`` of a
    recording, which ``left_out`` settings are not in, or the one of this name."""
    author = name_author(summarizer, recorded=summarizer.startswith(RECORDING))
    models = models or (summarizer,)
    words = ""
    if author is Author.STAND_IN:
        words = _(QUOTES)
    elif author is Author.LIVE:
        words = _("by {models}", models=listed(models))
    authors = _badge_with_words(author, models, words)
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


def say_not_recorded(settings: Sequence[SettingRun]) -> None:
    """Say which settings the recording that is chosen has not all summaries of, and which of its own there are."""
    name = model_name_in(SUMMARIZER)
    if not name.startswith(RECORDING):
        return
    recording = workspace().recordings.all.get(name.removeprefix(RECORDING))
    labels = []
    for setting in settings:
        if any(compaction.error for compaction in setting.run.compactions):
            labels.append(setting.label)
    if recording is None or not labels:
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
