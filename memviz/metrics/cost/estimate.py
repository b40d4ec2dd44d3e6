"""Estimates of what work costs that a model is paid for, made before it is asked: the turns of some runs, or questions
about them that are asked and judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.judging import build_judge_request
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.cost.pricing import Pricing, pricing, unpriced
from memviz.models.base import Usage
from memviz.models.planned_calls import PlannedCalls
from memviz.strategies.base import Trigger
from memviz.transcripts.base import Probe


@dataclass(frozen=True, slots=True)
class Estimate:
    """The parts of some work, and what they cost together."""

    parts: tuple[PlannedCalls, ...]
    usd: float | None = 0.0
    """US dollars, without any discount for a cached prompt; ``None`` if a price that is needed is unknown."""
    unknown_prices: tuple[str, ...] = ()
    """The models whose price is unknown."""
    at_list_price: bool = True
    """False where the prices were given."""

    def part(self, noun: str) -> PlannedCalls:
        """Return the part whose calls give this."""
        return next(part for part in self.parts if part.noun == noun)

    @property
    def calls(self) -> int:
        """Calls of all parts."""
        return sum(part.calls for part in self.parts)


def estimate(runs: Sequence[Run], model: str, summarizer: str) -> Estimate:
    """Return what it will cost to let ``model`` answer every turn of ``runs``, and ``summarizer`` summarize.

    It has no tools to call, so it is asked once a turn: at most what the turn's last request sends, tool results
    included. Its output is taken to be the last reply of each turn of the transcript. Summaries that nobody was asked
    for cost nothing; one that failed was asked for, and its prompt counts.
    """
    chat = []
    summaries = []
    for run in runs:
        for record in run.turns:
            chat.append(Usage(record.total_tokens, record.reply_tokens))
        for compaction in run.compactions:
            if compaction.asked:
                usage = Usage(compaction.prompt_tokens, compaction.output_tokens)
                summaries.append(usage)
    return price_likely(
        [
            PlannedCalls(model, tuple(chat), "request"),
            PlannedCalls(summarizer, tuple(summaries), "summary"),
        ]
    )


def price_likely(
    plan: Sequence[PlannedCalls], prices: Pricing | None = None
) -> Estimate:
    """Return what ``plan`` costs with ``prices``, or with the list prices of its models. Each call is priced by itself,
    since some models cost more for long requests."""
    usd = 0.0
    unknown = []
    for calls in plan:
        rates = prices or pricing(calls.model) or unpriced(calls.model)
        # Fresh input, read from the cache, written to it, output. Nothing is known of the cache beforehand.
        tokens = [
            (usage.input_tokens, 0, 0, usage.output_tokens) for usage in calls.usages
        ]
        matrix = np.array(tokens, np.int64).reshape(-1, 4).T
        cost = float(rates.usd(matrix).sum())
        if isnan(cost):
            unknown.append(calls.model.strip())
        usd += cost
    is_by_hand = prices is not None and prices.has_own
    return Estimate(
        parts=tuple(plan),
        usd=None if unknown else usd,
        unknown_prices=tuple(dict.fromkeys(unknown)),
        at_list_price=not is_by_hand,
    )


VERDICT = "WRONG"


def judge_estimate(
    runs: Sequence[Run],
    probes: Sequence[Probe],
    model: str,
    summarizer: str,
    judge: str | None = None,
) -> Estimate:
    """Return what it will cost to ask every one of ``probes`` under every one of ``runs``, and to let ``judge`` judge.

    A question is taken to send what the run's last request sent, the reply to it and the question (exact for a
    full buffer, and mostly a little too much for a setting with a limit), and its answer to be as long as a mean
    reply of the run. A summary is expected where a question makes the strategy write one, as large as the run's last.
    What a model recalls by itself or thinks comes on top.
    """
    answering = []
    summarizing = []
    judging = []
    for run in runs:
        if not run.turns:
            continue
        reply_tokens = _mean_reply_tokens(run)
        sent_tokens = _tokens_before_question(run.turns[-1])
        verdict_tokens = run.counter(VERDICT)
        for probe in probes:
            question_tokens = run.counter(probe.question)
            answering.append(Usage(sent_tokens + question_tokens, reply_tokens))
            if _fills_up(run, question_tokens):
                summarizing.append(_last_summary(run, reply_tokens))
            if judge is not None:
                read_tokens = _judge_request_tokens(run, probe) + reply_tokens
                judging.append(Usage(read_tokens, verdict_tokens))
    return price_likely(
        [
            PlannedCalls(model, tuple(answering), "question"),
            PlannedCalls(summarizer, tuple(summarizing), "summary"),
            PlannedCalls(judge or model, tuple(judging), "verdict"),
        ]
    )


def _tokens_before_question(last: TurnRecord) -> int:
    """Return what a request sends besides the words of its question: the ``last`` request
    and the reply to it."""
    tokens = last.total_tokens + last.reply_tokens + TOKENS_PER_MESSAGE
    if last.reply_tokens:
        tokens += TOKENS_PER_MESSAGE
    return tokens


def _judge_request_tokens(run: Run, probe: Probe) -> int:
    """Return the tokens of the judge's request about an empty answer."""
    tokens = TOKENS_PER_REQUEST
    for message in build_judge_request(probe, ""):
        tokens += run.counter(message.content) + TOKENS_PER_MESSAGE
    return tokens


def _mean_reply_tokens(run: Run) -> int:
    """Return the mean reply, of the last request of each turn. Read off the columns: a record of each request of a long
    conversation would take longer to make than all that the page shows."""
    columns = run.columns
    is_last = np.append(columns.turns[1:] != columns.turns[:-1], True)
    replies = columns.reply_tokens[is_last]
    return round(int(replies.sum()) / len(replies))


def _fills_up(run: Run, question_tokens: int) -> bool:
    """Return whether a question is what makes the summarizer's call due."""
    strategy = run.strategy
    acts = strategy.trigger in (Trigger.MESSAGE, Trigger.REQUEST)
    if not acts or not strategy.writes_notes:
        return False
    room = strategy.headroom(run.memory_after(run.turns[-1].turn))
    if room is None:
        return False
    return room.amount <= (question_tokens if room.unit == "tokens" else 1)


def _last_summary(run: Run, reply_tokens: int) -> Usage:
    for compaction in reversed(run.compactions):
        if compaction.asked:
            return Usage(compaction.prompt_tokens, compaction.output_tokens)
    return Usage(run.space.sums.totals[-1], reply_tokens)
