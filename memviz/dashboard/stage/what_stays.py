"""*Which messages stay word for word?* The choices are ranges that end with the input, one of them is what was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from memviz.core.context import Fate
from memviz.core.text.wording import counted, listed, message_range
from memviz.dashboard.stage.question import Candidate, Question, StagedRun
from memviz.dashboard.stage.will_summarize import acted, acts
from memviz.metrics.summaries.compaction_words import compaction_words

CHOICES = 4
MOST_RANGES = 2
"""More ranges than these are no answer that anybody could predict."""


def candidates(staged: StagedRun) -> Iterator[Candidate]:
    """A question for each request that a summarization or a clearing changed; where the rule does neither, for each at
    which one more message fell out."""
    for request in _changed(staged):
        yield Candidate(
            staged.step(request),
            staged.number,
            frozenset({("compaction", staged.number, request)}),
            None,
            0.0,
            partial(question, staged, request),
        )


def _changed(staged: StagedRun) -> Iterator[int]:
    yield from staged.changed()
    if not staged.run.compactions:
        starts = staged.run.columns.starts
        fell_out = np.flatnonzero((starts[1:] > starts[:-1]) | (starts[1:] < 0)) + 1
        yield from (
            request for request in fell_out.tolist() if request in staged.requests
        )


def verbatim_ranges(staged: StagedRun, request: int) -> list[range]:
    """The messages behind the system prompt that a request sends word for word, as ranges of log positions."""
    record, space = staged.run.requests[request], staged.run.space
    fates = staged.run.fates_at(record)[: record.memory.length]
    sent = np.flatnonzero(fates == Fate.VERBATIM)
    sent = sent[sent >= space.system_stop]
    parts = np.split(sent, np.flatnonzero(np.diff(sent) > 1) + 1)
    return [range(int(part[0]), int(part[-1]) + 1) for part in parts if len(part)]


def question(staged: StagedRun, request: int) -> Question | None:
    """Which messages ``request`` (number from 0) sends word for word; ``None`` where they are many pieces, where
    messages were recalled, or where nothing else is plausible."""
    sent = verbatim_ranges(staged, request)
    if (
        not sent
        or len(sent) > MOST_RANGES
        or staged.run.requests[request].recalled is not None
    ):
        return None
    *before, last = sent
    starts = _starts(staged, request, before, last)
    if len(starts) < CHOICES - 1:
        return None
    choices = tuple(_words([*before, range(start, last.stop)]) for start in starts)
    return Question(
        "stays",
        staged.step(request),
        staged.number,
        _text(staged, request),
        choices,
        starts.index(last.start),
        _reason(staged, request, sent),
    )


def _starts(
    staged: StagedRun, request: int, before: Sequence[range], last: range
) -> list[int]:
    """Where the last of the ranges might begin, the right one among them, from the oldest to the newest."""
    memory = staged.run.requests.memory_at(request)
    first = before[-1].stop + 1 if before else memory.history_start
    earlier = verbatim_ranges(staged, request - 1) if request else []
    old = max(first, earlier[-1].start) if earlier else first
    right, newest = last.start, max(last.start, min(memory.before_input, last.stop - 1))
    older = _spaced(old if old < right else first, right)[::-1]
    newer = _spaced(newest, right)[::-1]
    # The right one stands in another place from request to request, so that no place wins by itself.
    wanted = (request + staged.number) % CHOICES
    from_older = min(len(older), max(wanted, CHOICES - 1 - len(newer)))
    return sorted({*older[:from_older], right, *newer[: CHOICES - 1 - from_older]})


def _spaced(far: int, near: int) -> list[int]:
    """Some positions from ``far`` on towards ``near``, without it, the farthest first."""
    way = near - far
    return list(
        dict.fromkeys(
            near - round(way * share)
            for share in (1, 2 / 3, 1 / 3)
            if round(way * share)
        )
    )


def _words(ranges: Sequence[range]) -> str:
    return listed(message_range(one) for one in ranges)


def _text(staged: StagedRun, request: int) -> str:
    strategy, record = staged.strategy_at(request), staged.run.requests[request]
    asked = f"Which messages does the request of {record.name} send word for word?"
    if acted(record.compactions, strategy) is None:
        return f"{staged.label}: {asked[0].lower()}{asked[1:]}"
    return f"{staged.label} {acts(strategy)} before {record.name}. {asked}"


def _reason(staged: StagedRun, request: int, sent: Sequence[range]) -> str:
    record = staged.run.requests[request]
    tokens = sum(staged.run.space.sums.between(one.start, one.stop) for one in sent)
    size = f"{counted(sum(map(len, sent)), 'message')} with {counted(tokens, 'token')}"
    says = f"{_words(sent)} word for word: {size}"
    compaction = acted(record.compactions, staged.strategy_at(request))
    if compaction is None:
        return f"Of {counted(record.memory.length, 'message')} so far the request of {record.name} sends {says}."
    return f"{compaction_words(compaction, staged.run).what}, so the request of {record.name} sends {says}."
