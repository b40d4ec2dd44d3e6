"""The search for a later message that needs a lost statement, or breaks it.

It shows why a loss mattered: the user says "never book before nine", a summary drops it, and twenty turns later the
assistant books a flight at eight. :mod:`~memviz.tuning.forgotten` searches it for every statement that was lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np

from memviz.core.text.words import HAN, content_words
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.probe_texts import Bools
from memviz.metrics.retention.proposed_probes import BLANK
from memviz.transcripts.base import Probe
from memviz.tuning.statements import SHARED_PART

LEAST_SHARED = 2
"""The fewest words of a statement that a message which seems to need it has."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Need:
    """A later message that seems to need the statement or to break it."""

    position: int
    request: int
    """The number (0-based) of the request, without the statement, that the message is the input or the reply of."""
    words: tuple[str, ...]
    """The words of the statement as the message spells them; empty where it repeats the value itself."""


def find_need(
    run: Run,
    probe: Probe,
    is_lost: Bools,
    says_value: Bools,
    words_at: Callable[[int], frozenset[str]],
) -> Need | None:
    """Return the first message that repeats the value of ``probe``, or most words of its statement, without having it.

    Args:
        run: The run that lost the statement.
        probe: The statement.
        is_lost: [requests] true for a request that does not hold the statement.
        says_value: [messages] true for a message that says the value.
        words_at: Gives the content words of the message at a log position.
    """
    log = run.log
    lengths = run.columns.lengths
    statement = probe.question.replace(BLANK, " ")
    words = content_words(statement)
    least_shared = max(LEAST_SHARED, ceil(SHARED_PART * len(words)))
    first_lost = run.requests[int(np.argmax(is_lost))]
    start = first_lost.log_length
    if first_lost.parts.input:
        start = first_lost.parts.input.start
    for position in range(start, len(log)):
        message = log[position]
        if message.role not in ("user", "assistant") or position in probe.evidence:
            continue
        # A user's message is the input of the first request whose log includes it, a reply belongs to the one before.
        request = int(np.searchsorted(lengths, position, side="right"))
        if message.role == "assistant":
            request -= 1
        if request >= len(is_lost) or not is_lost[request]:
            continue
        if says_value[position]:
            return Need(position, request, ())
        shared = words & words_at(position)
        if len(shared) >= least_shared:
            return Need(position, request, spell_words(read_message(message), shared))
    return None


def spell_words(text: str, stems: frozenset[str]) -> tuple[str, ...]:
    """Return the words of ``text`` that have any of ``stems``, as they are written there.

    Of Chinese, which has no spaces, these are the longest pieces that the stems cover: the stems 喜欢 and 欢读 give
    喜欢读 of 你也喜欢读小说吗.
    """
    words: dict[str, None] = {}
    for word in _WORD.findall(text):
        if HAN.search(word) is None:
            pieces = [word] if stems & content_words(word) else []
        else:
            pieces = _find_pieces(word, stems)
        words |= dict.fromkeys(pieces)
    return tuple(words)


def _find_pieces(run: str, stems: frozenset[str]) -> list[str]:
    """Return the longest pieces of a run that are covered by ``stems``."""
    is_covered = [False] * len(run)
    for stem in stems:
        for match in re.finditer(re.escape(stem), run, re.IGNORECASE):
            start, stop = match.span()
            is_covered[start:stop] = [True] * (stop - start)
    marked = "".join("x" if covered else " " for covered in is_covered)
    return [run[slice(*match.span())] for match in re.finditer("x+", marked)]
