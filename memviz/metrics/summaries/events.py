"""What happened to a run's summary, event by event. Who wrote a version, and what became of an attempt, is judged
here and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.engine.settings_before import segments
from memviz.memory import Memory, SummaryVersion
from memviz.metrics.requests.request_axis import RequestAxis
from memviz.strategies.base import Trigger


class CompactionOutcome(Enum):
    """What became of one compaction."""

    SUMMARIZED = "written by the summarizer"
    THOUGHT = "written by the chat model when it stopped thinking"
    REWORDED = "written by the summarizer, reworded by the user before it was used"
    EDITED = "rewritten by the user"
    UNDONE = "taken back by the user"
    SKIPPED = "skipped by the user"
    FAILED = "failed"
    DROPPED = "dropped without a summary"


def outcome_of(compaction: Compaction) -> CompactionOutcome:
    """The one judgement of what a compaction was."""
    if compaction.kind != "summary":
        return {"edit": CompactionOutcome.EDITED, "undo": CompactionOutcome.UNDONE, "skip": CompactionOutcome.SKIPPED}[
            compaction.kind
        ]
    if compaction.error is not None:
        return CompactionOutcome.FAILED
    if compaction.written is None:
        return CompactionOutcome.DROPPED
    if compaction.by_thinking:
        return CompactionOutcome.THOUGHT
    return CompactionOutcome.REWORDED if compaction.is_edited else CompactionOutcome.SUMMARIZED


class CompactionEvent(NamedTuple):
    """One compaction of a run. ``number`` counts from 0; ``place`` is that on the axis of the run's requests
    (:class:`memviz.metrics.requests.request_axis.RequestAxis` of this run alone): the place of the first request that
    it changed, and half a place behind the last one where none came any more. Of several before one request
    the last stands there, the others in equal steps before it. ``request_turn`` is that request's turn, and
    ``request_call`` which call of the turn it is."""

    number: int
    place: float
    what: CompactionOutcome
    compaction: Compaction
    request_turn: int | None = None
    request_call: int = 1

    @property
    def version(self) -> SummaryVersion | None:
        """The version that it wrote, if any."""
        return self.compaction.written

    @property
    def base(self) -> int | None:
        """The number of the version that this one took the place of: the one edited, or the one taken in."""
        return self.compaction.revises if self.compaction.revises is not None else self.compaction.replaces


def compaction_events(run: Run) -> tuple[CompactionEvent, ...]:
    """Everything that happened to the run's summary, in order."""
    places = [*_places(run)]
    still = Counter(places)
    together = Counter(places)
    events = []
    for number, (compaction, place) in enumerate(zip(run.compactions, places, strict=True)):
        still[place] -= 1
        room = 1.0 if place.is_integer() and place - 0.5 not in together else 0.5
        at, turn = place - still[place] * room / together[place], run.request_turn(compaction)
        call = 1 if turn is None else request_call(compaction, turn, run)
        events.append(CompactionEvent(number, at, outcome_of(compaction), compaction, turn, call))
    return tuple(events)


def _places(run: Run) -> Iterator[float]:
    """The place of the first request that each compaction changed. What a setting took in of earlier turns when it came
    into force changed none of their requests, and what it summarized after its last turn stands behind that turn, also
    where the chat went back to it later: events stand in the order in which they happened."""
    turns = [record.turn for record in run.requests]
    axis = RequestAxis.of([turns])
    places, behind, first = axis.places(turns), axis.last(run.log.turn_count) + 0.5, 1.0
    for setting, made in segments(run.strategy, run.counter.name, run.compactions, run.earlier_settings):
        end = axis.last(int(min(setting.last_turn, run.log.turn_count)))
        for compaction in made:
            number, turn, place = run.request_number(compaction), run.request_turn(compaction), behind
            if number is not None:
                place = float(places[number])
            elif turn is not None and (not turns or turn > turns[-1]):
                place = float(axis.last(turn))
            yield min(behind, end + 0.5, max(first, place))
        first = end + 1.0


def request_call(compaction: Compaction, turn: int, run: Run | None = None) -> int:
    """Which call of ``turn`` the first request is that ``compaction``, one of ``run``, changed, asked or still to be
    asked."""
    number = None if run is None else run.request_number(compaction)
    if run is not None and number is not None:
        return run.requests[number].call
    request = (run.log if run else compaction.before.log).request_from(compaction.after_message + 1)
    return request.call if request is not None and request.turn == turn else 1


def grows_a_list(run: Run) -> bool:
    """Whether each summary is an entry of an accumulating list, and replaces none."""
    return run.strategy.trigger is Trigger.TURN


def never_summarizes(run: Run) -> bool:
    """Whether this setting has no summaries at all, whatever the conversation."""
    return run.strategy.headroom(Memory(run.space, 0)) is None


def tokens_in_force(run: Run, event: CompactionEvent) -> int:
    """Tokens of what stands for older messages once the event is over: of the newest summary's text, or of the
    whole list with its headings."""
    count = event.compaction.after.summary_count
    if _is_of_a_list(event):
        return run.space.summaries.tokens(0, count)
    return run.space.summaries.versions[count - 1].tokens if count else 0


def text_in_force(run: Run, event: CompactionEvent) -> str:
    """What stands for older messages once the event is over: the newest summary's text, or the whole list as it is
    sent; empty while there is none."""
    count = event.compaction.after.summary_count
    if not count:
        return ""
    return run.space.summaries.text(0, count) if _is_of_a_list(event) else run.space.summaries.versions[count - 1].text


def _is_of_a_list(event: CompactionEvent) -> bool:
    return event.compaction.strategy.trigger is Trigger.TURN
