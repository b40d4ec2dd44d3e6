"""Estimates of the cost of work by paid models, before they are asked.

The work is to answer the turns of some runs, or to answer questions about them and to judge the answers. Pages show the
estimate beside the button that starts the work; the highest possible cost is in ``memviz/metrics/cost/bounds.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.judging import build_judge_request
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.cost.pricing import Pricing, find_pricing, make_unpriced
from memviz.models.base import Usage
from memviz.models.planned_calls import PlannedCalls
from memviz.strategies.base import Trigger
from memviz.transcripts.base import Probe


@dataclass(frozen=True, slots=True)
class Estimate:
    """The calls that some work makes, and their cost together."""

    parts: tuple[PlannedCalls, ...]
    usd: float | None = 0.0
    """US dollars, without discounts for cached prompts; ``None`` if a needed price is unknown."""
    unknown_prices: tuple[str, ...] = ()
    """The models whose price is unknown."""
    at_list_price: bool = True
    """False where the prices were entered by hand."""

    def part(self, noun: str) -> PlannedCalls:
        """Return the calls whose results are named ``noun``, such as ``"summary"``."""
        return next(part for part in self.parts if part.noun == noun)

    @property
    def calls(self) -> int:
        """The number of calls of all parts."""
        return sum(part.calls for part in self.parts)


def estimate_asking(runs: Sequence[Run], model: str, summarizer: str) -> Estimate:
    """Return what it will cost to let ``model`` answer every turn of ``runs``, and ``summarizer`` summarize.

    The model has no tools, so it is asked once a turn, with at most what the turn's last request sends. Its reply is
    assumed to be as long as the one in the transcript. Summaries that no model was asked for cost nothing; of a failed
    one the prompt is paid.
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
    """Return what ``plan`` costs with ``prices``, or with the list prices of its models.

    Each call is priced by itself, because some models cost more for long requests.
    """
    usd = 0.0
    unknown = []
    for calls in plan:
        rates = prices or find_pricing(calls.model) or make_unpriced(calls.model)
        # Fresh input, input read from the cache and written to it (unknown beforehand), output.
        rows = [
            (usage.input_tokens, 0, 0, usage.output_tokens) for usage in calls.usages
        ]
        tokens = np.array(rows, np.int64).reshape(-1, 4).T
        cost = float(rates.usd(tokens).sum())
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
    """Return what it will cost to ask all ``probes`` after each of ``runs``, and to let ``judge`` judge the answers.

    A question is assumed to send the run's last request, the reply to it, and the question. That is exact for a full
    buffer and mostly a little too much for a setting with a limit. The answer is assumed to be as long as the mean
    reply of the run, and a summary, where the question makes one due, as large as the run's last one. What a model
    recalls by itself or thinks is not included.
    """
    answering = []
    summarizing = []
    judging = []
    for run in runs:
        if not run.turns:
            continue
        reply_tokens = _average_reply_tokens(run)
        sent_tokens = _count_tokens_before_question(run.turns[-1])
        verdict_tokens = run.counter(VERDICT)
        for probe in probes:
            question_tokens = run.counter(probe.question)
            answering.append(Usage(sent_tokens + question_tokens, reply_tokens))
            if _fills_up(run, question_tokens):
                summarizing.append(_estimate_last_summary(run, reply_tokens))
            if judge is not None:
                read_tokens = _estimate_judge_request(run, probe) + reply_tokens
                judging.append(Usage(read_tokens, verdict_tokens))
    return price_likely(
        [
            PlannedCalls(model, tuple(answering), "question"),
            PlannedCalls(summarizer, tuple(summarizing), "summary"),
            PlannedCalls(judge or model, tuple(judging), "verdict"),
        ]
    )


def _count_tokens_before_question(last: TurnRecord) -> int:
    """Return the tokens of the next request without those of its question: the ``last`` request and its reply."""
    tokens = last.total_tokens + last.reply_tokens + TOKENS_PER_MESSAGE
    if last.reply_tokens:
        tokens += TOKENS_PER_MESSAGE
    return tokens


def _estimate_judge_request(run: Run, probe: Probe) -> int:
    """Return the tokens of the judge's request about an empty answer."""
    tokens = TOKENS_PER_REQUEST
    for message in build_judge_request(probe, ""):
        tokens += run.counter(message.content) + TOKENS_PER_MESSAGE
    return tokens


def _average_reply_tokens(run: Run) -> int:
    """Return the mean tokens of the last reply of each turn."""
    # From the columns, because making a record of every request of a long conversation would take too long.
    columns = run.columns
    is_last = np.append(columns.turns[1:] != columns.turns[:-1], True)
    replies = columns.reply_tokens[is_last]
    return round(int(replies.sum()) / len(replies))


def _fills_up(run: Run, question_tokens: int) -> bool:
    """Return whether a question of this size makes a summary due."""
    strategy = run.strategy
    acts = strategy.trigger in (Trigger.MESSAGE, Trigger.REQUEST)
    if not acts or not strategy.writes_notes:
        return False
    room = strategy.headroom(run.memory_after(run.turns[-1].turn))
    if room is None:
        return False
    return room.amount <= (question_tokens if room.unit == "tokens" else 1)


def _estimate_last_summary(run: Run, reply_tokens: int) -> Usage:
    for compaction in reversed(run.compactions):
        if compaction.asked:
            return Usage(compaction.prompt_tokens, compaction.output_tokens)
    return Usage(run.space.sums.totals[-1], reply_tokens)
