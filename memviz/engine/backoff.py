"""Decides when a summarizer that failed is asked again: after n failures in a row it waits 2^n turns, at most 32.

The wait is derived from the compactions of a run, so a resumed chat goes on waiting.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

from memviz.engine.compaction import Compaction

MAX_WAIT_TURNS = 32


class Backoff(NamedTuple):
    """The failures of a summarizer and the refusals of the user, after which nothing is summarized for a while."""

    failures: int = 0
    """The failures in a row of one summarizer."""
    model: str = ""
    """The name of that summarizer."""
    failed_in: int = 0
    """The turn of the last failure."""
    declined_in: int = 0
    """The last turn in which the user declined a summarization, 0 where none did."""

    def after(self, compaction: Compaction) -> Backoff:
        """Return the backoff after ``compaction`` was recorded."""
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
        """The first turn in which any summarizer may be asked; 0 if the user declined nothing."""
        return self.declined_in + 1 if self.declined_in else 0

    def first_turn(self, model: str) -> int:
        """Return the first turn in which ``model`` may be asked. Only the model that failed has to wait."""
        if not self.failures or model != self.model:
            return self.first_turn_after_decline
        # The exponent is bounded too, so that many failures do not make a huge number.
        wait_turns = min(MAX_WAIT_TURNS, 1 << min(self.failures, MAX_WAIT_TURNS))
        return max(self.first_turn_after_decline, self.failed_in + wait_turns)


NOTHING_WAITS = Backoff()
"""Nothing failed and nothing was declined."""


def backoff_after(compactions: Iterable[Compaction]) -> Backoff:
    """Return the backoff after these compactions of one run."""
    return reduce(Backoff.after, compactions, Backoff())


def find_next_try(compactions: Iterable[Compaction], failed: Compaction) -> int:
    """Return the turn in which the summarization that ``failed`` is tried again, unless the user asks sooner or changes
    the summarizer. ``compactions`` are those of its run."""
    backoff = Backoff()
    for compaction in compactions:
        backoff = backoff.after(compaction)
        if compaction is failed:
            break
    return backoff.first_turn(failed.model)


def find_waiting_failure(compactions: Iterable[Compaction]) -> Compaction | None:
    """Return the last failed summarization if nothing was summarized since: it waits to be tried again."""
    last_failed = None
    backoff = Backoff()
    for compaction in compactions:
        backoff = backoff.after(compaction)
        if compaction.error is not None:
            last_failed = compaction
    return last_failed if backoff.failures else None
