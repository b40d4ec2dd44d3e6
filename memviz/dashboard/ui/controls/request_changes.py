"""The changes since the request before: how the summary changed, what the summarizer was asked for that, and which
messages left the window."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import streamlit as st
from markupsafe import Markup

from memviz.core.context import Fate
from memviz.core.text.wording import comma_list, counted, message_number, took_words
from memviz.core.translation import _, ngettext, plural_noop
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.markup import as_html, element, in_language, joined, without_marks
from memviz.dashboard.ui.controls.diff_html import diff_html
from memviz.dashboard.ui.controls.facts_html import changed_facts_html, of_version
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.controls.request_reasons import fired_for, named_facts
from memviz.dashboard.ui.shell.elements import drawer
from memviz.dashboard.words import shorten
from memviz.dashboard.words.authors import badge_words
from memviz.dashboard.words.requests import message_words, role_name
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.requests.request_table import list_left_messages
from memviz.metrics.retention.message_facts import compare_summaries, find_brought_back
from memviz.metrics.summaries.diff import diff_words
from memviz.metrics.summaries.events import name_summary_author
from memviz.metrics.summaries.facts import list_facts_versions
from memviz.transcripts.base import Probe

MAX_MESSAGES_SHOWN = 20
_CHANGES = {
    "lost": plural_noop("{number:,} fact lost: ", "{number:,} facts lost: "),
    "contradicted": plural_noop(
        "{number:,} fact contradicted: ", "{number:,} facts contradicted: "
    ),
    "gained": plural_noop("{number:,} fact new: ", "{number:,} facts new: "),
}
"""The words before the facts that are named, by the kinds of a change of a summary."""
LEFT_CHARS = 160
KEPT_CHARS_SHOWN = 160
"""The characters of a stretch that a new version took over: enough to see where the changes stand."""


def draw_changes(run: Run, requests: range, key: str, facts: Sequence[Probe]) -> None:
    """Draw what changed with ``requests`` (0-based numbers): the new versions of the summary against those before, and
    the messages that left since the request before them, which may have been an earlier call of the same turn."""
    record = run.requests[requests[-1]]
    for compaction in fired_for(run, requests):
        if compaction.written is not None:
            _draw_new_version(run, compaction, facts, find_brought_back(record, facts))
    _draw_left(run, requests, key)


def draw_summarizer_calls(run: Run, requests: range, key: str) -> None:
    """Draw what the summarizer was asked for these requests, folded."""
    for number, compaction in enumerate(fired_for(run, requests)):
        if compaction.written is not None:
            _draw_call(compaction, f"{key}-call-{number}")


def _draw_new_version(
    run: Run, compaction: Compaction, facts: Sequence[Probe], back: Sequence[Probe]
) -> None:
    """Draw what a version changed of the one before it: facts line by line, other texts word by word."""
    new = compaction.summary or ""
    old = ""
    lines: list[Markup] = []
    if compaction.base:
        old = run.space.summaries.versions[compaction.base - 1].text
        lines += _changed_facts(old, new, facts, back)
    noun = _("Summary")
    facts_of_version = of_version(list_facts_versions(run), compaction.version)
    if facts_of_version is not None:
        noun = _("Facts")
        text = changed_facts_html(facts_of_version)
    elif compaction.base:
        diff = diff_words(without_marks(old), without_marks(new))
        text = diff_html(diff, kept_chars=KEPT_CHARS_SHOWN)
    else:
        text = element("div", as_html(new), class_="memviz-diff")
    # The text scrolls within its frame: with a tabindex keys reach it, and then it needs a name.
    whole_text = element(
        "div",
        text,
        class_="memviz-change-text",
        tabindex="0",
        role="group",
        aria_label=_("Text of the summary"),
    )
    title = _("{noun}, version {version}", noun=noun, version=compaction.version)
    head = element("header", element("b", title), f" {_place_words(compaction)}")
    edge = f"border-left-color: {PART_COLORS['summary']}"
    st.html(
        element("section", head, *lines, whole_text, class_="memviz-change", style=edge)
    )


def _place_words(compaction: Compaction) -> str:
    """Return ``the first``, or ``replaces version 2 in your words · recorded``."""
    place = _("the first")
    if compaction.base:
        place = _("replaces version {base}", base=compaction.base)
    elif compaction.before.summary_count:
        # Versions are listed: earlier ones are sent with the new one.
        place = _("stands beside those before")
    if compaction.kind == "edit":
        place = _("{place} in your words", place=place)
    author = name_summary_author(compaction)
    if author is None:
        return place
    return f"{place} · {badge_words(author, [compaction.model])}"


def _changed_facts(
    old: str, new: str, facts: Sequence[Probe], back: Sequence[Probe]
) -> Iterator[Markup]:
    """Yield a line of HTML for each kind of change to the facts that a summary knows."""
    change = compare_summaries(old, new, facts)
    for kind, words in _CHANGES.items():
        probes = getattr(change, kind)
        if probes:
            fact_words = in_language(named_facts(probes, back))
            yield element("small", ngettext(*words, len(probes)), fact_words)


def _draw_call(compaction: Compaction, key: str) -> None:
    """Draw what the summarizer was asked and wrote, and what that took."""
    if compaction.by_thinking:
        st.caption(
            _(
                "Written by the chat model when it stopped thinking, so no summarizer was asked."
            )
        )
        return
    if compaction.kind == "edit":
        label = _("Your wording and the summarizer's")
        with drawer(label, ":material/edit:", key):
            _draw_wordings(compaction)
        return
    label = _("What the summarizer was asked")
    with drawer(label, ":material/compress:", key):
        st.caption(
            _(
                "Summarizer call {tokens} in, {output_tokens:,} out · {took}",
                tokens=counted(compaction.prompt_tokens, "token"),
                output_tokens=compaction.output_tokens,
                took=took_words(compaction.seconds),
            )
        )
        if compaction.is_edited:
            _draw_wordings(compaction)
        result, prompt = st.tabs([_("New summary"), _("Prompt sent to the summarizer")])
        result.text(compaction.summary or "")
        prompt.text(compaction.prompt[:MAX_CHARS_SHOWN])


def _draw_wordings(compaction: Compaction) -> None:
    own_tab, summarizer_tab = st.tabs([_("Your wording"), _("The summarizer's")])
    own_tab.text(compaction.summary or "")
    summarizer_tab.text(compaction.proposed or _("It wrote none."))


def _draw_left(run: Run, requests: range, key: str) -> None:
    messages = list_left_messages(run, requests)
    if not messages:
        return
    what = _(
        "{messages} no longer sent word for word: {how}",
        messages=counted(messages, "message"),
        how=comma_list(_fates_in_words(fate for _message, fate in messages)),
    )
    with drawer(what, ":material/logout:", f"{key}-left"):
        lines = []
        for position, fate in messages[:MAX_MESSAGES_SHOWN]:
            lines.append(_left_html(run, position, fate))
        st.html(joined(lines))
        more = len(messages) - len(lines)
        if more:
            st.caption(_("and {more} more", more=more))


def _left_html(run: Run, position: int, fate: Fate) -> Markup:
    """Return ``4 · user · dropped: We fly to …``, of the message at this log position."""
    message = run.log[position]
    head = _(
        "{number:,} · {role} · {fate}: ",
        number=message_number(position),
        role=role_name(message.role),
        fate=_(FATE_WORDS[fate]),
    )
    words = in_language(shorten(message_words(message), LEFT_CHARS))
    return element("p", head, words, class_="memviz-left")


def _fates_in_words(fates: Iterable[Fate]) -> Iterator[str]:
    """Yield ``3 dropped``, ``1 summarized``; without its number a fate that all of them had."""
    numbers = Counter(fates)
    for fate, words in FATE_WORDS.items():
        if len(numbers) > 1 and numbers[fate]:
            yield _("{number:,} {how}", number=numbers[fate], how=_(words))
        elif numbers[fate]:
            yield _(words)
