"""One version of a summary in full: what happened, what changed, what it was made of."""

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.summaries.marks import lacks_summarizer
from memviz.dashboard.ui.controls.diff_html import diff_html, legend_html, sides_html
from memviz.dashboard.ui.controls.facts_html import facts_html as facts_of_memory
from memviz.dashboard.ui.controls.facts_html import of_version
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.facts.summaries.prompt_lab import prompt_lab
from memviz.dashboard.ui.facts.summaries.rewording import Desk, rewrite_version
from memviz.dashboard.ui.facts.summaries.version_facts import facts_html, messages_html
from memviz.dashboard.ui.facts.version_card import say_hidden, shown_text
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.compactions import (
    compaction_words,
    error_words,
    outcome_words,
    request_words,
    retry_words,
    turn_words,
)
from memviz.engine.run import Run
from memviz.metrics.summaries.diff import diff_words
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    grows_a_list,
    join_text_in_force,
    list_compaction_events,
    never_summarizes,
)
from memviz.metrics.summaries.evolution import VersionFacts
from memviz.metrics.summaries.facts import list_facts_versions

INLINE = noop("One text")
SIDE_BY_SIDE = noop("Side by side")
TEXT_PIXELS = 520
UNCUT = (
    noop("Facts and why"),
    noop("What changed"),
    noop("Full text"),
    noop("Numbers"),
    noop("Reword"),
    noop("Prompt lab"),
)
"""The tabs that show all they have; the others scroll."""
WHOLE_LIST = noop("Whole list")
PROMPT = noop("Prompt")


def has_changes_alone(run: Run) -> bool:
    """Return whether a setting wrote no summary, and is not made to."""
    return not run.space.summaries.versions and never_summarizes(run)


def version_noun(run: Run) -> str:
    """Return what one summary is called, or one event of a setting that writes none."""
    if has_changes_alone(run):
        return _("Change")
    return _("Entry") if grows_a_list(run) else _("Version")


def event_label(run: Run, event: CompactionEvent) -> str:
    """Short name of an event, for controls."""
    name = outcome_words(event.what).capitalize()
    if event.version:
        name = _(
            "{version_noun} {number}",
            version_noun=version_noun(run),
            number=event.version.version,
        )
    return f"{name} · {turn_words(event.compaction, run)}"


def version_view(
    desk: Desk, event: CompactionEvent, facts: VersionFacts | None, view: str
) -> None:
    """Draw all there is to read about one event, and to do with it, a tab each. ``view`` tells the controls of one
    conversation and setting from another's."""
    tabs = _tabs_of(desk, event, facts, view)
    names = [_(name) for name in tabs]
    for tab, (name, draw) in zip(st.tabs(names), tabs.items(), strict=True):
        height: int | Literal["content"] = "content"
        if name not in UNCUT:
            height = TEXT_PIXELS
        with tab, st.container(height=height, border=False):
            draw()


def _tabs_of(
    desk: Desk, event: CompactionEvent, facts: VersionFacts | None, view: str
) -> dict[str, Callable[[], object]]:
    """Return what draws each tab, by its name; only those that have something to show."""
    run = desk.setting.run
    version = None if event.compaction.is_opaque else event.version
    sources = event.compaction.summarized
    prompt = event.compaction.prompt
    tabs: dict[str, Callable[[], object]] = {}
    number = version.version if version else None
    facts_kept = of_version(list_facts_versions(run), number)
    if facts_kept is not None:
        tabs["Facts and why"] = lambda: st.html(facts_of_memory(facts_kept, run.log))
    if version:
        tabs["What changed"] = lambda: _draw_changes(run, event, view)
        tabs["Full text"] = lambda: st.text(version.text)
    if version and grows_a_list(run):
        tabs[WHOLE_LIST] = lambda: st.text(join_text_in_force(run, event))
    tabs["Numbers"] = lambda: st.html(facts_html(run, event, facts))
    if sources:
        messages = counted(sources, "message")
        name = _("{messages} taken in", messages=messages) if version else messages
        tabs[name] = lambda: st.html(messages_html(run, sources))
    if prompt:
        tabs[PROMPT] = lambda: _draw_prompt(prompt)
    if version:
        tabs["Reword"] = lambda: rewrite_version(desk, event.compaction)
        tabs["Prompt lab"] = lambda: prompt_lab(desk, event.compaction)
    return tabs


def version_title(run: Run, event: CompactionEvent) -> str:
    """Return which version it is, or what became of the attempt."""
    request = request_words(event.compaction, run)
    if event.version is None:
        return _(
            "{outcome} {request}",
            outcome=outcome_words(event.what).capitalize(),
            request=request,
        )
    return _(
        "{version_noun} {number} of {versions}, {request}",
        version_noun=version_noun(run),
        number=event.version.version,
        versions=len(run.summaries),
        request=request,
    )


def trouble(run: Run, event: CompactionEvent) -> bool:
    """Say what a version that never came means. Returns true if there was anything to say."""
    what = compaction_words(event.compaction, run).what
    if event.what is CompactionOutcome.FAILED:
        st.error(
            _(
                "{what}: {why}. {hope}",
                what=what,
                why=plain(error_words(event.compaction)),
                hope=retry_words(run, event.compaction),
            ),
            icon=":material/error:",
        )
    elif lacks_summarizer(event.compaction):
        st.warning(
            _("{what}: there is no summarizer.", what=what), icon=":material/delete:"
        )
    else:
        return False
    return True


def _draw_prompt(text: str) -> None:
    st.text(text[:MAX_CHARS_SHOWN])
    if say_hidden(text):
        st.download_button(
            _("Download the whole prompt"),
            lambda: text,
            "summarizer-prompt.txt",
            on_click="ignore",
        )


def _draw_changes(run: Run, event: CompactionEvent, view: str) -> None:
    """Draw the text against that of another version: by default the one before."""
    others = []
    for other in list_compaction_events(run):
        if other.version and other.number != event.number:
            others.append(other)
    base = _choose_base(run, event, others, view) if others else None
    if base is None:
        why = _("Nothing came before it. Choose a later version to compare with.")
        if not others:
            why = _(
                "This is the only version so far, so there is nothing to compare it with."
            )
        st.caption(why)
        st.text(_shown_text(run, event))
        return
    diff = diff_words(_shown_text(run, base), _shown_text(run, event))
    head, choice = st.columns([3, 2], vertical_alignment="center")
    head.html(legend_html(diff))
    linked("layout", "summaries-layout", [INLINE, SIDE_BY_SIDE])
    layout = choice.segmented_control(
        _("View"),
        [INLINE, SIDE_BY_SIDE],
        format_func=_,
        default=INLINE,
        required=True,
        key="summaries-layout",
        label_visibility="collapsed",
    )
    if layout == INLINE:
        st.html(diff_html(diff))
        return
    for column, side, other in zip(
        st.columns(2), sides_html(diff), (base, event), strict=True
    ):
        column.caption(plain(event_label(run, other)))
        column.html(side)


def _shown_text(run: Run, event: CompactionEvent) -> str:
    """Return what stands for older messages."""
    return shown_text(join_text_in_force(run, event), event.version)


def _choose_base(
    run: Run, event: CompactionEvent, others: Sequence[CompactionEvent], view: str
) -> CompactionEvent | None:
    """Draw the choice of the version to compare with, and return it."""
    numbers = []
    newest_before = None
    for other in others:
        if other.version is not None:
            numbers.append(other.version.version)
            if other.number < event.number:
                newest_before = other.version.version
    # A version that was written anew from an older one is compared with that.
    default = event.compaction.base or newest_before
    label = _("Compare against")
    if grows_a_list(run):
        label = _("Compare the list as it was with")
    key = f"summaries-base-{view}-{event.number}"
    linked("against", key, range(len(others)))
    chosen = st.selectbox(
        label,
        range(len(others)),
        index=numbers.index(default) if default else None,
        format_func=lambda at: event_label(run, others[at]),
        key=key,
        placeholder=_("Choose a version"),
    )
    return None if chosen is None else others[chosen]
