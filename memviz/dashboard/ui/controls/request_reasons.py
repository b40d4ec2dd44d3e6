"""The reasons for a request: what was recalled into it, and what was summarized, cleared or shortened for it."""

from collections.abc import Iterator, Sequence

import streamlit as st
from markupsafe import Markup

from memviz.core.text.wording import SEMICOLON, counted, message_range, turn_list
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import PART_COLORS, SUMMARIZATION_GLYPH
from memviz.dashboard.charts.summaries.marks import MARKS, cache_words, lacks_summarizer
from memviz.dashboard.markup import element, glyph, in_language, joined
from memviz.dashboard.ui.shell.elements import show_info
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.compactions import (
    CompactionWords,
    compaction_words,
    error_words,
    retry_words,
)
from memviz.dashboard.words.requests import name_of
from memviz.engine.backoff import find_waiting_failure
from memviz.engine.compaction import Compaction
from memviz.engine.recall_tokens import count_recalled_tokens, find_stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.retention.message_facts import find_brought_back
from memviz.metrics.summaries.events import judge_outcome
from memviz.transcripts.base import Probe

MOST_FACTS_NAMED = 5
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
_FAILED = noop("{what} {where}{because}: {reason}.")
_DROPPED = noop("{what}{because}: there is no summarizer.")


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
    turns = find_stating_turns(record.memory.log, record.parts.recalled)
    if not turns:
        return ""
    tokens = counted(count_recalled_tokens(record), "token")
    words = _(
        "Recalled here: {turns} (+{tokens})",
        turns=turn_list(turns),
        tokens=tokens,
    )
    back = find_brought_back(record, facts)
    if not back:
        return words
    return _(
        "{recalled}; brought back: {facts}", recalled=words, facts=named_facts(back)
    )


def draw_reasons(run: Run, requests: range) -> None:
    """Draw what fired before ``requests`` (0-based numbers), each in numbers; a line that nothing did where nothing
    did."""
    events = fired_for(run, requests)
    failure = _failure_in_the_way(run, run.requests[requests[-1]])
    if failure is not None and not any(failure is event for event in events):
        events.append(failure)
    for compaction in events:
        _draw_reason(run, compaction)
    if not events and run.compactions:
        st.caption(_nothing_words(run, requests))


def _failure_in_the_way(run: Run, record: TurnRecord) -> Compaction | None:
    """Return the failed summarization after which nothing was tried again up to this request, if there is one."""
    length = record.memory.length
    compactions = run.compactions_at(record.turn)
    return find_waiting_failure(
        [each for each in compactions if each.after_message < length]
    )


def _nothing_words(run: Run, requests: range) -> str:
    """Return ``Nothing was summarized for this request. It was last summarized for turn 12.``"""
    nothing, last = NOT_FIRED[run.strategy.writes_notes]
    for before in reversed(run.requests[: requests.start]):
        if before.compactions:
            return f"{_(nothing)} {_(last, request=name_of(run, before))}"
    return _(nothing)


def fired_for(run: Run, requests: range) -> list[Compaction]:
    """Return the compactions before ``requests`` (0-based numbers), in their order."""
    fired: list[Compaction] = []
    for number in requests:
        fired += run.requests[number].compactions
    return fired


def _draw_reason(run: Run, compaction: Compaction) -> None:
    words = compaction_words(compaction, run)
    because = _(" ({why})", why=plain(words.why)) if words.why else ""
    values = {
        "what": words.what,
        "where": words.where,
        "messages": message_range(compaction.summarized),
        "because": because,
        "reason": plain(error_words(compaction)),
    }
    if compaction.error is not None:
        failure = _(_FAILED, **values)
        st.error(f"{failure} {retry_words(run, compaction)}", icon=":material/error:")
    elif compaction.kind in DECIDED:
        template, icon = DECIDED[compaction.kind]
        show_info(_(template, **values), icon)
    elif lacks_summarizer(compaction):
        st.warning(_(_DROPPED, **values), icon=":material/delete:")
    else:
        st.html(_fired_html(words, compaction, cache_words(compaction, run)))


def _fired_html(words: CompactionWords, compaction: Compaction, cost: str) -> Markup:
    """Return the mark of the chart, what happened, why and with which result."""
    look = "memviz-why"
    if compaction.written:
        sign = glyph("◆", SUMMARIZATION_GLYPH)
    else:
        look += f" memviz-{compaction.kind}"
        mark = MARKS[judge_outcome(compaction)]
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


def named_facts(probes: Sequence[Probe], back: Sequence[Probe] = ()) -> str:
    """Return the facts' answers; those that are ``back`` in the request by a recall say so."""
    return _(SEMICOLON).join(_fact_names(probes, back))


def _fact_names(probes: Sequence[Probe], back: Sequence[Probe]) -> Iterator[str]:
    for probe in probes[:MOST_FACTS_NAMED]:
        name = probe.answers[0] if probe.answers else probe.question
        yield _("{name} (recalled here)", name=name) if probe in back else name
    more = len(probes) - MOST_FACTS_NAMED
    if more > 0:
        yield _("and {more:,} more", more=more)
