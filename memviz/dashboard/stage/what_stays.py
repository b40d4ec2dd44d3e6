"""Two kinds of questions on what a request holds.

- *Which messages stay word for word?* The choices are ranges that end with the input, one of
  them is what was sent.
- *Does the model still know this fact?* Asked where a summary takes in what said it; answered
  from what was sent.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from memviz.core.context import Fate
from memviz.core.pieces import in_ranges
from memviz.core.text.wording import counted, listed, message_list, message_range
from memviz.core.translation import _, noop
from memviz.dashboard.stage.question import (
    YES_OR_NO,
    Candidate,
    Question,
    StagedRun,
    first_act,
)
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.records import TurnRecord
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.summaries.events import grows_a_list
from memviz.transcripts.base import Probe

AGAIN = 1.0
FIRST = 0.5
"""The interest of a question about a fact in a summary that was summarized again, and in its first one."""
_WHERE = {
    Knowledge.VERBATIM: noop("{fact} is sent word for word at {request}."),
    Knowledge.RECALLED: noop("{fact} is recalled at {request}."),
    Knowledge.SYSTEM: noop("{fact} is in the system prompt at {request}."),
    Knowledge.CONTRADICTED: noop(
        "{fact} is mentioned at {request} only where it is denied or outdated."
    ),
}
_IN_NOTES = {
    (True, True): noop("{fact} is in the {summaries} ({tokens}) at {request}."),
    (True, False): noop(
        "{fact} is in version {version} of the summary ({tokens}) at {request}."
    ),
    (False, True): noop(
        "{fact} is not sent word for word at {request}, and is not in the {summaries} ({tokens})."
    ),
    (False, False): noop(
        "{fact} is not sent word for word at {request}, and is not in version {version} of the summary ({tokens})."
    ),
}
"""By whether the notes hold the fact, and whether there are several."""
_NOWHERE = noop("{fact} is in none of the {tokens} sent at {request}.")
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


def knowing_candidates(staged: StagedRun, retention: Retention) -> Iterator[Candidate]:
    """Yield a question for each fact that was known and that a request knows from another place, or no more: where a
    summary took in what said it, or where that fell out of what is sent. Where nothing is ever summarized, yield also
    one for each fact at the last request that knows it."""
    # Arrays [requests x facts] about every request but the first: row 0 compares request 1 with request 0.
    before = retention.states[:-1]
    after = retention.states[1:]
    was_known = retention.retained[:-1] & (before != Knowledge.SYSTEM)
    is_lost = was_known & retention.judged[1:] & ~retention.retained[1:]

    is_changed = np.zeros(len(retention.states), dtype=bool)
    is_changed[list(staged.changed())] = True
    stays = was_known & (after == Knowledge.SUMMARY) & is_changed[1:, None]
    if grows_a_list(staged.run):
        # What a summary of a list once says stays as it is: nobody needs to guess that.
        stays &= before != Knowledge.SUMMARY
    if not staged.run.compactions:
        # No summary takes anything in: the answer is yes one request before a fact is lost.
        stays[:-1] |= was_known[:-1] & is_lost[1:]

    played_requests = staged.requests
    for row, fact in np.argwhere(is_lost | stays).tolist():
        request = row + 1
        if request in played_requests:
            is_again = before[row, fact] == Knowledge.SUMMARY
            about = {("compaction", staged.number, request), ("fact", fact)}
            yield Candidate(
                staged.step(request),
                staged.number,
                frozenset(about),
                bool(stays[row, fact]),
                AGAIN if is_again else FIRST,
                partial(ask_if_known, staged, retention, request, fact),
            )


def ask_if_known(
    staged: StagedRun, retention: Retention, request: int, fact: int
) -> Question:
    """Return whether ``request`` (number from 0) knows the ``fact`` (number of the probe)."""
    state = Knowledge(int(retention.states[request, fact]))
    probe = retention.probes[fact]
    record = staged.run.requests[request]
    return Question(
        "knows",
        staged.step(request),
        staged.number,
        _known_text(staged, record, probe),
        YES_OR_NO,
        0 if state.is_known else 1,
        _known_reason(record, probe, state),
    )


def _known_text(staged: StagedRun, record: TurnRecord, probe: Probe) -> str:
    template = noop(
        "Under {label}, does the model still know the answer to “{question}” at {request}?"
    )
    what = ""
    for compaction in record.compactions:
        if compaction.changes_memory:
            template = noop(
                "Before {request}, {label} {done}. Does the model still know the answer to “{question}”?"
            )
            what = compaction_words(compaction, staged.run).act
            break
    return _(
        template,
        request=record.name,
        label=staged.label,
        done=what,
        question=_flat(probe.question),
    )


def _known_reason(record: TurnRecord, probe: Probe, state: Knowledge) -> str:
    summary = record.summary
    versions = len(record.parts.summaries)
    tokens = record.tokens["summary"]
    version = None
    if summary is not None and versions <= 1:
        tokens = summary.tokens
        version = summary.version
    is_in_notes = state is Knowledge.SUMMARY
    template = _WHERE.get(state, _NOWHERE)
    if is_in_notes or (summary is not None and state not in _WHERE):
        template = _IN_NOTES[is_in_notes, version is None]
    elif template is _NOWHERE:
        tokens = record.total_tokens
    return _(
        template,
        fact=_fact_words(probe),
        request=record.name,
        summaries=counted(versions, "summary"),
        version=version,
        tokens=counted(tokens, "token"),
    )


def _fact_words(probe: Probe) -> str:
    fact = f"“{_flat(probe.answers[0])}”" if probe.answers else _("The answer")
    if not probe.evidence:
        return fact
    return _(
        "{fact} (said in {messages})", fact=fact, messages=message_list(probe.evidence)
    )


def _flat(text: str) -> str:
    return " ".join(text.split())


def staying_candidates(staged: StagedRun) -> Iterator[Candidate]:
    """Yield a question for each request that a summarization or a clearing changed; where the rule does neither, for
    each at which one more message fell out."""
    requests = list(staged.changed())
    if not staged.run.compactions:
        # The history that is sent begins later than before, or is no longer one range (-1).
        starts = staged.run.columns.starts
        is_moved = (starts[1:] > starts[:-1]) | (starts[1:] < 0)
        played_requests = staged.requests
        for request in (np.flatnonzero(is_moved) + 1).tolist():
            if request in played_requests:
                requests.append(request)
    for request in requests:
        yield Candidate(
            staged.step(request),
            staged.number,
            frozenset({("compaction", staged.number, request)}),
            None,
            0.0,
            partial(ask_what_stays, staged, request),
        )


def verbatim_ranges(staged: StagedRun, request: int) -> list[range]:
    """Return the messages behind the system prompt that a request sends word for word, as ranges of log positions."""
    run = staged.run
    record = run.requests[request]
    fates = run.fates_at(record)[: record.memory.length]
    positions = np.flatnonzero(fates == Fate.VERBATIM)
    behind_prompt = positions[positions >= run.space.system_stop]
    return in_ranges(behind_prompt.tolist())


def ask_what_stays(staged: StagedRun, request: int) -> Question | None:
    """Return which messages ``request`` (number from 0, with one before it) sends word for word; ``None`` where they
    are many pieces, where messages were recalled, or where nothing else is plausible."""
    ranges = verbatim_ranges(staged, request)
    if not 0 < len(ranges) <= MOST_RANGES:
        return None
    # The choices differ in where the last range begins.
    *before, last = ranges
    starts = _starts(staged, request, before, last)
    has_recalled = staged.run.requests[request].recalled is not None
    if has_recalled or len(starts) < CHOICES - 1:
        return None
    choices = [_words([*before, range(start, last.stop)]) for start in starts]
    return Question(
        "stays",
        staged.step(request),
        staged.number,
        _stays_text(staged, request),
        tuple(choices),
        starts.index(last.start),
        _stays_reason(staged, request, ranges),
    )


def _starts(
    staged: StagedRun, request: int, before: Sequence[range], last: range
) -> list[int]:
    """Return where the last of the ranges might begin, the right one among them, from the oldest to the newest."""
    memory = staged.run.requests.memory_at(request)
    right = last.start
    # No later than the newest input, which is always sent.
    newest = max(right, min(memory.before_input, last.stop - 1))
    # No earlier than what can be sent at all; where the request before began later than that, as there.
    oldest = before[-1].stop + 1 if before else memory.history_start
    ranges_before = verbatim_ranges(staged, request - 1)
    if ranges_before and oldest < ranges_before[-1].start < right:
        oldest = ranges_before[-1].start
    older = _spaced_positions(oldest, right)[::-1]
    newer = _spaced_positions(newest, right)[::-1]
    # The right one stands in another place from request to request, so that no place wins by itself.
    place_of_right = (request + staged.number) % CHOICES
    from_older = min(len(older), max(place_of_right, CHOICES - 1 - len(newer)))
    from_newer = CHOICES - 1 - from_older
    return sorted({*older[:from_older], right, *newer[:from_newer]})


def _spaced_positions(far: int, near: int) -> list[int]:
    """Return some positions from ``far`` on towards ``near``, without it, the farthest first."""
    positions = []
    for share in (1, 2 / 3, 1 / 3):
        position = near - round((near - far) * share)
        if position != near and position not in positions:
            positions.append(position)
    return positions


def _words(ranges: Sequence[range]) -> str:
    return listed(map(message_range, ranges))


def _stays_text(staged: StagedRun, request: int) -> str:
    strategy = staged.strategy_at(request)
    record = staged.run.requests[request]
    asks = _ASKS_OF_CLEARED
    if first_act(record.compactions, strategy) is None:
        asks = _ASKS
    elif strategy.writes_notes:
        asks = _ASKS_OF_SUMMARIZED
    return _(asks, label=staged.label, name=record.name)


def _stays_reason(staged: StagedRun, request: int, ranges: Sequence[range]) -> str:
    run = staged.run
    record = run.requests[request]
    sums = run.space.sums
    tokens = sum(sums.between(part.start, part.stop) for part in ranges)
    compaction = first_act(record.compactions, staged.strategy_at(request))
    template = noop(
        "Of {said} so far the request of {name} sends {sent} word for word: {messages} with {tokens}."
    )
    what = ""
    if compaction is not None:
        template = noop(
            "{what}, so the request of {name} sends {sent} word for word: {messages} with {tokens}."
        )
        what = compaction_words(compaction, run).what
    return _(
        template,
        what=what,
        said=counted(record.memory.length, "message"),
        name=record.name,
        sent=_words(ranges),
        messages=counted(sum(map(len, ranges)), "message"),
        tokens=counted(tokens, "token"),
    )
