"""The common part of strategies that send the newest messages beside what they noted or look up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memviz.core.memory import Memory
from memviz.core.text.words import content_words
from memviz.core.word_index import is_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def find_newest_start(memory: Memory, newest_messages: int) -> int:
    """Return the position of the first of the newest messages, the input among them at least; a result of a tool has
    its call with it."""
    start = min(memory.before_input, memory.length - newest_messages)
    start = max(memory.history_start, start)
    log = memory.log
    if start < memory.length and log[start].role == "tool":
        caller = log.tools.call_of.get(start)
        return start if caller is None else max(memory.history_start, caller)
    return start


def find_taken_stop(memory: Memory) -> int:
    """Return the position behind the messages that can be noted now: those of all completed turns, and where none is
    complete all that a user said in a row. Calls of tools and their results are not parted."""
    stop = memory.before_open_turn
    if stop <= memory.cursor and memory.log[memory.length - 1].role == "user":
        return memory.length
    return stop


def words_of(memory: Memory, positions: range) -> frozenset[str]:
    """Return the stems in what people and the assistant said at these positions."""
    said = memory.messages(positions)
    return content_words("\n".join(one.content for one in said if is_text(one)))


def best_first(scores: NDArray[np.float64], most: int | None = None) -> list[int]:
    """Return the places of the scores above 0, the best first and of equals the later one; at ``most`` so many."""
    import numpy as np  # only a search waits for it

    places = scores.nonzero()[0]
    found: list[int] = places[np.lexsort((places, scores[places]))][::-1][
        :most
    ].tolist()
    return found
