"""The tokens that neighbouring requests share, for all requests of several runs at once.

Nearly all requests are a system prompt, a summary, and one range of the log, so their shared beginnings follow from a
few arrays. The requests for which that is not enough are marked, and
:class:`~memviz.metrics.requests.shared_prefix.SharedPrefix` compares them one by one.
"""

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
    """A comparison of the summaries of each request with those of the request before; without the first request."""

    is_same: Bools
    """True if both hold the same versions, or none."""
    is_grown: Bools
    """True if the summaries are a list that grew at its end."""
    is_only_one: Bools
    """True if at most one of the two requests holds a summary."""


def count_shared_in_ranges(runs: Sequence[Run]) -> tuple[Tokens, Bools]:
    """Return for each request of all ``runs`` the tokens that it shares with the one before, and true if they are open.

    The first request of each run shares 0 tokens. Where a request is open, its number is not the right one yet.
    """
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
    """Return the tokens that each request except the first shares with the one before, by their ranges."""
    # A request is a system prompt, a summary message, and the messages from its start to its stop. Messages are only
    # shared if both requests start at the same log position; then the shorter range is shared.
    old_starts, starts = _pair_neighbours(joined.starts)
    old_stops, stops = _pair_neighbours(joined.stops)
    common = sums[np.minimum(stops, old_stops)] - sums[starts]
    common_messages = common * (starts == old_starts)
    old_tokens, tokens = _pair_neighbours(summary_tokens)
    summary_message = (tokens + TOKENS_PER_MESSAGE) * joined.has_summary[1:]
    # Messages are only shared if the summaries are the same. Of a list of summaries that grew at its end, all that was
    # there before is shared: the tokens of the old message.
    behind_system = np.where(
        summaries.is_same,
        summary_message + common_messages,
        old_tokens * summaries.is_grown,
    )
    old_saved, saved = _pair_neighbours(joined.saved_tokens)
    system = _count_system_tokens(joined)[1:] - np.maximum(saved, old_saved)
    return np.asarray(system + behind_system)


def _find_open(joined: JoinedRequests, sums: Tokens, summaries: _SummaryPairs) -> Bools:
    """Return true for each request except the first whose shared tokens do not follow from the ranges."""
    # Settled are pairs with the same summary and the same start, or with messages that surely differ at their starts;
    # grown lists; and pairs of which only one has a summary. Open are two different summaries, which may begin with the
    # same words, messages of the same size, which may be equal, and requests that are not one range (a start of -1).
    old_starts, starts = _pair_neighbours(joined.starts)
    is_settled = np.where(
        summaries.is_same,
        (starts == old_starts) | _mark_differing(joined, sums, starts, old_starts),
        summaries.is_grown | summaries.is_only_one,
    )
    old_is_range, is_range = _pair_neighbours(joined.column("starts") >= 0)
    return np.asarray(~is_settled | ~is_range | ~old_is_range)


def add_overhead(sums: SumArrays) -> Tokens:
    """Return running sums of all tokens that messages add to a request: content, calls, names and the format."""
    content = sums.totals + sums.call_totals + sums.name_totals
    return content + TOKENS_PER_MESSAGE * np.arange(len(content))


def sends_a_list(run: Run) -> bool:
    """Return whether a run sends its summaries as a list that only grows at its end."""
    summaries = run.space.summaries
    return summaries.is_straight and bool(summaries.wording.heading)


def _count_system_tokens(joined: JoinedRequests) -> Tokens:
    """Return for each request the tokens of the system prompt and the schemas of tools, which it begins with."""
    tokens = joined.system_tokens + joined.tool_tokens + joined.system_name_tokens
    return np.asarray(tokens + TOKENS_PER_MESSAGE * joined.system_counts)


def _mark_differing(
    joined: JoinedRequests, sums: Tokens, positions: Tokens, old_positions: Tokens
) -> Bools:
    """Return true where the messages at two log positions surely differ: in their tokens, or else in their text."""
    sizes = np.append(np.diff(sums), 0)
    # There is no message after the last one of each log.
    sizes[np.array(joined.log_bounds[1:]) - 1] = 0
    differ = sizes[positions] != sizes[old_positions]
    unsure = np.flatnonzero(~differ & (positions != old_positions))
    # To number all texts once is faster than to compare the texts of each pair.
    if len(unsure):
        texts = _number_texts(joined)
        differ[unsure] = texts[positions[unsure]] != texts[old_positions[unsure]]
    return np.asarray(differ)


def _number_texts(joined: JoinedRequests) -> Tokens:
    """Return for every message of the logs a number that is the same for equal texts, and -1 after each log."""
    numbers: dict[str, int] = {}
    text_numbers = []
    for stretch in joined.stretches:
        space = stretch.space
        for message in space.log[: len(space.sums.totals) - 1]:
            text_numbers.append(numbers.setdefault(message.content, len(numbers)))
        text_numbers.append(-1)
    return np.array(text_numbers)


def _pair_neighbours(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a column without its last entry and without its first one, to compare each request with the one before."""
    return column[:-1], column[1:]
