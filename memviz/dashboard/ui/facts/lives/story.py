"""Beside the lives of facts: the story of the chosen one, what it takes to bring it back, and the version of the
summary that lost it."""

from collections.abc import Iterator, Sequence
from functools import partial

import streamlit as st

from memviz.core.text.containment import contains
from memviz.core.text.wording import (
    distinct_names,
    message_list,
    message_number,
    message_range,
    request_name,
)
from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.life_lines import span_words
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.diff_html import answer_pattern, marked_html
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.controls.recalls import bring_back
from memviz.dashboard.ui.facts.selection import (
    choose_loss,
    chosen_event,
    event_key,
    fact_key,
    first_loss,
    loss_key,
    losses_of,
    open_event,
    open_request,
    request_lost_at,
)
from memviz.dashboard.ui.facts.version_card import (
    chosen_version,
    counts_words,
    draw_changes_of_version,
    draw_version_badge,
    draw_version_head,
    fact_name,
)
from memviz.dashboard.ui.shell.elements import button, segments, show_title
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.words import shorten
from memviz.dashboard.words.compactions import act_words, reason_words
from memviz.dashboard.words.requests import life_sentence, message_words, name_of
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.message_text import readable
from memviz.metrics.retention.knowledge import Freshness, Knowledge
from memviz.metrics.retention.life_lines import LifeLine, Span
from memviz.transcripts.base import Probe

LABEL_CHARS = 110


def _name_at(result: RetentionResult, place: int) -> str:
    return name_of(result.run, request_lost_at(result, place))


def draw_beside(result: RetentionResult, life: LifeLine) -> None:
    """Show how the chosen fact was lost, what it takes to bring it back, and the summarization that is chosen."""
    show_title(fact_name(result.retention.probes[life.probe]))
    place = _which_loss(result, life)
    lost_by = None
    if place is not None:
        lost_by = losses_of(result, life.probe)[place]
        _draw_way_back(result, life, request_lost_at(result, place))
    elif life.spans:
        st.caption(_("It was never lost under this setting."))
    number = event_beside(result, lost_by)
    if number is None:
        return
    if lost_by not in (None, number):
        st.caption(act_words(result.run.compactions[number]).not_this)
    _draw_version(result, life, number)


def event_beside(result: RetentionResult, lost_by: int | None) -> int | None:
    """The number of the compaction that is shown beside a fact: the one that was chosen itself; where only a request
    was, as on Compare, the one that lost the fact (``lost_by``), and what that request rests on where none did."""
    number = chosen_event(result.setting)
    if lost_by is None or widget_value(event_key(result.setting)) == number:
        return number
    return lost_by


def _draw_way_back(result: RetentionResult, life: LifeLine, record: TurnRecord) -> None:
    """Bring the fact back into the request that lost it; where that cannot be, the way to that request."""
    evidence = sorted(result.retention.probes[life.probe].evidence)
    if bring_back(result.setting, evidence, record):
        return
    if result.run.strategy.allows_recall and life.born_turn == record.turn:
        st.caption(
            _(
                "Turn {turn:,} itself states it, and only what earlier turns said can be brought back.",
                turn=record.turn,
            )
        )
    if button(
        _("See the request that lost it"),
        "retention-lost-request",
        ":material/stacked_line_chart:",
    ):
        open_request(result.setting, record.turn, record.call)


def choose_life(result: RetentionResult, lives: Sequence[LifeLine]) -> LifeLine:
    """The fact that is chosen."""
    by_number = {life.probe: life for life in lives}
    probes = [result.retention.probes[number] for number in by_number]
    texts = [f"{probe.answers[0]} · {probe.question}" for probe in probes]
    names = distinct_names([shorten(text, LABEL_CHARS) for text in texts])
    labels = dict(zip(by_number, names, strict=True))
    chosen = st.selectbox(
        _("The story of one fact"),
        labels,
        format_func=labels.__getitem__,
        key=fact_key(),
        help=_("Type to search, or click a row of the picture."),
        on_change=_follow_choice,
        args=(result,),
        persist_state="session",
    )
    return by_number[chosen]


def _follow_choice(result: RetentionResult) -> None:
    choose_loss(result, widget_value(fact_key()))


def _which_loss(result: RetentionResult, life: LifeLine) -> int | None:
    """Return the place of the loss that is looked at, out of a choice where a fact came back and was lost again;
    ``None`` where it was never lost."""
    key = loss_key()
    places = list(losses_of(result, life.probe))
    if not places:
        return None
    linked("loss", key, places)
    if (
        widget_value(key) not in places
    ):  # another setting is looked at; the selection stays
        set_widget(key, first_loss(result, life.probe))
    if len(places) == 1:
        st.caption(_("Lost at {place}.", place=_name_at(result, places[0])))
        return places[0]
    segments(
        _("Lost at"),
        places,
        format_func=partial(_name_at, result),
        key=key,
        persist_state="session",
        on_change=_follow_loss,
        args=(result, life.probe),
    )
    return int(widget_value(key))


def _follow_loss(result: RetentionResult, probe: int) -> None:
    choose_loss(result, probe, widget_value(loss_key()))


def _draw_version(result: RetentionResult, life: LifeLine, number: int) -> None:
    """The compaction that is chosen: most often the one that lost the fact."""
    compaction = result.run.compactions[number]
    answers = result.retention.probes[life.probe].answers
    draw_version_badge(result.run, compaction)
    draw_version_head(result.run, compaction)
    st.caption(counts_words(chosen_version(result, number)))
    is_loss = number in losses_of(result, life.probe).values()
    if is_loss and not _held_before(result, life, compaction):
        name, text = source_of_loss(result, life, compaction)
        show_title(name)
        st.html(marked_html(text[:MAX_CHARS_SHOWN], answers))
    if compaction.written is not None:
        st.markdown(f"**{_changed_words(compaction, compaction.written.version)}**")
    draw_changes_of_version(result.run, compaction, answers)
    if button(act_words(compaction).open, "retention-open", ":material/compress:"):
        open_event(result.setting, number)


def _changed_words(compaction: Compaction, version: int) -> str:
    if not compaction.replaces:
        return _("What changed: version {version}", version=version)
    return _(
        "What changed: version {before} → version {version}",
        before=compaction.replaces,
        version=version,
    )


QUOTE_CHARS = 180
MAX_SPANS = 14
_STATED = noop("Stated in message {number:,} (turn {turn}): “{quote}”")
_STATED_WITH_OTHERS = noop(
    "Stated in message {number:,} (turn {turn}), together with {others}: “{quote}”"
)
_FRESHNESS = {
    Freshness.NEITHER: noop(
        "At the end the context holds neither the new value nor an outdated one."
    ),
    Freshness.STALE_ONLY: noop("At the end the context holds only an outdated value."),
    Freshness.BOTH: noop(
        "At the end the context holds the new value and an outdated one."
    ),
    Freshness.NEW_ONLY: noop("At the end the context holds only the new value."),
}


def story(result: RetentionResult, life: LifeLine) -> list[str]:
    """Sentences, in the order of what happened."""
    probe = result.retention.probes[life.probe]
    sentences = [_birth(result, life, probe), _spans(result, life)]
    freshness = Freshness(int(result.retention.freshness[-1, life.probe]))
    if freshness is not Freshness.NOT_ASKED:
        sentences.append(_(_FRESHNESS[freshness]))
    return [sentence for sentence in sentences if sentence]


def _birth(result: RetentionResult, life: LifeLine, probe: Probe) -> str:
    if life.born_position is None:
        return _(
            "No message is named that states it, so it counts from the first turn on."
        )
    log = result.run.log
    at = life.born_position
    earlier = [position for position in sorted(probe.evidence) if position != at]
    return _(
        _STATED_WITH_OTHERS if earlier else _STATED,
        number=message_number(at),
        turn=life.born_turn,
        others=message_list(earlier) if earlier else "",
        quote=quoted(message_words(log[at]), probe.answers),
    )


def quoted(text: str, answers: Sequence[str]) -> str:
    """The part of ``text`` around the first of ``answers`` that stands in it, else its beginning."""
    flat = " ".join(text.split())
    match = answer_pattern(answers).search(flat) if any(answers) else None
    if match is None or match.end() <= QUOTE_CHARS:
        return shorten(flat, QUOTE_CHARS)
    start = (
        flat.find(" ", max(0, match.start() - QUOTE_CHARS // 2), match.start()) + 1
        or match.start()
    )
    return "…" + shorten(flat[start:], QUOTE_CHARS)


def _spans(result: RetentionResult, life: LifeLine) -> str:
    if not life.spans:
        return _("No request came after it, so it was never needed.")
    sentence = life_sentence(_phrases(result, life), MAX_SPANS)
    return sentence[:1].upper() + sentence[1:]


def _phrases(result: RetentionResult, life: LifeLine) -> Iterator[str]:
    last = life.spans[-1]
    was_known = True
    for span in life.spans:
        is_known = span.state.is_known
        words = span_words(span)
        if span.state is Knowledge.LOST:
            words = _lost_words(span, is_last=span is last)
            why = _reason(result, life, span)
            if why:
                words = _("{lost}: {why}", lost=words, why=why)
        elif is_known and not was_known:
            words = _("known again: {state}", state=words)
        yield words
        was_known = is_known


def _lost_words(span: Span, *, is_last: bool) -> str:
    place = request_name(*span.first)
    if is_last:
        return _("lost at {place} and never known again", place=place)
    if span.first == span.last:
        return _("lost at {place} alone", place=place)
    return _("lost at {place} until {last}", place=place, last=request_name(*span.last))


def _reason(result: RetentionResult, life: LifeLine, span: Span) -> str:
    number = result.losses.get((life.probe, span.first_place))
    if number is None:
        if life.spans[0] is span:
            return ""
        return _("the last message that held it is no longer sent")
    compaction = result.run.compactions[number]
    reason = reason_words(compaction)
    return act_words(compaction).left_it_out.format(
        messages=message_range(compaction.summarized),
        after=f"{message_number(compaction.after_message):,}",
        because=_(" ({reason})", reason=reason) if reason else "",
    )


def source_of_loss(
    result: RetentionResult, life: LifeLine, compaction: Compaction
) -> tuple[str, str]:
    """Return the messages that ``compaction`` took in and that held the fact: a name for them, and their text."""
    probe = result.retention.probes[life.probe]
    log = result.run.log
    positions = []
    for position in compaction.summarized:
        is_evidence = position in probe.evidence
        if is_evidence or _holds_answer(readable(log[position]), probe):
            positions.append(position)
    name = message_list(positions)
    text = "\n\n".join(readable(log[position]) for position in positions)
    name = f"{name[:1].upper()}{name[1:]}"
    return _("{messages}, which it took in", messages=name), text


def _held_before(
    result: RetentionResult, life: LifeLine, compaction: Compaction
) -> bool:
    """Return whether the summary that ``compaction`` replaced held an answer of the fact."""
    if compaction.replaces is None:
        return False
    replaced = result.run.space.summaries.versions[compaction.replaces - 1]
    return _holds_answer(replaced.text, result.retention.probes[life.probe])


def _holds_answer(text: str, probe: Probe) -> bool:
    return any(contains(text, answer) for answer in probe.answers)
