"""The life of one fact in words: who stated it, where it stood, and what ended it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memviz.core.text.containment import contains
from memviz.core.text.wording import (
    message_list,
    message_number,
    message_range,
    request_name,
)
from memviz.dashboard.charts.retention.life_lines import span_words
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.diff_html import answer_pattern
from memviz.dashboard.ui.shell.text import shortened
from memviz.engine.compaction import Compaction
from memviz.metrics.requests.message_words import message_words, readable
from memviz.metrics.retention.knowledge import Freshness, Knowledge
from memviz.metrics.retention.life_lines import LifeLine, Span
from memviz.metrics.summaries.compaction_words import act_noun, reason_words
from memviz.transcripts.base import Probe

QUOTE_CHARS = 180
MAX_SPANS = 14
_FRESHNESS = {
    Freshness.NEITHER: "neither the new value nor an outdated one",
    Freshness.STALE_ONLY: "only an outdated value",
    Freshness.BOTH: "the new value and an outdated one",
    Freshness.NEW_ONLY: "only the new value",
}


def story(kept: RetentionResult, life: LifeLine) -> list[str]:
    """Sentences, in the order of what happened."""
    probe = kept.retention.probes[life.probe]
    found = [_birth(kept, life, probe), _spans(kept, life)]
    freshness = Freshness(int(kept.retention.freshness[-1, life.probe]))
    if freshness is not Freshness.NOT_ASKED:
        found.append(f"At the end the context holds {_FRESHNESS[freshness]}.")
    return [sentence for sentence in found if sentence]


def _birth(kept: RetentionResult, life: LifeLine, probe: Probe) -> str:
    if life.born_position is None:
        return (
            "No message is named that states it, so it counts from the first turn on."
        )
    log, at = kept.run.log, life.born_position
    quote = quoted(message_words(log[at]), probe.answers)
    earlier = [position for position in sorted(probe.evidence) if position != at]
    with_others = f", together with {message_list(earlier)}" if earlier else ""
    return f"Stated in message {message_number(at):,} (turn {life.born_turn}){with_others}: “{quote}”"


def quoted(text: str, answers: Sequence[str]) -> str:
    """The part of ``text`` around the first of ``answers`` that stands in it, else its beginning."""
    flat = " ".join(text.split())
    found = answer_pattern(answers).search(flat) if any(answers) else None
    if found is None or found.end() <= QUOTE_CHARS:
        return shortened(flat, QUOTE_CHARS)
    start = (
        flat.find(" ", max(0, found.start() - QUOTE_CHARS // 2), found.start()) + 1
        or found.start()
    )
    return "…" + shortened(flat[start:], QUOTE_CHARS)


def _spans(kept: RetentionResult, life: LifeLine) -> str:
    if not life.spans:
        return "No request came after it, so it was never needed."
    phrases = list(_phrases(kept, life))
    if len(phrases) > MAX_SPANS:
        phrases[MAX_SPANS - 2 : -1] = ["and so on"]
    sentence = "; ".join(phrases) + "."
    return sentence[:1].upper() + sentence[1:]


def _phrases(kept: RetentionResult, life: LifeLine) -> Iterator[str]:
    last = life.spans[-1]
    for before, span in zip((None, *life.spans), life.spans, strict=False):
        if span.state is not Knowledge.LOST:
            is_back = (
                before is not None and span.state.is_known and not before.state.is_known
            )
            yield f"known again: {span_words(span)}" if is_back else span_words(span)
            continue
        until = (
            " alone"
            if span.first == span.last
            else f" until {request_name(*span.last)}"
        )
        until = " and never known again" if span is last else until
        yield f"lost at {request_name(*span.first)}{until}{_reason(kept, life, span)}"


def _reason(kept: RetentionResult, life: LifeLine, span: Span) -> str:
    number = kept.losses.get((life.probe, span.first_place))
    if number is None:
        return (
            ": the last message that held it is no longer sent"
            if life.spans[0] is not span
            else ""
        )
    compaction = kept.run.compactions[number]
    what, where = (
        message_range(compaction.summarized),
        message_number(compaction.after_message),
    )
    reason = reason_words(compaction)
    because = f" ({reason})" if reason else ""
    return f": the {act_noun(compaction)} of {what} after message {where:,}{because} left it out"


def source_of_loss(
    kept: RetentionResult, life: LifeLine, compaction: Compaction
) -> tuple[str, str]:
    """What ``compaction`` had read that held the fact: a name for it, and the text. The summary that it replaced if
    that held an answer, else the messages it took in that did."""
    probe, log = kept.retention.probes[life.probe], kept.run.log
    if compaction.replaces is not None and held_before(kept, life, compaction):
        return f"Summary before: version {compaction.replaces}", _text_before(
            kept, compaction
        )
    held = [
        position
        for position in compaction.summarized
        if position in probe.evidence
        or any(contains(readable(log[position]), answer) for answer in probe.answers)
    ]
    name = message_list(held)
    return f"{name[:1].upper()}{name[1:]}, which it took in", "\n\n".join(
        readable(log[at]) for at in held
    )


def held_before(kept: RetentionResult, life: LifeLine, compaction: Compaction) -> bool:
    """Whether the summary that ``compaction`` replaced held an answer of the fact."""
    text = _text_before(kept, compaction)
    return any(
        contains(text, answer) for answer in kept.retention.probes[life.probe].answers
    )


def _text_before(kept: RetentionResult, compaction: Compaction) -> str:
    replaces = compaction.replaces
    return (
        "" if replaces is None else kept.run.space.summaries.versions[replaces - 1].text
    )
