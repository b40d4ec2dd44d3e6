"""The shared prefixes of requests that are one range of the log each, of one or several runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import TOKENS_PER_MESSAGE
from memviz.core.token_sums import SumArrays
from memviz.engine.joined_requests import JoinedRequests, Stretch
from memviz.engine.run import Run
from memviz.metrics.requests.sent_requests import Tokens

Bools = NDArray[np.bool_]


def shared_in_ranges(runs: Sequence[Run]) -> tuple[Tokens, Bools]:
    """Return the tokens at the start of each request that the one before had as well, 0 for the first of a run, and for
    which requests their ranges do not settle that. The requests are those of all runs, one run behind the other."""
    # A request is: system prompt, summary message, messages starts..stops. Each line compares a request with the one
    # before. The prefix goes on beyond the summary only if the summary is the same (or there is none), and into the
    # messages only if both begin at the same log position. Then the shorter range is the shared one.
    # A list of summaries that grew at its end shares all that it had before: the tokens of the old message.
    runs = [run for run in runs if len(run.requests)]
    if not runs:
        return np.zeros(0, np.int64), np.zeros(0, np.bool_)
    joined = JoinedRequests(
        [Stretch(run.columns, run.space, slice(None)) for run in runs]
    )
    sums = with_overhead(joined.sums)
    summary_tokens = np.concatenate([run.columns.tokens["summary"] for run in runs])
    old_first, first = _neighbours(joined.summary_starts)
    old_last, last = _neighbours(joined.summary_stops)
    old_starts, starts = _neighbours(joined.starts)
    old_stops, stops = _neighbours(joined.stops)
    old_tokens, tokens = _neighbours(summary_tokens)
    held, holds = _neighbours(joined.has_summary)
    _, is_list = _neighbours(joined.for_each_request([*map(sends_a_list, runs)]))
    begins_alike = first == old_first
    is_aligned = starts == old_starts
    is_same = (begins_alike & (last == old_last)) | ~(holds | held)
    is_grown = begins_alike & held & (last > old_last) & is_list
    common = sums[np.minimum(stops, old_stops)] - sums[starts]
    beyond = (tokens + TOKENS_PER_MESSAGE) * holds + common * is_aligned
    old_saved, saved = _neighbours(joined.saved_tokens)
    begun = _system_tokens(joined)[1:] - np.maximum(saved, old_saved)
    # Settled: same summary and same start, or starts whose messages differ for sure; a grown list; or one request
    # with a summary and one without. Left open: two different summaries, which may begin with the same words,
    # messages of the same size that may be equal, and requests that are not one range (a start of -1).
    differ = _differ(joined, sums, starts, old_starts)
    is_told = np.where(is_same, is_aligned | differ, is_grown | ~(holds & held))
    is_range = joined.column("starts") >= 0
    shared = np.zeros(len(joined), np.int64)
    is_open = np.zeros(len(joined), np.bool_)
    shared[1:] = begun + np.where(is_same, beyond, old_tokens * is_grown)
    is_open[1:] = ~is_told | ~is_range[1:] | ~is_range[:-1]
    firsts = joined.bounds[:-1]
    shared[firsts] = 0
    is_open[firsts] = False
    return shared, is_open


def with_overhead(sums: SumArrays) -> Tokens:
    """Return running sums of all that messages add to a request: content, calls, names and the format."""
    content = sums.totals + sums.call_totals + sums.name_totals
    return content + TOKENS_PER_MESSAGE * np.arange(len(content))


def sends_a_list(run: Run) -> bool:
    """Return whether the summaries of a run are sent as a list that only grows at its end."""
    summaries = run.space.summaries
    return summaries.is_straight and bool(summaries.wording.heading)


def _system_tokens(joined: JoinedRequests) -> Tokens:
    """Return the tokens of the system prompt and the schemas of tools, which each request begins with."""
    tokens = joined.system_tokens + joined.tool_tokens + joined.system_name_tokens
    return np.asarray(tokens + TOKENS_PER_MESSAGE * joined.system_counts)


def _differ(
    joined: JoinedRequests, sums: Tokens, ones: Tokens, others: Tokens
) -> Bools:
    """Return whether the messages at these log positions differ for sure: in their tokens, or else in their text."""
    sizes = np.append(np.diff(sums), 0)
    # Behind the last message of each log is none.
    sizes[np.array(joined.log_bounds[1:]) - 1] = 0
    differ = sizes[ones] != sizes[others]
    unsure = np.flatnonzero(~differ & (ones != others))
    # Looking at each pair would take longer than numbering all texts.
    if len(unsure):
        texts = _texts(joined)
        differ[unsure] = texts[ones[unsure]] != texts[others[unsure]]
    return np.asarray(differ)


def _texts(joined: JoinedRequests) -> Tokens:
    """Return for every message of the logs a number that equal texts have in common; one more stands for no message,
    behind each log."""
    numbers: dict[str, int] = {}
    texts = []
    for stretch in joined.stretches:
        space = stretch.space
        for message in space.log[: len(space.sums.totals) - 1]:
            texts.append(numbers.setdefault(message.content, len(numbers)))
        texts.append(-1)
    return np.array(texts)


def _neighbours(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the entries of all requests that another one follows, and of those that follow another one."""
    return column[:-1], column[1:]
