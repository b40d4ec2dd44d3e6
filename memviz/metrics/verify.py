"""``memviz.verify``: an audit of a run's records.

It checks that every request holds what its strategy's rule sends, that nothing is sent or counted twice, and that the
counted tokens agree with those that a provider billed or a log recorded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST, Fate
from memviz.core.counters import Counter
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes, Picked
from memviz.engine.assembly import assemble
from memviz.engine.part_tokens import count_message_tokens, count_tokens_by_part
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.tool_pairs import (
    complete_tool_pairs,
    find_orphaned_results,
    find_provider_blocks,
)
from memviz.metrics.requests.request_table import list_sent_versions
from memviz.strategies.library import LibraryStrategy
from memviz.transcripts.base import RecordedEvent, recorded_tokens

USAGE_FACTOR = 2.0
"""The largest ratio of two counts that is no breach: counters differ by model and language."""

SLACK_SHARE = 0.05
"""The share of the tokens missing in a log by which requests may differ, for example by the time of day."""

CountTokens = Callable[[Counter, Message], int]
BreachKind = Literal[
    "no_fate",
    "unsaid",
    "sent_twice",
    "no_rule",
    "no_reason",
    "no_call",
    "miscounted",
    "usage",
]
"""The breaches.

- *no_fate*: a message that was said has no fate at the request, or one that was not said yet has one.
- *unsaid*: the request holds a message that was not said yet, or a summary that was not written yet.
- *sent_twice*: it holds a message or a summary twice.
- *no_rule*: it leaves out a message that its strategy's rule sends.
- *no_reason*: a compaction changed what is sent and gives no reason.
- *no_call*: it holds the result of a tool without the call; providers refuse it.
- *miscounted*: its tokens on record are not those of its messages.
- *usage*: its tokens as billed, or as the log's program counted them, and as counted here are more than a factor apart,
  without those that no request of the log is without, see :func:`count_tokens_not_in_log`.
"""


@dataclass(frozen=True, slots=True)
class Breach:
    """A breach that :func:`verify` found, and its place."""

    kind: BreachKind
    turn: int
    """The turn of the request; of a compaction, the turn of the message after which it came."""
    call: int = 1
    """The call of its turn that the request is, from 1; 0 for a compaction."""
    position: int | None = None
    """The log position of the message concerned."""
    version: int | None = None
    """The version (from 1) of the summary concerned."""
    on_record: int | None = None
    """The tokens that were recorded."""
    counted: int | None = None
    """The tokens that are counted now."""

    def to_dict(self) -> dict[str, Any]:
        """Return the breach as JSON, without fields that are ``None``. Messages count from 1 there."""
        value = {
            name: field_value
            for name, field_value in asdict(self).items()
            if field_value is not None
        }
        if not self.call:
            del value["call"]
        position = value.pop("position", None)
        if position is not None:
            value["message"] = position + 1
        return value


def verify(
    run: Run,
    *,
    events: Iterable[RecordedEvent] = (),
    factor: float = USAGE_FACTOR,
    usage_is_of_log: bool = False,
) -> tuple[Breach, ...]:
    """Return the breaches of ``run`` in the order of its requests (see :data:`BreachKind`); none for a sound run.

    Of a log that lacks its system prompt or the schemas of its tools, not the totals of requests are compared with the
    tokens on record, but the differences between requests.

    Args:
        run: The run to check.
        events: The events of the log, for a run of what its own program did: the tokens that the program counted before
            a compaction are compared with those of the request before it.
        factor: The largest ratio of tokens on record to counted ones that is no breach.
        usage_is_of_log: True to compare the tokens that the log records for a reply with those of its request.
    """
    breaches = list(_find_breaches(run, factor))
    # Tokens that the log lacks are missing in every count, so they are subtracted from those on record. A difference
    # that is small compared with them means nothing.
    measures = _list_measures(run, events, usage_is_of_log)
    unseen = _count_unseen(run, measures)
    for measure in measures:
        on_record = measure.on_record - unseen
        is_near = abs(on_record - measure.counted) <= SLACK_SHARE * unseen
        if not is_near and _are_apart(on_record, measure.counted, factor):
            breach = Breach(
                "usage",
                *measure.place,
                on_record=measure.on_record,
                counted=measure.counted + unseen,
            )
            breaches.append(breach)
    return tuple(breaches)


def count_tokens_not_in_log(
    run: Run,
    events: Iterable[RecordedEvent],
    *,
    usage_is_of_log: bool = False,
) -> int:
    """Return the tokens that every request has on record and that cannot be counted, because they are not in the log.

    These are the system prompt or the schemas of tools; 0 where the log has both. The arguments are those of
    :func:`verify`.
    """
    return _count_unseen(run, _list_measures(run, events, usage_is_of_log))


def _count_unseen(run: Run, measures: Iterable[_Measure]) -> int:
    """Return the least difference of the tokens on record to the counted ones, over all requests."""
    has_tools = run.space.tool_tokens or not run.log.tools.callers
    if run.space.system_messages and has_tools:
        return 0
    return max(0, min((measure.more for measure in measures), default=0))


class _Measure(NamedTuple):
    """The tokens of a request on record in the log, and as counted now."""

    place: tuple[int, int]
    """The turn of the request, and the call in it."""
    on_record: int
    counted: int

    @property
    def more(self) -> int:
        """The tokens on record that are not counted."""
        return self.on_record - self.counted


def _list_measures(
    run: Run, events: Iterable[RecordedEvent], usage_is_of_log: bool
) -> list[_Measure]:
    """Return the tokens on record in the log, once for each request, in order.

    They are recorded with a reply, or else by the program before its next compaction.
    """
    measures: dict[int, _Measure] = {}
    lengths = [record.log_length for record in run.requests]
    for event in events:
        number = bisect_right(lengths, event.after_message) - 1
        if number >= 0 and event.tokens_before is not None:
            record = run.requests[number]
            counted_tokens = record.total_tokens + record.reply_tokens
            place = (record.turn, record.call)
            measures[number] = _Measure(place, event.tokens_before, counted_tokens)
    if usage_is_of_log:
        for number, record in enumerate(run.requests):
            # The first message after those of a request is its reply; the last request may have none yet.
            if record.log_length == len(run.log):
                continue
            recorded = recorded_tokens(run.log[record.log_length])
            if recorded is not None:
                place = (record.turn, record.call)
                measures[number] = _Measure(place, recorded[0], record.total_tokens)
    return [measures[number] for number in sorted(measures)]


def _find_breaches(run: Run, factor: float) -> Iterator[Breach]:
    # Cached, because nearly every message is sent with many requests.
    tokens_of = cache(count_message_tokens)
    for record in run.requests:
        is_sound = True
        for breach in _check_contents(run, record):
            is_sound = False
            yield breach
        # Contents that are wrong already need no further checks.
        if is_sound:
            yield from _check_rules(run, record)
            yield from _check_tokens(record, factor, tokens_of)
    for compaction in run.compactions:
        if compaction.changes_memory and not compaction.reason:
            yield Breach(
                "no_reason",
                compaction.turn,
                call=0,
                position=compaction.after_message,
            )


def _list_sent(parts: Parts) -> Iterator[int]:
    """Yield every log position that a request sends, as often as it sends it."""
    for piece in parts.pieces:
        if isinstance(piece, Messages | Picked):
            yield from piece.positions
    yield from parts.exchange


def _check_contents(run: Run, record: TurnRecord) -> Iterator[Breach]:
    """Yield the breaches in the messages and summaries that a request holds."""
    place = (record.turn, record.call)
    version_count = record.memory.summary_count
    for piece in record.parts.pieces:
        if isinstance(piece, Notes) and piece.stop > version_count:
            yield Breach("unsaid", *place, version=piece.stop)
            return
    said_count = record.log_length
    sent_times = Tally(_list_sent(record.parts))
    said_positions = range(said_count)
    unsaid = [at for at in sorted(sent_times) if at not in said_positions]
    for position in unsaid:
        yield Breach("unsaid", *place, position=position)
    # The fates of messages that do not exist yet are undefined.
    if unsaid or not run.log:
        return
    for position, times in sorted(sent_times.items()):
        if times > 1:
            yield Breach("sent_twice", *place, position=position)
    versions = Tally(list_sent_versions(record.parts, run.space.summaries))
    for version, times in sorted(versions.items()):
        if times > 1:
            yield Breach("sent_twice", *place, version=version + 1)
    fates = run.fates_at(record)
    is_wrong = (fates == Fate.NOT_YET) == (np.arange(len(fates)) < said_count)
    for position in np.flatnonzero(is_wrong).tolist():
        yield Breach("no_fate", *place, position=position)


def _check_rules(run: Run, record: TurnRecord) -> Iterator[Breach]:
    """Yield messages that were left out although the rule sends them, and tool results without their calls."""
    place = (record.turn, record.call)
    log = record.memory.log
    strategy = record.strategy or run.strategy_at(record.turn)
    # A strategy of another library cannot be asked again what it would send.
    if not isinstance(strategy, LibraryStrategy):
        asked_for = record.recalled.indices if record.recalled else ()
        expected = assemble(record.memory, strategy.select(record.memory), asked_for)
        # A run may leave out tool calls and results without their other half on purpose.
        repaired = complete_tool_pairs(log, expected, asked_for)
        missing = set(_list_sent(expected)).intersection(_list_sent(repaired))
        for position in sorted(missing.difference(_list_sent(record.parts))):
            yield Breach("no_rule", *place, position=position)
    summaries = record.memory.space.summaries
    for position in find_orphaned_results(log, record.parts, summaries):
        yield Breach("no_call", *place, position=position)


def _check_tokens(
    record: TurnRecord, factor: float, tokens_of: CountTokens
) -> Iterator[Breach]:
    """Yield counts that do not agree: by part, in total, and with what was billed."""
    place = (record.turn, record.call)
    counted_parts = count_tokens_by_part(record.memory, record.parts, record.thoughts)
    in_all = _count_again(record, tokens_of)
    if counted_parts != record.tokens or in_all not in (None, record.total_tokens):
        total = sum(counted_parts.values()) if in_all is None else in_all
        yield Breach("miscounted", *place, on_record=record.total_tokens, counted=total)
    usage = record.facts.usage if record.facts else None
    if usage and _are_apart(usage.input_tokens, record.total_tokens, factor):
        yield Breach(
            "usage", *place, on_record=usage.input_tokens, counted=record.total_tokens
        )


def _count_again(record: TurnRecord, tokens_of: CountTokens) -> int | None:
    """Return the tokens of a request, counted message by message.

    ``None`` where that is not possible: with schemas of tools, notes inside the system prompt, or a block that only the
    provider can read.
    """
    space = record.memory.space
    if space.tool_tokens or record.parts.tools:
        return None
    if find_provider_blocks(record.parts, space.summaries):
        return None
    for piece in record.parts.pieces:
        if isinstance(piece, Notes | Line) and piece.place != "message":
            return None
    messages = record.context.messages
    counter = space.sums.counter
    tokens = sum(tokens_of(counter, message) for message in messages)
    return tokens + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_REQUEST


def _are_apart(on_record: int, counted_tokens: int, factor: float) -> bool:
    smaller, larger = sorted((on_record, counted_tokens))
    return larger > factor * smaller
