"""One version of a summary in full: what happened, what changed, what it was made of."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import streamlit as st
from markupsafe import Markup

from memviz.core.text.language import language
from memviz.core.text.wording import (
    cost_words,
    counted,
    message_number,
    message_range,
    seconds_words,
)
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.summaries.marks import cache_words, lacks_summarizer
from memviz.dashboard.markup import element, joined, section
from memviz.dashboard.ui.controls.diff_html import (
    diff_html,
    legend_html,
    of_version,
    sides_html,
)
from memviz.dashboard.ui.controls.diff_html import facts_html as facts_of_memory
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.facts.summaries.prompt_lab import prompt_lab
from memviz.dashboard.ui.facts.summaries.rewording import Desk, rewrite_version
from memviz.dashboard.ui.facts.version_card import shown_text
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.compactions import (
    after_failure_words,
    compaction_words,
    error_words,
    outcome_words,
    request_title,
    request_words,
    size_words,
    tried_again,
    turn_words,
    writer_words,
)
from memviz.dashboard.words.requests import call_text
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.authors import Author, summary_author
from memviz.metrics.summaries.diff import word_diff
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    compaction_events,
    grows_a_list,
    never_summarizes,
    text_in_force,
)
from memviz.metrics.summaries.evolution import VersionFacts
from memviz.metrics.summaries.facts import facts_versions

INLINE = "One text"
SIDE_BY_SIDE = "Side by side"
TEXT_PIXELS = 520
UNCUT = (
    "Facts and why",
    "What changed",
    "Full text",
    "Numbers",
    "Reword",
    "Prompt lab",
)
"""The tabs that show all they have; the others scroll."""


def version_noun(run: Run) -> str:
    """Return what one summary is called, or one event of a setting that writes none."""
    if not run.space.summaries.versions and never_summarizes(run):
        return "Change"
    return "Entry" if grows_a_list(run) else "Version"


def event_label(run: Run, event: CompactionEvent) -> str:
    """Short name of an event, for controls."""
    name = outcome_words(event.what).capitalize()
    if event.version:
        name = f"{version_noun(run)} {event.version.version}"
    return f"{name} · {turn_words(event.compaction, run)}"


def version_view(
    desk: Desk, event: CompactionEvent, facts: VersionFacts | None, view: str
) -> None:
    """Show all there is to read about one event, and to do with it, a tab each. ``view`` tells the controls of one
    conversation and setting from another's."""
    run = desk.setting.run
    version = event.version
    taken = event.compaction.summarized
    prompt = event.compaction.prompt
    tabs: dict[str, Callable[[], object]] = {}
    facts_kept = of_version(
        run.once(facts_versions, lambda: facts_versions(run)),
        version.version if version else None,
    )
    if facts_kept is not None:
        tabs["Facts and why"] = lambda: st.html(facts_of_memory(facts_kept, run.log))
    if version:
        tabs["What changed"] = lambda: _changes(run, event, view)
        tabs["Full text"] = lambda: st.text(version.text)
    if version and grows_a_list(run):
        tabs["Whole list"] = lambda: st.text(text_in_force(run, event))
    tabs["Numbers"] = lambda: st.html(facts_html(run, event, facts))
    if taken:
        messages = counted(len(taken), "message")
        name = f"{messages} taken in" if version else messages
        tabs[name] = lambda: st.html(messages_html(run, taken))
    if prompt:
        tabs["Prompt"] = lambda: _prompt(prompt)
    if version:
        tabs["Reword"] = lambda: rewrite_version(desk, event.compaction)
        tabs["Prompt lab"] = lambda: prompt_lab(desk, event.compaction)
    for tab, (name, draw) in zip(st.tabs(list(tabs)), tabs.items(), strict=True):
        height: int | Literal["content"] = "content"
        if name not in UNCUT:
            height = TEXT_PIXELS
        with tab, st.container(height=height, border=False):
            draw()


def version_title(run: Run, event: CompactionEvent) -> str:
    """Return which version it is, or what became of the attempt."""
    request = request_words(event.compaction, run)
    if event.version is None:
        return f"{outcome_words(event.what).capitalize()} {request}"
    number = f"{event.version.version} of {len(run.summaries)}"
    return f"{version_noun(run)} {number}, {request}"


def trouble(run: Run, event: CompactionEvent) -> bool:
    """Say what a version that never came means; whether there was anything to say."""
    what = compaction_words(event.compaction).what
    if event.what is CompactionOutcome.FAILED:
        why = plain(error_words(event.compaction))
        hope = tried_again(run, event.compaction)
        st.error(f"{what}: {why}. {hope}", icon=":material/error:")
    elif lacks_summarizer(event.compaction):
        st.warning(f"{what}: there is no summarizer.", icon=":material/delete:")
    else:
        return False
    return True


def _prompt(text: str) -> None:
    st.text(text[:MAX_CHARS_SHOWN])
    if len(text) > MAX_CHARS_SHOWN:
        st.caption(f"and {counted(len(text) - MAX_CHARS_SHOWN, 'more character')}")
        st.download_button(
            "Download the whole prompt",
            text,
            "summarizer-prompt.txt",
            on_click="ignore",
        )


def _changes(run: Run, event: CompactionEvent, view: str) -> None:
    """The text against that of another version: by default the one before."""
    others = [
        other
        for other in compaction_events(run)
        if other.version and other.number != event.number
    ]
    if not others:
        st.caption(
            "This is the only version so far, so there is nothing to compare it with."
        )
        st.text(_shown_text(run, event))
        return
    base = _choose_base(run, event, others, view)
    if base is None:
        st.caption("Nothing came before it. Choose a later version to compare with.")
        st.text(_shown_text(run, event))
        return
    diff = word_diff(_shown_text(run, base), _shown_text(run, event))
    head, choice = st.columns([3, 2], vertical_alignment="center")
    head.html(legend_html(diff))
    linked("layout", "summaries-layout", [INLINE, SIDE_BY_SIDE])
    layout = choice.segmented_control(
        "View",
        [INLINE, SIDE_BY_SIDE],
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
    return shown_text(text_in_force(run, event), event.version)


def _choose_base(
    run: Run, event: CompactionEvent, others: Sequence[CompactionEvent], view: str
) -> CompactionEvent | None:
    """Return which version to compare with."""
    numbers = []
    before = None
    for other in others:
        if other.version is not None:
            numbers.append(other.version.version)
            if other.number < event.number:
                before = other.version.version
    default = event.base or before
    what = "the list as it was with" if grows_a_list(run) else "against"
    key = f"summaries-base-{view}-{event.number}"
    linked("against", key, range(len(others)))
    chosen = st.selectbox(
        f"Compare {what}",
        range(len(others)),
        index=numbers.index(default) if default else None,
        format_func=lambda at: event_label(run, others[at]),
        key=key,
        placeholder="Choose a version",
    )
    return None if chosen is None else others[chosen]


MAX_MESSAGES_SHOWN = 60
MAX_UNSOURCED_SHOWN = 30


def facts_html(run: Run, event: CompactionEvent, facts: VersionFacts | None) -> Markup:
    """Return what happened, as names and values; ``facts`` is ``None`` where no version came of it."""
    rows = [
        *_moment_rows(run, event),
        *_version_rows(run, event, facts),
        *_call_rows(event.compaction),
    ]
    if event.version:
        rows.append(("Written by", _writer(event)))
    body = []
    for name, value in rows:
        body += [element("dt", name), element("dd", value)]
    return element("dl", *body, class_="memviz-facts")


def messages_html(run: Run, positions: range) -> Markup:
    """Return the messages at these log positions; of many only the first."""
    shown = [_message(run, position) for position in positions[:MAX_MESSAGES_SHOWN]]
    hidden = len(positions) - MAX_MESSAGES_SHOWN
    if hidden > 0:
        shown.append(element("small", f"and {counted(hidden, 'message')} more"))
    return section(PART_COLORS["history"], *shown)


def _moment_rows(run: Run, event: CompactionEvent) -> Iterator[tuple[str, str]]:
    compaction = event.compaction
    sums = run.space.sums
    words = compaction_words(compaction, run)
    yield "When", words.where
    if words.why:
        yield "Why", words.why
    taken = compaction.summarized
    if taken:
        name = "Newly taken in" if event.version else "Was about"
        yield (
            name,
            f"{message_range(taken)} ({sums.between(taken.start, taken.stop):,} tokens)",
        )


def _version_rows(
    run: Run, event: CompactionEvent, facts: VersionFacts | None
) -> Iterator[tuple[str, str]]:
    compaction = event.compaction
    if event.version and facts:
        covered = counted(facts.covered_tokens, "token")
        yield "Stands for", f"{message_range(event.version.covers)} ({covered})"
        yield "Took the place of", _place(run, event)
        tokens = counted(facts.tokens, "token")
        yield "Its text", f"{tokens}, without the heading that it is sent under"
    if event.version or compaction.changes_memory:
        yield request_title(compaction, run), size_words(compaction, run)
    if cost := cache_words(compaction, run):
        yield "Prompt cache", cost
    if compaction.policy != "leave":
        yield "If the summarizer fails", after_failure_words(compaction)
    if facts and facts.origin.unsourced:
        words = facts.origin.unsourced
        said = ", ".join(words[:MAX_UNSOURCED_SHOWN])
        if len(words) > MAX_UNSOURCED_SHOWN:
            said += f" and {len(words) - MAX_UNSOURCED_SHOWN} more"
        yield "Words found in nothing it read", said
    if facts and facts.nested_headings:
        headings = counted(facts.nested_headings, "heading")
        yield "Summaries inside it", f"{headings} of an earlier summary, copied"


def _place(run: Run, event: CompactionEvent) -> str:
    if event.base:
        return f"version {event.base}"
    return f"nothing: it {'joined the list' if grows_a_list(run) else 'is the first'}"


def _call_rows(compaction: Compaction) -> Iterator[tuple[str, str]]:
    if compaction.asked:
        read = counted(compaction.prompt_tokens, "token")
        yield "Summarizer call", f"{read} in, {compaction.output_tokens:,} out"
        yield "Took", seconds_words(compaction.seconds)
        yield "Cost", cost_words(compaction.cost, recorded=compaction.recorded)


def _writer(event: CompactionEvent) -> str:
    who = writer_words(event.what)
    author = summary_author(event.compaction)
    said = []
    if author is not Author.STAND_IN and event.compaction.model:
        said.append(event.compaction.model)  # the stand-in's badge is its name
    if author is not None:
        said.append(author.value)
    return f"{who} ({', '.join(said)})" if said else who


def _message(run: Run, position: int) -> Markup:
    message = run.log[position]
    content = message.content
    tokens = counted(run.space.sums.between(position, position + 1), "token")
    head = f"{message.role} · message {message_number(position):,} · {tokens}"
    lines = [element("small", head)]
    if content:
        more = "…" if len(content) > MAX_CHARS_SHOWN else ""
        shown = content[:MAX_CHARS_SHOWN]
        lines.append(element("p", shown, more, lang=language(content)))
    lines += [element("code", call_text(call)) for call in message.tool_calls]
    return joined(lines)
