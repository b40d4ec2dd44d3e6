"""The compactions of a run as events in order, who wrote each summary, and the requests before and after each.

Timelines, tables and exports of summaries are made of these events. The outcome of a compaction and the author of a
summary are decided only here. The size of a summary is always that of its text; the heading under which it is sent
counts to the request.
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
from memviz.metrics.requests.request_axis import (
    find_numbers_of_turn,
    list_request_turns,
    make_axis,
)
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


def judge_outcome(compaction: Compaction) -> CompactionOutcome:
    """Return the outcome of a compaction."""
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
    """A compaction of a run, with its place on the axis of requests."""

    number: int
    """Its number, from 0."""
    place: float
    """The place on the axis of the run's requests (:class:`memviz.metrics.requests.request_axis.RequestAxis`).

    It is that of the first request that it changed, or half a place after the last request if none followed. Of several
    events before one request, the last one has this place, and the others stand before it in equal steps."""
    what: CompactionOutcome
    compaction: Compaction
    request: RequestPlace | None = None
    """The first request that it changed."""

    @property
    def version(self) -> SummaryVersion | None:
        """The version that it wrote, if any."""
        return self.compaction.written


def list_compaction_events(run: Run) -> tuple[CompactionEvent, ...]:
    """Return all compactions of a run as events, in order."""
    # Several events before one request are spread out before its place: over a whole step, or over half of one if
    # another event has the place half a step before.
    places = [*_list_places(run)]
    counts_at_place = Counter(places)
    remaining_at_place = Counter(places)
    events = []
    pairs = zip(run.compactions, places, strict=True)
    for number, (compaction, place) in enumerate(pairs):
        remaining_at_place[place] -= 1
        is_alone = place.is_integer() and place - 0.5 not in counts_at_place
        room = 1.0 if is_alone else 0.5
        own_place = place - remaining_at_place[place] * room / counts_at_place[place]
        outcome = judge_outcome(compaction)
        request = find_changed_request(compaction, run)
        events.append(CompactionEvent(number, own_place, outcome, compaction, request))
    return tuple(events)


def _list_places(run: Run) -> Iterator[float]:
    """Yield the place of the first request that each compaction changed, in the order in which they happened.

    A setting that was chosen in the middle of a chat may summarize turns from before, which changes none of their
    requests; and what it summarizes after its last turn has a place after that turn, even if the chat returns to it.
    """
    turns = list_request_turns(run)
    axis = make_axis([run])
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


def find_changed_request(compaction: Compaction, run: Run) -> RequestPlace | None:
    """Return the first request that a compaction changed, pending ones included; ``None`` where none followed."""
    turn = run.request_turn(compaction)
    if turn is None:
        return None
    number = run.request_number(compaction)
    if number is not None:
        calls = len(find_numbers_of_turn(run, turn))
        return turn, int(run.columns.calls[number]), calls
    request = run.log.request_from(compaction.after_message + 1)
    if request is None or request.turn != turn:
        return turn, 1, 1
    return turn, request.call, len(run.log.requests_of(run.log.turn(turn)))


def grows_a_list(run: Run) -> bool:
    """Return whether the summaries of a run are entries of a growing list, of which none replaces another."""
    return _is_of_a_list(run.strategy)


def never_summarizes(run: Run) -> bool:
    """Return whether the setting of a run never writes summaries, whatever the conversation."""
    return not run.strategy.writes_notes


def count_tokens_in_force(run: Run, event: CompactionEvent) -> int:
    """Return the tokens of the summary after an event: of the newest text, or of the whole list with its headings.

    Several kinds of notes are added up.
    """
    if _is_of_a_list(event.compaction.strategy):
        return run.space.summaries.tokens(0, event.compaction.after.summary_count)
    return sum(version.tokens for version in _list_heads(run, event))


def join_text_in_force(run: Run, event: CompactionEvent) -> str:
    """Return the text of the summary after an event: the newest one, or the whole list as it is sent.

    Several kinds of notes are below each other; it is empty while there is no summary.
    """
    count = event.compaction.after.summary_count
    if count and _is_of_a_list(event.compaction.strategy):
        return run.space.summaries.text(0, count)
    return "\n\n".join(version.text for version in _list_heads(run, event))


def _list_heads(run: Run, event: CompactionEvent) -> list[SummaryVersion]:
    """Return the newest version of each kind of notes, in the order in which the kinds began.

    Of a tree of summaries, these are the versions that no other one summarized.
    """
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
    """The kind of author of a summary or a reply; the value is the first word of its badge."""

    RECORDED = "recorded"
    STAND_IN = STAND_IN_NAME
    LIVE = "live"


def name_author(model: str, *, recorded: bool) -> Author:
    """Return the author of a reply that the model of this name gave, or that was ``recorded``."""
    if recorded:
        return Author.RECORDED
    return Author.STAND_IN if model == OFFLINE else Author.LIVE


def name_summary_author(compaction: Compaction) -> Author | None:
    """Return the author of the summary of ``compaction``; ``None`` without one, or if the user reworded it."""
    if judge_outcome(compaction) not in _BY_A_MODEL:
        return None
    return name_author(compaction.model, recorded=compaction.recorded)


def list_authors(run: Run) -> frozenset[Author]:
    """Return the authors of all summaries of a run."""
    authors = map(name_summary_author, run.compactions)
    return frozenset(author for author in authors if author is not None)


def has_offline_summary(run: Run) -> bool:
    """Return whether the offline model wrote any summary of the run that the user did not reword."""
    return Author.STAND_IN in list_authors(run)


def list_models(runs: Iterable[Run], author: Author) -> tuple[str, ...]:
    """Return the models that wrote summaries of this kind of author in ``runs``, each once."""
    models = []
    for compaction in chain.from_iterable(run.compactions for run in runs):
        if name_summary_author(compaction) is author:
            models.append(compaction.model)
    return tuple(dict.fromkeys(models))


def fit_requests_alone(runs: Iterable[Run]) -> bool:
    """Return whether a recording lacked some of the summaries that ``runs`` asked for.

    Then all that is known of the others is that they fitted their requests. Otherwise they were recorded for exactly
    this conversation and setting.
    """
    compactions = chain.from_iterable(run.compactions for run in runs)
    return any(compaction.error for compaction in compactions if compaction.asked)


class RequestSizes(NamedTuple):
    """All tokens of a request without and with a compaction, recalls and what the chat format adds included.

    Of several compactions before one request, each begins with what the one before left.
    """

    before_tokens: int
    after_tokens: int


class RequestParts(NamedTuple):
    """The tokens of each part of a request without and with a compaction."""

    before: Mapping[str, int]
    after: Mapping[str, int]
    besides: int
    """The tokens of tool calls and thoughts within the request, which the strategy does not choose."""


def count_request_sizes(compaction: Compaction, run: Run) -> RequestSizes:
    """Return the sizes of the first request that a compaction changed, without and with it.

    Where no request followed, they are those of the next request if it had no new message.
    """
    before, after, besides = count_request_parts(compaction, run)
    return RequestSizes(sum(before.values()) + besides, sum(after.values()) + besides)


def count_request_parts(compaction: Compaction, run: Run) -> RequestParts:
    """Return the tokens by part of the first request that a compaction changed, without and with it.

    Where no request followed, they are those of the next request if it had no new message.
    """
    number = run.request_number(compaction)
    if number is not None:
        return _count_parts_of_request(compaction, run, number)
    length = compaction.after.length
    turn = run.request_turn(compaction)
    if turn:
        # The number of messages that the log will have at the pending request.
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
    recalled = list_recalled_at(run, number)
    before = _count_parts(
        strategy, rebuild_memory_without(compaction, run, number), recalled
    )
    parts = _count_parts(strategy, memory, recalled)
    # If further compactions came before the same request, the memory is no longer the one that this one left.
    memory_after = compaction.after.as_of(memory)
    after = parts
    if memory_after != memory:
        after = _count_parts(strategy, memory_after, recalled)
    besides = int(run.columns.totals[number]) - sum(parts.values())
    return RequestParts(before, after, besides)


def assemble_without(compaction: Compaction, run: Run, number: int) -> Parts:
    """Return the parts of request ``number`` (0-based) of ``run`` as they would be without ``compaction``.

    The compaction is one that changed this request first. The parts refer to the memory that
    :func:`rebuild_memory_without` returns.
    """
    memory = rebuild_memory_without(compaction, run, number)
    return assemble(
        memory, compaction.strategy.select(memory), list_recalled_at(run, number)
    )


def rebuild_memory_without(compaction: Compaction, run: Run, number: int) -> Memory:
    """Return the memory at request ``number`` (0-based) as it would be without ``compaction``."""
    return compaction.before.as_of(run.requests.memory_at(number))


def list_recalled_at(run: Run, number: int) -> tuple[int, ...]:
    """Return the log positions that the recall tool brought back into request ``number`` (0-based)."""
    beside = run.requests.extras.get(number)
    return beside.recalled.indices if beside and beside.recalled else ()


def _count_parts(
    strategy: Strategy, memory: Memory, recalled: tuple[int, ...]
) -> Mapping[str, int]:
    return count_tokens_by_part(
        memory, assemble(memory, strategy.select(memory), recalled)
    )


def count_sent_summary_tokens(record: TurnRecord) -> int:
    """Return the tokens of all summaries that a request sends, or of the facts that it quotes of them.

    Headings do not count.
    """
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
