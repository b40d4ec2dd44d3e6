"""What asking all probes under every setting would cost, and judging the answers, told before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memviz.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.judge_prompt import judge_request
from memviz.engine.run import Run
from memviz.metrics.cost.estimate import by_model, dollars, list_price_usd, rounded_tokens
from memviz.models.base import Usage
from memviz.strategies.base import Trigger
from memviz.transcripts.base import Probe

VERDICT = "WRONG"


@dataclass(frozen=True, slots=True)
class Work:
    """Calls of one kind: how many, and their tokens in and out together."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @classmethod
    def of(cls, usages: Sequence[Usage]) -> Work:
        """The sum of ``usages``, one a call."""
        return cls(len(usages), sum(u.input_tokens for u in usages), sum(u.output_tokens for u in usages))

    @property
    def tokens_in_words(self) -> str:
        """The tokens, to three digits."""
        return f"about {rounded_tokens(self.input_tokens)} tokens in and {rounded_tokens(self.output_tokens)} out"


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """The calls of the answering model, of the summarizer and of the judge, apart, and their list price.

    ``usd`` is for all of them, in US dollars without any discount for a cached prompt; ``None`` if a price that
    is needed is unknown, and ``unknown_prices`` then names the models. What a model recalls by itself or thinks
    comes on top.
    """

    answering: Work = field(default_factory=Work)
    summarizing: Work = field(default_factory=Work)
    judging: Work = field(default_factory=Work)
    usd: float | None = 0.0
    unknown_prices: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The estimate in words."""
        text = f"{_counted(self.answering.calls, 'question')}: {self.answering.tokens_in_words}"
        if self.summarizing.calls:
            text += f"; {_counted(self.summarizing.calls, 'summary')}: {self.summarizing.tokens_in_words}"
        if self.judging.calls:
            text += f"; {_counted(self.judging.calls, 'verdict')}: {self.judging.tokens_in_words}"
        if self.usd is None:
            several = len(self.unknown_prices) > 1
            names = " and ".join(self.unknown_prices)
            return f"{text}. The {'prices' if several else 'price'} of {names} {'are' if several else 'is'} unknown."
        return f"{text}, in all about {dollars(self.usd)} at list price." if self.usd else f"{text}, at no cost."


def judge_estimate(
    runs: Sequence[Run], probes: Sequence[Probe], model: str, summarizer: str, judge: str | None = None
) -> JudgeEstimate:
    """What it will cost to ask every one of ``probes`` under every one of ``runs``, and to let ``judge`` judge.

    A question is taken to send what the run's last request sent, the reply to it and the question (exact for a
    full buffer, and mostly a little too much for a setting with a limit), and its answer to be as long as a mean
    reply of the run. A summary is expected where a question makes the strategy write one, as large as the run's last.
    """
    asked = [(run, probe) for run in runs if run.turns for probe in probes]
    answering = [_answering(run, probe) for run, probe in asked]
    summarizing = [usage for run, probe in asked for usage in _summarizing(run, probe)]
    judging = [_judging(run, probe) for run, probe in asked] if judge is not None else []
    work = by_model((model, answering), (summarizer, summarizing), (judge or model, judging))
    costs = {name: list_price_usd(name, usages) for name, usages in work}
    known = [cost for cost in costs.values() if cost is not None]
    return JudgeEstimate(
        Work.of(answering), Work.of(summarizing), Work.of(judging),
        usd=sum(known) if len(known) == len(costs) else None,
        unknown_prices=tuple(name for name, cost in costs.items() if cost is None),
    )  # fmt: skip


def _answering(run: Run, probe: Probe) -> Usage:
    last = run.turns[-1]
    before = last.total_tokens + last.reply_tokens + TOKENS_PER_MESSAGE * bool(last.reply_tokens)
    return Usage(before + run.counter(probe.question) + TOKENS_PER_MESSAGE, _reply_tokens(run))


def _reply_tokens(run: Run) -> int:
    return round(sum(record.reply_tokens for record in run.turns) / len(run.turns))


def _summarizing(run: Run, probe: Probe) -> Iterator[Usage]:
    """The summarizer's call if the question is what fills the memory up."""
    room = run.strategy.headroom(run.memory_after(run.turns[-1].turn))
    if room is None or run.strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST):
        return
    if room.amount <= (run.counter(probe.question) if room.unit == "tokens" else 1):
        last = next((compaction for compaction in reversed(run.compactions) if compaction.asked), None)
        whole = run.space.sums.totals[-1]
        yield Usage(last.prompt_tokens, last.output_tokens) if last else Usage(whole, _reply_tokens(run))


def _judging(run: Run, probe: Probe) -> Usage:
    """The judge's call: its request with an empty answer, an answer of the usual length, and one word."""
    prompt = sum(run.counter(message.content) + TOKENS_PER_MESSAGE for message in judge_request(probe, ""))
    return Usage(prompt + TOKENS_PER_REQUEST + _reply_tokens(run), run.counter(VERDICT))


def _counted(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("y") else f"{number:,} {noun}s"
