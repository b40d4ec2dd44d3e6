"""The breaks of the prompt cache: requests that could not read the whole request before from it, and why."""

from collections.abc import Set
from enum import Enum
from typing import NamedTuple

import numpy as np

from memviz.core.context import TOKENS_PER_REQUEST
from memviz.engine.compaction import REDUCING, CompactionKind
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.models.cache_rules import CacheRules


class Breaker(Enum):
    """The reason why a request did not begin with the whole request before."""

    SUMMARY = "summary"
    """A new summary came before messages that the cache held."""
    REDUCTION = "reduction"
    """Messages that the cache held were cleared or shortened."""
    WINDOW = "window"
    """The first messages of the request before were left out."""
    PAUSE = "pause"
    """The user paused for longer than an entry lives."""
    OTHER = "other"
    """A recall, another setting, or other tools."""


class CacheBreak(NamedTuple):
    """A request that paid in full for tokens that the cache could have held."""

    request: int
    """The number of the request (0-based)."""
    breaker: Breaker
    lost_tokens: int
    """Tokens that would have been read from the cache if nothing had broken it."""


def find_cache_breaks(
    run: Run, cost: Cost, cache: CacheRules | None, pause_seconds: float
) -> list[CacheBreak]:
    """Return the breaks of ``run``, in the order of its requests.

    ``cost`` is what the run costs with this ``cache`` and these pauses between turns.
    Without a cache, and as long as requests are too short for it, nothing breaks.
    """
    if cache is None:
        return []
    traffic = cost.traffic
    # If nothing changed, the next request begins with the whole request, except for the tokens that open the reply.
    whole = traffic.input_tokens[:-1] - TOKENS_PER_REQUEST
    could_read = whole // cache.step_tokens * cache.step_tokens
    could_read[whole < cache.min_tokens] = 0
    lost_tokens = could_read - cost.cached_tokens[1:]
    is_paused = np.diff(traffic.turns) > 0
    if cache.is_alive(pause_seconds):
        is_paused[:] = False
    begins_alike = traffic.shared_tokens[1:] >= whole
    changed = dict(run.requests.compactions())
    breaks = []
    for before in np.flatnonzero(lost_tokens > 0).tolist():
        number = before + 1
        if is_paused[before]:
            breaker = Breaker.PAUSE
        elif begins_alike[before]:
            # Only the rest of a step is lost, which the cache never keeps.
            continue
        else:
            kinds = {compaction.kind for compaction in changed.get(number, ())}
            breaker = _name_breaker(kinds, run, number)
        breaks.append(CacheBreak(number, breaker, int(lost_tokens[before])))
    return breaks


def _name_breaker(kinds: Set[CompactionKind], run: Run, number: int) -> Breaker:
    """Return the reason for a break at request ``number``, before which compactions of
    these ``kinds`` took effect."""
    if not kinds.isdisjoint(REDUCING):
        return Breaker.REDUCTION
    if kinds:
        return Breaker.SUMMARY
    starts = run.columns.starts
    if starts[number] > starts[number - 1] >= 0:
        return Breaker.WINDOW
    return Breaker.OTHER
