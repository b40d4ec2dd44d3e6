"""Warnings about a run: what is unhealthy about it, why that matters and what to change, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from memviz.core.text.wording import (
    counted,
    message_number,
    request_name,
    share_of,
)
from memviz.dashboard.words.growth import tell_dear_clearing, tell_growth
from memviz.dashboard.words.warning import HealthWarning, Told
from memviz.engine.run import Run
from memviz.metrics.health import HealthFinding, Prices, health_findings
from memviz.metrics.health.budgets import (
    REFERENCE,
    WANTED_REQUESTS,
    Budget,
    KeptAboveTrigger,
    LargeSummaries,
    OddCounter,
    OverBudget,
    Thrash,
)
from memviz.metrics.health.contents import (
    AssistantFirst,
    FailedSummarizations,
    LargerSummaries,
    OrphanedToolMessages,
    UnchangedSummaries,
)
from memviz.metrics.health.finding import Step
from memviz.metrics.health.growth import DearClearing, Growth


def _tell_orphaned(found: OrphanedToolMessages) -> Told:
    requests = share_of(found.orphaned, found.requests, "request")
    return Told(
        "Tool results without their call",
        f"{requests} hold a tool result whose call was cut off.",
        "A real API rejects such a request, so these calls of the model would have had no answer.",
        "Choose a strategy that cuts between turns, such as recent turns, or that cuts nothing. Chat and exported code "
        "send no such result; a replay in Python with repair_tool_pairs=True sends none either.",
    )


def _tell_assistant_first(found: AssistantFirst) -> Told:
    requests = share_of(found.found, found.requests, "request")
    way_out = found.way_out
    if way_out is not None:
        better = share_of(way_out.better, found.found, "such request")
        remedy = f"Set {way_out.parameter} to {way_out.value:,}: then the user's message comes first in {better}."
    elif found.has_greeting:
        remedy = "The conversation itself begins with the assistant: move its greeting to the system prompt."
    else:
        remedy = "Choose a strategy that begins what it keeps with a message of the user, such as recent turns."
    return Told(
        "An assistant's message comes first",
        f"In {requests} the first message behind the system part is an assistant's.",
        "Some providers reject a conversation that does not begin with the user, and a model sees an answer without "
        "its question.",
        remedy,
    )


def _tell_larger_summaries(found: LargerSummaries) -> Told:
    summaries = share_of(found.larger, found.written, "summary")
    tokens = counted(found.tokens, "token")
    return Told(
        "Summaries larger than what they replaced",
        f"{summaries} had more tokens than what they replaced. The worst came after message "
        f"{message_number(found.after_message):,}: {tokens} in place of {found.replaced_tokens:,}.",
        "Such a summary costs a model call and detail, and makes the requests larger instead of smaller.",
        _smaller_summaries(found),
    )


def _smaller_summaries(found: LargerSummaries) -> str:
    if found.every_turn and found.can_switch_off:
        return (
            "Turns this short are not worth a summary each: switch enable_summarization off, or choose a strategy that "
            "summarizes several turns at once."
        )
    if found.every_turn:
        return "Turns this short are not worth a summary each: choose a strategy that summarizes several turns at once."
    if found.parameter:
        name = found.parameter
        return f"Raise {name}, so that more is summarized at a time, or choose a summarizer that writes less."
    return "Summarize more at a time, or choose a summarizer that writes less."


def _tell_unchanged(found: UnchangedSummaries) -> Told:
    summaries = share_of(found.unchanged, found.renewed, "new summary")
    messages = counted(found.messages, "message")
    return Told(
        "Summaries that did not change",
        f"{summaries} are letter for letter the one before, though they took in {messages}.",
        "Nothing of these messages was kept: what they said is known no longer, and the calls were paid for nothing.",
        "Choose a summarizer that keeps more, or a larger limit, so that it is asked when more is new.",
    )


def _tell_failed(found: FailedSummarizations) -> Told:
    calls = share_of(found.failed, found.asked, "summarizer call")
    if found.dropped:
        failures = share_of(found.dropped, found.failed, "failure")
        kept = f"After {failures} the messages were left out all the same."
        why = (
            "What should have been summarized is neither sent nor stands in a summary."
        )
    elif found.kept:
        kept = (
            "Nothing was lost: what should have been summarized was sent word for word."
        )
        why = "Until a summarization succeeds, requests grow, and may outgrow the model's context window."
    else:
        kept = "The rule did something else in its place."
        why = "It did not come to what the rule is meant for."
    return Told(
        "Summarizations failed",
        f"{calls} failed. {kept} The first said: {found.first_error}",
        why,
        "Fix what the error names, or choose another summarizer, and replay.",
    )


def _budget_name(budget: Budget) -> str:
    return budget.parameter or "token limit"


def _tell_large_summaries(found: LargeSummaries) -> Told:
    name = _budget_name(found.budget)
    requests = share_of(found.large, found.requests, "request")
    limit = f"{found.budget.tokens:,}"
    peak = f"{found.peak_tokens:,}"
    worst = request_name(*found.worst)
    if found.counts:
        numbers = (
            f"In {requests} the summary took more than half of the {name} of {limit} tokens: {peak} at "
            f"{worst}."
        )
        why = "It counts against the limit, so it leaves little room for the messages themselves."
    else:
        numbers = f"In {requests} the summary took more than the {name} of {limit} tokens: {peak} at {worst}."
        why = "The limit does not count the summary, so requests are more than twice what the limit promises."
    return Told(
        "A summary too large for its limit",
        numbers,
        why,
        f"Raise {name} to {found.wanted_tokens:,}, or choose a summarizer that writes less.",
    )


def _tell_kept_above(found: KeptAboveTrigger) -> Told:
    name = _budget_name(found.budget)
    summarizations = share_of(found.above, found.done, "summarization")
    return Told(
        "What is kept triggers the next summarization",
        f"After {summarizations} the messages kept were still over the {name} of {found.budget.tokens:,} tokens: "
        f"{found.peak_tokens:,} tokens after message {message_number(found.after_message):,}.",
        "It has to summarize again at once, and once more, until the large message has left.",
        f"Raise {name} to {found.wanted_tokens:,}, so that half of it holds what was kept, or shorten long messages "
        "such as tool results before they are remembered.",
    )


def _tell_over_budget(found: OverBudget) -> Told:
    name = _budget_name(found.budget)
    limit = f"{found.budget.tokens:,}"
    peak = f"{found.peak_tokens:,}"
    requests = share_of(found.over, found.requests, "request")
    counts = found.budget.counts or "what it counts"
    if found.alone:
        why = "The input is always sent whole; where it fills the limit, hardly anything else is sent."
        remedy = f"Raise {name} to {peak} or more, or shorten long inputs."
    else:
        why = "The summary and the messages kept are larger together than the limit promises."
        remedy = f"Expect {peak} tokens where the {name} says {limit}, or choose a summarizer that writes less."
    return Told(
        "Requests over their limit",
        f"{requests} were over the {name} of {limit} tokens for {counts}, {found.alone or 'none'} of them because the "
        f"input alone is larger. The largest had {peak} tokens, at {request_name(*found.worst)}.",
        why,
        remedy,
    )


class _ThrashWords(NamedTuple):
    title: str
    pace: str
    room: str
    why: str


_THRASH: dict[Step, _ThrashWords] = {
    "turn": _ThrashWords(
        "Summarizes at nearly every turn",
        "{summarizations} in {steps}: one every {pace:.1f} turns.",
        "Each makes room for {room.gap:,.0f} {room.unit}, and a turn takes {room.request:,.0f}.",
        "Trigger and target are too close: every turn waits for a summarizer call and pays for it, details fade with "
        "each pass, and a prompt that always changes is never cached.",
    ),
    "request": _ThrashWords(
        "Summarizes at nearly every request",
        "{summarizations} in {steps}: one every {pace:.1f} requests.",
        "Each makes room for {room.gap:,.0f} {room.unit}, and a request takes {room.request:,.0f}.",
        "Trigger and target are too close: every request waits for a summarizer call and pays for it, details fade "
        "with each pass, and a prompt that always changes is never cached.",
    ),
}


def _tell_thrash(found: Thrash) -> Told:
    words = _THRASH[found.step]
    numbers = words.pace.format(
        summarizations=counted(found.summarizations, "summarization"),
        steps=counted(found.steps, found.step),
        pace=found.steps / found.summarizations,
    )
    if found.room is not None:
        numbers = f"{numbers} {words.room.format(room=found.room)}"
    return Told(words.title, numbers, words.why, _end_of_thrash(found))


def _end_of_thrash(found: Thrash) -> str:
    wider = found.wider
    whole = found.whole
    if wider is not None:
        room = counted(WANTED_REQUESTS, found.step)
        return (
            f"Raise {wider.parameter} from {wider.value:,} to about {wider.wanted:,}, which makes room for "
            f"{room}."
        )
    if whole is not None:
        return (
            "Choose a strategy that cuts back further below its limit, as the summary buffer does (to half of it), or "
            f"raise {whole.parameter} from {whole.value:,} to {whole.wanted:,}, which holds all messages of this "
            "conversation."
        )
    if found.cuts_to_limit:
        return "Choose a strategy that cuts back further below its limit, as the summary buffer does (to half of it)."
    return "Choose a strategy that cuts back further below its limit."


def _tell_odd_counter(found: OddCounter) -> Told:
    sample = f"{found.messages} messages"
    here = f"{found.tokens:,}"
    there = f"{found.expected_tokens:,}"
    factor = f"{found.factor:.1f}"
    if found.counts_too_few:
        numbers = (
            f"In a sample of {sample} {found.counter} counts {here} tokens and {REFERENCE} {there}: {factor} times too "
            "few."
        )
        why = (
            "Limits, sizes and costs are off by as much: requests are larger than they look, and may not fit the "
            "model."
        )
    else:
        numbers = (
            f"In a sample of {sample} {found.counter} counts {here} tokens and {REFERENCE} {there}: {factor} times too "
            "many."
        )
        why = (
            "Limits, sizes and costs are off by as much: requests are smaller than they look, and details are given "
            "up too early."
        )
    return Told(
        "The token counter is far off",
        numbers,
        why,
        f"Count with {REFERENCE}, or with the counter of the model that will be used.",
    )


TELL: dict[type[HealthFinding], Callable[[Any], Told]] = {
    OrphanedToolMessages: _tell_orphaned,
    AssistantFirst: _tell_assistant_first,
    LargerSummaries: _tell_larger_summaries,
    UnchangedSummaries: _tell_unchanged,
    FailedSummarizations: _tell_failed,
    LargeSummaries: _tell_large_summaries,
    KeptAboveTrigger: _tell_kept_above,
    OverBudget: _tell_over_budget,
    Thrash: _tell_thrash,
    OddCounter: _tell_odd_counter,
    Growth: tell_growth,
    DearClearing: tell_dear_clearing,
}
"""The function that puts each kind of finding into words."""


def health_warnings(
    run: Run, prices: Prices | None = None
) -> tuple[HealthWarning, ...]:
    """Return all warnings of ``run``, the bad ones first; none for a run without a request. Of a chat that was given
    another setting they are about that one, which can still be changed. What they say about cost holds under
    ``prices``, such as a :class:`memviz.PricingAssumptions`; by default under the list prices of the model that
    answered. Of the same severity, those that speak of money come last."""
    return tuple(
        HealthWarning(one.kind, *TELL[type(one)](one), one.turns, one.severity)
        for one in health_findings(run, prices)
    )
