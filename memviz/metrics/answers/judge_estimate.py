"""What asking all probes under every setting would cost, and judging the answers, said before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.judge_prompt import judge_request
from memviz.engine.run import Run
from memviz.metrics.cost.estimate import Estimate, at_list_price
from memviz.models.base import Usage
from memviz.strategies.base import Trigger
from memviz.transcripts.base import Probe

VERDICT = "WRONG"


def judge_estimate(
    runs: Sequence[Run],
    probes: Sequence[Probe],
    model: str,
    summarizer: str,
    judge: str | None = None,
) -> Estimate:
    """What it will cost to ask every one of ``probes`` under every one of ``runs``, and to let ``judge`` judge.

    A question is taken to send what the run's last request sent, the reply to it and the question (exact for a
    full buffer, and mostly a little too much for a setting with a limit), and its answer to be as long as a mean
    reply of the run. A summary is expected where a question makes the strategy write one, as large as the run's last.
    What a model recalls by itself or thinks comes on top.
    """
    asked = [(run, probe) for run in runs if run.turns for probe in probes]
    answering = [_answering(run, probe) for run, probe in asked]
    summarizing = [usage for run, probe in asked for usage in _summarizing(run, probe)]
    judging = (
        [_judging(run, probe) for run, probe in asked] if judge is not None else []
    )
    return at_list_price(
        ("question", model, answering),
        ("summary", summarizer, summarizing),
        ("verdict", judge or model, judging),
    )


def _answering(run: Run, probe: Probe) -> Usage:
    last = run.turns[-1]
    before = (
        last.total_tokens
        + last.reply_tokens
        + TOKENS_PER_MESSAGE * bool(last.reply_tokens)
    )
    return Usage(
        before + run.counter(probe.question) + TOKENS_PER_MESSAGE, _reply_tokens(run)
    )


def _reply_tokens(run: Run) -> int:
    """The mean reply, of the last request of each turn. Read off the columns: a record of each request of a long
    conversation would take longer to make than all that the page shows."""
    columns = run.columns
    is_last = np.append(columns.turns[1:] != columns.turns[:-1], True)
    return round(int(columns.reply_tokens[is_last].sum()) / int(is_last.sum()))


def _summarizing(run: Run, probe: Probe) -> Iterator[Usage]:
    """The summarizer's call if the question is what fills the memory up."""
    room = run.strategy.headroom(run.memory_after(run.turns[-1].turn))
    if (
        room is None
        or not run.strategy.writes_notes
        or run.strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST)
    ):
        return
    if room.amount <= (run.counter(probe.question) if room.unit == "tokens" else 1):
        last = next(
            (
                compaction
                for compaction in reversed(run.compactions)
                if compaction.asked
            ),
            None,
        )
        whole = run.space.sums.totals[-1]
        yield (
            Usage(last.prompt_tokens, last.output_tokens)
            if last
            else Usage(whole, _reply_tokens(run))
        )


def _judging(run: Run, probe: Probe) -> Usage:
    """The judge's call: its request with an empty answer, an answer of the usual length, and one word."""
    prompt = sum(
        run.counter(message.content) + TOKENS_PER_MESSAGE
        for message in judge_request(probe, "")
    )
    return Usage(prompt + TOKENS_PER_REQUEST + _reply_tokens(run), run.counter(VERDICT))
