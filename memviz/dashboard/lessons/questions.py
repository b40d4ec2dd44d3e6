"""The questions of steps, ready to be shown: as they were written, and predictions with the answer and the reason
that their run gives, in both languages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from memviz.core.text.wording import SEMICOLON, counted, dollars
from memviz.core.translation import _, noop, pgettext
from memviz.dashboard.lessons.lesson import (
    Point,
    Prediction,
    Question,
    Step,
    Text,
    apply_in_languages,
)
from memviz.dashboard.lessons.measure import Value
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.playing import PlayedStudy, Spot
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn
from memviz.strategies.clauses import Fill

_PLACES = {
    "verbatim": noop("A message that states it is sent word for word."),
    "recalled": noop("The message that states it was recalled."),
    "summary": noop("The message is gone, and the summary holds it."),
    "system": noop("The system prompt holds it."),
    "lost": noop("Neither the message nor the summary that is sent holds it any more."),
    "lost_unsummarized": noop("No message that is sent holds it any more."),
    "contradicted": noop("Only what denies it or what it was before is sent."),
    "unknown": noop("It may stand in what nobody can read."),
    "not told": noop("It has not been told yet."),
}


def prepare_question(step: Step, played: PlayedStudy | None) -> Question | None:
    """Return what a step asks; ``None`` where it asks nothing. Raises :class:`memviz.LessonError` for a prediction
    about what is not there."""
    asked = step.asked
    if asked is None or isinstance(asked, Question):
        return asked
    assert played is not None  # noqa: S101 - a prediction is read only where there are settings
    return _QUESTION_MAKERS[asked.kind](_PlayedPrediction(asked, played))


@dataclass(frozen=True)
class _PlayedPrediction:
    """A prediction, and the runs that answer it."""

    prediction: Prediction
    played: PlayedStudy

    @property
    def turn(self) -> int:
        return self.prediction.turn

    @property
    def run(self) -> Run:
        return self.played.runs[self.prediction.setting]

    @property
    def label(self) -> str:
        return f"**{_plain(self.played.labels[self.prediction.setting])}**"

    @property
    def point(self) -> Point:
        return Point("", self.prediction.setting, self.turn, fact=self.prediction.fact)

    def take(self, measure: str) -> Value:
        return MEASURES[measure].take(self.played, self.point)

    def count(self, measure: str) -> int:
        return int(self.take(measure))


def _ask_whether_it_summarizes(predicted: _PlayedPrediction) -> Question:
    text = apply_in_languages(
        lambda: _(
            "Will {setting} write a summary right before the request of turn {turn}?",
            setting=predicted.label,
            turn=predicted.turn,
        )
    )
    choices = (
        apply_in_languages(lambda: pgettext("it will", "Yes")),
        apply_in_languages(lambda: pgettext("it will", "No")),
    )
    answer = 1
    why = _explain_no_summary
    if predicted.take("summarizes"):
        answer = 0
        why = _explain_summary
    return Question(text, choices, answer, apply_in_languages(lambda: why(predicted)))


def _explain_summary(predicted: _PlayedPrediction) -> str:
    sizes = _(
        "Without the summary the request would have had {before:,} tokens; with it, it has {after:,}.",
        before=predicted.count("tokens_before_summary"),
        after=predicted.count("tokens_after_summary"),
    )
    fill = _fill_when_due(predicted.run, predicted.turn)
    if fill is None or not fill.is_over:
        return sizes
    return _(
        "The rule counts {held}, and its limit is {limit:,}. {sizes}",
        held=_fill_words(fill),
        limit=fill.limit,
        sizes=sizes,
    )


def _fill_when_due(run: Run, turn: int) -> Fill | None:
    """Return how full the memory was when the summary of a turn came due, where the strategy's rule can say it in
    numbers."""
    numbers = find_numbers_of_turn(run, turn)
    for compaction in run.compactions:
        if compaction.is_summarization and run.request_number(compaction) in numbers:
            return compaction.strategy.fill(compaction.before)
    return None


def _fill_words(fill: Fill) -> str:
    """Return what the rule counts in the memory: ``12 messages``."""
    return counted(fill.held, fill.unit.removesuffix("s"))


def _explain_no_summary(predicted: _PlayedPrediction) -> str:
    memory = Spot(predicted.played, predicted.point).record.memory
    fill = predicted.run.strategy_at(predicted.turn).fill(memory)
    if fill is None or not fill.limit:
        return _(
            "None was due: {written} so far.",
            written=predicted.take("summaries_written"),
        )
    return _(
        "It is not time: the rule counts {held} of {limit:,}.",
        held=_fill_words(fill),
        limit=fill.limit,
    )


def _ask_how_many_stay(predicted: _PlayedPrediction) -> Question:
    messages_so_far = predicted.count("messages_said")
    sent = predicted.count("messages_sent")
    summarized = predicted.count("messages_summarized")
    plausible = dict.fromkeys((messages_so_far, sent // 2, sent + 4, sent * 2))
    wrong = [number for number in plausible if number != sent and number > 0]
    numbers = sorted([sent, *wrong[:2]])
    text = apply_in_languages(
        lambda: _(
            "How many messages does {setting} send word for word at turn {turn}?",
            setting=predicted.label,
            turn=predicted.turn,
        )
    )
    reason = apply_in_languages(
        lambda: _(
            "Of {said:,} messages so far, {sent:,} are sent word for word, and a summary stands for {summarized:,}.",
            said=messages_so_far,
            sent=sent,
            summarized=summarized,
        )
    )
    choices = tuple(Text(f"{number:,}", f"{number:,}") for number in numbers)
    return Question(text, choices, numbers.index(sent), reason)


def _ask_whether_it_knows(predicted: _PlayedPrediction) -> Question:
    probe = predicted.played.probes[predicted.played.fact(predicted.prediction.fact)]
    text = apply_in_languages(
        lambda: _(
            "Does the request of turn {turn} still hold {fact} under {setting}?",
            turn=predicted.turn,
            fact=f"**{_plain(probe.answers[0])}**",
            setting=predicted.label,
        )
    )
    place_name = str(predicted.take("fact_place"))
    if place_name == "lost" and not predicted.take("summaries_written"):
        place_name = "lost_unsummarized"
    place = _PLACES[place_name]
    choices = (
        apply_in_languages(lambda: pgettext("it is there", "Yes")),
        apply_in_languages(lambda: pgettext("it is there", "No")),
    )
    answer = 0 if predicted.take("fact_known") else 1
    return Question(text, choices, answer, apply_in_languages(lambda: _(place)))


def _ask_which_costs_least(predicted: _PlayedPrediction) -> Question:
    played = predicted.played
    settings = range(len(played.runs))
    points = [predicted.point._replace(setting=number) for number in settings]
    amounts = [Spot(played, point).usd_so_far for point in points]
    text = apply_in_languages(
        lambda: _(
            "Which setting has cost least up to turn {turn}?", turn=predicted.turn
        )
    )
    reason = apply_in_languages(
        lambda: _("So far: {costs}.", costs=_costs_words(played.labels, amounts))
    )
    choices = tuple(
        apply_in_languages(partial(_label_of, played, at)) for at in settings
    )
    return Question(text, choices, amounts.index(min(amounts)), reason)


_QUESTION_MAKERS = {
    "summarizes": _ask_whether_it_summarizes,
    "stays": _ask_how_many_stay,
    "knows": _ask_whether_it_knows,
    "cheapest": _ask_which_costs_least,
}
"""By the kind of a prediction, the function that makes its question."""


def _label_of(played: PlayedStudy, setting: int) -> str:
    return played.labels[setting]


def _costs_words(labels: Sequence[str], amounts: Sequence[float]) -> str:
    costs = []
    for label, amount in zip(labels, amounts, strict=True):
        costs.append(f"{_plain(label)} {dollars(amount)}")
    return _(SEMICOLON).join(costs)


def _plain(text: str) -> str:
    """Return a text of a strategy or a conversation such that the Markdown of lessons shows it as it is."""
    flat = " ".join(text.split())
    return re.sub(r"[\\`*_>#-]", r"\\\g<0>", flat)
