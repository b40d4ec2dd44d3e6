"""Warnings about what requests and summaries hold: a tool result without its call and an assistant's message first,
which a provider may refuse; summaries that save nothing, that stay the same, or that were never written."""

from collections.abc import Iterator, Sequence

import numpy as np

from memviz.core.conversation import Log
from memviz.core.pieces import Messages, Notes, Picked
from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.core.text.wording import counted, message_number, share_of
from memviz.engine.assembly import assemble
from memviz.engine.compaction import Compaction
from memviz.engine.parts import Parts
from memviz.engine.run import Run
from memviz.metrics.health.warning import HealthWarning, turns_at, turns_of
from memviz.metrics.requests.request_table import orphaned_requests
from memviz.metrics.retention.probe_texts import Bools
from memviz.strategies.base import Strategy, Trigger


def orphaned_tool_messages(run: Run) -> HealthWarning | None:
    """Warn of requests with a tool result whose call is not in them."""
    orphaned = orphaned_requests(run)
    if not orphaned:
        return None
    return HealthWarning(
        "orphaned_tool_message",
        "Tool results without their call",
        f"{share_of(len(orphaned), len(run.requests), 'request')} hold a tool result whose call was cut off.",
        "A real API rejects such a request, so these calls of the model would have had no answer.",
        "Choose a strategy that cuts between turns, such as recent turns, or that cuts nothing. Chat and exported code "
        "send no such result; a replay in Python with repair_tool_pairs=True sends none either.",
        turns_at(run, orphaned),
        "bad",
    )


def assistant_first(run: Run) -> HealthWarning | None:
    """Warn of requests whose first message behind the system part (system prompt, summary) is an assistant's."""
    spoken = _next_spoken(run.log)
    first = _first_in_one_range(run, spoken)
    for number, parts in run.columns.others.items():
        first[number] = _is_assistant_first(run.log, parts, spoken)
    found = np.flatnonzero(first).tolist()
    if not found:
        return None
    return HealthWarning(
        "assistant_first",
        "An assistant's message comes first",
        f"In {share_of(len(found), len(run.requests), 'request')} the first message behind the system part is an "
        "assistant's.",
        "Some providers reject a conversation that does not begin with the user, and a model sees an answer without "
        "its question.",
        _remedy(run, found, spoken),
        turns_at(run, found),
    )


def _first_in_one_range(run: Run, spoken: Sequence[int]) -> Bools:
    """Return which of the requests of one range, behind a summary or not, begin so. All at once: they are nearly
    all."""
    columns = run.columns
    log = run.log
    is_one_range = columns.starts >= 0
    positions = np.array(spoken)[np.maximum(columns.starts, 0)]
    roles = [message.role for message in log]
    is_assistant = np.array([*roles, ""]) == "assistant"
    found = (positions < columns.stops) & is_assistant[positions]
    if columns.summary_role != "system":
        has_summary = columns.summary_stops > columns.summary_starts
        found[has_summary] = columns.summary_role == "assistant"
    return np.asarray(found & is_one_range)


def _next_spoken(log: Log) -> list[int]:
    """Return for every position the first one from there on that is no system message; the log's length if there is
    none."""
    found = [len(log)]
    for position in range(len(log) - 1, -1, -1):
        is_system = log[position].role == "system"
        found.append(found[-1] if is_system else position)
    return found[::-1]


def _is_assistant_first(log: Log, parts: Parts, spoken: Sequence[int]) -> bool:
    return next(_roles(log, parts, spoken), None) == "assistant"


def _roles(log: Log, parts: Parts, spoken: Sequence[int]) -> Iterator[str]:
    """Yield the role of the first message of each piece that is no system message, in the order of the request."""
    for piece in parts.pieces:
        if isinstance(piece, Messages):
            if spoken[piece.start] < piece.stop:
                yield log[spoken[piece.start]].role
        elif isinstance(piece, Picked):
            roles = [log[position].role for position in piece.positions]
            yield from (role for role in roles if role != "system")
        elif piece.place == "message":
            role = piece.role if isinstance(piece, Notes) else piece.message.role
            if role != "system":
                yield role


def _remedy(run: Run, found: Sequence[int], spoken: Sequence[int]) -> str:
    name = run.strategy.main_parameter
    for other in _neighbours(run.strategy):
        better = 0
        for number in found:
            memory = run.requests.memory_at(number)
            recalled = run.requests.parts_at(number).recalled
            parts = assemble(memory, other.select(memory), recalled)
            better += not _is_assistant_first(run.log, parts, spoken)
        if 2 * better > len(found):
            share = share_of(better, len(found), "such request")
            return f"Set {name} to {getattr(other, name):,}: then the user's message comes first in {share}."
    histories = [run.requests.parts_at(number).history for number in found]
    start = run.space.system_stop
    if all(history and history[0].start == start for history in histories):
        return "The conversation itself begins with the assistant: move its greeting to the system prompt."
    return "Choose a strategy that begins what it keeps with a message of the user, such as recent turns."


def _neighbours(strategy: Strategy) -> list[Strategy]:
    """Return the strategy with one message more and with one less, where it just sends a number of messages."""
    declared = {parameter.name: parameter for parameter in strategy.parameters()}
    parameter = declared.get(strategy.main_parameter)
    if parameter is None or parameter.unit != "messages":
        return []
    if strategy.trigger is not Trigger.NEVER:
        return []
    value = getattr(strategy, parameter.name)
    least = parameter.minimum or 1
    most = parameter.maximum or value + 1
    allowed = [number for number in (value + 1, value - 1) if least <= number <= most]
    return [strategy.model_copy(update={parameter.name: number}) for number in allowed]


UNCHANGED_SHARE = 0.25
"""From this share of the renewed summaries on it is worth a word; now and then nothing new is said."""


def larger_summaries(run: Run) -> HealthWarning | None:
    """Warn of summaries with more tokens than the messages newly taken in and the summary replaced had together."""
    written = 0
    larger = []
    for one in run.compactions:
        if one.is_summarization and one.written and not one.is_fixed:
            written += 1
            tokens = one.written.tokens
            before = replaced_tokens(run, one)
            if tokens > before:
                larger.append((tokens - before, tokens, before, one))
    if not larger:
        return None
    _, tokens, before, worst = max(larger, key=lambda item: item[0])
    return HealthWarning(
        "larger_summary",
        "Summaries larger than what they replaced",
        f"{share_of(len(larger), written, 'summary')} had more tokens than what they replaced. The worst came "
        f"after message {message_number(worst.after_message):,}: {counted(tokens, 'token')} in place of {before:,}.",
        "Such a summary costs a model call and detail, and makes the requests larger instead of smaller.",
        _larger_remedy(run),
        turns_of(run, (item[-1] for item in larger)),
        "bad" if 2 * len(larger) > written else "caution",
    )


def _larger_remedy(run: Run) -> str:
    strategy = run.strategy
    name = strategy.main_parameter
    if strategy.trigger is Trigger.TURN:
        switch = ""
        if strategy.has_parameter("enable_summarization"):
            switch = "switch enable_summarization off, or "
        return (
            f"Turns this short are not worth a summary each: {switch}choose a strategy that summarizes several turns "
            "at once."
        )
    more = "Summarize more at a time"
    if name:
        more = f"Raise {name}, so that more is summarized at a time"
    return f"{more}, or choose a summarizer that writes less."


def replaced_tokens(run: Run, compaction: Compaction) -> int:
    """Return the tokens that the new summary stands for and that were sent before: messages with their tool calls, and
    the text of the summary it takes in."""
    sums = run.space.sums
    taken = compaction.summarized
    calls = sums.call_totals[taken.stop] - sums.call_totals[taken.start]
    old = _replaced(run, compaction)
    return sums.between(taken.start, taken.stop) + calls + (old.tokens if old else 0)


def unchanged_summaries(run: Run) -> HealthWarning | None:
    """Warn of summaries that took in messages and are letter for letter the one they replaced. Notes of another kind,
    such as facts, stay as they are where nothing is new to them."""
    renewed = 0
    same = []
    for one in run.compactions:
        if one.is_summarization and one.track == SUMMARY and not one.is_fixed:
            new = one.written
            old = _replaced(run, one)
            if new and old:
                renewed += 1
                if new.text == old.text:
                    same.append(one)
    if not same or len(same) < UNCHANGED_SHARE * renewed:
        return None
    lost = sum(len(compaction.summarized) for compaction in same)
    return HealthWarning(
        "unchanged_summary",
        "Summaries that did not change",
        f"{share_of(len(same), renewed, 'new summary')} are letter for letter the one before, though they took "
        f"in {counted(lost, 'message')}.",
        "Nothing of these messages was kept: what they said is known no longer, and the calls were paid for nothing.",
        "Choose a summarizer that keeps more, or a larger limit, so that it is asked when more is new.",
        turns_of(run, same),
    )


def failed_summarizations(run: Run) -> HealthWarning | None:
    """Warn of summarizer calls that gave no summary."""
    failed = [one for one in run.compactions if one.error is not None]
    if not failed:
        return None
    asked = sum(compaction.asked for compaction in run.compactions)
    kept = "Nothing was lost: what should have been summarized was sent word for word."
    why = "Until a summarization succeeds, requests grow, and may outgrow the model's context window."
    policies = [compaction.policy for compaction in failed]
    if dropped := policies.count("drop"):
        kept = f"After {share_of(dropped, len(failed), 'failure')} the messages were left out all the same."
        why = (
            "What should have been summarized is neither sent nor stands in a summary."
        )
    elif set(policies) != {"leave"}:
        kept = "The rule did something else in its place."
        why = "It did not come to what the rule is meant for."
    return HealthWarning(
        "failed_summarization",
        "Summarizations failed",
        f"{share_of(len(failed), asked, 'summarizer call')} failed. {kept} The first said: {failed[0].error}",
        why,
        "Fix what the error names, or choose another summarizer, and replay.",
        turns_of(run, failed),
        "bad",
    )


def _replaced(run: Run, compaction: Compaction) -> SummaryVersion | None:
    if not compaction.replaces:
        return None
    return run.space.summaries.versions[compaction.replaces - 1]
