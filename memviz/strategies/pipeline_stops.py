"""The positions up to which a step of a pipeline may go: what it keeps begins there."""

import math
from bisect import bisect_left

from memviz.core.memory import Memory
from memviz.strategies.steps import Keep


def find_kept_messages(memory: Memory, keep: Keep) -> int:
    """The position from which on messages are kept, by their number, their turns or their tokens. A share of the
    messages is rounded up, and the summary is one of them."""
    if keep.unit == "messages":
        return memory.length - keep.amount
    if keep.unit == "percent of messages":
        held = memory.pending + len(memory.newest_summary)
        return memory.length - math.ceil(held * keep.amount / 100)
    if keep.unit == "turns":
        first = memory.turn - keep.amount + 1
        return memory.log.turn_start(first) if first > 0 else memory.history_start
    return memory.sums.suffix_start(memory.length, keep.amount, memory.cursor)


def find_kept_results(memory: Memory, keep: Keep) -> int:
    """The position from which on tools' results are kept, by their number or their tokens."""
    results = memory.log.tools.results
    count = bisect_left(results, memory.length)
    if keep.unit == "results":
        if not keep.amount:
            return memory.length
        if count <= keep.amount:
            return memory.history_start
        return results[count - keep.amount]
    room = keep.amount
    stop = memory.length
    for position in reversed(results[:count]):
        room -= memory.sums.between(position, position + 1)
        if room < 0 or position < memory.cursor:
            break
        stop = position
    return stop


def find_whole_call(memory: Memory, stop: int, *, at_most: bool) -> int:
    """``stop``, or the call of the result that stands there, or behind the results where that call is gone already or
    no more may stay."""
    log = memory.log
    behind = stop
    while behind < memory.length and log[behind].role == "tool":
        behind += 1
    if behind == stop:
        return stop
    caller = log.tools.call_of.get(stop)
    may_stay = not at_most or behind > memory.before_input
    if caller is not None and caller >= memory.cursor and may_stay:
        return caller
    return min(behind, memory.before_input)
