"""One answer: where the model had it from, what lost it, and what it takes to bring its source back."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from memviz.core.text.containment import PhraseIndex
from memviz.core.text.terms import normal_forms_of_text
from memviz.core.text.wording import counted, message_number, request_name, turn_list
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.authorship import draw_badge_of
from memviz.dashboard.ui.controls.block_html import block_html
from memviz.dashboard.ui.controls.inspector import BadgeColor
from memviz.dashboard.ui.controls.message_html import prose, stripe
from memviz.dashboard.ui.controls.recalls import BroughtBack, brought_back_into
from memviz.dashboard.ui.controls.request_reasons import recalled_html
from memviz.dashboard.ui.shell.elements import box, buttons_row, drawer, show_title
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.engine.part_tokens import find_whole_ranges
from memviz.engine.recall_tokens import count_recalled_tokens, find_stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.answer_sources import AnswerSource
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import life_lines, list_fact_losses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.events import grows_a_list
from memviz.transcripts.base import Probe
from memviz.tuning.pricing_assumptions import PricingAssumptions

BEFORE_CHARS_SHOWN = 120
SOURCES: dict[str | None, tuple[BadgeColor, str, str]] = {
    "verbatim": (
        "blue",
        noop("word for word"),
        noop("An earlier message was sent word for word, and the answer is in it."),
    ),
    "recalled": (
        "orange",
        noop("recalled"),
        noop("A message was brought back for this request, and the answer is in it."),
    ),
    "summary": (
        "violet",
        noop("in the summary"),
        noop("The answer is in the summary that was sent."),
    ),
    "system": (
        "gray",
        noop("system prompt"),
        noop("The answer is in the system prompt."),
    ),
    None: (
        "gray",
        noop("not in context"),
        noop("Nothing that was sent with this request holds the answer."),
    ),
}
_ASKED_AGAIN = noop("Asked again with {turns}: {size}")
_WITH_RECALLED = noop("With {turns} recalled: {size}")
_OF_TURN = noop("Message {number:,} of turn {turn:,}: ")
_OF_NO_TURN = noop("Message {number:,}: ")
_LOST_IN_ENTRY = noop(
    "Lost in entry {version:,} of the summary, before the request of {name}."
)
_LOST_IN_VERSION = noop(
    "Lost in version {version:,} of the summary, before the request of {name}."
)


def draw_answer_card(
    setting: SettingRun,
    record: TurnRecord,
    source: AnswerSource,
    draw_way_back: Callable[[], object] | None = None,
    answer_before: TurnRecord | None = None,
) -> None:
    """Draw the answer under one setting, its source, and what was sent for it. What was recalled stands above the
    answer, with the sign that recalls have on the charts: cause and effect. ``draw_way_back`` draws what may help where
    nothing that was sent holds the answer; ``answer_before`` is the one that was given before it helped."""
    with box():
        st.html(stripe(setting.index))
        show_title(setting.label)
        if record.parts.recalled:
            words = describe_recalled(record, is_again=answer_before is not None)
            st.html(recalled_html(words))
            if answer_before is not None and answer_before.reply:
                before = plain(shorten(answer_before.reply, BEFORE_CHARS_SHOWN))
                st.caption(_("Before: {reply}", reply=before))
        prose(record.reply or "")
        color, name, help = SOURCES[source.kind]
        with buttons_row("xsmall"):
            st.badge(_(name), color=color, help=_(help))
            if record.facts is not None:
                draw_badge_of(record.facts)
        if source.quote:
            st.caption(f"{_place_words(record, source)}{plain(source.quote)}")
        if record.parts.recalled:
            pieces = []
            for block in record.context.blocks:
                if block.kind == "recalled":
                    pieces.append(block_html(block, record))
            with drawer(_("What was recalled"), ":material/history:"):
                st.html("".join(pieces))
        if source.kind is None and draw_way_back is not None:
            draw_way_back()
        st.caption(_context_words(record))


def describe_recalled(record: TurnRecord, *, is_again: bool) -> str:
    """Return what was recalled into the request of an answer, and how large that request was without it and is with it.
    ``is_again``: the question had been asked without it."""
    turns = turn_list(find_stating_turns(record.memory.log, record.parts.recalled))
    more = count_recalled_tokens(record)
    size = _(
        "{before:,} → {after:,} tokens (+{more:,})",
        before=record.total_tokens - more,
        after=record.total_tokens,
        more=more,
    )
    words = _ASKED_AGAIN if is_again else _WITH_RECALLED
    return _(words, turns=turns, size=size)


def _place_words(record: TurnRecord, source: AnswerSource) -> str:
    if source.position is None:
        return ""
    turn = record.memory.log.turn_number(source.position)
    words = _OF_TURN if turn else _OF_NO_TURN
    return _(words, number=message_number(source.position), turn=turn)


def _context_words(record: TurnRecord) -> str:
    """Return what it had in its context, in a line."""
    parts = record.parts
    space = record.memory.space
    sent = sum(map(len, parts.history)) - len(parts.restored)
    verbatim = 0
    for positions in find_whole_ranges(space, parts):
        verbatim += len(set(positions).difference(parts.input))
    covered = space.summaries.covered(parts.summaries.start, parts.summaries.stop)
    summarized = sum(map(len, covered))
    had = [
        _("{tokens:,} tokens sent", tokens=record.sent_tokens),
        _("{messages} word for word", messages=counted(verbatim, "message")),
    ]
    if sent > verbatim:
        had.append(_("{number:,} cleared or shortened", number=sent - verbatim))
    if summarized:
        had.append(_("{number:,} in summaries", number=summarized))
    if parts.recalled:
        had.append(_("{number:,} recalled", number=len(parts.recalled)))
    if len(record.requests) > 1:
        had.append(counted(record.requests, "call"))
    return " · ".join(had)


MOST_SUGGESTED = 3
LONGEST_SUGGESTED = 60
BOUNDED_MESSAGES = 300
"""A request of more is not searched for what it lost: it is a full buffer, or nearly one."""


def suggest_questions(probes: Sequence[Probe], runs: Sequence[Run] = ()) -> list[str]:
    """A few short questions about a conversation: first those that one of the ``runs`` has lost the answer to, and of
    both kinds those about what was said first, since that is lost first."""
    short = [
        probe
        for probe in probes
        if probe.evidence and len(probe.question) <= LONGEST_SUGGESTED
    ]
    facts = tuple(short)
    lost_facts: set[Probe] = set()
    for run in runs:
        find = partial(_find_unspoken, run, facts)
        lost_facts.update(run.once((_find_unspoken, facts), find))
    short.sort(key=lambda probe: (probe not in lost_facts, max(probe.evidence)))
    return [probe.question for probe in short[:MOST_SUGGESTED]]


def _find_unspoken(run: Run, facts: Sequence[Probe]) -> list[Probe]:
    """Return the facts of which nothing at the end of a run holds an answer, or all content words of the question,
    which may be answered in other words. No model is asked."""
    sent = run.turns[-1].context.messages if run.turns else ()
    if not 0 < len(sent) <= BOUNDED_MESSAGES:
        return []
    texts = [*(message.content for message in sent), run.turns[-1].reply or ""]
    answers = [answer for fact in facts for answer in fact.answers]
    facts_of_answers = [fact for fact in facts for _answer in fact.answers]
    phrases = PhraseIndex(answers).find(texts).phrases
    said_facts = {facts_of_answers[number] for number in phrases}
    words = [normal_forms_of_text(text) for text in texts]
    unspoken = []
    for fact in facts:
        question_words = normal_forms_of_text(fact.question)
        is_asked = any(question_words <= text_words for text_words in words)
        if fact not in said_facts and not is_asked:
            unspoken.append(fact)
    return unspoken


def find_fact_asked(question: str, probes: Sequence[Probe]) -> Probe | None:
    """The fact that ``question`` asks for, if it is one of ``probes``."""
    # Of several that ask the same it is the first.
    by_question = {
        probe.question.strip().casefold(): probe for probe in reversed(probes)
    }
    return by_question.get(question.strip().casefold())


def describe_loss(run: Run, fact: Probe) -> str:
    """Return which version of the summary lost the fact, or since which request it is not sent; empty where the last
    request still knows it."""
    return run.once(
        (describe_loss, fact), lambda: _lost_words(run, fact), is_picture=True
    )


def _lost_words(run: Run, fact: Probe) -> str:
    texts = ProbeTexts(run.log, [fact])
    fact_retention = retention(run, [fact], texts)
    lives = life_lines(run, fact_retention, texts)
    if not (lives and lives[0].spans) or lives[0].spans[-1].state.is_known:
        return ""
    span = lives[0].spans[-1]
    if span.state is Knowledge.CONTRADICTED:
        return _(
            "Only denied or outdated since {name}.",
            name=request_name(*span.first),
        )
    by = list_fact_losses(run, fact_retention, lives, texts)[0, span.first_place]
    name = request_name(*span.first)
    version = None if by is None else run.compactions[by].version
    if version is None:
        return _("Not sent since {name}.", name=name)
    words = _LOST_IN_ENTRY if grows_a_list(run) else _LOST_IN_VERSION
    return _(words, version=version, name=name)


def find_stating_positions(
    question: str, probes: Sequence[Probe], sources: Mapping[int, AnswerSource]
) -> tuple[int, ...]:
    """The log positions that state the answer to ``question``: those of the probe that asks the same; else the message
    from which other settings (``sources``, by number) had their answers."""
    probe = find_fact_asked(question, probes)
    if probe is not None and probe.evidence:
        return probe.evidence
    positions = [
        source.position
        for source in sources.values()
        if source.kind and source.position is not None
    ]
    return (min(positions),) if positions else ()


def plan_bringing_back(
    run: Run, asked: TurnRecord, positions: Sequence[int], prices: PricingAssumptions
) -> BroughtBack | None:
    """Return what it takes to bring the turns of these positions back into the request of a question; ``None`` where
    the strategy allows no recall or the request holds them already."""
    turns = tuple(turn for turn in find_stating_turns(run.log, positions) if turn)
    if not turns or not run.strategy.allows_recall:
        return None
    # The question's request is in no bill of the run; its last request is priced in its place.
    recall = brought_back_into(run, asked, turns, prices, run.turns[-1].turn)
    return recall if recall.tokens > 0 else None
