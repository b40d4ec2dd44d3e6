"""Warnings about a run: what is unhealthy about it, why that matters and what to change, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memviz.core.text.wording import counted, message_number, share_of
from memviz.core.translation import _, noop
from memviz.dashboard.words.budgets import (
    tell_kept_above,
    tell_large_summaries,
    tell_odd_counter,
    tell_over_budget,
    tell_thrash,
)
from memviz.dashboard.words.growth import tell_dear_clearing, tell_growth
from memviz.dashboard.words.warning import HealthWarning, WarningWords
from memviz.engine.run import Run
from memviz.metrics.health import HealthFinding, Prices, check_health
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

_ORPHANED = WarningWords(
    noop("Tool results without their call"),
    noop("{requests} hold a tool result whose call was cut off."),
    noop(
        "A real API rejects such a request, so these calls of the model would have had no answer."
    ),
    noop(
        "Choose a strategy that cuts between turns, such as recent turns, or that cuts nothing. Chat and "
        "exported code send no such result; a replay in Python with repair_tool_pairs=True sends none "
        "either."
    ),
)
_ASSISTANT_FIRST = WarningWords(
    noop("An assistant's message comes first"),
    noop("In {requests} the first message behind the system part is an assistant's."),
    noop(
        "Some providers reject a conversation that does not begin with the user, and a model sees an "
        "answer without its question."
    ),
    noop(
        "Choose a strategy that begins what it keeps with a message of the user, such as recent turns."
    ),
)
_AFTER_ANOTHER_CUT = _ASSISTANT_FIRST._replace(
    remedy=noop(
        "Set {parameter} to {value:,}: then the user's message comes first in {better}."
    )
)
_AFTER_A_GREETING = _ASSISTANT_FIRST._replace(
    remedy=noop(
        "The conversation itself begins with the assistant: move its greeting to the system prompt."
    )
)
_LARGER_SUMMARIES = WarningWords(
    noop("Summaries larger than what they replaced"),
    noop(
        "{summaries} had more tokens than what they replaced. The worst came after message "
        "{message:,}: {tokens} in place of {replaced_tokens:,}."
    ),
    noop(
        "Such a summary costs a model call and detail, and makes the requests larger instead of smaller."
    ),
)
_SWITCH_OFF = noop(
    "Turns this short are not worth a summary each: switch enable_summarization off, or choose a "
    "strategy that summarizes several turns at once."
)
_SEVERAL_TURNS = noop(
    "Turns this short are not worth a summary each: choose a strategy that summarizes several turns at "
    "once."
)
_RAISE_PARAMETER = noop(
    "Raise {name}, so that more is summarized at a time, or choose a summarizer that writes less."
)
_MORE_AT_A_TIME = noop(
    "Summarize more at a time, or choose a summarizer that writes less."
)
_UNCHANGED = WarningWords(
    noop("Summaries that did not change"),
    noop(
        "{summaries} are letter for letter the one before, though they took in {messages}."
    ),
    noop(
        "Nothing of these messages was kept: what they said is known no longer, and the calls were paid "
        "for nothing."
    ),
    noop(
        "Choose a summarizer that keeps more, or a larger limit, so that it is asked when more is new."
    ),
)
_FAILED = WarningWords(
    noop("Summarizations failed"),
    noop("{calls} failed. {kept} The first said: {first_error}"),
    noop("It did not come to what the rule is meant for."),
    noop("Fix what the error names, or choose another summarizer, and replay."),
)
_FAILED_AND_DROPPED = _FAILED._replace(
    why=noop(
        "What should have been summarized is neither sent nor stands in a summary."
    )
)
_FAILED_AND_KEPT = _FAILED._replace(
    why=noop(
        "Until a summarization succeeds, requests grow, and may outgrow the model's context window."
    )
)
_ECHOED = WarningWords(
    noop("The question finds itself"),
    noop(
        "{requests} that bring something back bring back messages which hold no word that the question does not "
        "hold, {messages:,} in all."
    ),
    noop(
        "Such a message tells the model nothing new, and takes the place of one that does."
    ),
    noop("Set neighbours to 1: then the answers stand beside such questions."),
)
_ECHOED_WITH_NEIGHBOURS = _ECHOED._replace(
    remedy=noop(
        "Raise top_k, so that something else is found too, or choose a strategy that looks up facts instead of "
        "messages."
    )
)
_MISSING_NEIGHBOURS = WarningWords(
    noop("Questions without answers are brought back"),
    noop(
        "{messages} that are brought back are a question without its answer, or an answer without its question."
    ),
    noop(
        'What a message means often stands beside it: "Yes, the second one" says nothing by itself.'
    ),
    noop("Choose a strategy that brings back whole turns."),
)
_TOO_FEW_NEIGHBOURS = _MISSING_NEIGHBOURS._replace(
    remedy=noop("Raise {parameter}, which brings back what stands beside a message.")
)
_REPEATED_TURN = WarningWords(
    noop("The same turn is brought back again and again"),
    noop("{requests} that bring something back bring back turn {turn:,}."),
    noop(
        "A turn with words that every question holds takes the place of what the question is about."
    ),
    noop("Put what every request needs into the system prompt."),
)
_REPEATED_WITHOUT_FADING = _REPEATED_TURN._replace(
    remedy=noop(
        "Set {parameter}, so that old messages fade, or put what every request needs into the system prompt."
    )
)


def _tell_orphaned(finding: OrphanedToolMessages) -> WarningWords:
    return _ORPHANED.say(
        requests=share_of(finding.orphaned, finding.requests, "request")
    )


def _tell_assistant_first(finding: AssistantFirst) -> WarningWords:
    requests = share_of(finding.found, finding.requests, "request")
    way_out = finding.way_out
    if way_out is not None:
        return _AFTER_ANOTHER_CUT.say(
            requests=requests,
            parameter=way_out.parameter,
            value=way_out.value,
            better=share_of(way_out.better, finding.found, "such request"),
        )
    words = _AFTER_A_GREETING if finding.has_greeting else _ASSISTANT_FIRST
    return words.say(requests=requests)


def _tell_larger_summaries(finding: LargerSummaries) -> WarningWords:
    words = _LARGER_SUMMARIES._replace(remedy=_smaller_summaries(finding))
    return words.say(
        summaries=share_of(finding.larger, finding.written, "summary"),
        message=message_number(finding.after_message),
        tokens=counted(finding.tokens, "token"),
        replaced_tokens=finding.replaced_tokens,
        name=finding.parameter,
    )


def _smaller_summaries(finding: LargerSummaries) -> str:
    """Return the text of the remedy, not translated yet."""
    if finding.every_turn:
        return _SWITCH_OFF if finding.can_switch_off else _SEVERAL_TURNS
    return _RAISE_PARAMETER if finding.parameter else _MORE_AT_A_TIME


def _tell_unchanged(finding: UnchangedSummaries) -> WarningWords:
    return _UNCHANGED.say(
        summaries=share_of(finding.unchanged, finding.renewed, "new summary"),
        messages=counted(finding.messages, "message"),
    )


def _tell_failed(finding: FailedSummarizations) -> WarningWords:
    words = _FAILED
    consequence = _("The rule did something else in its place.")
    if finding.dropped:
        words = _FAILED_AND_DROPPED
        consequence = _(
            "After {failures} the messages were left out all the same.",
            failures=share_of(finding.dropped, finding.failed, "failure"),
        )
    elif finding.kept:
        words = _FAILED_AND_KEPT
        consequence = _(
            "Nothing was lost: what should have been summarized was sent word for word."
        )
    return words.say(
        calls=share_of(finding.failed, finding.asked, "summarizer call"),
        kept=consequence,
        first_error=finding.first_error,
    )


def tell_echoed(finding: EchoedQuestions) -> WarningWords:
    """Return the warning of questions that find themselves."""
    words = _ECHOED_WITH_NEIGHBOURS if finding.has_neighbours else _ECHOED
    return words.say(
        requests=share_of(finding.echoed, finding.requests, "request"),
        messages=finding.messages,
    )


def tell_missing_neighbours(finding: MissingNeighbours) -> WarningWords:
    """Return the warning of questions without answers."""
    words = _TOO_FEW_NEIGHBOURS if finding.parameter else _MISSING_NEIGHBOURS
    return words.say(
        messages=share_of(finding.alone, finding.messages, "message"),
        parameter=finding.parameter,
    )


def tell_repeated_turn(finding: RepeatedTurn) -> WarningWords:
    """Return the warning of the same turn again and again."""
    words = _REPEATED_WITHOUT_FADING if finding.parameter else _REPEATED_TURN
    return words.say(
        requests=share_of(finding.times, finding.requests, "request"),
        turn=finding.turn,
        parameter=finding.parameter,
    )


TELL: dict[type[HealthFinding], Callable[[Any], WarningWords]] = {
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
        for finding in check_health(run, prices)
    )
