"""Why a request is as it is: what was summarized for it, how the summary changed, and what left the window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

import streamlit as st

from memviz.charts.memory_map.fate_words import FATE_WORDS
from memviz.charts.palette import PART_COLORS, SUMMARIZATION_GLYPH
from memviz.charts.summaries.compaction_tooltip import cache_words
from memviz.charts.summaries.marks import MARKS, lacks_summarizer
from memviz.context import Fate
from memviz.conversation import Message
from memviz.engine.backoff import waiting_failure
from memviz.engine.compaction import Compaction
from memviz.engine.recall_tokens import recalled_tokens, stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.message_words import message_words
from memviz.metrics.requests.request_axis import name_of
from memviz.metrics.requests.request_table import left_since
from memviz.metrics.retention.message_facts import brought_back, summary_change
from memviz.metrics.summaries.authors import badge_words, summary_author
from memviz.metrics.summaries.compaction_words import (
    CompactionWords,
    compaction_words,
    error_words,
    tried_again,
)
from memviz.metrics.summaries.diff import word_diff
from memviz.metrics.summaries.events import outcome_of
from memviz.metrics.summaries.facts import facts_versions
from memviz.text.language import in_language
from memviz.text.light_markdown import as_html, without_marks
from memviz.text.wording import (
    counted,
    message_number,
    message_range,
    took_words,
    turn_list,
)
from memviz.transcripts.base import Probe
from memviz.ui.controls.diff_html import diff_html
from memviz.ui.controls.facts_html import changed_facts_html, of_version
from memviz.ui.controls.legend import glyph
from memviz.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.ui.shell.text import plain, shortened

MAX_MESSAGES_SHOWN = 20
MOST_FACTS_NAMED = 5
KEPT_CHARS_SHOWN = 160
"""Of what a new version took over unchanged: enough to see between what the changes stand."""


def recalled_here(record: TurnRecord, facts: Sequence[Probe]) -> None:
    """Which turns were recalled into the request, what that added to it, and which facts it knows by that alone."""
    words = recalled_words(record, facts)
    if words:
        st.html(recalled_html(words))


def recalled_html(words: str) -> str:
    """Words about a recall, with the sign that recalls have on the charts."""
    return f'<p class="memviz-why memviz-recalled">{glyph("▼", PART_COLORS["recalled"])} {in_language(words)}</p>'


def recalled_words(record: TurnRecord, facts: Sequence[Probe]) -> str:
    """``Recalled here: turn 3 (+337 tokens); brought back: cashews and pistachios``; empty where nothing was."""
    turns = stating_turns(record.memory.log, record.parts.recalled)
    if not turns:
        return ""
    words = f"Recalled here: {turn_list(turns)} (+{counted(recalled_tokens(record), 'token')})"
    back = brought_back(record, facts)
    return f"{words}; brought back: {_named(back)}" if back else words


def why(run: Run, requests: range) -> None:
    """What fired before ``requests`` (0-based numbers), each in numbers; a line that nothing did where nothing did."""
    record, shown = run.requests[requests[-1]], _fired_for(run, requests)
    made = run.compactions_at(record.turn)
    so_far = [
        compaction
        for compaction in made
        if compaction.after_message < record.memory.length
    ]
    waiting = waiting_failure(so_far)
    if waiting is not None and not any(waiting is one for one in shown):
        shown.append(waiting)
    for compaction in shown:
        _why(run, compaction)
    if not shown and run.compactions:
        before = next(
            (
                one
                for one in reversed(run.requests[: requests.start])
                if one.compactions
            ),
            None,
        )
        what = "summarized" if run.strategy.writes_notes else "cleared or shortened"
        since = (
            "" if before is None else f" It was last {what} for {name_of(run, before)}."
        )
        st.caption(f"Nothing was {what} for this request.{since}")


def _fired_for(run: Run, requests: range) -> list[Compaction]:
    return [
        compaction
        for number in requests
        for compaction in run.requests[number].compactions
    ]


def _why(run: Run, compaction: Compaction) -> None:
    words = compaction_words(compaction, run)
    because = f" ({plain(words.why)})" if words.why else ""
    if compaction.error is not None:
        reason, hope = plain(error_words(compaction)), tried_again(run, compaction)
        st.error(
            f"{words.what} {words.where}{because}: {reason}. {hope}",
            icon=":material/error:",
        )
    elif compaction.kind == "skip":
        messages = message_range(compaction.summarized)
        st.info(
            f"You skipped the summarization of {messages}{because}.",
            icon=":material/skip_next:",
        )
    elif compaction.kind == "undo":
        st.info(
            f"{words.what}: they are sent word for word again.", icon=":material/undo:"
        )
    elif lacks_summarizer(compaction):
        st.warning(
            f"{words.what}{because}: there is no summarizer.", icon=":material/delete:"
        )
    else:
        st.html(_fired(words, compaction, cache_words(compaction, run)))


def _fired(words: CompactionWords, compaction: Compaction, cost: str) -> str:
    """The mark of the chart, what happened, why and with which result."""
    because = f" ({_in_bold(words.why)})" if words.why else ""
    mark = MARKS[outcome_of(compaction)]
    sign = (
        glyph("◆", SUMMARIZATION_GLYPH)
        if compaction.written
        else glyph(mark.character, mark.color)
    )
    kind = "" if compaction.written else f" memviz-{compaction.kind}"
    said = ". ".join(escape(sentence) for sentence in (words.result, cost) if sentence)
    return (
        f'<p class="memviz-why{kind}">{sign} {escape(words.what)}{because}. {said}.</p>'
    )


def _in_bold(why: str) -> str:
    """The numbers of a reason are what one looks for."""
    name, colon, numbers = why.rpartition(": ")
    return f"{escape(name + colon)}<b>{escape(numbers)}</b>"


def changes(run: Run, requests: range, key: str, facts: Sequence[Probe] = ()) -> None:
    """What changed with ``requests`` (0-based numbers): the new versions of the summary against those before, and the
    messages that left since the request before them, which may have been an earlier call of the same turn."""
    record = run.requests[requests[-1]]
    for compaction in _fired_for(run, requests):
        if compaction.written is not None:
            _new_version(run, compaction, facts, brought_back(record, facts))
    _left(run, requests, key)


def summarizer_calls(run: Run, requests: range, key: str) -> None:
    """What the summarizer was asked for these requests, folded."""
    for number, compaction in enumerate(_fired_for(run, requests)):
        if compaction.written is not None:
            _call(compaction, f"{key}-call-{number}")


def _new_version(
    run: Run, compaction: Compaction, facts: Sequence[Probe], back: Sequence[Probe]
) -> None:
    base = compaction.revises if compaction.revises is not None else compaction.replaces
    old, new = (
        run.space.summaries.versions[base - 1].text if base else "",
        compaction.summary or "",
    )
    place = (
        f"replaces version {base}"
        if base
        else "stands beside those before"
        if _lists(compaction)
        else "the first"
    )
    if compaction.kind == "edit":
        place += " in your words"
    if author := summary_author(compaction):
        place += f" · {escape(badge_words(author, [compaction.model]))}"
    kept = of_version(
        run.once(facts_versions, lambda: facts_versions(run)), compaction.version
    )
    if kept is not None:
        text = changed_facts_html(kept)
    elif base:
        text = diff_html(
            word_diff(without_marks(old), without_marks(new)),
            kept_chars=KEPT_CHARS_SHOWN,
        )
    else:
        text = f'<div class="memviz-diff">{as_html(new)}</div>'
    noun = "Summary" if kept is None else "Facts"
    lines = "".join(
        f"<small>{line}</small>" for line in _facts(old, new, facts, back) if base
    )
    st.html(
        f'<section class="memviz-change" style="border-left-color: {PART_COLORS["summary"]}">'
        f"<header><b>{noun}, version {compaction.version}</b> {place}</header>{lines}"
        f'<div class="memviz-change-text" tabindex="0" role="group" aria-label="Text of the summary">{text}</div>'
        "</section>"
    )


def _lists(compaction: Compaction) -> bool:
    """Whether earlier versions are sent with the new one."""
    return compaction.before.summary_count > 0


def _facts(
    old: str, new: str, facts: Sequence[Probe], back: Sequence[Probe]
) -> list[str]:
    change = summary_change(old, new, facts)
    return [
        f"{counted(len(probes), 'fact')} {what}: {_named_html(probes, back)}"
        for what, probes in (
            ("lost", change.lost),
            ("contradicted", change.contradicted),
            ("new", change.gained),
        )
        if probes
    ]


def _named_html(probes: Sequence[Probe], back: Sequence[Probe]) -> str:
    return in_language(_named(probes, back))


def _named(probes: Sequence[Probe], back: Sequence[Probe] = ()) -> str:
    """Their answers; those that are ``back`` in the request by a recall say so."""
    names = [
        (probe.answers[0] if probe.answers else probe.question)
        + " (recalled here)" * (probe in back)
        for probe in probes[:MOST_FACTS_NAMED]
    ]
    more = len(probes) - MOST_FACTS_NAMED
    return "; ".join([*names, *([f"and {more:,} more"] if more > 0 else [])])


def _call(compaction: Compaction, key: str) -> None:
    """What the summarizer was asked and wrote, and what that took."""
    if compaction.by_thinking:
        st.caption(
            "Written by the chat model when it stopped thinking, so no summarizer was asked."
        )
        return
    if compaction.kind == "edit":
        with st.expander(
            "Your wording and the summarizer's", icon=":material/edit:", key=key
        ):
            _wording(compaction)
        return
    with st.expander(
        "What the summarizer was asked", icon=":material/compress:", key=key
    ):
        st.caption(
            f"Summarizer call {counted(compaction.prompt_tokens, 'token')} in, {compaction.output_tokens:,} out · "
            f"{took_words(compaction.seconds)}"
        )
        if compaction.is_edited:
            _wording(compaction)
        result, prompt = st.tabs(["New summary", "Prompt sent to the summarizer"])
        with result:
            st.text(compaction.summary or "")
        with prompt:
            st.text(compaction.prompt[:MAX_CHARS_SHOWN])


def _wording(compaction: Compaction) -> None:
    mine, before = st.tabs(["Your wording", "The summarizer's"])
    with mine:
        st.text(compaction.summary or "")
    with before:
        st.text(compaction.proposed or "It wrote none.")


def _left(run: Run, requests: range, key: str) -> None:
    left = left_since(run, requests)
    if not left:
        return
    fates = Counter(fate for _, fate in left)
    happened = [
        f"{fates[fate]:,} {words}" if len(fates) > 1 else words
        for fate, words in FATE_WORDS.items()
        if fates[fate]
    ]
    what = f"{counted(len(left), 'message')} no longer sent word for word: {', '.join(happened)}"
    with st.expander(what, icon=":material/logout:", key=f"{key}-left"):
        st.html(
            "".join(
                _left_html(run.log[position], position, fate)
                for position, fate in left[:MAX_MESSAGES_SHOWN]
            )
        )
        if len(left) > MAX_MESSAGES_SHOWN:
            st.caption(f"and {len(left) - MAX_MESSAGES_SHOWN} more")


def _left_html(message: Message, position: int, fate: Fate) -> str:
    head = (
        f"{message_number(position):,} · {escape(message.role)} · {FATE_WORDS[fate]}: "
    )
    return f'<p class="memviz-left">{head}{in_language(shortened(message_words(message), 160))}</p>'
