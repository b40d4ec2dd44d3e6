"""A summarizer that failed is left alone for a while: after n failures in a row for 2^n turns, 32 at most.

Derived from the compactions that a run records, so that a chat that is resumed goes on waiting where it was left.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

from memviz.engine.compaction import Compaction

MAX_WAIT_TURNS = 32


class Backoff(NamedTuple):
    """The failures and refusals after which a summarizer is left alone."""

    failures: int = 0
    """The failures in a row of one summarizer."""
    model: str = ""
    """The name of that summarizer."""
    failed_in: int = 0
    """The turn of the last failure."""
    declined_in: int = 0
    """The last turn in which the user declined a summarization, 0 where none did."""

    def after(self, compaction: Compaction) -> Backoff:
        """The backoff once ``compaction`` was recorded."""
        if compaction.error is not None:
            failures = self.failures + 1 if compaction.model == self.model else 1
            return self._replace(
                failures=failures, model=compaction.model, failed_in=compaction.turn
            )
        if compaction.puts_off:
            return self._replace(declined_in=compaction.turn)
        is_by_summarizer = (
            compaction.kind == "summarized" and not compaction.by_thinking
        )
        return self._replace(failures=0) if is_by_summarizer else self

    @property
    def first_turn_after_decline(self) -> int:
        """The first turn in which something may be summarized, whoever does it."""
        return self.declined_in + 1 if self.declined_in else 0

    def first_turn(self, model: str) -> int:
        """The first turn in which ``model`` may be asked. Another one than that which failed need not wait."""
        if not self.failures or model != self.model:
            return self.first_turn_after_decline
        # The exponent is bounded too: a number with as many digits as there were failures helps nobody.
        wait_turns = min(MAX_WAIT_TURNS, 1 << min(self.failures, MAX_WAIT_TURNS))
        return max(self.first_turn_after_decline, self.failed_in + wait_turns)


NOTHING_WAITS = Backoff()
"""Nothing failed and nothing was declined."""


def backoff_after(compactions: Iterable[Compaction]) -> Backoff:
    """The backoff after these compactions of one run."""
    return reduce(Backoff.after, compactions, Backoff())


def next_try(compactions: Iterable[Compaction], failed: Compaction) -> int:
    """The turn in which the summarization that ``failed`` is tried again, if the same summarizer is asked and nobody
    wants it sooner. ``compactions`` are those of its run."""
    backoff = Backoff()
    for compaction in compactions:
        backoff = backoff.after(compaction)
        if compaction is failed:
            break
    return backoff.first_turn(failed.model)


def waiting_failure(compactions: Iterable[Compaction]) -> Compaction | None:
    """The last summarization that failed, if nothing was summarized since: it waits to be tried again."""
    last_failed = None
    backoff = Backoff()
    for compaction in compactions:
        backoff = backoff.after(compaction)
        if compaction.error is not None:
            last_failed = compaction
    return last_failed if backoff.failures else None
