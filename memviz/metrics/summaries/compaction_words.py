"""One compaction in words: the same ones in every tooltip, table and panel."""

from __future__ import annotations

from typing import NamedTuple

from memviz.engine.backoff import next_try
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.events import CompactionOutcome, outcome_of
from memviz.text.wording import message_number, message_range

_WHAT = {
    CompactionOutcome.SUMMARIZED: "Summarized {messages}",
    CompactionOutcome.THOUGHT: "Summarized {messages} while thinking",
    CompactionOutcome.REWORDED: "Summarized {messages} in the user's words",
    CompactionOutcome.EDITED: "Reworded {version} of the summary",
    CompactionOutcome.UNDONE: "Took back the summarization of {messages}",
    CompactionOutcome.SKIPPED: "Skipped the summarization of {messages}",
    CompactionOutcome.FAILED: "Summarizing {messages} failed",
    CompactionOutcome.DROPPED: "Dropped {messages} without a summary",
}


class CompactionWords(NamedTuple):
    """``Summarized messages 1 to 11``, ``after message 21 (turn 11)``, ``21 messages > 2 x 10`` (may be empty), and
    ``1,204 → 310 tokens of content`` or what the error was."""

    what: str
    where: str
    why: str
    result: str

    @property
    def happened(self) -> str:
        """What happened, where and why, without a full stop."""
        return f"{self.what} {self.where}: {self.why}" if self.why else f"{self.what} {self.where}"

    @property
    def sentence(self) -> str:
        """All of it."""
        return f"{self.happened}. {self.result}."


def compaction_words(compaction: Compaction) -> CompactionWords:
    """What became of ``compaction``, in words."""
    what, where = _WHAT[_outcome(compaction)], f"after message {message_number(compaction.after_message):,}"
    return CompactionWords(
        what.format(messages=message_range(compaction.summarized), version=f"version {compaction.revises}"),
        f"{where} (turn {compaction.turn:,})",
        compaction.reason,
        _result(compaction),
    )


def _outcome(compaction: Compaction) -> CompactionOutcome:
    outcome = outcome_of(compaction)
    if outcome is CompactionOutcome.EDITED and compaction.revises is None:
        return CompactionOutcome.REWORDED  # a summary that was due, in the user's words from the first on
    return outcome


def error_words(compaction: Compaction) -> str:
    """Why it failed, without a full stop."""
    return (compaction.error or "").rstrip(".")


def tried_again(run: Run, failed: Compaction) -> str:
    """What follows the error of a compaction of ``run`` where there is room to explain it."""
    turn = next_try(run.compactions, failed)
    return (
        f"Nothing was lost: the messages are still sent word for word, and the next try is in turn {turn:,}, or at "
        "once with another model."
    )


def _result(compaction: Compaction) -> str:
    if compaction.error is not None:
        return f"{error_words(compaction)}. Nothing was lost"
    return f"{compaction.tokens_before:,} → {compaction.tokens_after:,} tokens of content"
