"""Warnings about limits of tokens in words: what does not fit, what summarizes too often, what counts wrongly."""

from typing import NamedTuple

from memviz.core.text.wording import (
    counted,
    message_number,
    request_name,
    share_of,
)
from memviz.core.translation import _, noop
from memviz.dashboard.words.warning import Told
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


def tell_large_summaries(summaries: LargeSummaries) -> Told:
    """Return the words for summaries that take most of their limit."""
    name = _budget_name(summaries.budget)
    requests = share_of(summaries.large, summaries.requests, "request")
    limit = f"{summaries.budget.tokens:,}"
    peak = f"{summaries.peak_tokens:,}"
    worst = request_name(*summaries.worst)
    if summaries.counts:
        template = noop(
            "In {requests} the summary took more than half of the {name} of {limit} tokens: {peak} at {worst}."
        )
        why = _(
            "It counts against the limit, so it leaves little room for the messages themselves."
        )
    else:
        template = noop(
            "In {requests} the summary took more than the {name} of {limit} tokens: {peak} at {worst}."
        )
        why = _(
            "The limit does not count the summary, so requests are more than twice what the limit promises."
        )
    numbers = _(
        template, requests=requests, name=name, limit=limit, peak=peak, worst=worst
    )
    return Told(
        _("A summary too large for its limit"),
        numbers,
        why,
        _(
            "Raise {name} to {wanted_tokens:,}, or choose a summarizer that writes less.",
            name=name,
            wanted_tokens=summaries.wanted_tokens,
        ),
    )


def tell_kept_above(finding: KeptAboveTrigger) -> Told:
    """Return the words for kept messages that trigger the next summarization."""
    name = _budget_name(finding.budget)
    summarizations = share_of(finding.above, finding.done, "summarization")
    return Told(
        _("What is kept triggers the next summarization"),
        _(
            "After {summarizations} the messages kept were still over the {name} of {tokens:,} tokens: "
            "{peak_tokens:,} tokens after message {message:,}.",
            summarizations=summarizations,
            name=name,
            tokens=finding.budget.tokens,
            peak_tokens=finding.peak_tokens,
            message=message_number(finding.after_message),
        ),
        _(
            "It has to summarize again at once, and once more, until the large message has left."
        ),
        _(
            "Raise {name} to {wanted_tokens:,}, so that half of it holds what was kept, or shorten long "
            "messages such as tool results before they are remembered.",
            name=name,
            wanted_tokens=finding.wanted_tokens,
        ),
    )


def tell_over_budget(finding: OverBudget) -> Told:
    """Return the words for requests that are over their limit."""
    name = _budget_name(finding.budget)
    limit = f"{finding.budget.tokens:,}"
    peak = f"{finding.peak_tokens:,}"
    requests = share_of(finding.over, finding.requests, "request")
    counts = _(finding.budget.counts) or _("what it counts")
    numbers = _(
        "{requests} were over the {name} of {limit} tokens for {counts}, {alone} of them because the input "
        "alone is larger. The largest had {peak} tokens, at {request}.",
        requests=requests,
        name=name,
        limit=limit,
        counts=counts,
        alone=finding.alone or _("none"),
        peak=peak,
        request=request_name(*finding.worst),
    )
    title = _("Requests over their limit")
    if finding.alone:
        why = _(
            "The input is always sent whole; where it fills the limit, hardly anything else is sent."
        )
        remedy = _(
            "Raise {name} to {peak} or more, or shorten long inputs.",
            name=name,
            peak=peak,
        )
        return Told(title, numbers, why, remedy)
    why = _(
        "The summary and the messages kept are larger together than the limit promises."
    )
    remedy = _(
        "Expect {peak} tokens where the {name} says {limit}, or choose a summarizer that writes less.",
        peak=peak,
        name=name,
        limit=limit,
    )
    return Told(title, numbers, why, remedy)


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


def tell_thrash(thrash: Thrash) -> Told:
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
        unit = _(room.unit)
        words_of_room = _(words.room, gap=room.gap, unit=unit, takes=room.request)
        numbers = f"{numbers} {words_of_room}"
    return Told(_(words.title), numbers, _(words.why), _end_of_thrash(thrash))


def _end_of_thrash(thrash: Thrash) -> str:
    wider = thrash.wider
    whole = thrash.whole
    if wider is not None:
        room = counted(WANTED_REQUESTS, thrash.step)
        return _(
            "Raise {parameter} from {value:,} to about {wanted:,}, which makes room for {room}.",
            parameter=wider.parameter,
            value=wider.value,
            wanted=wider.wanted,
            room=room,
        )
    if whole is not None:
        return _(
            "Choose a strategy that cuts back further below its limit, as the summary buffer does (to half of "
            "it), or raise {parameter} from {value:,} to {wanted:,}, which holds all messages of this "
            "conversation.",
            parameter=whole.parameter,
            value=whole.value,
            wanted=whole.wanted,
        )
    if thrash.cuts_to_limit:
        return _(
            "Choose a strategy that cuts back further below its limit, as the summary buffer does (to half of "
            "it)."
        )
    return _("Choose a strategy that cuts back further below its limit.")


def tell_odd_counter(finding: OddCounter) -> Told:
    """Return the words for a token counter that is far off."""
    if finding.counts_too_few:
        numbers = noop(
            "In a sample of {messages} messages {counter} counts {here:,} tokens and {reference} {there:,}: "
            "{factor:.1f} times too few."
        )
        why = _(
            "Limits, sizes and costs are off by as much: requests are larger than they look, and may not fit "
            "the model."
        )
    else:
        numbers = noop(
            "In a sample of {messages} messages {counter} counts {here:,} tokens and {reference} {there:,}: "
            "{factor:.1f} times too many."
        )
        why = _(
            "Limits, sizes and costs are off by as much: requests are smaller than they look, and details are "
            "given up too early."
        )
    return Told(
        _("The token counter is far off"),
        _(
            numbers,
            messages=finding.messages,
            counter=finding.counter,
            here=finding.tokens,
            reference=REFERENCE,
            there=finding.expected_tokens,
            factor=finding.factor,
        ),
        why,
        _(
            "Count with {reference}, or with the counter of the model that will be used.",
            reference=REFERENCE,
        ),
    )
