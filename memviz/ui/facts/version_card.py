"""One version of a summary beside a picture: why it was written, what it did to the facts, and what it changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memviz.charts.retention.result import RetentionResult
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.retention.version_facts import VersionProbes
from memviz.metrics.summaries.compaction_words import compaction_words, turn_words
from memviz.metrics.summaries.diff import word_diff
from memviz.text.wording import counted
from memviz.transcripts.base import Probe
from memviz.ui.controls.diff_html import diff_html, marked_html
from memviz.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.ui.shell.text import distinct, plain, shortened

NAME_CHARS = 48
MOST_NAMED = 40
FACT_ICONS = {"Lost": ":material/close:", "New": ":material/add:", "Kept": ":material/check:"}


def version_head(run: Run, compaction: Compaction) -> None:
    """What happened and why, with the numbers."""
    words = compaction_words(compaction, run)
    why = f", because **{plain(words.why)}**" if words.why else ""
    st.markdown(f"{plain(words.what)}{why}. {plain(words.result)}.")


def version_badge(run: Run, compaction: Compaction) -> None:
    """Which version it wrote, and when."""
    st.badge(badge_label(run, compaction), color="violet")


def badge_label(run: Run, compaction: Compaction) -> str:
    """``◆ Version 5 · turn 19``: the turn of the first request that it changed."""
    name = f"Version {compaction.written.version}" if compaction.written else "No summary"
    return f"◆ {name} · {turn_words(compaction, run)}"


def facts_of_version(found: VersionProbes, probes: Sequence[Probe], key: str, open_fact: Callable[[int], None]) -> None:
    """The facts that a version lost, took in and kept, each a button that opens its life."""
    for name, numbers in (("Lost", found.lost), ("New", found.new), ("Kept", found.kept)):
        if not numbers:
            continue
        named = numbers[:MOST_NAMED]
        labels = distinct([plain(fact_name(probes[number])) for number in named])
        more = f" (the first {MOST_NAMED})" if len(numbers) > MOST_NAMED else ""
        chosen = st.pills(
            f"{FACT_ICONS[name]} {name}: {counted(len(numbers), 'fact')}{more}", named,
            format_func=dict(zip(named, labels, strict=True)).__getitem__, key=f"{key}-{name}",
        )  # fmt: skip
        if chosen is not None:
            open_fact(chosen)
    if not any(found):
        st.caption("None of the facts is in it, and none was lost by it.")


def fact_name(probe: Probe) -> str:
    """What a fact is called where there is little room: its answer."""
    return shortened(probe.answers[0] if probe.answers else "?", NAME_CHARS)


def counts_words(found: VersionProbes) -> str:
    """``2 facts lost, none kept, 1 new``."""
    lost, kept, new = (f"{len(which):,}" if which else "none" for which in (found.lost, found.kept, found.new))
    return f"{lost} {'fact' if lost == '1' else 'facts'} lost, {kept} kept, {new} new".capitalize()


def what_changed(run: Run, compaction: Compaction, answers: Sequence[str]) -> None:
    """The text of the version against the one that it replaced, with ``answers`` marked; without one before it, as
    it is."""
    written = compaction.written
    if written is None:
        st.caption("There is no summarizer, so nothing stands for these messages.")
        return
    base = compaction.revises if compaction.revises is not None else compaction.replaces
    if base is None:
        st.html(marked_html(written.text[:MAX_CHARS_SHOWN], answers))
    else:
        before = run.space.summaries.versions[base - 1].text
        st.html(diff_html(word_diff(before[:MAX_CHARS_SHOWN], written.text[:MAX_CHARS_SHOWN]), answers))
    hidden = len(written.text) - MAX_CHARS_SHOWN
    if hidden > 0:
        st.caption(f"and {counted(hidden, 'more character')}")


def chosen_version(one: RetentionResult, number: int) -> VersionProbes:
    """What compaction ``number`` did to the facts."""
    return one.by_compaction[number] if number < len(one.by_compaction) else VersionProbes()
