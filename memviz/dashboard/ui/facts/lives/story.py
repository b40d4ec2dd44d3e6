"""The story of one fact in sentences: where it was stated, what became of it at each request, and what took it."""

from collections.abc import Iterator, Sequence

from memviz.core.text.containment import contains
from memviz.core.text.wording import (
    message_list,
    message_number,
    message_range,
    request_name,
)
from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.life_lines import span_words
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.diff_html import answer_pattern
from memviz.dashboard.words import shorten
from memviz.dashboard.words.compactions import act_words, reason_words
from memviz.dashboard.words.requests import life_sentence, message_words
from memviz.engine.compaction import Compaction
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.knowledge import Freshness, Knowledge
from memviz.metrics.retention.life_lines import LifeLine, Span
from memviz.transcripts.base import Probe

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
    """Return sentences, in the order of what happened."""
    probe = result.retention.probes[life.probe]
    sentences = [_birth(result, life, probe), _spans(result, life)]
    freshness = Freshness(int(result.retention.freshness[-1, life.probe]))
    if freshness is not Freshness.NOT_ASKED:
        sentences.append(_(_FRESHNESS[freshness]))
    return sentences


def _birth(result: RetentionResult, life: LifeLine, probe: Probe) -> str:
    """Return where the fact was stated first, in which words, and where again."""
    position = life.born_position
    if position is None:
        return _(
            "No message is named that states it, so it counts from the first turn on."
        )
    other_positions = [other for other in sorted(probe.evidence) if other != position]
    template = _STATED
    others = ""
    if other_positions:
        template = _STATED_WITH_OTHERS
        others = message_list(other_positions)
    return _(
        template,
        number=message_number(position),
        turn=life.born_turn,
        others=others,
        quote=quote(message_words(result.run.log[position]), probe.answers),
    )


def quote(text: str, answers: Sequence[str]) -> str:
    """Return the part of ``text`` around the first of ``answers`` that stands in it, else its beginning: ``…code is
    QX7R4M.``"""
    line = " ".join(text.split())
    answer = answer_pattern(answers).search(line) if any(answers) else None
    if answer is None or answer.end() <= QUOTE_CHARS:
        return shorten(line, QUOTE_CHARS)
    # From the first word on that stands near the answer.
    begin = answer.start()
    space = line.find(" ", max(0, begin - QUOTE_CHARS // 2), begin)
    if space >= 0:
        begin = space + 1
    return f"…{shorten(line[begin:], QUOTE_CHARS)}"


def _spans(result: RetentionResult, life: LifeLine) -> str:
    if not life.spans:
        return _("No request came after it, so it was never needed.")
    sentence = life_sentence(_phrases(result, life), MAX_SPANS)
    return _begin_large(sentence)


def _phrases(result: RetentionResult, life: LifeLine) -> Iterator[str]:
    """Yield what became of the fact at each stretch of requests: ``in the summary from turn 3 to 4``."""
    was_known = True
    for span in life.spans:
        if span.state is Knowledge.LOST:
            yield _loss_words(result, life, span)
        elif span.state.is_known and not was_known:
            yield _("known again: {state}", state=span_words(span))
        else:
            yield span_words(span)
        was_known = span.state.is_known


def _loss_words(result: RetentionResult, life: LifeLine, span: Span) -> str:
    words = _lost_words(span, is_last=span is life.spans[-1])
    why = _reason(result, life, span)
    return _("{lost}: {why}", lost=words, why=why) if why else words


def _lost_words(span: Span, *, is_last: bool) -> str:
    place = request_name(*span.first)
    if is_last:
        return _("lost at {place} and never known again", place=place)
    if span.first == span.last:
        return _("lost at {place} alone", place=place)
    return _("lost at {place} until {last}", place=place, last=request_name(*span.last))


def _reason(result: RetentionResult, life: LifeLine, span: Span) -> str:
    """Return why the fact was lost for this stretch; empty where it was lost from the first request on, to which it was
    never sent."""
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
        if is_evidence or _holds_answer(read_message(log[position]), probe):
            positions.append(position)
    name = _begin_large(message_list(positions))
    text = "\n\n".join(read_message(log[position]) for position in positions)
    return _("{messages}, which it took in", messages=name), text


def _begin_large(text: str) -> str:
    """Return ``text`` with a capital letter in front, the others as they are."""
    return f"{text[:1].upper()}{text[1:]}"


def held_before(
    result: RetentionResult, life: LifeLine, compaction: Compaction
) -> bool:
    """Return whether the summary that ``compaction`` replaced held an answer of the fact."""
    if compaction.replaces is None:
        return False
    replaced = result.run.space.summaries.versions[compaction.replaces - 1]
    return _holds_answer(replaced.text, result.retention.probes[life.probe])


def _holds_answer(text: str, probe: Probe) -> bool:
    return any(contains(text, answer) for answer in probe.answers)
