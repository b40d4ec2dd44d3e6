"""Scores of answers: how right they are by their words alone; no model is asked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memviz.core.text.containment import contains, normal_tokens
from memviz.engine.judging import JudgedAnswer
from memviz.models.base import sum_if_known

ARTICLES = frozenset({"a", "an", "the"})


def contains_answer(reply: str, answers: Iterable[str]) -> bool:
    """Return whether ``reply`` contains one of ``answers`` as whole words in order; see
    :mod:`memviz.core.text.containment` for what makes two words the same."""
    return any(contains(reply, answer) for answer in answers)


def measure_token_f1(reply: str, answers: Iterable[str]) -> float:
    """Return the best F1 (0 to 1) of the words of ``reply`` against one of ``answers``.

    As the SQuAD evaluation has it: F1 is the harmonic mean of precision and recall over the two bags of words,
    English articles left out. Words are those of :mod:`memviz.core.text.containment`, so Chinese is compared by
    characters and numbers by value. 0 if the reply or every answer has no word.
    """
    reply_words = _count_words(reply)
    return max(
        (_measure_f1(reply_words, _count_words(answer)) for answer in answers),
        default=0.0,
    )


def _count_words(text: str) -> Counter[str]:
    words = normal_tokens(text)
    return Counter([word for word in words if word not in ARTICLES] or words)


def _measure_f1(words: Counter[str], accepted_words: Counter[str]) -> float:
    shared = (words & accepted_words).total()
    return 2 * shared / (words.total() + accepted_words.total()) if shared else 0.0


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The answers of one run."""

    asked: int
    """All questions."""
    failed: int
    """Questions that got no reply."""
    containing: int
    """Replies that contain an accepted answer."""
    mean_f1: float | None
    """Of the replies; ``None`` without one."""
    right: int
    """Replies that the judge found right."""
    wrong: int
    """Replies that the judge found wrong."""
    cost_usd: float | None
    """What the answers cost; ``None`` where a price is unknown."""

    @property
    def answered(self) -> int:
        """Questions that got a reply."""
        return self.asked - self.failed


def score_answers(
    results: Sequence[JudgedAnswer], runs: int
) -> tuple[AnswerScores, ...]:
    """Return the scores of each of ``runs`` runs, by their number. An error is no reply and scores nothing."""
    scores = []
    for number in range(runs):
        own_results = [result for result in results if result.run == number]
        scores.append(_score_results(own_results))
    return tuple(scores)


def _score_results(results: Sequence[JudgedAnswer]) -> AnswerScores:
    containing = 0
    f1: list[float] = []
    verdicts: list[str | None] = []
    for result in results:
        # A question without a reply failed: it counts apart, and lowers no mean.
        if result.reply is not None:
            answers = result.probe.answers
            containing += contains_answer(result.reply, answers)
            f1.append(measure_token_f1(result.reply, answers))
            verdicts.append(result.verdict)
    return AnswerScores(
        asked=len(results),
        failed=len(results) - len(f1),
        containing=containing,
        mean_f1=sum(f1) / len(f1) if f1 else None,
        right=verdicts.count("right"),
        wrong=verdicts.count("wrong"),
        cost_usd=sum_if_known(result.cost_usd for result in results),
    )
