"""The later message that seems to need a statement which its request is without, or to break it."""

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
"""Words of a statement that a message needs to have to be told as one that seems to need it."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Need:
    """A later message that seems to need the statement or to break it."""

    position: int
    request: int
    """The number (0-based) of the request that it is the input or the reply of: one without the statement."""
    words: tuple[str, ...]
    """The words of the statement as it says them; empty where it says the value itself again."""


def find_need(
    run: Run,
    probe: Probe,
    lost: Bools,
    says: Bools,
    words_at: Callable[[int], frozenset[str]],
) -> Need | None:
    """Return the first message whose request is among the ``lost`` ones, those without the fact, and that says its
    value (``says``, by log position) or most of the words of the statement."""
    log = run.log
    lengths = run.columns.lengths
    statement = probe.question.replace(BLANK, " ")
    words = content_words(statement)
    least = max(LEAST_SHARED, ceil(SHARED_PART * len(words)))
    record = run.requests[int(np.argmax(lost))]
    start = record.parts.input.start if record.parts.input else record.log_length
    for position in range(start, len(log)):
        message = log[position]
        if message.role not in ("user", "assistant") or position in probe.evidence:
            continue
        request = int(np.searchsorted(lengths, position, side="right"))
        if message.role == "assistant":
            request -= 1
        if request >= len(lost) or not lost[request]:
            continue
        if says[position]:
            return Need(position, request, ())
        shared = words & words_at(position)
        if len(shared) >= least:
            return Need(position, request, spell_words(read_message(message), shared))
    return None


def spell_words(text: str, stems: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a text that have any of these stems, as it says them; of what is written without spaces the
    pieces that have them: 喜欢, 欢读 in 你也喜欢读小说吗 -> 喜欢读."""
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
