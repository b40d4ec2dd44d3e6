"""The answer to why a statement was forgotten, in sentences. Being in a request is not the same as being followed, so
they say what a model could know, never what it knew."""

from collections.abc import Iterator
from typing import NamedTuple

from memviz.core.text.wording import (
    SEMICOLON,
    counted,
    dollars,
    listed,
    message_list,
    message_number,
    message_range,
    request_name,
    request_range,
)
from memviz.core.translation import _, noop
from memviz.dashboard.words.compactions import compaction_words
from memviz.dashboard.words.requests import role_name
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import Span
from memviz.metrics.retention.proposed_probes import BLANK
from memviz.transcripts.base import RecordedEvent
from memviz.tuning.forgotten import Remedy, Why, find_sentence_saying

QUOTE_CHARS = 160
MOST_SPANS = 6
_STATES = {
    Knowledge.VERBATIM: noop("{requests} word for word"),
    Knowledge.SUMMARY: noop("{requests} in the summary"),
    Knowledge.RECALLED: noop("{requests} brought back"),
    Knowledge.SYSTEM: noop("{requests} in the system prompt"),
    Knowledge.CONTRADICTED: noop("{requests} denied or outdated"),
    Knowledge.UNKNOWN: noop("{requests} perhaps, in what nobody can read"),
    Knowledge.LOST: noop("{requests} not at all"),
}
CAREFUL = noop(
    "This says what a model could know from its request. What is in a request need not be followed."
)
DOLLARS = noop("Dollars follow the prompt cache, so they may fall while tokens rise.")


class RemedyWords(NamedTuple):
    """Something that would have kept a statement, and its price."""

    what: str
    price: str


def said_words(why: Why) -> str:
    """Return where it was said and by whom, with the beginning of that message."""
    first = why.said[0]
    template = noop(
        "Message {number:,} (turn {turn:,}, {role}) says it otherwise: “{quote}”"
    )
    if why.is_word_for_word:
        template = noop("Said in message {number:,} (turn {turn:,}, {role}): “{quote}”")
    return _(template, quote=_quote(why, first), **_place_of(why, first))


def _place_of(why: Why, position: int) -> dict[str, object]:
    """Return the number, the turn and the role of a message, as sentences name it."""
    log = why.run.log
    return {
        "number": message_number(position),
        "turn": log.turn_number(position),
        "role": role_name(log[position].role),
    }


def held_words(why: Why) -> str:
    """Return how each request since then held it."""
    if not why.spans:
        return _("No request came after it, so it was never needed.")
    spans = [
        _(_STATES[span.state], requests=request_range(span.first, span.last))
        for span in why.spans
    ]
    if len(spans) > MOST_SPANS:
        spans = ["…", *spans[-MOST_SPANS:]]
    return _("Sent: {spans}.", spans=_(SEMICOLON).join(spans))


def _cause(why: Why, loss: Span) -> str:
    """Return what ended it, with the numbers of the rule."""
    place = request_name(*loss.first)
    if why.event is not None:
        return _event_words(why.event, place)
    if why.compaction is not None:
        words = compaction_words(why.compaction, why.run)
        return _("Lost at {place}: {done}", place=place, done=words.sentence)
    template = noop(
        "Lost at {place}: under {label} it sends no earlier message word for word."
    )
    ranges_sent = [part for part in why.at(loss.first_place).parts.history if len(part)]
    if ranges_sent:
        template = noop(
            "Lost at {place}: {label} sends {sent} and the input, and none of them says it."
        )
    return _(
        template,
        place=place,
        label=why.run.strategy_at(loss.first_turn).label,
        sent=listed(map(message_range, ranges_sent)),
    )


def _event_words(event: RecordedEvent, place: str) -> str:
    template = noop(
        "Lost at {place}: the log says that its program compacted after message {after:,}, at {tokens:,} tokens by its "
        "own count, and its summary does not say it."
    )
    if event.is_window:
        template = noop(
            "Lost at {place}: the log says that its program left out messages after message {after:,}, and sent no "
            "summary in their place."
        )
    elif event.tokens_before is None:
        template = noop(
            "Lost at {place}: the log says that its program compacted after message {after:,}, and its summary does "
            "not say it."
        )
    return _(
        template, place=place, after=event.after_message, tokens=event.tokens_before
    )


def need_words(why: Why) -> str:
    """Return the first message that seems to need it or to break it, of those whose requests were without it."""
    need = why.need
    if need is None:
        return _("No later message is seen to need it.")
    template = noop(
        "Message {number:,} (turn {turn:,}, {role}) says it again, and its request did not hold it: “{quote}”"
    )
    if need.words:
        template = noop(
            "Message {number:,} (turn {turn:,}, {role}) seems to need it or to break it, for it says {words}; its "
            "request did not hold it: “{quote}”"
        )
    return _(
        template,
        quote=_quote(why, need.position),
        words=listed(need.words),
        **_place_of(why, need.position),
    )


def _quote(why: Why, position: int) -> str:
    """Return the part of a message that says the statement: ``… so my budget is 3,000 euros for …``."""
    message = read_message(why.run.log[position])
    text = " ".join(message.split())
    answers = (why.probe.question, *why.probe.answers)
    places = []
    for answer in answers:
        place = text.casefold().find(answer.casefold())
        if place >= 0:
            places.append(place)
    if not places:
        # Other marks stand between the words, or other words are said.
        text = find_sentence_saying(message, answers) or text
    start = max(0, min(places, default=0) - QUOTE_CHARS // 2)
    stop = start + QUOTE_CHARS
    before = "…" if start else ""
    after = "…" if stop < len(text) else ""
    return f"{before}{text[start:stop]}{after}"


def remedy_words(remedy: Remedy) -> RemedyWords:
    """Return what would have kept it, or that retrieval would not have, and its price."""
    price = _("{tokens:+,} tokens, price unknown", tokens=remedy.more_tokens)
    if remedy.more_usd is not None:
        sign = "-" if remedy.more_usd < 0 else "+"
        price = _(
            "{tokens:+,} tokens, {sign}{usd}",
            tokens=remedy.more_tokens,
            sign=sign,
            usd=dollars(abs(remedy.more_usd)),
        )
    return RemedyWords(_remedy_title(remedy), price)


def _remedy_title(remedy: Remedy) -> str:
    """Return the remedy, or the lookup that would not have kept the statement."""
    label = remedy.strategy.label
    template = _KINDS.get(remedy.kind) or _lookup_template(remedy)
    if remedy.kind == "preset" and label.startswith(remedy.title):
        template = _OWN_PRESET
    return _(
        template,
        label=label,
        title=remedy.title,
        rank=remedy.rank,
        found=remedy.found,
    )


_KINDS = {
    "pin": noop("Its message pinned, under the same setting"),
    "limit": noop("A larger limit: {label}"),
    "preset": noop("Another rule, scaled to this conversation: {title}, here {label}"),
}
"""The words for a remedy of each kind but lookups."""
_OWN_PRESET = noop("Another rule, scaled to this conversation: {label}")
"""The words for a preset whose label begins with its title."""


def _lookup_template(remedy: Remedy) -> str:
    rank = remedy.rank
    if remedy.keeps and rank is not None:
        return noop("{label}: it is number {rank:,} of {found:,} found")
    if remedy.keeps:
        return noop("{label}: the request has it")
    strategy = remedy.strategy
    if rank and rank > getattr(strategy, strategy.main_parameter):
        return noop("Not {label}: it is number {rank:,} of {found:,} found")
    if rank is not None:
        return noop(
            "Not {label}: the request does not hold all of it, though it is number {rank:,} of {found:,} found"
        )
    if not remedy.found:
        return noop("Not {label}: it finds no message")
    return noop("Not {label}: it is not among the {found:,} messages found")


def statement_sentences(why: Why) -> Iterator[str]:
    """Yield where a statement was said, which is the same under every setting."""
    yield said_words(why)
    if len(why.said) > 1:
        yield _("Said again in {messages}.", messages=message_list(why.said[1:]))
    if why.probe.question != why.probe.answers[0]:
        yield _(
            "In every request a sentence is looked up with its value, {value}, and most of its other words.",
            value=why.probe.answers[0],
        )


def life_sentences(why: Why) -> Iterator[str]:
    """Yield what became of it under one setting, but for what would have kept it."""
    yield held_words(why)
    if why.edits_prompt:
        yield _(
            "The log's program edited its system prompt later; memviz knows only the first copy, so what a later one "
            "held is unknown."
        )
    if why.loss is None:
        return
    yield _cause(why, why.loss)
    yield _(
        "Since then {without:,} of {since} were without it.",
        since=counted(why.since, "request"),
        without=why.without,
    )
    if why.other_sentence:
        yield _(
            "Only {value} is there, in another sentence: “{sentence}”",
            value=why.probe.answers[0],
            sentence=why.other_sentence[:QUOTE_CHARS],
        )
    if why.words_left:
        yield _(
            "The summary still has these of its words: {words}. Read whether they say the same.",
            words=listed(why.words_left),
        )
    yield need_words(why)


def statement_line(why: Why) -> str:
    """Return a lost statement in one line, where many are listed."""
    place = "" if why.loss is None else request_name(*why.loss.first)
    value = why.probe.answers[0]
    statement = why.probe.question.replace(BLANK, value)
    if value not in statement:
        statement = f"{statement} {value}"
    template = noop("{statement}, lost at {place}, {requests} without it")
    said_at = {}
    if why.said:
        template = noop(
            "{statement} (message {number:,}, turn {turn:,}, {role}), lost at {place}, {requests} without it"
        )
        said_at = _place_of(why, why.said[0])
    return _(
        template,
        statement=statement,
        place=place,
        requests=counted(why.without, "request"),
        **said_at,
    )
