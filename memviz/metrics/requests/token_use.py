"""Tokens of a run in total: what was sent, and what its summaries cost."""

from __future__ import annotations

from dataclasses import dataclass

from memviz.core.text.wording import request_name
from memviz.engine.assembly import reduced
from memviz.engine.compaction import REDUCING
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import numbers_of_turn


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens of a whole run. ``sent_tokens`` are all that the chat model was sent, in ``requests``, of which the
    largest (``peak_tokens``) was call ``peak_call`` of ``peak_turn``; of these,
    ``earlier_tokens`` went with the ``earlier_calls`` that its turns took before their last one, and
    ``thinking_tokens`` is what it wrote when thinking. ``summarizer_prompt_tokens`` and ``summarizer_output_tokens``
    are those of the calls for a summary, drafts that the user discarded included; summarizations that failed are
    counted apart, without tokens. A summary that the user edited counts as one written, an edit later on does not.
    ``reductions`` is how often a rule cleared or shortened messages (or sent them whole again), ``reduced_messages``
    how many messages the last request sent with less in them."""

    requests: int
    sent_tokens: int
    mean_tokens: float
    peak_tokens: int
    peak_turn: int
    reply_tokens: int
    summarizations: int
    failed_summarizations: int
    summarizer_prompt_tokens: int
    summarizer_output_tokens: int
    summarizer_cost_usd: float | None
    over_budget_requests: int
    summarizer_calls: int = 0
    earlier_calls: int = 0
    earlier_tokens: int = 0
    thinking_tokens: int = 0
    peak_call: int = 1
    peak_calls: int = 1
    reductions: int = 0
    reduced_messages: int = 0

    @property
    def peak_name(self) -> str:
        """The largest request as people name it."""
        return request_name(self.peak_turn, self.peak_call, self.peak_calls)

    @property
    def summarizer_tokens(self) -> int:
        """Tokens into and out of the summarizer."""
        return self.summarizer_prompt_tokens + self.summarizer_output_tokens

    @property
    def all_tokens(self) -> int:
        """Tokens sent to the chat model and tokens of the summarizer."""
        return self.sent_tokens + self.summarizer_tokens


def token_use(run: Run) -> TokenUse:
    """Add up a run."""
    return run.once(token_use, lambda: _added_up(run))


def _added_up(run: Run) -> TokenUse:
    columns = run.columns
    totals = columns.totals
    sent: list[int] = totals.tolist()
    earlier: list[int] = totals[:-1][columns.turns[:-1] == columns.turns[1:]].tolist()
    thinking = [
        number
        for number, beside in run.requests.beside.items()
        if beside.kind == "thinking"
    ]
    written = [
        compaction for compaction in run.compactions if compaction.is_summarization
    ]
    asked = [
        compaction
        for compaction in run.compactions
        if compaction.asked and compaction.error is None
    ]
    costs = [
        cost
        for cost in (compaction.total_cost_usd for compaction in asked)
        if cost is not None
    ]
    peak = max(sent, default=0)
    largest = run.requests[sent.index(peak)] if sent else None
    return TokenUse(
        requests=len(sent),
        sent_tokens=sum(sent),
        mean_tokens=sum(sent) / len(sent) if sent else 0.0,
        peak_tokens=peak,
        peak_turn=largest.turn if largest else 0,
        reply_tokens=int(columns.reply_tokens.sum()),
        summarizations=len(written),
        failed_summarizations=sum(
            compaction.failed_calls for compaction in run.compactions
        ),
        summarizer_prompt_tokens=sum(compaction.prompt_tokens for compaction in asked),
        summarizer_output_tokens=sum(compaction.output_tokens for compaction in asked),
        summarizer_cost_usd=sum(costs) if len(costs) == len(asked) else None,
        over_budget_requests=columns.over_budget,
        summarizer_calls=sum(compaction.calls for compaction in run.compactions),
        earlier_calls=len(earlier),
        earlier_tokens=sum(earlier),
        thinking_tokens=int(columns.reply_tokens[thinking].sum()),
        peak_call=largest.call if largest else 1,
        peak_calls=len(numbers_of_turn(run, largest.turn)) if largest else 1,
        reductions=sum(compaction.kind in REDUCING for compaction in run.compactions),
        reduced_messages=_reduced_at_the_end(run),
    )


def _reduced_at_the_end(run: Run) -> int:
    parts = run.requests[-1].parts if run.requests else None
    return (
        sum(len(reduced(run.space, piece)) for piece in parts.messages) if parts else 0
    )
