"""Health checks of the contents of requests and summaries.

A provider may refuse requests with a tool's result without its call, or with a message of the assistant first.
Summaries may be larger than what they replace, stay the same, or fail.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.pieces import Messages, Notes, Picked, Piece
from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.engine.assembly import assemble
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.health.finding import (
    HealthFinding,
    list_turns_of_compactions,
    list_turns_of_requests,
)
from memviz.metrics.requests.broken_pairs import find_orphaned_requests
from memviz.strategies.base import Strategy, Trigger


@dataclass(frozen=True, kw_only=True)
class OrphanedToolMessages(HealthFinding):
    """Requests with a tool result whose call is not in them."""

    kind: ClassVar[str] = "orphaned_tool_message"
    orphaned: int
    requests: int
    """All requests."""


def find_orphaned_tool_messages(run: Run) -> OrphanedToolMessages | None:
    """Return a finding if requests hold a tool's result without its call."""
    orphaned = find_orphaned_requests(run)
    if not orphaned:
        return None
    return OrphanedToolMessages(
        orphaned=len(orphaned),
        requests=len(run.requests),
        turns=list_turns_of_requests(run, orphaned),
        severity="bad",
    )


class OtherValue(NamedTuple):
    """Another value of the main parameter, and the number of requests that would be in order with it."""

    parameter: str
    value: int
    better: int


@dataclass(frozen=True, kw_only=True)
class AssistantFirst(HealthFinding):
    """Requests whose first message behind the system part is an assistant's."""

    kind: ClassVar[str] = "assistant_first"
    found: int
    requests: int
    """All requests."""
    way_out: OtherValue | None = None
    """A value of the main parameter that would repair more than half of them."""
    has_greeting: bool = False
    """True if all of them begin with the assistant because the conversation itself does."""


def find_assistant_first(run: Run) -> AssistantFirst | None:
    """Return a finding if requests begin, after system prompt and summary, with a message of the assistant."""
    next_spoken = _find_next_spoken(run.log)
    numbers = _number_assistant_first(run, next_spoken)
    if not numbers:
        return None
    # Where the conversation itself begins with a greeting of the assistant, no setting is to blame.
    histories = (run.requests.parts_at(number).history for number in numbers)
    start = run.space.system_stop
    return AssistantFirst(
        found=len(numbers),
        requests=len(run.requests),
        way_out=_find_way_out(run, numbers, next_spoken),
        has_greeting=all(
            history and history[0].start == start for history in histories
        ),
        turns=list_turns_of_requests(run, numbers),
    )


def _find_next_spoken(log: Log) -> list[int]:
    """Return for every position the first one from there on that is no system message; the log's length if there is
    none."""
    # From the end, so that each position takes over what the one behind it found.
    positions = [len(log)]
    for position in range(len(log) - 1, -1, -1):
        is_system = log[position].role == "system"
        positions.append(positions[-1] if is_system else position)
    return positions[::-1]


def _number_assistant_first(run: Run, next_spoken: Sequence[int]) -> list[int]:
    """Return the numbers of the requests that begin with an assistant's message."""
    columns = run.columns
    is_assistant = np.array(
        [*(message.role == "assistant" for message in run.log), False]
    )
    first_messages = np.array(next_spoken)[columns.starts]
    is_first = is_assistant[first_messages] & (first_messages < columns.stops)
    # A summary message stands before the first message, unless it is a system message, which does not count.
    if columns.summary_role != "system":
        has_summary = columns.summary_stops > columns.summary_starts
        is_first[has_summary] = columns.summary_role == "assistant"
    # Of those that are more than one range of messages each piece is looked at.
    for number, parts in columns.others.items():
        is_first[number] = _is_assistant_first(run.log, parts.pieces, next_spoken)
    numbers: list[int] = np.flatnonzero(is_first).tolist()
    return numbers


def _is_assistant_first(
    log: Log, pieces: Sequence[Piece], next_spoken: Sequence[int]
) -> bool:
    return next(_list_roles(log, pieces, next_spoken), None) == "assistant"


def _list_roles(
    log: Log, pieces: Sequence[Piece], next_spoken: Sequence[int]
) -> Iterator[str]:
    """Yield the role of the first message of each piece that is no system message, in the order of the request."""
    for piece in pieces:
        if isinstance(piece, Messages):
            if next_spoken[piece.start] < piece.stop:
                yield log[next_spoken[piece.start]].role
        elif isinstance(piece, Picked):
            roles = [log[position].role for position in piece.positions]
            yield from (role for role in roles if role != "system")
        elif piece.place == "message":
            role = piece.role if isinstance(piece, Notes) else piece.message.role
            if role != "system":
                yield role


def _find_way_out(
    run: Run, numbers: Sequence[int], next_spoken: Sequence[int]
) -> OtherValue | None:
    """Return the next larger or smaller value under which more than half of these requests begin with the user."""
    name = run.strategy.main_parameter
    for other_strategy in _list_neighbours(run.strategy):
        better = 0
        for number in numbers:
            # The same request, as the strategy with the other value would have sent it.
            memory = run.requests.memory_at(number)
            pieces = other_strategy.select(memory)
            # The input, which is always sent, begins with the user or a tool, so only
            # what was brought back can stand before what is selected.
            parts = run.requests.others.get(number)
            if parts is not None and parts.recalled:
                pieces = assemble(memory, pieces, parts.recalled).pieces
            if not _is_assistant_first(run.log, pieces, next_spoken):
                better += 1
        if 2 * better > len(numbers):
            return OtherValue(name, getattr(other_strategy, name), better)
    return None


def _list_neighbours(strategy: Strategy) -> list[Strategy]:
    """Return the strategy with one message more and with one less, where it just sends a number of messages."""
    declared = {parameter.name: parameter for parameter in strategy.parameters()}
    parameter = declared.get(strategy.main_parameter)
    if parameter is None or parameter.unit != "messages":
        return []
    if strategy.trigger is not Trigger.NEVER:
        return []
    # One message more or less moves the first message from the assistant's to the user's.
    value = getattr(strategy, parameter.name)
    least = parameter.minimum or 1
    most = parameter.maximum or value + 1
    allowed = [number for number in (value + 1, value - 1) if least <= number <= most]
    return [strategy.model_copy(update={parameter.name: number}) for number in allowed]


UNCHANGED_SHARE = 0.25
"""The least share of unchanged summaries that is reported; a few are normal, where nothing new was said."""


@dataclass(frozen=True, kw_only=True)
class LargerSummaries(HealthFinding):
    """Summaries with more tokens than the messages and the summary that they replaced."""

    kind: ClassVar[str] = "larger_summary"
    larger: int
    written: int
    """All summaries."""
    after_message: int
    """The log position (0-based) of the message after which the worst one was written."""
    tokens: int
    """The tokens of the worst summary."""
    replaced_tokens: int
    """The tokens of what the worst summary replaced."""
    every_turn: bool = False
    """True if the strategy writes a summary for each turn by design."""
    can_switch_off: bool = False
    """True if the strategy has a switch for its summaries."""
    parameter: str = ""
    """The parameter that would have to be larger to summarize more at a time; empty if there is none."""


def find_larger_summaries(run: Run) -> LargerSummaries | None:
    """Return a finding if summaries have more tokens than the messages and the summary that they replaced."""
    summary_count = 0
    larger: list[Compaction] = []
    worst: Compaction | None = None
    worst_growth = 0
    for compaction in run.compactions:
        written = compaction.written
        if not compaction.is_summarization or not written or compaction.is_fixed:
            continue
        summary_count += 1
        growth = written.tokens - count_replaced_tokens(run, compaction)
        if growth > 0:
            larger.append(compaction)
        if growth > worst_growth:
            worst = compaction
            worst_growth = growth
    if worst is None or worst.written is None:
        return None
    strategy = run.strategy
    return LargerSummaries(
        larger=len(larger),
        written=summary_count,
        after_message=worst.after_message,
        tokens=worst.written.tokens,
        replaced_tokens=worst.written.tokens - worst_growth,
        every_turn=strategy.trigger is Trigger.TURN,
        can_switch_off=strategy.has_parameter("enable_summarization"),
        parameter=strategy.main_parameter,
        turns=list_turns_of_compactions(run, larger),
        severity="bad" if 2 * len(larger) > summary_count else "caution",
    )


def count_replaced_tokens(run: Run, compaction: Compaction) -> int:
    """Return the tokens that a new summary replaces: those of its messages with their tool calls, and of the summary
    before it."""
    sums = run.space.sums
    messages = compaction.summarized
    tokens = sums.between(messages.start, messages.stop)
    tokens += sums.call_totals[messages.stop] - sums.call_totals[messages.start]
    old = _find_replaced(run, compaction)
    if old is not None:
        tokens += old.tokens
    return tokens


@dataclass(frozen=True, kw_only=True)
class UnchangedSummaries(HealthFinding):
    """Summaries that are letter for letter the same as the one that they replaced."""

    kind: ClassVar[str] = "unchanged_summary"
    unchanged: int
    renewed: int
    """All summaries that replaced one."""
    messages: int
    """The number of messages that the unchanged summaries cover in addition."""


def find_unchanged_summaries(run: Run) -> UnchangedSummaries | None:
    """Return a finding if summaries covered further messages and yet are the same as the one that they replaced.

    Notes of another kind, such as facts, are not checked: they stay the same where a message states no new fact.
    """
    renewed = 0
    same = []
    for compaction in run.compactions:
        if not compaction.is_summarization or compaction.is_fixed:
            continue
        new = compaction.written
        old = _find_replaced(run, compaction)
        if compaction.track == SUMMARY and new and old:
            renewed += 1
            if new.text == old.text:
                same.append(compaction)
    if not same or len(same) < UNCHANGED_SHARE * renewed:
        return None
    return UnchangedSummaries(
        unchanged=len(same),
        renewed=renewed,
        messages=sum(len(compaction.summarized) for compaction in same),
        turns=list_turns_of_compactions(run, same),
    )


@dataclass(frozen=True, kw_only=True)
class FailedSummarizations(HealthFinding):
    """Summarizer calls that gave no summary."""

    kind: ClassVar[str] = "failed_summarization"
    failed: int
    asked: int
    """All calls."""
    dropped: int
    """The failed calls whose messages were left out nevertheless."""
    kept: bool
    """True if all messages that should have been summarized were sent word for word instead."""
    first_error: str


def find_failed_summarizations(run: Run) -> FailedSummarizations | None:
    """Return a finding if calls of the summarizer gave no summary."""
    failed = [
        compaction for compaction in run.compactions if compaction.error is not None
    ]
    if not failed:
        return None
    policies = [compaction.policy for compaction in failed]
    return FailedSummarizations(
        failed=len(failed),
        asked=sum(compaction.asked for compaction in run.compactions),
        dropped=policies.count("drop"),
        kept=set(policies) == {"leave"},
        first_error=str(failed[0].error),
        turns=list_turns_of_compactions(run, failed),
        severity="bad",
    )


def _find_replaced(run: Run, compaction: Compaction) -> SummaryVersion | None:
    if not compaction.replaces:
        return None
    return run.space.summaries.versions[compaction.replaces - 1]
