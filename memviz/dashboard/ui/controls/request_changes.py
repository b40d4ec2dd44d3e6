"""The reasons for a request: what was summarized for it, how the summary changed, and what left the window."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import streamlit as st
from markupsafe import Markup

from memviz.core.context import Fate
from memviz.core.text.wording import (
    SEMICOLON,
    comma_list,
    counted,
    message_number,
    message_range,
    took_words,
    turn_list,
)
from memviz.core.translation import _, ngettext, noop, plural_noop
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS
from memviz.dashboard.charts.palette import PART_COLORS, SUMMARIZATION_GLYPH
from memviz.dashboard.charts.summaries.marks import MARKS, cache_words, lacks_summarizer
from memviz.dashboard.markup import (
    as_html,
    element,
    glyph,
    in_language,
    joined,
    without_marks,
)
from memviz.dashboard.ui.controls.diff_html import diff_html
from memviz.dashboard.ui.controls.facts_html import changed_facts_html, of_version
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.shell.elements import drawer, show_info
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.dashboard.words.authors import badge_words
from memviz.dashboard.words.compactions import (
    CompactionWords,
    compaction_words,
    error_words,
    tried_again,
)
from memviz.dashboard.words.requests import message_words, name_of, role_name
from memviz.engine.backoff import waiting_failure
from memviz.engine.compaction import Compaction
from memviz.engine.recall_tokens import recalled_tokens, stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_table import left_since
from memviz.metrics.retention.message_facts import brought_back, summary_change
from memviz.metrics.summaries.diff import word_diff
from memviz.metrics.summaries.events import outcome_of, summary_author
from memviz.metrics.summaries.facts import facts_versions
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
NOT_FIRED = {
    True: (
        noop("Nothing was summarized for this request."),
        noop("It was last summarized for {request}."),
    ),
    False: (
        noop("Nothing was cleared or shortened for this request."),
        noop("It was last cleared or shortened for {request}."),
    ),
}
"""What is said where nothing happened, and of the last time, for strategies that write notes and for others."""
DECIDED = {
    "skip": (
        noop("You skipped the summarization of {messages}{because}."),
        ":material/skip_next:",
    ),
    "undo": (
        noop("{what}: they are sent word for word again."),
        ":material/undo:",
    ),
}
"""The words and the icon of what the user decided, by the kind of the compaction."""
MOST_FACTS_NAMED = 5
LEFT_CHARS = 160
KEPT_CHARS_SHOWN = 160
"""The characters of a stretch that a new version took over: enough to see where the changes stand."""


def draw_recalled(record: TurnRecord, facts: Sequence[Probe]) -> None:
    """Draw the turns that were recalled into the request, the tokens of that, and the facts that it knows by that
    alone."""
    words = recalled_words(record, facts)
    if words:
        st.html(recalled_html(words))


def recalled_html(words: str) -> Markup:
    """Return words about a recall, with the sign that recalls have on the charts."""
    sign = glyph("▼", PART_COLORS["recalled"])
    return element(
        "p", sign, " ", in_language(words), class_="memviz-why memviz-recalled"
    )


def recalled_words(record: TurnRecord, facts: Sequence[Probe]) -> str:
    """Return ``Recalled here: turn 3 (+337 tokens); brought back: cashews and pistachios``; empty where nothing was."""
    turns = stating_turns(record.memory.log, record.parts.recalled)
    if not turns:
        return ""
    tokens = counted(recalled_tokens(record), "token")
    words = _(
        "Recalled here: {turns} (+{tokens})",
        turns=turn_list(turns),
        tokens=tokens,
    )
    back = brought_back(record, facts)
    if not back:
        return words
    return _(
        "{recalled}; brought back: {facts}", recalled=words, facts=_named_facts(back)
    )


def draw_reasons(run: Run, requests: range) -> None:
    """Draw what fired before ``requests`` (0-based numbers), each in numbers; a line that nothing did where nothing
    did."""
    record = run.requests[requests[-1]]
    events = _fired_for(run, requests)
    compactions = run.compactions_at(record.turn)
    length = record.memory.length
    before = [each for each in compactions if each.after_message < length]
    failure = waiting_failure(before)
    if failure is not None and not any(failure is event for event in events):
        events.append(failure)
    for compaction in events:
        _draw_reason(run, compaction)
    if events or not run.compactions:
        return
    st.caption(_nothing_words(run, requests))


def _nothing_words(run: Run, requests: range) -> str:
    """Return ``Nothing was summarized for this request. It was last summarized for turn 12.``"""
    nothing, last = NOT_FIRED[run.strategy.writes_notes]
    for before in reversed(run.requests[: requests.start]):
        if before.compactions:
            return f"{_(nothing)} {_(last, request=name_of(run, before))}"
    return _(nothing)


def _fired_for(run: Run, requests: range) -> list[Compaction]:
    fired: list[Compaction] = []
    for number in requests:
        fired += run.requests[number].compactions
    return fired


def _draw_reason(run: Run, compaction: Compaction) -> None:
    words = compaction_words(compaction, run)
    because = _(" ({why})", why=plain(words.why)) if words.why else ""
    if compaction.error is not None:
        failure = _(
            "{what} {where}{because}: {reason}.",
            what=words.what,
            where=words.where,
            because=because,
            reason=plain(error_words(compaction)),
        )
        st.error(f"{failure} {tried_again(run, compaction)}", icon=":material/error:")
    elif compaction.kind in DECIDED:
        template, icon = DECIDED[compaction.kind]
        sentence = _(
            template,
            what=words.what,
            messages=message_range(compaction.summarized),
            because=because,
        )
        show_info(sentence, icon)
    elif lacks_summarizer(compaction):
        st.warning(
            _(
                "{what}{because}: there is no summarizer.",
                what=words.what,
                because=because,
            ),
            icon=":material/delete:",
        )
    else:
        st.html(_fired_html(words, compaction, cache_words(compaction, run)))


def _fired_html(words: CompactionWords, compaction: Compaction, cost: str) -> Markup:
    """Return the mark of the chart, what happened, why and with which result."""
    look = "memviz-why"
    if compaction.written:
        sign = glyph("◆", SUMMARIZATION_GLYPH)
    else:
        look += f" memviz-{compaction.kind}"
        mark = MARKS[outcome_of(compaction)]
        sign = glyph(mark.character, mark.color)
    because = Markup()
    if words.why:
        # The numbers of a reason are what one looks for.
        name, colon, numbers = words.why.rpartition(_(": "))
        before, after = _(" ({why})").split("{why}")
        because = joined([f"{before}{name}{colon}", element("b", numbers), after])
    sentences = _(". ").join(filter(None, (words.result, cost)))
    end = _(". {said}.", said=sentences)
    return element("p", sign, f" {words.what}", because, end, class_=look)


def draw_changes(
    run: Run, requests: range, key: str, facts: Sequence[Probe] = ()
) -> None:
    """Draw what changed with ``requests`` (0-based numbers): the new versions of the summary against those before, and
    the messages that left since the request before them, which may have been an earlier call of the same turn."""
    record = run.requests[requests[-1]]
    for compaction in _fired_for(run, requests):
        if compaction.written is not None:
            _draw_new_version(run, compaction, facts, brought_back(record, facts))
    _draw_left(run, requests, key)


def draw_summarizer_calls(run: Run, requests: range, key: str) -> None:
    """Draw what the summarizer was asked for these requests, folded."""
    for number, compaction in enumerate(_fired_for(run, requests)):
        if compaction.written is not None:
            _draw_call(compaction, f"{key}-call-{number}")


def _draw_new_version(
    run: Run, compaction: Compaction, facts: Sequence[Probe], back: Sequence[Probe]
) -> None:
    new = compaction.summary or ""
    base = compaction.base
    # Where versions are listed, earlier ones are sent with the new one.
    is_listed = compaction.before.summary_count > 0
    place = _("stands beside those before") if is_listed else _("the first")
    old = run.space.summaries.versions[base - 1].text if base else ""
    lines: list[Markup] = []
    if base:
        place = _("replaces version {base}", base=base)
        lines += _changed_facts(old, new, facts, back)
    if compaction.kind == "edit":
        place = _("{place} in your words", place=place)
    if author := summary_author(compaction):
        place += f" · {badge_words(author, [compaction.model])}"
    noun = _("Summary")
    facts_of_version = of_version(facts_versions(run), compaction.version)
    if facts_of_version is not None:
        noun = _("Facts")
        text = changed_facts_html(facts_of_version)
    elif base:
        diff = word_diff(without_marks(old), without_marks(new))
        text = diff_html(diff, kept_chars=KEPT_CHARS_SHOWN)
    else:
        text = element("div", as_html(new), class_="memviz-diff")
    title = _("{noun}, version {version}", noun=noun, version=compaction.version)
    head = element("header", element("b", title), f" {place}")
    st.html(_change_html(head, lines, text))


def _change_html(head: Markup, lines: list[Markup], text: Markup) -> Markup:
    whole = element(
        "div",
        text,
        class_="memviz-change-text",
        tabindex="0",
        role="group",
        aria_label=_("Text of the summary"),
    )
    edge = f"border-left-color: {PART_COLORS['summary']}"
    return element("section", head, *lines, whole, class_="memviz-change", style=edge)


def _changed_facts(
    old: str, new: str, facts: Sequence[Probe], back: Sequence[Probe]
) -> Iterator[Markup]:
    """Yield a line of HTML for each kind of change to the facts that a summary knows."""
    change = summary_change(old, new, facts)
    for kind, words in _CHANGES.items():
        probes = getattr(change, kind)
        if probes:
            fact_words = in_language(_named_facts(probes, back))
            yield element("small", ngettext(*words, len(probes)), fact_words)


def _named_facts(probes: Sequence[Probe], back: Sequence[Probe] = ()) -> str:
    """Return the facts' answers; those that are ``back`` in the request by a recall say so."""
    return _(SEMICOLON).join(_fact_names(probes, back))


def _fact_names(probes: Sequence[Probe], back: Sequence[Probe]) -> Iterator[str]:
    for probe in probes[:MOST_FACTS_NAMED]:
        name = probe.answers[0] if probe.answers else probe.question
        yield _("{name} (recalled here)", name=name) if probe in back else name
    more = len(probes) - MOST_FACTS_NAMED
    if more > 0:
        yield _("and {more:,} more", more=more)


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
    messages = left_since(run, requests)
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
            message = run.log[position]
            head = _(
                "{number:,} · {role} · {fate}: ",
                number=message_number(position),
                role=role_name(message.role),
                fate=_(FATE_WORDS[fate]),
            )
            words = in_language(shorten(message_words(message), LEFT_CHARS))
            lines.append(element("p", head, words, class_="memviz-left"))
        st.html(joined(lines))
        more = len(messages) - MAX_MESSAGES_SHOWN
        if more > 0:
            st.caption(_("and {more} more", more=more))


def _fates_in_words(fates: Iterable[Fate]) -> Iterator[str]:
    """Yield ``3 dropped``, ``1 summarized``; without its number a fate that all of them had."""
    numbers = Counter(fates)
    for fate, words in FATE_WORDS.items():
        if len(numbers) > 1 and numbers[fate]:
            yield _("{number:,} {how}", number=numbers[fate], how=_(words))
        elif numbers[fate]:
            yield _(words)
