"""The shared prefixes of requests that are one range of the log each, of one or several runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import TOKENS_PER_MESSAGE
from memviz.core.token_sums import SumArrays
from memviz.engine.joined_requests import JoinedRequests, Stretch
from memviz.engine.run import Run
from memviz.metrics.requests.sent_requests import Tokens

Bools = NDArray[np.bool_]


class _SummaryPairs(NamedTuple):
    """The summary messages of each request but the first and of the request before, compared."""

    is_same: Bools
    """Both show the same versions, or neither has a summary."""
    is_grown: Bools
    """The old one is the beginning of a list that grew at its end."""
    is_only_one: Bools
    """One of the two requests has a summary and the other has none, or neither has."""


def count_shared_in_ranges(runs: Sequence[Run]) -> tuple[Tokens, Bools]:
    """Return the tokens at the start of each request that the one before had as well, 0 for the first of a run, and for
    which requests their ranges do not settle that. The requests are those of all runs, one run behind the other."""
    runs = [run for run in runs if len(run.requests)]
    if not runs:
        return np.zeros(0, np.int64), np.zeros(0, np.bool_)
    joined = JoinedRequests(
        [Stretch(run.columns, run.space, slice(None)) for run in runs]
    )
    sums = add_overhead(joined.sums)
    summaries = _compare_summaries(joined, runs)
    summary_tokens = np.concatenate([run.columns.tokens["summary"] for run in runs])
    shared = np.zeros(len(joined), np.int64)
    shared[1:] = _count_shared(joined, sums, summaries, summary_tokens)
    is_open = np.zeros(len(joined), np.bool_)
    is_open[1:] = _find_open(joined, sums, summaries)
    # The first request of each run was compared with the last of another run.
    firsts = joined.bounds[:-1]
    shared[firsts] = 0
    is_open[firsts] = False
    return shared, is_open


def _compare_summaries(joined: JoinedRequests, runs: Sequence[Run]) -> _SummaryPairs:
    old_first, first = _pair_neighbours(joined.summary_starts)
    old_last, last = _pair_neighbours(joined.summary_stops)
    old_has_summary, has_summary = _pair_neighbours(joined.has_summary)
    is_list = joined.for_each_request([*map(sends_a_list, runs)])[1:]
    begins_alike = first == old_first
    has_none = ~(has_summary | old_has_summary)
    return _SummaryPairs(
        is_same=(begins_alike & (last == old_last)) | has_none,
        is_grown=begins_alike & old_has_summary & (last > old_last) & is_list,
        is_only_one=~(has_summary & old_has_summary),
    )


def _count_shared(
    joined: JoinedRequests,
    sums: Tokens,
    summaries: _SummaryPairs,
    summary_tokens: Tokens,
) -> Tokens:
    """Return the tokens that each request but the first has in common with the one before, as their ranges say."""
    # A request is: system prompt, summary message, messages starts..stops. The prefix goes on into the messages only if
    # both requests begin at the same log position. Then the shorter range is the shared one.
    old_starts, starts = _pair_neighbours(joined.starts)
    old_stops, stops = _pair_neighbours(joined.stops)
    common = sums[np.minimum(stops, old_stops)] - sums[starts]
    common_messages = common * (starts == old_starts)
    old_tokens, tokens = _pair_neighbours(summary_tokens)
    summary_message = (tokens + TOKENS_PER_MESSAGE) * joined.has_summary[1:]
    # It goes on beyond the summary only if the summary is the same (or there is none). A list of summaries that grew at
    # its end shares all that it had before: the tokens of the old message.
    behind_system = np.where(
        summaries.is_same,
        summary_message + common_messages,
        old_tokens * summaries.is_grown,
    )
    old_saved, saved = _pair_neighbours(joined.saved_tokens)
    system = _count_system_tokens(joined)[1:] - np.maximum(saved, old_saved)
    return np.asarray(system + behind_system)


def _find_open(joined: JoinedRequests, sums: Tokens, summaries: _SummaryPairs) -> Bools:
    """Return for each request but the first whether the ranges do not settle what it shares with the one before."""
    # Settled: same summary and same start, or starts whose messages differ for sure; a grown list; or one request
    # with a summary and one without. Left open: two different summaries, which may begin with the same words,
    # messages of the same size that may be equal, and requests that are not one range (a start of -1).
    old_starts, starts = _pair_neighbours(joined.starts)
    is_settled = np.where(
        summaries.is_same,
        (starts == old_starts) | _mark_differing(joined, sums, starts, old_starts),
        summaries.is_grown | summaries.is_only_one,
    )
    old_is_range, is_range = _pair_neighbours(joined.column("starts") >= 0)
    return np.asarray(~is_settled | ~is_range | ~old_is_range)


def add_overhead(sums: SumArrays) -> Tokens:
    """Return running sums of all that messages add to a request: content, calls, names and the format."""
    content = sums.totals + sums.call_totals + sums.name_totals
    return content + TOKENS_PER_MESSAGE * np.arange(len(content))


def sends_a_list(run: Run) -> bool:
    """Return whether the summaries of a run are sent as a list that only grows at its end."""
    summaries = run.space.summaries
    return summaries.is_straight and bool(summaries.wording.heading)


def _count_system_tokens(joined: JoinedRequests) -> Tokens:
    """Return the tokens of the system prompt and the schemas of tools, which each request begins with."""
    tokens = joined.system_tokens + joined.tool_tokens + joined.system_name_tokens
    return np.asarray(tokens + TOKENS_PER_MESSAGE * joined.system_counts)


def _mark_differing(
    joined: JoinedRequests, sums: Tokens, positions: Tokens, old_positions: Tokens
) -> Bools:
    """Return whether the messages at these log positions differ for sure: in their tokens, or else in their text."""
    sizes = np.append(np.diff(sums), 0)
    # Behind the last message of each log is none.
    sizes[np.array(joined.log_bounds[1:]) - 1] = 0
    differ = sizes[positions] != sizes[old_positions]
    unsure = np.flatnonzero(~differ & (positions != old_positions))
    # Comparing the texts of each pair would take longer than numbering all texts once.
    if len(unsure):
        texts = _number_texts(joined)
        differ[unsure] = texts[positions[unsure]] != texts[old_positions[unsure]]
    return np.asarray(differ)


def _number_texts(joined: JoinedRequests) -> Tokens:
    """Return for every message of the logs a number that equal texts have in common; one more stands for no message,
    behind each log."""
    numbers: dict[str, int] = {}
    text_numbers = []
    for stretch in joined.stretches:
        space = stretch.space
        for message in space.log[: len(space.sums.totals) - 1]:
            text_numbers.append(numbers.setdefault(message.content, len(numbers)))
        text_numbers.append(-1)
    return np.array(text_numbers)


def _pair_neighbours(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the entries of all requests that another one follows, and of those that follow another one."""
    return column[:-1], column[1:]
