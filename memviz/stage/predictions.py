"""Questions to whoever watches the stage, made from any conversation's runs and facts and answered by them.

Four kinds: will it summarize before this request, which messages stay word for word, does the model still know this
fact, which setting is cheapest. None is written by hand.
"""

from __future__ import annotations

from collections.abc import Sequence

from memviz.charts.setting_run import SettingRun
from memviz.errors import ParameterError
from memviz.metrics.requests.request_axis import axis_of, numbers_of_turn
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.stage import cheapest, still_known, what_stays, will_summarize
from memviz.stage.choosing import spread
from memviz.stage.question import KINDS, Candidate, Kind, Question, StagedRun
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

__all__ = ["KINDS", "Kind", "Question", "predict", "predictions"]

MOST_QUESTIONS = 12


def predictions(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    retentions: Sequence[Retention | None] | None = None,
    assumptions: PricingAssumptions | None = None,
    at_most: int = MOST_QUESTIONS,
    steps: range | None = None,
) -> list[Question]:
    """At most so many questions on the runs of ``settings``, which are over one conversation, in the order of their
    steps, of all or of those ``steps`` (from 0) that are shown; the same ones for the same runs. No two stand before
    one step or are about one event.

    ``retentions`` are those of the settings, in their order (``None``: no fact of it is asked for); without them the
    facts of ``transcript`` are looked up. Without ``assumptions`` on prices, or where one is unknown, the cheapest
    setting is told by tokens.
    """
    staged = _staged(settings, steps)
    if not staged or at_most < 1:
        return []
    kept = _retentions(staged, transcript, retentions)
    found = cheapest.race(staged, assumptions)
    by_kind: dict[Kind, list[Candidate]] = {
        "summarizes": [
            one for each in staged for one in will_summarize.candidates(each)
        ],
        "stays": [one for each in staged for one in what_stays.candidates(each)],
        "knows": [
            one
            for each, known in zip(staged, kept, strict=True)
            if known is not None
            for one in still_known.candidates(each, known)
        ],
        "cheapest": [] if found is None else list(cheapest.candidates(found)),
    }
    return spread(by_kind, staged[0].steps, at_most)


def predict(
    kind: Kind,
    settings: Sequence[SettingRun],
    transcript: Transcript,
    *,
    turn: int,
    setting: int = 0,
    fact: int | None = None,
    call: int | None = None,
    retentions: Sequence[Retention | None] | None = None,
    assumptions: PricingAssumptions | None = None,
) -> Question:
    """One question of a ``kind`` on the request of ``turn`` under ``setting`` (its place in ``settings``, from 0), or
    on all settings up to ``turn`` where it asks for the cheapest. Of several requests of a turn it is about ``call``
    (from 1); ``None``: the first one that a compaction changed, or the last. *knows* asks for ``fact``, the number of
    a probe (from 0).

    Raises :class:`memviz.ParameterError` for what is not there, and where the run gives no answer: where nobody could
    choose between ranges of messages, or two settings are level.
    """
    staged = _staged(settings)
    if kind not in KINDS:
        raise ParameterError("kind", kind, f"one of {', '.join(KINDS)}")
    if kind == "cheapest":
        return _cheapest(staged, turn, assumptions)
    if not 0 <= setting < len(staged):
        raise ParameterError(
            "setting", setting, f"0 to {len(staged) - 1}, a setting's place"
        )
    one = staged[setting]
    request = _request(one, turn, call)
    if kind == "summarizes":
        return will_summarize.question(one, request)
    if kind == "stays":
        return _asked(
            what_stays.question(one, request),
            "turn",
            turn,
            "a turn whose request leaves messages out",
        )
    given = None if retentions is None else [retentions[setting]]
    (known,) = _retentions([one], transcript, given)
    if known is None or not known.probes:
        raise ParameterError("kind", kind, "another kind: there are no facts")
    if fact is None or not 0 <= fact < len(known.probes):
        raise ParameterError(
            "fact", fact, f"0 to {len(known.probes) - 1}, the number of a fact"
        )
    return still_known.question(one, known, request, fact)


def _cheapest(
    staged: Sequence[StagedRun], turn: int, assumptions: PricingAssumptions | None
) -> Question:
    found = cheapest.race(staged, assumptions)
    if found is None:
        raise ParameterError(
            "kind", "cheapest", "another kind: there are not two settings with requests"
        )
    if not 1 <= turn <= found.turns:
        raise ParameterError("turn", turn, f"1 to {found.turns}")
    return _asked(
        cheapest.question(found, turn),
        "turn",
        turn,
        "a turn at which no two settings are level",
    )


def _asked(
    question: Question | None, name: str, value: object, allowed: str
) -> Question:
    if question is None:
        raise ParameterError(name, value, allowed)
    return question


def _request(staged: StagedRun, turn: int, call: int | None) -> int:
    """The number of the request that is meant."""
    numbers = numbers_of_turn(staged.run, turn)
    if not numbers:
        turns = staged.run.columns.turns
        raise ParameterError(
            "turn", turn, f"1 to {int(turns.max(initial=0))}, a turn with a request"
        )
    if call is not None:
        if not 1 <= call <= len(numbers):
            raise ParameterError("call", call, f"1 to {len(numbers)}")
        return numbers[call - 1]
    changed = [number for number in numbers if staged.run.requests[number].compactions]
    return changed[0] if changed else numbers[-1]


def _staged(
    settings: Sequence[SettingRun], steps: range | None = None
) -> list[StagedRun]:
    axis = axis_of(one.run for one in settings)
    every = range(int(axis.lasts[-1]))
    shown = every if steps is None else every[steps.start : steps.stop]
    return [
        StagedRun(one.run, one.label, number, axis, shown)
        for number, one in enumerate(settings)
    ]


def _retentions(
    staged: Sequence[StagedRun],
    transcript: Transcript,
    given: Sequence[Retention | None] | None,
) -> Sequence[Retention | None]:
    if given is not None:
        return given
    texts: dict[int, ProbeTexts] = {}
    found = []
    for one in staged:
        log = one.run.log
        texts[id(log)] = texts.get(id(log)) or ProbeTexts(log, transcript.probes)
        found.append(retention(one.run, transcript.probes, texts[id(log)]))
    return found
