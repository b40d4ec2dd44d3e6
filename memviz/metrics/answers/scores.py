"""How right a reply is by its words alone: does it contain an accepted answer, and how much else does it say?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memviz.core.text.containment import contains, normal_tokens
from memviz.engine.judged_answer import JudgedAnswer

ARTICLES = frozenset({"a", "an", "the"})


def contains_answer(reply: str, answers: Iterable[str]) -> bool:
    """Whether ``reply`` contains one of ``answers`` as whole words in order; see :mod:`memviz.core.text.containment`
    for what makes two words the same."""
    return any(contains(reply, answer) for answer in answers)


def token_f1(reply: str, answers: Iterable[str]) -> float:
    """The best F1 (0 to 1) of the words of ``reply`` against one of ``answers``.

    As the SQuAD evaluation has it: F1 is the harmonic mean of precision and recall over the two bags of words,
    English articles left out. Words are those of :mod:`memviz.core.text.containment`, so Chinese is compared by
    characters and numbers by value. 0 if the reply or every answer has no word.
    """
    said = _bag(reply)
    return max((_f1(said, _bag(answer)) for answer in answers), default=0.0)


def _bag(text: str) -> Counter[str]:
    words = normal_tokens(text)
    return Counter([word for word in words if word not in ARTICLES] or words)


def _f1(said: Counter[str], accepted: Counter[str]) -> float:
    shared = (said & accepted).total()
    return 2 * shared / (said.total() + accepted.total()) if shared else 0.0


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The answers of one run. ``asked`` questions, of which ``failed`` got no reply; of the replies, how many
    contain an accepted answer, their mean F1 (0 to 1, ``None`` without a reply), and what the judge said:
    ``right``, ``wrong``, or nothing that could be read (``unjudged``)."""

    asked: int
    failed: int
    containing: int
    mean_f1: float | None
    right: int
    wrong: int
    unjudged: int
    cost_usd: float | None

    @property
    def answered(self) -> int:
        """Questions that got a reply."""
        return self.asked - self.failed


def answer_scores(
    results: Sequence[JudgedAnswer], runs: int
) -> tuple[AnswerScores, ...]:
    """The scores of each of ``runs`` runs, by their number. An error is no reply and scores nothing."""
    return tuple(
        _scores([result for result in results if result.run == number])
        for number in range(runs)
    )


def _scores(results: Sequence[JudgedAnswer]) -> AnswerScores:
    told = [
        (result.reply, result.probe.answers)
        for result in results
        if result.reply is not None
    ]
    verdicts = Counter(result.verdict for result in results if result.reply is not None)
    costs = [result.cost_usd for result in results]
    known = [cost for cost in costs if cost is not None]
    return AnswerScores(
        asked=len(results),
        failed=len(results) - len(told),
        containing=sum(contains_answer(reply, answers) for reply, answers in told),
        mean_f1=sum(token_f1(reply, answers) for reply, answers in told) / len(told)
        if told
        else None,
        right=verdicts["right"],
        wrong=verdicts["wrong"],
        unjudged=verdicts[None],
        cost_usd=sum(known) if len(known) == len(costs) else None,
    )
