"""Requests and their messages in words: names, the picture of a request beside all that was said, and the tokens that
a limit allows."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memviz.core.messages import Message, ToolCall
from memviz.core.text.wording import (
    SEMICOLON,
    RequestPlace,
    counted,
    listed,
    request_name,
)
from memviz.core.translation import _, noop
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import Looks, SaidAndSent
from memviz.metrics.requests.request_axis import find_place_at, find_request_place
from memviz.metrics.requests.token_use import Forecast, Limit, find_limit
from memviz.strategies.base import Strategy, Trigger


def name_of(run: Run, record: TurnRecord) -> str:
    """Return one of the requests of ``run`` as people name it."""
    return request_name(*find_request_place(run, record))


def name_at(turns: NDArray[np.int64], number: int) -> str:
    """Return request ``number`` (0-based) of a run, given the turn of each, as people name it."""
    return request_name(*find_place_at(turns, number))


def table_place_words(place: RequestPlace) -> str:
    """Return a request where a heading says that it is one of a turn: ``6``, ``6, call 3``."""
    turn, call, calls = place
    if calls == 1:
        return f"{turn:,}"
    return _("{turn:,}, call {call:,}", turn=turn, call=call)


def life_sentence(phrases: Iterable[str], most: int) -> str:
    """Return what became of a message or a fact, in its order: ``sent word for word until turn 4; dropped since turn
    5.`` Of more than ``most`` phrases the first ones and the last one."""
    shown_phrases = list(phrases)
    if len(shown_phrases) > most:
        shown_phrases[most - 2 : -1] = [_("and so on")]
    return _("{phrases}.", phrases=_(SEMICOLON).join(shown_phrases))


_ROLES = {
    "user": noop("user"),
    "assistant": noop("assistant"),
    "tool": noop("tool"),
    "system": noop("system"),
}


def role_name(role: str) -> str:
    """Return who said a message, as pages name it."""
    return _(_ROLES.get(role, role))


_FATES: dict[Looks, str] = {
    "history": noop("{number} sent word for word"),
    "recalled": noop("{number} recalled"),
    "shortened": noop("{number} sent shortened"),
    "cleared": noop("{number} sent as a placeholder"),
    "summary": noop("{number} replaced by a summary"),
    "opaque": noop("{number} in a block nobody can read"),
    "dropped": noop("{number} not sent"),
}


def picture_words(picture: SaidAndSent) -> str:
    """Return the content of the picture of a request beside all that was said, for those who do not see it."""
    looks = [stretch.looks for stretch in picture.said]
    fates = []
    for fate, words in _FATES.items():
        if fate in looks:
            fates.append(_(words, number=f"{looks.count(fate):,}"))
    messages = counted(picture.said, "message")
    record = picture.record
    return _(
        "At {name}, {said} of {said_tokens:,} tokens had been said ({fates}), and {total_tokens:,} tokens "
        "were sent.",
        name=record.name,
        said=messages,
        said_tokens=picture.said_tokens,
        fates=listed(fates),
        total_tokens=record.total_tokens,
    )


def ten_turns_words(last: TurnRecord, said_tokens: int, largest_tokens: int) -> str:
    """Return the content of a picture of ten turns that end with ``last``."""
    return _(
        "Ten turns until turn {turn}: {said_tokens:,} tokens had been said by then, and {sent_tokens:,} were sent; "
        "the largest of the ten requests has {largest_tokens:,}.",
        turn=last.turn,
        said_tokens=said_tokens,
        sent_tokens=last.total_tokens,
        largest_tokens=largest_tokens,
    )


def limit_value(limit: Limit) -> str:
    """Return ``1,500``, or where the strategy is named by something larger ``4,200 (70% of 6,000)``."""
    if limit.share:
        return f"{limit.tokens:,} ({limit.share})"
    return f"{limit.tokens:,}"


def limit_words(limit: Limit) -> str:
    """Return ``limit for messages not yet summarized 1,500``, for the line on a chart."""
    return _(
        "limit for {counts} {limit}",
        counts=_(limit.counts or _COUNTED),
        limit=limit_value(limit),
    )


def bracket_words(limit: Limit) -> str:
    """Return ``limit 1,500 of messages``, for the bracket over what it limits."""
    return _(
        "limit {limit} of {counts}",
        limit=limit_value(limit),
        counts=_counted_words(limit),
    )


def _counted_words(limit: Limit) -> str:
    """Return what a limit counts, in short: ``messages`` of messages not yet summarized."""
    return _((limit.counts or _COUNTED).removesuffix(_NOT_YET))


_COUNTED = noop("what the strategy counts")
_NOT_YET = " not yet summarized"


def limit_rule(strategy: Strategy) -> str:
    """Return ``summarizes when messages pass 1,500 tokens``, ``clears when messages pass 1,500 tokens`` where no
    summarizer is asked, ``keeps messages to 1,000 tokens`` where nothing ever happens; empty where ``strategy`` has no
    token limit."""
    limit = find_limit(strategy)
    if limit is None:
        return ""
    tokens = counted(limit.tokens, "token")
    if limit.share:
        tokens = f"{tokens} ({limit.share})"
    template = noop("clears when {counts} pass {tokens}")
    if strategy.trigger is Trigger.NEVER:
        template = noop("keeps {counts} to {tokens}")
    elif strategy.writes_notes:
        template = noop("summarizes when {counts} pass {tokens}")
    return _(template, counts=_counted_words(limit), tokens=tokens)


def over_limit_words(record: TurnRecord, strategy: Strategy) -> str:
    """Return what it means that a request is flagged as larger than its limit."""
    limit = find_limit(strategy)
    if limit is None:
        return ""
    return _(
        "Over its limit: {tokens:,} tokens of {counts}, {allowed:,} allowed. The input is sent all the "
        "same.",
        tokens=strategy.counted_tokens(record.tokens),
        counts=_(limit.counts or _COUNTED),
        allowed=limit.tokens,
    )


_PASSES = noop(
    "{label} passes {window_tokens:,} tokens after {more}, if they go on growing as the last {seen} "
    "did."
)
_PASSES_AT_TURN = noop(
    "{label} passes {window_tokens:,} tokens after {more}, at turn {turn:,}, if they go on growing as "
    "the last {seen} did."
)


def forecast_words(label: str, window_tokens: int, forecast: Forecast) -> str:
    """Return when the requests of the setting called ``label`` are larger than a window of so many tokens."""
    return _(
        _PASSES if forecast.turn is None else _PASSES_AT_TURN,
        label=label,
        window_tokens=window_tokens,
        more=counted(forecast.more_requests, "more request"),
        turn=forecast.turn,
        seen=forecast.seen_requests,
    )


def call_text(call: ToolCall) -> str:
    """Return ``look_up({"booking": 2})``."""
    return f"{call.name}({call.arguments})"


def message_words(message: Message) -> str:
    """Return the text and the calls of tools behind it: many messages have calls alone."""
    parts = [message.content, *map(call_text, message.tool_calls)]
    return " ".join(filter(None, parts))
