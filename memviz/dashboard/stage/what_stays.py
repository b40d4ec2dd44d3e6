"""*Which messages stay word for word?* The choices are ranges that end with the input, one of them is what was sent."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from memviz.core.context import Fate
from memviz.core.pieces import in_ranges
from memviz.core.text.wording import counted, listed, message_range
from memviz.core.translation import _, noop
from memviz.dashboard.stage.question import Candidate, Question, StagedRun
from memviz.dashboard.stage.will_summarize import acted
from memviz.dashboard.words.compactions import compaction_words

CHOICES = 4
MOST_RANGES = 2
"""More ranges than these are no answer that anybody could predict."""
_ASKS = noop("{label}: which messages does the request of {name} send word for word?")
_ASKS_OF_SUMMARIZED = noop(
    "{label} summarizes before {name}. Which messages does the request of {name} send word for word?"
)
_ASKS_OF_CLEARED = noop(
    "{label} clears before {name}. Which messages does the request of {name} send word for word?"
)


def candidates(staged: StagedRun) -> Iterator[Candidate]:
    """A question for each request that a summarization or a clearing changed; where the rule does neither, for each at
    which one more message fell out."""
    changed = [*staged.changed()]
    if not staged.run.compactions:
        starts = staged.run.columns.starts
        fell_out = np.flatnonzero((starts[1:] > starts[:-1]) | (starts[1:] < 0)) + 1
        shown = staged.requests
        changed += [request for request in fell_out.tolist() if request in shown]
    for request in changed:
        yield Candidate(
            staged.step(request),
            staged.number,
            frozenset({("compaction", staged.number, request)}),
            None,
            0.0,
            partial(question, staged, request),
        )


def verbatim_ranges(staged: StagedRun, request: int) -> list[range]:
    """Return the messages behind the system prompt that a request sends word for word, as ranges of log positions."""
    run = staged.run
    record = run.requests[request]
    fates = run.fates_at(record)[: record.memory.length]
    sent = np.flatnonzero(fates == Fate.VERBATIM)
    return in_ranges(sent[sent >= run.space.system_stop].tolist())


def question(staged: StagedRun, request: int) -> Question | None:
    """Return which messages ``request`` (number from 0, with one before it) sends word for word; ``None`` where they
    are many pieces, where messages were recalled, or where nothing else is plausible."""
    sent = verbatim_ranges(staged, request)
    if not 0 < len(sent) <= MOST_RANGES:
        return None
    *before, last = sent
    starts = _starts(staged, request, before, last)
    has_recalled = staged.run.requests[request].recalled is not None
    if has_recalled or len(starts) < CHOICES - 1:
        return None
    return Question(
        "stays",
        staged.step(request),
        staged.number,
        _text(staged, request),
        tuple(_words([*before, range(start, last.stop)]) for start in starts),
        starts.index(last.start),
        _reason(staged, request, sent),
    )


def _starts(
    staged: StagedRun, request: int, before: Sequence[range], last: range
) -> list[int]:
    """Return where the last of the ranges might begin, the right one among them, from the oldest to the newest."""
    memory = staged.run.requests.memory_at(request)
    first = before[-1].stop + 1 if before else memory.history_start
    earlier = verbatim_ranges(staged, request - 1)
    right = last.start
    newest = max(right, min(memory.before_input, last.stop - 1))
    oldest = first
    if earlier and first < earlier[-1].start < right:
        oldest = earlier[-1].start
    older = _spaced(oldest, right)[::-1]
    newer = _spaced(newest, right)[::-1]
    # The right one stands in another place from request to request, so that no place wins by itself.
    wanted = (request + staged.number) % CHOICES
    from_older = min(len(older), max(wanted, CHOICES - 1 - len(newer)))
    from_newer = CHOICES - 1 - from_older
    return sorted({*older[:from_older], right, *newer[:from_newer]})


def _spaced(far: int, near: int) -> list[int]:
    """Return some positions from ``far`` on towards ``near``, without it, the farthest first."""
    found = []
    for share in (1, 2 / 3, 1 / 3):
        position = near - round((near - far) * share)
        if position != near and position not in found:
            found.append(position)
    return found


def _words(ranges: Sequence[range]) -> str:
    return listed(message_range(one) for one in ranges)


def _text(staged: StagedRun, request: int) -> str:
    strategy = staged.strategy_at(request)
    record = staged.run.requests[request]
    asks = _ASKS_OF_CLEARED
    if acted(record.compactions, strategy) is None:
        asks = _ASKS
    elif strategy.writes_notes:
        asks = _ASKS_OF_SUMMARIZED
    return _(asks, label=staged.label, name=record.name)


def _reason(staged: StagedRun, request: int, sent: Sequence[range]) -> str:
    run = staged.run
    record = run.requests[request]
    messages = counted(sum(map(len, sent)), "message")
    sums = run.space.sums
    tokens = counted(sum(sums.between(one.start, one.stop) for one in sent), "token")
    compaction = acted(record.compactions, staged.strategy_at(request))
    if compaction is None:
        return _(
            "Of {said} so far the request of {name} sends {sent} word for word: {messages} with {tokens}.",
            said=counted(record.memory.length, "message"),
            name=record.name,
            sent=_words(sent),
            messages=messages,
            tokens=tokens,
        )
    return _(
        "{what}, so the request of {name} sends {sent} word for word: {messages} with {tokens}.",
        what=compaction_words(compaction, run).what,
        name=record.name,
        sent=_words(sent),
        messages=messages,
        tokens=tokens,
    )
