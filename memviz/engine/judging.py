"""Ask the probes of a conversation under every setting, and let another model judge the answers."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from memviz.core.errors import MalformedReplyError, MemvizError, ModelError
from memviz.engine.asking import ask
from memviz.engine.calls import ReplyFacts
from memviz.engine.judge_prompt import judge_request, unreadable, verdict_of
from memviz.engine.judged_answer import JudgedAnswer
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.models.base import Model
from memviz.models.first_failure import ends_all
from memviz.models.registry import model as find_model
from memviz.transcripts.base import Probe

MAX_FAILURES_IN_A_ROW = 3
"""So many failures one after the other are no accident: the rest is not asked."""


class Judging:
    """Every one of ``probes`` asked at the end of every one of ``runs``, and judged by ``judge`` if there is one.

    Go on with :meth:`step` until :attr:`is_complete`, or all at once with :meth:`steps`; stop at any time:
    ``results`` holds what was answered so far, in the order of the probes and, within each, of the runs. The runs
    stay as they are. ``summarizer`` is asked where a question makes a strategy summarize first; by default the
    answering model is. ``recall_tool`` is what :func:`memviz.engine.asking.ask` takes.

    ``so_far`` are results of an earlier judging of the same runs and probes: what has a verdict is taken over,
    what has a reply alone is only judged, and what failed is asked again.

    Raises :class:`memviz.core.errors.UnknownModelError` for the name of a model that cannot be one.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        probes: Sequence[Probe],
        *,
        model: Model | str,
        summarizer: Model | str | None = None,
        judge: Model | str | None = None,
        recall_tool: bool | None = None,
        so_far: Iterable[JudgedAnswer] = (),
    ) -> None:
        self._runs, self._recall_tool = tuple(runs), recall_tool
        self._model, self._judge = _model(model), _model(judge)
        self._summarizer = _model(summarizer) or self._model
        kept = {
            (answer.probe, answer.run): answer
            for answer in so_far
            if answer.reply is not None
        }
        self._work = [
            kept.get((probe, run)) or JudgedAnswer(probe, run)
            for probe in probes
            for run in range(len(self._runs))
        ]
        self._tried = [self._is_done(answer) for answer in self._work]
        self._failures_in_a_row = 0

    @property
    def total(self) -> int:
        """How many answers there are to be: one a probe and run."""
        return len(self._work)

    @property
    def done(self) -> int:
        """How many of them are settled, failed ones included."""
        return sum(self._tried)

    @property
    def is_complete(self) -> bool:
        """Whether every probe was asked of every run."""
        return all(self._tried)

    @property
    def results(self) -> tuple[JudgedAnswer, ...]:
        """What was answered, judged or failed so far."""
        told = zip(self._work, self._tried, strict=True)
        return tuple(
            answer for answer, tried in told if tried or answer.reply is not None
        )

    def steps(self) -> Generator[tuple[int, int], None, None]:
        """All steps that are left; yields :attr:`done` and :attr:`total` after each. Raises as :meth:`step`."""
        while not self.is_complete:
            self.step()
            yield self.done, self.total

    def step(self) -> JudgedAnswer | None:
        """Ask and judge the next one; ``None`` when there is none left.

        A failure is written down with its question, and the next step goes on. It is raised instead, as the
        :class:`memviz.core.errors.ModelError` it is, if the next question would fail in the same way: there is no such
        model, the key is missing or refused, nothing answers at the address, or it is the third failure in a row,
        counting verdicts that could not be read; and so is a
        :class:`memviz.core.errors.BudgetSpentError`. What raises is not settled: the next step tries it again.
        """
        at = next(
            (number for number, tried in enumerate(self._tried) if not tried), None
        )
        if at is None:
            return None
        answer, failure = self._asked(self._work[at])
        if failure is None:
            answer, failure = self._judged(answer)
        self._work[at] = answer
        self._stop_if_hopeless(failure)
        self._tried[at] = True
        return answer

    def _is_done(self, answer: JudgedAnswer) -> bool:
        return answer.reply is not None and (
            answer.verdict is not None or self._judge is None
        )

    def _asked(self, answer: JudgedAnswer) -> tuple[JudgedAnswer, MemvizError | None]:
        """With the reply of the run. One that was given before is not asked for again."""
        if answer.reply is not None:
            return answer, None
        run, question = self._runs[answer.run], answer.probe.question
        try:
            record = ask(
                run,
                question,
                model=self._model,
                summarizer=self._summarizer,
                recall_tool=self._recall_tool,
            )
        except MemvizError as failure:
            return replace(answer, error=str(failure)), failure
        return replace(
            answer,
            reply=record.reply,
            error=None,
            sent_tokens=record.sent_tokens,
            record=record,
            calls=tuple(one.facts for one in record.requests if one.facts),
            summaries=tuple(_summaries(run, record)),
        ), None

    def _judged(self, answer: JudgedAnswer) -> tuple[JudgedAnswer, MemvizError | None]:
        """With the judge's verdict, if there is a judge."""
        if self._judge is None:
            return answer, None
        started = perf_counter()
        try:
            said = self._judge.complete(judge_request(answer.probe, answer.reply or ""))
        except MemvizError as failure:
            return replace(answer, error=str(failure)), failure
        facts = ReplyFacts.of(said, self._judge.name, perf_counter() - started)
        name = facts.model
        answer = replace(answer, judging=(*answer.judging, facts))
        verdict = verdict_of(said.text)
        if verdict is not None:
            return replace(answer, verdict=verdict, error=None), None
        nothing = MalformedReplyError(unreadable(name, said.text), model=name)
        return replace(answer, error=str(nothing)), nothing

    def _stop_if_hopeless(self, failure: MemvizError | None) -> None:
        """Raise a failure after which it makes no sense to go on. A question that memviz itself refuses was
        not asked of any model, and says nothing about the next."""
        if failure is None:
            self._failures_in_a_row = 0
        elif isinstance(failure, ModelError) or ends_all(failure):
            self._failures_in_a_row += 1
            if ends_all(failure) or self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                self._failures_in_a_row = 0
                raise failure


def _summaries(run: Run, record: TurnRecord) -> Iterable[ReplyFacts]:
    """The summarizer's calls that the question brought about; those of the run itself are paid for."""
    own = {id(compaction) for compaction in run.compactions}
    for compaction in (
        compaction for one in record.requests for compaction in one.compactions
    ):
        if compaction.asked and id(compaction) not in own:
            yield ReplyFacts(
                compaction.model,
                compaction.usage,
                compaction.cost,
                compaction.seconds,
                compaction.recorded,
            )


def _model(model: Any) -> Any:
    return find_model(model) if isinstance(model, str) else model
