"""Tokens of a run in total: what was sent, and what its summaries cost."""

from dataclasses import dataclass, replace

from memviz.core.text.wording import RequestPlace
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
    reply_tokens: int
    summarizations: int
    failed_summarizations: int
    """Counted apart, without tokens."""
    summarizer_prompt_tokens: int
    """Of the calls for a summary, drafts that the user discarded included."""
    summarizer_output_tokens: int
    summarizer_cost_usd: float | None
    over_budget_requests: int
    peak_tokens: int = 0
    """Tokens of the largest request."""
    peak_turn: int = 0
    peak_call: int = 1
    peak_calls: int = 1
    summarizer_calls: int = 0
    earlier_calls: int = 0
    """Calls that turns took before their last one."""
    earlier_tokens: int = 0
    """Tokens sent with these calls."""
    thinking_tokens: int = 0
    """What the chat model wrote when thinking."""
    reductions: int = 0
    """How often a rule cleared or shortened messages, or sent them whole again."""
    reduced_messages: int = 0
    """Messages that the last request sent with less in them."""

    @property
    def mean_tokens(self) -> float:
        """Tokens of a request on average."""
        return self.sent_tokens / max(1, self.requests)

    @property
    def peak(self) -> RequestPlace:
        """The place of the largest request."""
        return self.peak_turn, self.peak_call, self.peak_calls

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
    columns = run.columns
    compactions = run.compactions
    sent = columns.totals
    beside = run.requests.beside.items()
    thinking = [number for number, one in beside if one.kind == "thinking"]
    asked = answered_calls(run)
    use = TokenUse(
        requests=len(sent),
        sent_tokens=int(sent.sum()),
        reply_tokens=int(columns.reply_tokens.sum()),
        summarizations=sum(one.is_summarization for one in compactions),
        failed_summarizations=sum(one.failed_calls for one in compactions),
        summarizer_prompt_tokens=sum(one.prompt_tokens for one in asked),
        summarizer_output_tokens=sum(one.output_tokens for one in asked),
        summarizer_cost_usd=sum_known(one.total_cost_usd for one in asked),
        over_budget_requests=columns.over_budget,
        summarizer_calls=sum(one.calls for one in compactions),
        thinking_tokens=int(columns.reply_tokens[thinking].sum()),
        reductions=sum(one.kind in REDUCING for one in compactions),
    )
    if not len(sent):
        return use
    is_earlier = columns.turns[:-1] == columns.turns[1:]
    earlier = sent[:-1][is_earlier]
    largest = int(sent.argmax())
    turn = int(columns.turns[largest])
    last = run.requests.parts_at(len(sent) - 1)
    return replace(
        use,
        peak_tokens=int(sent[largest]),
        peak_turn=turn,
        peak_call=int(columns.calls[largest]),
        peak_calls=len(numbers_of_turn(run, turn)),
        earlier_calls=len(earlier),
        earlier_tokens=int(earlier.sum()),
        reduced_messages=sum(len(reduced(run.space, one)) for one in last.messages),
    )
