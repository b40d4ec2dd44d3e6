"""Warnings about a run: what is unhealthy about it, why that matters and what to change, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memviz.core.text.wording import (
    counted,
    message_number,
    share_of,
)
from memviz.core.translation import _
from memviz.dashboard.words.budgets import (
    tell_kept_above,
    tell_large_summaries,
    tell_odd_counter,
    tell_over_budget,
    tell_thrash,
)
from memviz.dashboard.words.growth import tell_dear_clearing, tell_growth
from memviz.dashboard.words.warning import HealthWarning, Told
from memviz.engine.run import Run
from memviz.metrics.health import HealthFinding, Prices, health_findings
from memviz.metrics.health.budgets import (
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
from memviz.metrics.health.growth import DearClearing, Growth
from memviz.metrics.health.lookups import (
    EchoedQuestions,
    MissingNeighbours,
    RepeatedTurn,
)


def _tell_orphaned(finding: OrphanedToolMessages) -> Told:
    requests = share_of(finding.orphaned, finding.requests, "request")
    return Told(
        _("Tool results without their call"),
        _("{requests} hold a tool result whose call was cut off.", requests=requests),
        _(
            "A real API rejects such a request, so these calls of the model would have had no answer."
        ),
        _(
            "Choose a strategy that cuts between turns, such as recent turns, or that cuts nothing. Chat and "
            "exported code send no such result; a replay in Python with repair_tool_pairs=True sends none "
            "either."
        ),
    )


def _tell_assistant_first(finding: AssistantFirst) -> Told:
    requests = share_of(finding.found, finding.requests, "request")
    way_out = finding.way_out
    if way_out is not None:
        better = share_of(way_out.better, finding.found, "such request")
        remedy = _(
            "Set {parameter} to {value:,}: then the user's message comes first in {better}.",
            parameter=way_out.parameter,
            value=way_out.value,
            better=better,
        )
    elif finding.has_greeting:
        remedy = _(
            "The conversation itself begins with the assistant: move its greeting to the system prompt."
        )
    else:
        remedy = _(
            "Choose a strategy that begins what it keeps with a message of the user, such as recent turns."
        )
    return Told(
        _("An assistant's message comes first"),
        _(
            "In {requests} the first message behind the system part is an assistant's.",
            requests=requests,
        ),
        _(
            "Some providers reject a conversation that does not begin with the user, and a model sees an "
            "answer without its question."
        ),
        remedy,
    )


def _tell_larger_summaries(finding: LargerSummaries) -> Told:
    summaries = share_of(finding.larger, finding.written, "summary")
    tokens = counted(finding.tokens, "token")
    return Told(
        _("Summaries larger than what they replaced"),
        _(
            "{summaries} had more tokens than what they replaced. The worst came after message "
            "{message:,}: {tokens} in place of {replaced_tokens:,}.",
            summaries=summaries,
            message=message_number(finding.after_message),
            tokens=tokens,
            replaced_tokens=finding.replaced_tokens,
        ),
        _(
            "Such a summary costs a model call and detail, and makes the requests larger instead of smaller."
        ),
        _smaller_summaries(finding),
    )


def _smaller_summaries(finding: LargerSummaries) -> str:
    if finding.every_turn and finding.can_switch_off:
        return _(
            "Turns this short are not worth a summary each: switch enable_summarization off, or choose a "
            "strategy that summarizes several turns at once."
        )
    if finding.every_turn:
        return _(
            "Turns this short are not worth a summary each: choose a strategy that summarizes several turns at "
            "once."
        )
    if finding.parameter:
        name = finding.parameter
        return _(
            "Raise {name}, so that more is summarized at a time, or choose a summarizer that writes less.",
            name=name,
        )
    return _("Summarize more at a time, or choose a summarizer that writes less.")


def _tell_unchanged(finding: UnchangedSummaries) -> Told:
    summaries = share_of(finding.unchanged, finding.renewed, "new summary")
    messages = counted(finding.messages, "message")
    return Told(
        _("Summaries that did not change"),
        _(
            "{summaries} are letter for letter the one before, though they took in {messages}.",
            summaries=summaries,
            messages=messages,
        ),
        _(
            "Nothing of these messages was kept: what they said is known no longer, and the calls were paid "
            "for nothing."
        ),
        _(
            "Choose a summarizer that keeps more, or a larger limit, so that it is asked when more is new."
        ),
    )


def _tell_failed(finding: FailedSummarizations) -> Told:
    calls = share_of(finding.failed, finding.asked, "summarizer call")
    if finding.dropped:
        failures = share_of(finding.dropped, finding.failed, "failure")
        consequence = _(
            "After {failures} the messages were left out all the same.",
            failures=failures,
        )
        why = _(
            "What should have been summarized is neither sent nor stands in a summary."
        )
    elif finding.kept:
        consequence = _(
            "Nothing was lost: what should have been summarized was sent word for word."
        )
        why = _(
            "Until a summarization succeeds, requests grow, and may outgrow the model's context window."
        )
    else:
        consequence = _("The rule did something else in its place.")
        why = _("It did not come to what the rule is meant for.")
    return Told(
        _("Summarizations failed"),
        _(
            "{calls} failed. {kept} The first said: {first_error}",
            calls=calls,
            kept=consequence,
            first_error=finding.first_error,
        ),
        why,
        _("Fix what the error names, or choose another summarizer, and replay."),
    )


def tell_echoed(finding: EchoedQuestions) -> Told:
    """Return the warning of questions that find themselves."""
    requests = share_of(finding.echoed, finding.requests, "request")
    if finding.has_neighbours:
        remedy = _(
            "Raise top_k, so that something else is found too, or choose a strategy that looks up facts instead of "
            "messages."
        )
    else:
        remedy = _("Set neighbours to 1: then the answers stand beside such questions.")
    return Told(
        _("The question finds itself"),
        _(
            "{requests} that bring something back bring back messages which hold no word that the question does not "
            "hold, {messages:,} in all.",
            requests=requests,
            messages=finding.messages,
        ),
        _(
            "Such a message tells the model nothing new, and takes the place of one that does."
        ),
        remedy,
    )


def tell_missing_neighbours(finding: MissingNeighbours) -> Told:
    """Return the warning of questions without answers."""
    messages = share_of(finding.alone, finding.messages, "message")
    if finding.parameter:
        remedy = _(
            "Raise {parameter}, which brings back what stands beside a message.",
            parameter=finding.parameter,
        )
    else:
        remedy = _("Choose a strategy that brings back whole turns.")
    return Told(
        _("Questions without answers are brought back"),
        _(
            "{messages} that are brought back are a question without its answer, or an answer without its question.",
            messages=messages,
        ),
        _(
            'What a message means often stands beside it: "Yes, the second one" says nothing by itself.'
        ),
        remedy,
    )


def tell_repeated_turn(finding: RepeatedTurn) -> Told:
    """Return the warning of the same turn again and again."""
    requests = share_of(finding.times, finding.requests, "request")
    if finding.parameter:
        remedy = _(
            "Set {parameter}, so that old messages fade, or put what every request needs into the system prompt.",
            parameter=finding.parameter,
        )
    else:
        remedy = _("Put what every request needs into the system prompt.")
    return Told(
        _("The same turn is brought back again and again"),
        _(
            "{requests} that bring something back bring back turn {turn:,}.",
            requests=requests,
            turn=finding.turn,
        ),
        _(
            "A turn with words that every question holds takes the place of what the question is about."
        ),
        remedy,
    )


TELL: dict[type[HealthFinding], Callable[[Any], Told]] = {
    OrphanedToolMessages: _tell_orphaned,
    AssistantFirst: _tell_assistant_first,
    LargerSummaries: _tell_larger_summaries,
    UnchangedSummaries: _tell_unchanged,
    FailedSummarizations: _tell_failed,
    LargeSummaries: tell_large_summaries,
    KeptAboveTrigger: tell_kept_above,
    OverBudget: tell_over_budget,
    Thrash: tell_thrash,
    EchoedQuestions: tell_echoed,
    MissingNeighbours: tell_missing_neighbours,
    RepeatedTurn: tell_repeated_turn,
    OddCounter: tell_odd_counter,
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
        HealthWarning(
            finding.kind, *TELL[type(finding)](finding), finding.turns, finding.severity
        )
        for finding in health_findings(run, prices)
    )
