"""Summaries that save nothing, that stay the same, or that were never written."""

from __future__ import annotations

from collections.abc import Iterable

from memviz.core.memory import SUMMARY, SummaryVersion
from memviz.core.text.wording import counted, message_number, share_of
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.health.warning import HealthWarning
from memviz.strategies.base import Trigger

UNCHANGED_SHARE = 0.25
"""From this share of the renewed summaries on it is worth a word; now and then nothing new is said."""


def larger_summaries(run: Run) -> HealthWarning | None:
    """Summaries with more tokens than the messages newly taken in and the summary replaced had together."""
    written = [
        (c, c.written)
        for c in run.compactions
        if c.is_summarization and c.written and not c.is_fixed
    ]
    larger = [
        (c, new.tokens, replaced_tokens(run, c))
        for c, new in written
        if new.tokens > replaced_tokens(run, c)
    ]
    if not larger:
        return None
    worst, tokens, before = max(larger, key=lambda item: item[1] - item[2])
    return HealthWarning(
        "larger_summary",
        "Summaries larger than what they replaced",
        f"{share_of(len(larger), len(written), 'summary')} had more tokens than what they replaced. The worst came "
        f"after message {message_number(worst.after_message):,}: {counted(tokens, 'token')} in place of {before:,}.",
        "Such a summary costs a model call and detail, and makes the requests larger instead of smaller.",
        _larger_remedy(run),
        _turns(run, (c for c, _, _ in larger)),
        "bad" if 2 * len(larger) > len(written) else "caution",
    )


def _larger_remedy(run: Run) -> str:
    strategy, name = run.strategy, run.strategy.main_parameter
    if strategy.trigger is Trigger.TURN:
        switch = (
            "switch enable_summarization off, or "
            if strategy.has_parameter("enable_summarization")
            else ""
        )
        return (
            f"Turns this short are not worth a summary each: {switch}choose a strategy that summarizes several turns "
            "at once."
        )
    more = (
        f"Raise {name}, so that more is summarized at a time"
        if name
        else "Summarize more at a time"
    )
    return f"{more}, or choose a summarizer that writes less."


def replaced_tokens(run: Run, compaction: Compaction) -> int:
    """Tokens that the new summary stands for and that were sent before: messages with their tool calls, and
    the text of the summary it takes in."""
    sums, taken = run.space.sums, compaction.summarized
    calls = sums.call_totals[taken.stop] - sums.call_totals[taken.start]
    old = _replaced(run, compaction)
    return sums.between(taken.start, taken.stop) + calls + (old.tokens if old else 0)


def unchanged_summaries(run: Run) -> HealthWarning | None:
    """Summaries that took in messages and are letter for letter the one they replaced. Notes of another kind, such as
    facts, stay as they are where nothing is new to them."""
    made = [
        c
        for c in run.compactions
        if c.is_summarization and c.track == SUMMARY and not c.is_fixed
    ]
    renewed = [
        (c, c.written, old) for c in made if c.written and (old := _replaced(run, c))
    ]
    same = [compaction for compaction, new, old in renewed if new.text == old.text]
    if not same or len(same) < UNCHANGED_SHARE * len(renewed):
        return None
    lost = sum(len(compaction.summarized) for compaction in same)
    return HealthWarning(
        "unchanged_summary",
        "Summaries that did not change",
        f"{share_of(len(same), len(renewed), 'new summary')} are letter for letter the one before, though they took "
        f"in {counted(lost, 'message')}.",
        "Nothing of these messages was kept: what they said is known no longer, and the calls were paid for nothing.",
        "Choose a summarizer that keeps more, or a larger limit, so that it is asked when more is new.",
        _turns(run, same),
    )


def failed_summarizations(run: Run) -> HealthWarning | None:
    """Summarizer calls that gave no summary."""
    failed = [
        compaction for compaction in run.compactions if compaction.error is not None
    ]
    if not failed:
        return None
    asked = sum(compaction.asked for compaction in run.compactions)
    kept = "Nothing was lost: what should have been summarized was sent word for word."
    why = "Until a summarization succeeds, requests grow, and may outgrow the model's context window."
    dropped = sum(compaction.policy == "drop" for compaction in failed)
    if dropped:
        kept = f"After {share_of(dropped, len(failed), 'failure')} the messages were left out all the same."
        why = (
            "What should have been summarized is neither sent nor stands in a summary."
        )
    elif any(compaction.policy != "leave" for compaction in failed):
        kept, why = (
            "The rule did something else in its place.",
            "It did not come to what the rule is meant for.",
        )
    return HealthWarning(
        "failed_summarization",
        "Summarizations failed",
        f"{share_of(len(failed), asked, 'summarizer call')} failed. {kept} The first said: {failed[0].error}",
        why,
        "Fix what the error names, or choose another summarizer, and replay.",
        _turns(run, failed),
        "bad",
    )


def _replaced(run: Run, compaction: Compaction) -> SummaryVersion | None:
    return (
        run.space.summaries.versions[compaction.replaces - 1]
        if compaction.replaces
        else None
    )


def _turns(run: Run, compactions: Iterable[Compaction]) -> tuple[int, ...]:
    return tuple(
        sorted(
            {
                run.request_turn(compaction) or compaction.turn
                for compaction in compactions
            }
        )
    )
