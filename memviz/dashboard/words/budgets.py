"""Warnings about limits of tokens in words: what does not fit, what summarizes too often, what counts wrongly."""

from typing import NamedTuple

from memviz.core.text.wording import counted, message_number, request_name, share_of
from memviz.core.translation import _, noop
from memviz.dashboard.words.warning import WarningWords
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
from memviz.metrics.health.finding import Step


def _budget_name(budget: Budget) -> str:
    return budget.parameter or _("token limit")


_LARGE_SUMMARIES = WarningWords(
    noop("A summary too large for its limit"),
    noop(
        "In {requests} the summary took more than the {name} of {limit} tokens: {peak} at {worst}."
    ),
    noop(
        "The limit does not count the summary, so requests are more than twice what the limit promises."
    ),
    noop("Raise {name} to {wanted_tokens:,}, or choose a summarizer that writes less."),
)
_LARGE_COUNTED_SUMMARIES = _LARGE_SUMMARIES._replace(
    numbers=noop(
        "In {requests} the summary took more than half of the {name} of {limit} tokens: {peak} at {worst}."
    ),
    why=noop(
        "It counts against the limit, so it leaves little room for the messages themselves."
    ),
)
_KEPT_ABOVE = WarningWords(
    noop("What is kept triggers the next summarization"),
    noop(
        "After {summarizations} the messages kept were still over the {name} of {tokens:,} tokens: "
        "{peak_tokens:,} tokens after message {message:,}."
    ),
    noop(
        "It has to summarize again at once, and once more, until the large message has left."
    ),
    noop(
        "Raise {name} to {wanted_tokens:,}, so that half of it holds what was kept, or shorten long "
        "messages such as tool results before they are remembered."
    ),
)
_OVER_BUDGET = WarningWords(
    noop("Requests over their limit"),
    noop(
        "{requests} were over the {name} of {limit} tokens for {counts}, {alone} of them because the input "
        "alone is larger. The largest had {peak} tokens, at {request}."
    ),
    noop(
        "The summary and the messages kept are larger together than the limit promises."
    ),
    noop(
        "Expect {peak} tokens where the {name} says {limit}, or choose a summarizer that writes less."
    ),
)
_OVER_BUDGET_ALONE = _OVER_BUDGET._replace(
    why=noop(
        "The input is always sent whole; where it fills the limit, hardly anything else is sent."
    ),
    remedy=noop("Raise {name} to {peak} or more, or shorten long inputs."),
)
_TOO_FEW_COUNTED = WarningWords(
    noop("The token counter is far off"),
    noop(
        "In a sample of {messages} messages {counter} counts {here:,} tokens and {reference} {there:,}: "
        "{factor:.1f} times too few."
    ),
    noop(
        "Limits, sizes and costs are off by as much: requests are larger than they look, and may not fit "
        "the model."
    ),
    noop("Count with {reference}, or with the counter of the model that will be used."),
)
_TOO_MANY_COUNTED = _TOO_FEW_COUNTED._replace(
    numbers=noop(
        "In a sample of {messages} messages {counter} counts {here:,} tokens and {reference} {there:,}: "
        "{factor:.1f} times too many."
    ),
    why=noop(
        "Limits, sizes and costs are off by as much: requests are smaller than they look, and details are "
        "given up too early."
    ),
)


def tell_large_summaries(summaries: LargeSummaries) -> WarningWords:
    """Return the words for summaries that take most of their limit."""
    words = _LARGE_COUNTED_SUMMARIES if summaries.counts else _LARGE_SUMMARIES
    return words.say(
        requests=share_of(summaries.large, summaries.requests, "request"),
        name=_budget_name(summaries.budget),
        limit=f"{summaries.budget.tokens:,}",
        peak=f"{summaries.peak_tokens:,}",
        worst=request_name(*summaries.worst),
        wanted_tokens=summaries.wanted_tokens,
    )


def tell_kept_above(finding: KeptAboveTrigger) -> WarningWords:
    """Return the words for kept messages that trigger the next summarization."""
    return _KEPT_ABOVE.say(
        summarizations=share_of(finding.above, finding.done, "summarization"),
        name=_budget_name(finding.budget),
        tokens=finding.budget.tokens,
        peak_tokens=finding.peak_tokens,
        message=message_number(finding.after_message),
        wanted_tokens=finding.wanted_tokens,
    )


def tell_over_budget(finding: OverBudget) -> WarningWords:
    """Return the words for requests that are over their limit."""
    words = _OVER_BUDGET_ALONE if finding.alone else _OVER_BUDGET
    return words.say(
        requests=share_of(finding.over, finding.requests, "request"),
        name=_budget_name(finding.budget),
        limit=f"{finding.budget.tokens:,}",
        counts=_(finding.budget.counts) or _("what it counts"),
        alone=finding.alone or _("none"),
        peak=f"{finding.peak_tokens:,}",
        request=request_name(*finding.worst),
    )


class _ThrashWords(NamedTuple):
    title: str
    pace: str
    room: str
    why: str


_THRASH: dict[Step, _ThrashWords] = {
    "turn": _ThrashWords(
        noop("Summarizes at nearly every turn"),
        noop("{summarizations} in {steps}: one every {pace:.1f} turns."),
        noop("Each makes room for {gap:,.0f} {unit}, and a turn takes {takes:,.0f}."),
        noop(
            "Trigger and target are too close: every turn waits for a summarizer call and pays for it, details "
            "fade with each pass, and a prompt that always changes is never cached."
        ),
    ),
    "request": _ThrashWords(
        noop("Summarizes at nearly every request"),
        noop("{summarizations} in {steps}: one every {pace:.1f} requests."),
        noop(
            "Each makes room for {gap:,.0f} {unit}, and a request takes {takes:,.0f}."
        ),
        noop(
            "Trigger and target are too close: every request waits for a summarizer call and pays for it, "
            "details fade with each pass, and a prompt that always changes is never cached."
        ),
    ),
}


def tell_thrash(thrash: Thrash) -> WarningWords:
    """Return the words for a rule that summarizes at nearly every step."""
    words = _THRASH[thrash.step]
    numbers = _(
        words.pace,
        summarizations=counted(thrash.summarizations, "summarization"),
        steps=counted(thrash.steps, thrash.step),
        pace=thrash.steps / thrash.summarizations,
    )
    room = thrash.room
    if room is not None:
        words_of_room = _(
            words.room, gap=room.gap, unit=_(room.unit), takes=room.request
        )
        numbers = f"{numbers} {words_of_room}"
    return WarningWords(_(words.title), numbers, _(words.why), _end_of_thrash(thrash))


_WIDEN = noop(
    "Raise {parameter} from {value:,} to about {wanted:,}, which makes room for {room}."
)
_HOLD_ALL = noop(
    "Choose a strategy that cuts back further below its limit, as the summary buffer does (to half of "
    "it), or raise {parameter} from {value:,} to {wanted:,}, which holds all messages of this "
    "conversation."
)


def _end_of_thrash(thrash: Thrash) -> str:
    change = thrash.wider or thrash.whole
    if change is not None:
        return _(
            _WIDEN if thrash.wider else _HOLD_ALL,
            parameter=change.parameter,
            value=change.value,
            wanted=change.wanted,
            room=counted(WANTED_REQUESTS, thrash.step),
        )
    if thrash.cuts_to_limit:
        return _(
            "Choose a strategy that cuts back further below its limit, as the summary buffer does (to half of "
            "it)."
        )
    return _("Choose a strategy that cuts back further below its limit.")


def tell_odd_counter(finding: OddCounter) -> WarningWords:
    """Return the words for a token counter that is far off."""
    words = _TOO_FEW_COUNTED if finding.counts_too_few else _TOO_MANY_COUNTED
    return words.say(
        messages=finding.messages,
        counter=finding.counter,
        here=finding.tokens,
        reference=REFERENCE,
        there=finding.expected_tokens,
        factor=finding.factor,
    )
