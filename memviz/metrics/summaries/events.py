"""The history of a run's summary, event by event, the authors of its versions, and the sizes
of the requests round each event.

Who wrote a version, and what became of an attempt, is judged here and nowhere else. A
summary has one size everywhere: the tokens of its text. The heading that it is sent under
belongs to the request, not to it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import chain
from typing import NamedTuple

from memviz.core.memory import Memory
from memviz.core.pieces import Line, Notes
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import RequestPlace
from memviz.engine.assembly import assemble
from memviz.engine.compaction import Compaction, CompactionKind
from memviz.engine.part_tokens import count_tokens_by_part
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import axis_of, numbers_of_turn, request_turns
from memviz.models.names import OFFLINE
from memviz.models.names import STAND_IN as STAND_IN_NAME
from memviz.strategies.base import Strategy


class CompactionOutcome(Enum):
    """The outcome of one compaction."""

    SUMMARIZED = "summarized"
    THOUGHT = "thought"
    """Written by the chat model when it stopped thinking."""
    REWORDED = "reworded"
    """Written by the summarizer, reworded by the user before it was used."""
    EDITED = "edited"
    """Rewritten by the user."""
    UNDONE = "undone"
    """Taken back by the user."""
    SKIPPED = "skipped"
    """Skipped by the user."""
    FAILED = "failed"
    DROPPED = "dropped"
    """Left out without a summary."""
    CLEARED = "cleared"
    SHORTENED = "shortened"
    SEALED = "sealed"
    """Put into a block that only the provider can read."""


_OUTCOMES: dict[CompactionKind, CompactionOutcome] = {
    "edit": CompactionOutcome.EDITED, "undo": CompactionOutcome.UNDONE, "skip": CompactionOutcome.SKIPPED,
    "cleared": CompactionOutcome.CLEARED, "shortened": CompactionOutcome.SHORTENED,
    "evicted": CompactionOutcome.DROPPED,
}  # fmt: skip


def outcome_of(compaction: Compaction) -> CompactionOutcome:
    """Return the one judgement of what a compaction was."""
    if compaction.kind != "summarized":
        return _OUTCOMES[compaction.kind]
    if compaction.error is not None:
        return CompactionOutcome.FAILED
    if compaction.by_thinking:
        return CompactionOutcome.THOUGHT
    if compaction.is_edited:
        return CompactionOutcome.REWORDED
    if compaction.is_opaque:
        return CompactionOutcome.SEALED
    return CompactionOutcome.SUMMARIZED


class CompactionEvent(NamedTuple):
    """One compaction of a run."""

    number: int
    """Counts from 0."""
    place: float
    """The place of the first request that it changed on the axis of the run's requests
    (:class:`memviz.metrics.requests.request_axis.RequestAxis` of this run alone), and half a place behind the last one
    where none came any more. Of several before one request the last stands there, the others in equal steps before
    it."""
    what: CompactionOutcome
    compaction: Compaction
    request: RequestPlace | None = None
    """That request."""

    @property
    def version(self) -> SummaryVersion | None:
        """The version that it wrote, if any."""
        return self.compaction.written


def compaction_events(run: Run) -> tuple[CompactionEvent, ...]:
    """Return everything that happened to the run's summary, in order."""
    # Several events before one request have the same place. They are spread out in front of it, the last one at the
    # place itself: over a whole step, or half of one where another event stands half a step before.
    places = [*_list_places(run)]
    together = Counter(places)
    still = Counter(places)
    events = []
    pairs = zip(run.compactions, places, strict=True)
    for number, (compaction, place) in enumerate(pairs):
        still[place] -= 1
        is_alone = place.is_integer() and place - 0.5 not in together
        room = 1.0 if is_alone else 0.5
        at = place - still[place] * room / together[place]
        outcome = outcome_of(compaction)
        request = changed_request(compaction, run)
        events.append(CompactionEvent(number, at, outcome, compaction, request))
    return tuple(events)


def _list_places(run: Run) -> Iterator[float]:
    """Yield the place of the first request that each compaction changed. What a setting took in of earlier turns when
    it came into force changed none of their requests, and what it summarized after its last turn stands behind that
    turn, also where the chat went back to it later: events stand in the order in which they happened."""
    turns = request_turns(run)
    axis = axis_of([run])
    places = axis.places(turns).tolist()
    last_turn = int(turns[-1]) if len(turns) else 0
    behind = axis.last(run.log.turn_count) + 0.5
    first = 1.0
    for setting, compactions in run.timeline.segments(run.compactions):
        end = axis.last(int(min(setting.last_turn, run.log.turn_count)))
        for compaction in compactions:
            number = run.request_number(compaction)
            turn = run.request_turn(compaction)
            place = behind
            if number is not None:
                place = float(places[number])
            elif turn is not None and turn > last_turn:
                place = float(axis.last(turn))
            yield min(behind, end + 0.5, max(first, place))
        first = end + 1.0


def changed_request(compaction: Compaction, run: Run) -> RequestPlace | None:
    """Return the first request that a compaction of ``run`` changed, asked or still to be asked; ``None`` where none
    came any more."""
    turn = run.request_turn(compaction)
    if turn is None:
        return None
    number = run.request_number(compaction)
    if number is not None:
        calls = len(numbers_of_turn(run, turn))
        return turn, int(run.columns.calls[number]), calls
    request = run.log.request_from(compaction.after_message + 1)
    if request is None or request.turn != turn:
        return turn, 1, 1
    return turn, request.call, len(run.log.requests_of(run.log.turn(turn)))


def grows_a_list(run: Run) -> bool:
    """Return whether each summary is an entry of an accumulating list, and replaces none."""
    return _is_of_a_list(run.strategy)


def never_summarizes(run: Run) -> bool:
    """Return whether this setting has no summaries at all, whatever the conversation."""
    return not run.strategy.writes_notes


def tokens_in_force(run: Run, event: CompactionEvent) -> int:
    """Return the tokens of what stands for older messages once the event is over: of the newest summary's text, or of
    the whole list with its headings; of several kinds of notes those of all together."""
    if _is_of_a_list(event.compaction.strategy):
        return run.space.summaries.tokens(0, event.compaction.after.summary_count)
    return sum(version.tokens for version in _list_heads(run, event))


def text_in_force(run: Run, event: CompactionEvent) -> str:
    """Return what stands for older messages once the event is over: the newest summary's text, or the whole list as it
    is sent; empty while there is none. Several kinds of notes stand below each other."""
    count = event.compaction.after.summary_count
    if count and _is_of_a_list(event.compaction.strategy):
        return run.space.summaries.text(0, count)
    return "\n\n".join(version.text for version in _list_heads(run, event))


def _list_heads(run: Run, event: CompactionEvent) -> list[SummaryVersion]:
    """Return the newest version of each kind of notes, in the order in which the kinds began; of a tree of summaries
    those that no other one took in."""
    summaries = run.space.summaries
    count = event.compaction.after.summary_count
    if not count:
        return []
    if summaries.is_straight or summaries.is_tree:
        return [*summaries.roots(count)]
    tracks = dict.fromkeys(version.track for version in summaries.versions[:count])
    heads = [summaries.head(count, track) for track in tracks]
    return [head for head in heads if head is not None]


def _is_of_a_list(strategy: Strategy) -> bool:
    return bool(strategy.summary_heading)


_BY_A_MODEL = (CompactionOutcome.SUMMARIZED, CompactionOutcome.THOUGHT)


class Author(Enum):
    """The writer of a summary or a reply. The value is what a badge begins with."""

    RECORDED = "recorded"
    STAND_IN = STAND_IN_NAME
    LIVE = "live"


def author_of(model: str, *, recorded: bool) -> Author:
    """Return who gave a reply of the model of this name."""
    if recorded:
        return Author.RECORDED
    return Author.STAND_IN if model == OFFLINE else Author.LIVE


def summary_author(compaction: Compaction) -> Author | None:
    """Return who worded the summary of ``compaction``; ``None`` where there is none, or the user reworded it."""
    if outcome_of(compaction) not in _BY_A_MODEL:
        return None
    return author_of(compaction.model, recorded=compaction.recorded)


def authors_of(run: Run) -> frozenset[Author]:
    """Return who worded the summaries of a run; nobody where nothing was summarized."""
    authors = map(summary_author, run.compactions)
    return frozenset(author for author in authors if author is not None)


def has_offline_summary(run: Run) -> bool:
    """Return whether the offline model worded any summary of the run. One that the user reworded is the user's."""
    return Author.STAND_IN in authors_of(run)


def models_of(runs: Iterable[Run], author: Author) -> tuple[str, ...]:
    """Return the models whose summaries of this kind ``runs`` hold, each once."""
    models = []
    for compaction in chain.from_iterable(run.compactions for run in runs):
        if summary_author(compaction) is author:
            models.append(compaction.model)
    return tuple(dict.fromkeys(models))


def fit_requests_alone(runs: Iterable[Run]) -> bool:
    """Return whether of the recorded summaries of ``runs`` no more can be said than that they fitted their requests: in
    some run others were missing, so that the recording played as far as it went. Else they were made for exactly this
    conversation and setting."""
    compactions = chain.from_iterable(run.compactions for run in runs)
    return any(compaction.error for compaction in compactions if compaction.asked)


class RequestSizes(NamedTuple):
    """All tokens of one request, what the chat format adds and what was recalled included. Of several compactions
    before one request each begins with what the one before left, and the last ends with what was sent."""

    before_tokens: int
    after_tokens: int


class RequestParts(NamedTuple):
    """The tokens of each part of one request without a compaction and with it. What tools did in it and the model
    thought is ``besides``, in no part: the strategy does not choose it."""

    before: Mapping[str, int]
    after: Mapping[str, int]
    besides: int


def request_sizes(compaction: Compaction, run: Run) -> RequestSizes:
    """Return the size of the first request that a compaction of ``run`` changed, without it and with it; while there is
    none, what would be sent next without a new message."""
    before, after, besides = request_parts(compaction, run)
    return RequestSizes(sum(before.values()) + besides, sum(after.values()) + besides)


def request_parts(compaction: Compaction, run: Run) -> RequestParts:
    """Return the tokens of each part of the first request that a compaction of ``run`` changed, without it and with it;
    while there is none, those of what would be sent next without a new message."""
    number = run.request_number(compaction)
    if number is not None:
        return _count_parts_of_request(compaction, run, number)
    length = compaction.after.length
    turn = run.request_turn(compaction)
    if turn:
        # As many messages as the log has at the request that is still to be asked.
        log = compaction.before.log
        request = log.request_from(compaction.after_message + 1)
        length = log.turn(turn).asked
        if request is not None and request.turn == turn:
            length = request.stop
    next_memory = compaction.after._replace(pins=()).appended(length)
    memory_before = compaction.before.as_of(next_memory)
    before = _count_parts(compaction.strategy, memory_before, ())
    after = _count_parts(compaction.strategy, next_memory, ())
    return RequestParts(before, after, 0)


def _count_parts_of_request(
    compaction: Compaction, run: Run, number: int
) -> RequestParts:
    strategy = compaction.strategy
    memory = run.requests.memory_at(number)
    recalled = asked_for_at(run, number)
    before = _count_parts(strategy, memory_without(compaction, run, number), recalled)
    parts = _count_parts(strategy, memory, recalled)
    # Further compactions before the same request make it another memory than that which this one left.
    memory_after = compaction.after.as_of(memory)
    after = parts
    if memory_after != memory:
        after = _count_parts(strategy, memory_after, recalled)
    besides = int(run.columns.totals[number]) - sum(parts.values())
    return RequestParts(before, after, besides)


def sent_without(compaction: Compaction, run: Run, number: int) -> Parts:
    """Return what request ``number`` (0-based) of ``run`` would have sent without ``compaction``, which changed it
    first. The pieces stand for the memory of :func:`memory_without`."""
    memory = memory_without(compaction, run, number)
    return assemble(
        memory, compaction.strategy.select(memory), asked_for_at(run, number)
    )


def memory_without(compaction: Compaction, run: Run, number: int) -> Memory:
    """Return the memory that request ``number`` would have been made for without ``compaction``."""
    return compaction.before.as_of(run.requests.memory_at(number))


def asked_for_at(run: Run, number: int) -> tuple[int, ...]:
    """Return the log positions that a call of the recall tool brought back into request ``number`` (0-based)."""
    beside = run.requests.extras.get(number)
    return beside.recalled.indices if beside and beside.recalled else ()


def _count_parts(
    strategy: Strategy, memory: Memory, recalled: tuple[int, ...]
) -> Mapping[str, int]:
    return count_tokens_by_part(
        memory, assemble(memory, strategy.select(memory), recalled)
    )


def sent_summary_tokens(record: TurnRecord) -> int:
    """Return the tokens of the texts of all versions that a request sends, or of the facts of them that it tells,
    without headings."""
    summaries = record.memory.space.summaries
    tokens = 0
    for piece in record.parts.pieces:
        if isinstance(piece, Notes):
            versions = summaries.in_block(piece.start, piece.stop)
            tokens += sum(version.tokens for version in versions)
        elif isinstance(piece, Line) and piece.quotes:
            _heading, _break, entries = piece.message.content.partition("\n")
            tokens += summaries.counter.in_lines(entries)
    return tokens
