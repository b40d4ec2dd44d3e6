"""One compaction in words: what became of it, where and why, the same in every tooltip, table and panel."""

import re
from typing import NamedTuple

from memviz.core.text.wording import (
    RequestPlace,
    message_number,
    message_range,
    request_name,
)
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.words.asked_length import broken_length_words
from memviz.dashboard.words.authors import reason_in_words
from memviz.dashboard.words.requests import table_place_words
from memviz.engine.backoff import find_next_try
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    count_request_sizes,
    find_changed_request,
    judge_outcome,
)
from memviz.strategies.base import Strategy
from memviz.strategies.clauses import UNITS

_WHAT = {
    CompactionOutcome.SUMMARIZED: noop("Summarized {messages}"),
    CompactionOutcome.THOUGHT: noop("Summarized {messages} while thinking"),
    CompactionOutcome.REWORDED: noop("Summarized {messages} in the user's words"),
    CompactionOutcome.EDITED: noop("Reworded version {version} of the summary"),
    CompactionOutcome.UNDONE: noop("Took back the summarization of {messages}"),
    CompactionOutcome.SKIPPED: noop("Skipped the summarization of {messages}"),
    CompactionOutcome.FAILED: noop("Summarizing {messages} failed"),
    CompactionOutcome.DROPPED: noop("Dropped {messages} without a summary"),
    CompactionOutcome.CLEARED: noop("Cleared tool results among {messages}"),
    CompactionOutcome.SHORTENED: noop("Shortened messages among {messages}"),
    CompactionOutcome.SEALED: noop(
        "Put {messages} into a block that only the provider can read"
    ),
}
_WHAT_TO_ONE = {
    CompactionOutcome.CLEARED: noop("Cleared tool results: {messages}"),
    CompactionOutcome.SHORTENED: noop("Shortened messages: {messages}"),
}
"""The words for an act on one message alone."""
_OUTCOMES = {
    CompactionOutcome.SUMMARIZED: noop("written by the summarizer"),
    CompactionOutcome.THOUGHT: noop(
        "written by the chat model when it stopped thinking"
    ),
    CompactionOutcome.REWORDED: noop(
        "written by the summarizer, reworded by the user before it was used"
    ),
    CompactionOutcome.EDITED: noop("rewritten by the user"),
    CompactionOutcome.UNDONE: noop("taken back by the user"),
    CompactionOutcome.SKIPPED: noop("skipped by the user"),
    CompactionOutcome.FAILED: noop("failed"),
    CompactionOutcome.DROPPED: noop("dropped without a summary"),
    CompactionOutcome.CLEARED: noop("cleared"),
    CompactionOutcome.SHORTENED: noop("shortened"),
    CompactionOutcome.SEALED: noop("written by the provider, for itself alone"),
}
_WRITERS = {
    CompactionOutcome.SUMMARIZED: noop("the summarizer"),
    CompactionOutcome.THOUGHT: noop("the chat model when it stopped thinking"),
    CompactionOutcome.REWORDED: noop(
        "the summarizer, reworded by the user before it was used"
    ),
}


def outcome_words(outcome: CompactionOutcome) -> str:
    """Return what became of a compaction in short, for a cell of a table: ``written by the summarizer``, ``failed``."""
    return _(_OUTCOMES[outcome])


def writer_words(outcome: CompactionOutcome) -> str:
    """Return who wrote its summary, where a heading asks that; of one that nobody wrote what became of it."""
    return _(_WRITERS.get(outcome, _OUTCOMES[outcome]))


_TWICE = re.compile(r"\b2 x (\d+)$")
_RESTORED = noop("Sent {messages} whole again")

_AFTER_FAILURE = {
    "leave": noop("Nothing was lost"),
    "drop": noop("The rule leaves out the messages all the same"),
    "raise": noop("The rule lets the request fail"),
    "instead": noop("The rule does something else in its place"),
}
"""The strategy's rule for a failed summarizer, by :attr:`memviz.engine.compaction.Compaction.policy`."""


class ActWords(NamedTuple):
    """The words for a compaction that took a fact, by what it did."""

    open: str
    """On the button that opens it."""
    not_this: str
    """The sentence where another act is selected than the one that took the fact."""
    lost: str
    """In a legend."""
    left_out: str
    """On the mark of a loss, which names the ``messages``."""
    left_it_out: str
    """The reason of the loss: the ``messages``, ``after`` which message, and the reason in brackets (``because``), if
    any."""


_SUMMARIZATION = ActWords(
    noop("Open this summarization"),
    noop("It is not this summarization that lost the fact; this one is selected."),
    noop("Lost in a summarization"),
    noop("left out by the summarization of {messages}"),
    noop("the summarization of {messages} after message {after}{because} left it out"),
)
_CLEARING = ActWords(
    noop("Open this clearing"),
    noop("It is not this clearing that lost the fact; this one is selected."),
    noop("Lost by clearing"),
    noop("left out by the clearing of {messages}"),
    noop("the clearing of {messages} after message {after}{because} left it out"),
)
_SHORTENING = ActWords(
    noop("Open this shortening"),
    noop("It is not this shortening that lost the fact; this one is selected."),
    noop("Lost by shortening"),
    noop("left out by the shortening of {messages}"),
    noop("the shortening of {messages} after message {after}{because} left it out"),
)
_DROPPING = ActWords(
    noop("Open this dropping"),
    noop("It is not this dropping that lost the fact; this one is selected."),
    noop("Lost by dropping"),
    noop("left out by the dropping of {messages}"),
    noop("the dropping of {messages} after message {after}{because} left it out"),
)
_REWORDING = ActWords(
    noop("Open this rewording"),
    noop("It is not this rewording that lost the fact; this one is selected."),
    noop("Lost by rewording"),
    noop("left out by the rewording of {messages}"),
    noop("the rewording of {messages} after message {after}{because} left it out"),
)
_ACTS = {
    CompactionOutcome.CLEARED: _CLEARING,
    CompactionOutcome.SHORTENED: _SHORTENING,
    CompactionOutcome.DROPPED: _DROPPING,
    CompactionOutcome.EDITED: _REWORDING,
}


class CompactionWords(NamedTuple):
    """``Summarized messages 1 to 11``, ``before the request of turn 12, after message 21``, ``messages not yet
    summarized: 21 messages > 20, twice the 10 that stay`` (may be empty), and ``The request: 1,204 → 310 tokens``,
    with the length of a summary that is longer than was asked for, or what the error was."""

    what: str
    where: str
    why: str
    result: str

    @property
    def act(self) -> str:
        """The act within a sentence: ``summarized messages 1 to 11``."""
        return f"{self.what[0].lower()}{self.what[1:]}"

    @property
    def happened(self) -> str:
        """The act, the place and the reason, without a full stop."""
        template = noop("{what} {where} ({why})")
        if not self.why:
            template = noop("{what} {where}")
        return _(template, **self._asdict())

    @property
    def sentence(self) -> str:
        """All of it."""
        return _("{happened}. {result}.", happened=self.happened, result=self.result)


def compaction_words(compaction: Compaction, run: Run) -> CompactionWords:
    """Return what became of a compaction of ``run``, in words."""
    outcome = judge_outcome(compaction)
    if outcome is CompactionOutcome.EDITED and compaction.revises is None:
        # A summary that was due, in the user's words from the first on.
        outcome = CompactionOutcome.REWORDED
    what = _WHAT[outcome]
    if _is_restoring(compaction):
        what = _RESTORED
    elif len(compaction.summarized) == 1:
        what = _WHAT_TO_ONE.get(outcome, what)
    return CompactionWords(
        _(
            what,
            messages=message_range(compaction.summarized),
            version=compaction.revises,
        ),
        _place_words(compaction, run),
        reason_words(compaction),
        _result(compaction, run),
    )


def _place_words(compaction: Compaction, run: Run) -> str:
    request = find_changed_request(compaction, run)
    template = noop("before the request of {turn}, after message {after:,}")
    if request is None:
        template = noop("{turn}, after message {after:,}")
    return _(
        template,
        turn=_turn_of(compaction, request),
        after=message_number(compaction.after_message),
    )


def act_words(compaction: Compaction) -> ActWords:
    """Return the words for what it did."""
    texts = _ACTS.get(judge_outcome(compaction), _SUMMARIZATION)
    return ActWords(*map(_, texts))


def _is_restoring(compaction: Compaction) -> bool:
    """Return whether a rule took back what it had cleared or shortened: the mark up to which it did went backwards."""
    marks_after = dict(compaction.after.marks)
    for name, position in compaction.before.marks:
        if marks_after.get(name, position) < position:
            return True
    return False


def request_words(compaction: Compaction, run: Run) -> str:
    """Return ``before the request of turn 6``, which is the first one it changed, or ``before the request of turn 6,
    call 3``; ``after turn 46`` where none came any more."""
    if find_changed_request(compaction, run) is None:
        return turn_words(compaction, run)
    return _("before the request of {turn}", turn=turn_words(compaction, run))


def turn_words(compaction: Compaction, run: Run) -> str:
    """Return the first request that a compaction changed, for labels: ``turn 6``, ``turn 6, call 3``, ``after turn
    46``."""
    return _turn_of(compaction, find_changed_request(compaction, run))


def event_turn_words(event: CompactionEvent) -> str:
    """Return the first request that an event changed, for labels: ``turn 6``, ``after turn 46``."""
    return _turn_of(event.compaction, event.request)


def event_turn_table_words(event: CompactionEvent) -> str:
    """Return the first request that an event changed, below a heading that says that it is a turn: ``6``, ``6, call
    3``, ``after turn 46``."""
    if event.request is None:
        return event_turn_words(event)
    return table_place_words(event.request)


def _turn_of(compaction: Compaction, request: RequestPlace | None) -> str:
    """Return the request that a compaction changed first, or the turn behind which it stands."""
    if request is None:
        return _("after turn {turn:,}", turn=compaction.turn)
    return request_name(*request)


def reason_words(compaction: Compaction) -> str:
    """Return the reason, with the name of what the strategy counted: ``messages not yet summarized: 1,584 tokens >
    1,500``."""
    return name_counted_amount(compaction.strategy, compaction.reason)


def name_counted_amount(strategy: Strategy, reason: str) -> str:
    """Return the arithmetic of ``reason`` with the name of what ``strategy`` counted. A reason of another kind
    stays."""
    is_count = any(f" {unit} {sign}" in reason for unit in UNITS for sign in ">≥")
    if not strategy.limits or not is_count:
        return reason_in_words(reason)
    words = reason_in_words(simplify_twofold_limit(reason))
    return _("{counted}: {reason}", counted=_(strategy.limits), reason=words)


def simplify_twofold_limit(reason: str) -> str:
    """Return ``reason`` with a limit that is given as twice a number said as the number that it is: ``13 messages > 2 x
    6`` is ``13 messages > 12, twice the 6 that stay``."""
    return _TWICE.sub(_say_twice, reason)


def _say_twice(match: re.Match[str]) -> str:
    stay = int(match[1])
    return ngettext(
        "{limit:,}, twice the {number} that stays",
        "{limit:,}, twice the {number} that stay",
        stay,
        limit=2 * stay,
    )


def after_failure_words(compaction: Compaction) -> str:
    """Return what the strategy's rule says of a summarizer that fails, without a full stop."""
    return _(_AFTER_FAILURE.get(compaction.policy, _AFTER_FAILURE["instead"]))


def error_words(compaction: Compaction) -> str:
    """Return why it failed, without a full stop."""
    return (compaction.error or "").rstrip(".")


def retry_words(run: Run, failed: Compaction) -> str:
    """Return what follows the error of a compaction of ``run`` where there is room to explain it."""
    turn = find_next_try(run.compactions, failed)
    if failed.policy != "leave":
        return _(
            "{rule}. The next try is in turn {turn:,}.",
            rule=after_failure_words(failed),
            turn=turn,
        )
    return _(
        "Nothing was lost: the messages are still sent word for word, and the next try is in turn "
        "{turn:,}, or at once with another model.",
        turn=turn,
    )


def _result(compaction: Compaction, run: Run) -> str:
    if compaction.error is not None:
        return _(
            "{error}. {rule}",
            error=error_words(compaction),
            rule=after_failure_words(compaction),
        )
    template = noop("{request}: {sizes}")
    broken = broken_length_words(compaction)
    if broken:
        template = noop("{request}: {sizes}. The summary is kept as written: {broken}")
    return _(
        template,
        request=request_title(compaction, run),
        sizes=size_words(compaction, run),
        broken=broken,
    )


def request_title(compaction: Compaction, run: Run) -> str:
    """Return which request :func:`size_words` is about: the one it changed, or while none came, the next one."""
    if find_changed_request(compaction, run):
        return _("The request")
    # It may have gone on under another setting.
    if compaction.request_turn_in(run.log) is not None:
        return _("What would have been sent next")
    return _("What is sent next")


def size_words(compaction: Compaction, run: Run) -> str:
    """Return ``1,204 → 310 tokens``: the request without it and with it, see
    :func:`memviz.metrics.summaries.events.count_request_sizes`."""
    before_tokens, after_tokens = count_request_sizes(compaction, run)
    return _(
        "{before_tokens:,} → {after_tokens:,} tokens",
        before_tokens=before_tokens,
        after_tokens=after_tokens,
    )
