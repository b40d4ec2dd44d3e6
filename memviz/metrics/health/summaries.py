"""Summaries that save nothing, that stay the same, or that were never written."""

from __future__ import annotations

from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.core.text.wording import counted, message_number, share_of
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.health.warning import HealthWarning, turns_of
from memviz.strategies.base import Trigger

UNCHANGED_SHARE = 0.25
"""From this share of the renewed summaries on it is worth a word; now and then nothing new is said."""


def larger_summaries(run: Run) -> HealthWarning | None:
    """Warn of summaries with more tokens than the messages newly taken in and the summary replaced had together."""
    written, larger = 0, []
    for one in run.compactions:
        if one.is_summarization and one.written and not one.is_fixed:
            written += 1
            tokens, before = one.written.tokens, replaced_tokens(run, one)
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
    strategy, name = run.strategy, run.strategy.main_parameter
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
    sums, taken = run.space.sums, compaction.summarized
    calls = sums.call_totals[taken.stop] - sums.call_totals[taken.start]
    old = _replaced(run, compaction)
    return sums.between(taken.start, taken.stop) + calls + (old.tokens if old else 0)


def unchanged_summaries(run: Run) -> HealthWarning | None:
    """Warn of summaries that took in messages and are letter for letter the one they replaced. Notes of another kind,
    such as facts, stay as they are where nothing is new to them."""
    renewed, same = 0, []
    for one in run.compactions:
        if one.is_summarization and one.track == SUMMARY and not one.is_fixed:
            new, old = one.written, _replaced(run, one)
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
