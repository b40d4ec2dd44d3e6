"""Tokens of a run in total: what was sent, and what its summaries cost."""

from __future__ import annotations

from dataclasses import dataclass

from memviz.core.text.wording import request_name
from memviz.engine.assembly import reduced
from memviz.engine.compaction import REDUCING
from memviz.engine.run import Run
from memviz.metrics.cost.pricing import sum_known
from memviz.metrics.requests.request_axis import numbers_of_turn
from memviz.metrics.requests.traffic import answered_calls


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens of a whole run. A summary that the user edited counts as one written, an edit later on does not."""

    requests: int
    sent_tokens: int
    """All that the chat model was sent."""
    mean_tokens: float
    peak_tokens: int
    """Tokens of the largest request."""
    peak_turn: int
    reply_tokens: int
    summarizations: int
    failed_summarizations: int
    """Counted apart, without tokens."""
    summarizer_prompt_tokens: int
    """Of the calls for a summary, drafts that the user discarded included."""
    summarizer_output_tokens: int
    summarizer_cost_usd: float | None
    over_budget_requests: int
    summarizer_calls: int = 0
    earlier_calls: int = 0
    """Calls that turns took before their last one."""
    earlier_tokens: int = 0
    """Tokens sent with these calls."""
    thinking_tokens: int = 0
    """What the chat model wrote when thinking."""
    peak_call: int = 1
    peak_calls: int = 1
    reductions: int = 0
    """How often a rule cleared or shortened messages, or sent them whole again."""
    reduced_messages: int = 0
    """Messages that the last request sent with less in them."""

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
    """Return the tokens of a run, added up."""
    return run.once(token_use, lambda: _add_up(run))


def _add_up(run: Run) -> TokenUse:
    columns, compactions = run.columns, run.compactions
    sent: list[int] = columns.totals.tolist()
    is_earlier = columns.turns[:-1] == columns.turns[1:]
    earlier: list[int] = columns.totals[:-1][is_earlier].tolist()
    beside = run.requests.beside.items()
    thinking = [number for number, one in beside if one.kind == "thinking"]
    asked = answered_calls(run)
    peak = max(sent, default=0)
    turn, call, calls = 0, 1, 1
    reduced_messages = 0
    if sent:
        number = sent.index(peak)
        turn, call = int(columns.turns[number]), int(columns.calls[number])
        calls = len(numbers_of_turn(run, turn))
        last = run.requests.parts_at(len(sent) - 1)
        reduced_messages = sum(len(reduced(run.space, one)) for one in last.messages)
    return TokenUse(
        requests=len(sent),
        sent_tokens=sum(sent),
        mean_tokens=sum(sent) / max(1, len(sent)),
        peak_tokens=peak,
        peak_turn=turn,
        reply_tokens=int(columns.reply_tokens.sum()),
        summarizations=sum(one.is_summarization for one in compactions),
        failed_summarizations=sum(one.failed_calls for one in compactions),
        summarizer_prompt_tokens=sum(one.prompt_tokens for one in asked),
        summarizer_output_tokens=sum(one.output_tokens for one in asked),
        summarizer_cost_usd=sum_known(one.total_cost_usd for one in asked),
        over_budget_requests=columns.over_budget,
        summarizer_calls=sum(one.calls for one in compactions),
        earlier_calls=len(earlier),
        earlier_tokens=sum(earlier),
        thinking_tokens=int(columns.reply_tokens[thinking].sum()),
        peak_call=call,
        peak_calls=calls,
        reductions=sum(one.kind in REDUCING for one in compactions),
        reduced_messages=reduced_messages,
    )
