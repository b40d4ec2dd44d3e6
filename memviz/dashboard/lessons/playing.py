"""The runs behind a lesson: its conversation replayed under the settings of a step, by recorded summaries where there
are some and the built-in model's where there are none. No paid model is ever asked."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core import page_titles
from memviz.core.errors import LessonError, MemvizError
from memviz.core.text.wording import counted, distinct_names, listed
from memviz.core.translation import _, noop
from memviz.dashboard.lessons.lesson import Point
from memviz.dashboard.lessons.study import RecalledTurns, Study, View, query_of
from memviz.engine.recall import Recall
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.metrics.requests.request_axis import find_numbers_of_turn
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.retention import retention
from memviz.models.names import OFFLINE, RECORDING
from memviz.storage.workspace import RunKey, Workspace
from memviz.strategies import strategy
from memviz.strategies.base import Strategy, Trigger
from memviz.transcripts.base import Probe, Transcript
from memviz.transcripts.samples import bundled
from memviz.tuning.pricing_assumptions import PricingAssumptions

FACTS_NAMED = 5
"""In the sentence on a fact that is not there."""
NO_PLACE = noop("there is no fact {fact}: the conversation has {facts}.")
NO_FACT = noop(
    "there is no fact with the answer “{answer}”; the conversation's facts are {facts}."
)
SEVERAL_FACTS = noop(
    "there is more than one fact with the answer “{answer}”; the conversation's facts are {facts}."
)
NOT_THERE = noop(
    "the conversation “{conversation}” is not here: it was deleted, or belongs to another machine. "
    "Import it in the {library}, or change the lesson's conversation."
)
NO_PRICE = noop("no price is known of {name}.")


@dataclass(frozen=True, eq=False)
class PlayedStudy:
    """A study with the run of each of its settings. ``lesson`` is what errors name."""

    lesson: str
    study: Study
    transcript: Transcript
    runs: tuple[Run, ...]

    @property
    def labels(self) -> list[str]:
        """The settings in a few words, in the language of who reads them."""
        return distinct_names([run.label for run in self.runs])

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The facts of the conversation."""
        return tuple(self.transcript.probes)

    def fail(self, problem: str) -> LessonError:
        """The error for something that the lesson says of these runs and that cannot be."""
        return LessonError(self.lesson, problem)

    def fact(self, named: int | str | None) -> int:
        """The place of a fact among the conversation's: it is named by that, or by one of its answers. Raises
        :class:`LessonError`."""
        probes = self.probes
        if isinstance(named, int):
            if named < len(probes):
                return named
            raise self.fail(_(NO_PLACE, fact=named, facts=counted(probes, "fact")))
        wanted = (named or "").casefold()
        places = []
        for place, probe in enumerate(probes):
            if wanted in map(str.casefold, probe.answers):
                places.append(place)
        if len(places) == 1:
            return places[0]
        names = [probe.answers[0] for probe in probes[:FACTS_NAMED]]
        more = len(probes) - FACTS_NAMED
        if more > 0:
            names.append(_("{number} more", number=more))
        template = SEVERAL_FACTS if places else NO_FACT
        raise self.fail(_(template, answer=named, facts=listed(names)))


class Spot(NamedTuple):
    """A point of runs that were played, with what stands there."""

    played: PlayedStudy
    point: Point

    @property
    def run(self) -> Run:
        """The run that something is measured in."""
        return self.played.runs[self.point.setting]

    @property
    def number(self) -> int:
        """The number (0-based) of the request that is meant: the named call, or the last one, of a turn; without a turn
        the last request of all. Raises :class:`memviz.LessonError`."""
        turn = self.point.turn
        call = self.point.call
        if turn is None and len(self.run.requests):
            return len(self.run.requests) - 1
        numbers = find_numbers_of_turn(self.run, turn or 0)
        if not numbers:
            raise self.played.fail(
                _(
                    "there is no turn {turn}: the conversation has {turns}.",
                    turn=turn or 1,
                    turns=counted(self.run.log.turn_count, "turn"),
                )
            )
        if call is not None and call > len(numbers):
            raise self.played.fail(
                _(
                    "turn {turn} has no call {call}: it has {calls}.",
                    turn=turn,
                    call=call,
                    calls=counted(numbers, "call"),
                )
            )
        return numbers[-1] if call is None else numbers[call - 1]

    @property
    def record(self) -> TurnRecord:
        """The request that is meant. Raises :class:`memviz.LessonError`."""
        return self.run.requests[self.number]

    @property
    def message(self) -> int:
        """The log position of the message that is meant. Raises :class:`memviz.LessonError`."""
        number = self.point.message or 0
        messages = len(self.run.log)
        if not 1 <= number <= messages:
            raise self.played.fail(
                _(
                    "there is no message {message}: the conversation has {messages:,} messages.",
                    message=self.point.message,
                    messages=messages,
                )
            )
        return number - 1

    @property
    def fact(self) -> int:
        """The place of the fact that is meant. Raises :class:`memviz.LessonError`."""
        return self.played.fact(self.point.fact)

    @property
    def retention(self) -> Retention:
        """The facts that the requests of the run retain. Raises :class:`memviz.LessonError` where there are none."""
        run = self.run
        probes = self.played.probes
        if not probes:
            raise self.played.fail(_("the conversation has no facts."))
        return run.once((retention, probes), lambda: retention(run, probes))

    @property
    def cost(self) -> Cost:
        """The costs of the run, on the terms of the point or else of the study."""
        study = self.played.study
        pause = self.point.pause_seconds
        if pause is None:
            pause = study.pause_seconds
        prices_of = self.point.prices_of or study.prices_of
        terms = PricingAssumptions.of(prices_of, pause_seconds=pause)
        return terms.cost(count_traffic(self.run))

    @property
    def usd_so_far(self) -> float:
        """US dollars of both models up to and including the request that is meant. Raises :class:`memviz.LessonError`
        where a price is unknown."""
        cost = self.cost
        usd = cost.cumulative_usd
        if usd is None:
            raise self.played.fail(_(NO_PRICE, name=cost.missing[0]))
        record = self.record
        at = np.flatnonzero((cost.turns == record.turn) & (cost.calls == record.call))
        return float(usd[at[-1]]) if len(at) else 0.0

    @property
    def fates(self) -> NDArray[np.uint8]:
        """The fate of every message at the request that is meant."""
        return self.run.fates_at(self.record)


def play_study(
    study: Study,
    workspace: Workspace,
    lesson: str = "lesson",
    progress: Callable[[int, int], object] | None = None,
) -> PlayedStudy:
    """Replay a study. Runs that were made before are found again; ``progress`` gets the turns done and in all of one
    that is made now. Raises :class:`LessonError` where its conversation is not there."""
    id = study.conversation_id
    if study.conversation not in bundled() and not workspace.store.exists(id):
        problem = _(
            NOT_THERE,
            conversation=study.conversation,
            library=_(page_titles.LIBRARY),
        )
        raise LessonError(lesson, problem)
    transcript, _version = workspace.conversation(id)
    runs = []
    for number, setting in enumerate(study.settings):
        recalls = recalls_of(study.recalls, number, setting)
        key = RunKey(id, setting, study.counter, OFFLINE, recalls)
        if setting.trigger is not Trigger.NEVER:
            named = study.writer and RECORDING + study.writer
            key = replace(key, summarizer=named or workspace.recorded_for(key))
        runs.append(workspace.run(key, workspace.free_summarizer(key), progress))
    return PlayedStudy(lesson, study, transcript, tuple(runs))


def play_view(view: View, workspace: Workspace, lesson: str) -> PlayedStudy | None:
    """Replay the study of a view; ``None`` where it shows no conversation under a setting. Raises
    :class:`LessonError` as :func:`play_study` does."""
    study = view.study
    if not (study.settings and study.conversation):
        return None
    return play_study(study, workspace, lesson)


def recalls_of(
    recalls: Sequence[RecalledTurns], setting: int, strategy: Strategy
) -> tuple[tuple[int, Recall], ...]:
    """Return what is recalled into the requests of a setting."""
    if not strategy.allows_recall:
        return ()
    turns = []
    for recall in recalls:
        if recall.setting in (None, setting):
            turns.append((recall.turn, recall.turns))
    return tuple((turn, Recall(turns=recalled)) for turn, recalled in sorted(turns))


def find_shown_fact(view: View, played: PlayedStudy | None) -> int | None:
    """Return the place of the fact that a view of Facts points at; ``None`` where it points at none that is there."""
    named = view.highlight.fact
    if view.page != "facts" or named is None or played is None:
        return None
    if played.study.conversation != view.study.conversation:
        return None
    with suppress(MemvizError):  # the step itself says what is wrong with it
        return played.fact(named)
    return None


def lesson_query(view: View, played: PlayedStudy | None) -> str:
    """Return the query of the address that opens a view of a lesson. Its settings name what is not their default."""
    settings = []
    for setting in view.study.settings:
        settings.append(
            strategy(setting.id, **setting.model_dump(exclude_defaults=True))
        )
    return query_of(
        replace(view, study=replace(view.study, settings=tuple(settings))),
        find_shown_fact(view, played),
    )


def format_address(view: View, played: PlayedStudy | None) -> str:
    """Return the address on every memviz, from its first slash on: ``/compare?conversation=sample-trip``.
    Empty for a view of a saved conversation, which only one server has."""
    if view.study.conversation not in bundled():
        return ""
    return f"/{view.page_file}?{lesson_query(view, played)}".rstrip("?")


def follow_fact(view: View, shown: View) -> View:
    """Return a view to try, which follows the fact of the view that is shown unless it names one."""
    if view.highlight.fact is not None or shown.highlight.fact is None:
        return view
    return replace(view, highlight=replace(view.highlight, fact=shown.highlight.fact))
