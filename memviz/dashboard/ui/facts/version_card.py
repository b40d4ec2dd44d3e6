"""One version of a summary beside a picture: why it was written, what it did to the facts, and what it changed."""

from collections.abc import Callable, Sequence

import streamlit as st

from memviz.core.facts import FACTS
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import counted, distinct_names
from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.charts.summaries.marks import MARKS, cache_words, lacks_summarizer
from memviz.dashboard.markup import without_marks
from memviz.dashboard.ui.controls.authorship import draw_author_badge
from memviz.dashboard.ui.controls.diff_html import diff_html, marked_html
from memviz.dashboard.ui.controls.inspector import BadgeColor
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.shell.elements import row
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.dashboard.words.compactions import (
    compaction_words,
    outcome_words,
    turn_words,
)
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.retention.life_lines import VersionProbes
from memviz.metrics.summaries.diff import diff_words
from memviz.metrics.summaries.events import Author, judge_outcome, name_summary_author
from memviz.metrics.summaries.facts import strip_tags
from memviz.transcripts.base import Probe

NAME_CHARS = 48
MOST_NAMED = 40
FACT_NAMES = {
    "lost": (":material/close:", noop("Lost")),
    "new": (":material/add:", noop("New")),
    "kept": (":material/check:", noop("Kept")),
}
"""The icon and the name of each part of :class:`VersionProbes`, in the order in which they are shown."""


def draw_version_head(run: Run, compaction: Compaction) -> None:
    """Show what happened and why, with the numbers."""
    words = compaction_words(compaction, run)
    what = _("{what}.", what=plain(words.what))
    if words.why:
        what = _(
            "{what}, because **{why}**.", what=plain(words.what), why=plain(words.why)
        )
    sentences = [what]
    for sentence in (words.result, cache_words(compaction, run)):
        if sentence:
            sentences.append(_("{what}.", what=plain(sentence)))
    st.markdown(" ".join(sentences))


def draw_version_badge(run: Run, compaction: Compaction) -> None:
    """Show which version it wrote, when, and who worded it."""
    with row(gap="xsmall"):
        color: BadgeColor = "violet" if compaction.written else "gray"
        st.badge(badge_label(run, compaction), color=color)
        draw_writer_badge(compaction)


def draw_writer_badge(compaction: Compaction) -> None:
    """Show who worded the summary that it wrote, with the model's name; nothing where no model did."""
    author = name_summary_author(compaction)
    if author is None:
        return
    with row(gap="xsmall", width="content"):
        draw_author_badge(author, compaction.model)
        if author is Author.LIVE:  # the other badges name theirs
            st.caption(_("by {model}", model=plain(compaction.model)), width="content")


def badge_label(run: Run, compaction: Compaction) -> str:
    """``◆ Version 5 · turn 19``, ``● Cleared · turn 6``: the turn of the first request that it changed."""
    outcome = judge_outcome(compaction)
    name = outcome_words(outcome).capitalize()
    if compaction.written:
        name = _("Version {version}", version=compaction.written.version)
    return f"{MARKS[outcome].character} {name} · {turn_words(compaction, run)}"


def draw_facts_of_version(
    changes: VersionProbes,
    probes: Sequence[Probe],
    key: str,
    open_fact: Callable[[int], None],
    *,
    is_version: bool,
) -> None:
    """The facts that a version lost, took in and kept, each a button that opens its life."""
    for part, (icon, name) in FACT_NAMES.items():
        numbers = getattr(changes, part)
        if not numbers:
            continue
        first_numbers = numbers[:MOST_NAMED]
        names = distinct_names(
            [plain(fact_name(probes[number])) for number in first_numbers]
        )
        by_number = dict(zip(first_numbers, names, strict=True))
        facts = counted(numbers, "fact")
        if len(numbers) > MOST_NAMED:
            facts = _("{facts} (the first {number})", facts=facts, number=MOST_NAMED)
        chosen = st.pills(
            _("{name}: {facts}", name=f"{icon} {_(name)}", facts=facts),
            first_numbers,
            format_func=by_number.__getitem__,
            key=f"{key}-{name}",
        )
        if chosen is not None:
            open_fact(chosen)
    if not any(changes):
        none = _("None of the facts is in it, and none was lost by it.")
        st.caption(none if is_version else _("It lost no fact."))


def fact_name(probe: Probe) -> str:
    """Return what a fact is called where there is little room: its answer."""
    return shorten(probe.answers[0] if probe.answers else "?", NAME_CHARS)


def counts_words(facts: VersionProbes) -> str:
    """``2 facts lost, none kept, 1 new``, ``No fact lost, 3 kept, none new``."""
    kept_words = f"{len(facts.kept):,}" if facts.kept else _("none")
    new_words = f"{len(facts.new):,}" if facts.new else _("none")
    if not facts.lost:
        return _("No fact lost, {kept} kept, {new} new", kept=kept_words, new=new_words)
    return _(
        "{lost} lost, {kept} kept, {new} new",
        lost=counted(facts.lost, "fact"),
        kept=kept_words,
        new=new_words,
    )


def draw_changes_of_version(
    run: Run, compaction: Compaction, answers: Sequence[str]
) -> None:
    """The text of the version against the one that it replaced, with ``answers`` marked; without one before it, as
    it is."""
    written = compaction.written
    if written is None:
        why = _("The rule asks no summarizer for this, so there is no text to compare.")
        if lacks_summarizer(compaction):
            why = _("There is no summarizer, so nothing stands for these messages.")
        st.caption(why)
        return
    base = compaction.base
    text = shown_text(written.text, written)
    beginning = text[:MAX_CHARS_SHOWN]
    if base is None:
        st.html(marked_html(beginning, answers))
    else:
        replaced = run.space.summaries.versions[base - 1]
        before = shown_text(replaced.text, replaced)[:MAX_CHARS_SHOWN]
        st.html(diff_html(diff_words(before, beginning), answers))
    say_hidden(text)


def say_hidden(text: str) -> bool:
    """Say how many characters of a text are not shown. Return true if there are any."""
    hidden = len(text) - MAX_CHARS_SHOWN
    if hidden > 0:
        st.caption(
            _(
                "and {more_characters}",
                more_characters=counted(hidden, "more character"),
            )
        )
    return hidden > 0


def shown_text(text: str, version: SummaryVersion | None) -> str:
    """Return the ``text`` of a version as it is read; facts without their tags."""
    if version is not None and version.track == FACTS:
        return strip_tags(text)
    return without_marks(text)


def chosen_version(result: RetentionResult, number: int) -> VersionProbes:
    """Return what compaction ``number`` did to the facts."""
    if number < len(result.by_compaction):
        return result.by_compaction[number]
    return VersionProbes()
