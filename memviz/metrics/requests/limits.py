"""What a strategy's token limit counts: which parts of a request, how many tokens of it, and how that is called."""

from __future__ import annotations

from typing import NamedTuple

from memviz.core.context import ALL_PARTS
from memviz.core.text.wording import counted
from memviz.engine.records import TurnRecord
from memviz.strategies.base import Strategy, Trigger

PARTS = ALL_PARTS


class Limit(NamedTuple):
    """A token limit: how many ``tokens``, of what (``counts``, in words), and which ``parts`` of a request that is.
    ``share`` says of what it is a share, where the strategy is named by something larger."""

    tokens: int
    counts: str
    parts: frozenset[str]
    share: str = ""

    @property
    def words(self) -> str:
        """``limit for messages not yet summarized 1,500``, for the line on a chart."""
        return f"limit for {self.counts} {self.tokens:,}{self.share_words}"

    @property
    def share_words(self) -> str:
        """`` (70% of 6,000)``, or nothing."""
        return f" ({self.share})" if self.share else ""


def limit_of(strategy: Strategy) -> Limit | None:
    """The token limit of ``strategy``, if it has one."""
    if strategy.budget_tokens is None:
        return None
    nothing = dict.fromkeys(PARTS, 0)
    parts = frozenset(
        part for part in PARTS if strategy.counted_tokens({**nothing, part: 1})
    )
    return Limit(
        strategy.budget_tokens,
        strategy.limits or "what the strategy counts",
        parts,
        strategy.budget_share,
    )


def limit_rule(strategy: Strategy) -> str:
    """``summarizes when messages pass 1,500 tokens``, ``clears when messages pass 1,500 tokens`` where no summarizer is
    asked, ``keeps messages to 1,000 tokens`` where nothing ever happens; empty where ``strategy`` has no token limit.
    """
    limit = limit_of(strategy)
    if limit is None:
        return ""
    counts = limit.counts.removesuffix(" not yet summarized")
    tokens = f"{counted(limit.tokens, 'token')}{limit.share_words}"
    if strategy.trigger is Trigger.NEVER:
        return f"keeps {counts} to {tokens}"
    acts = "summarizes" if strategy.writes_notes else "clears"
    return f"{acts} when {counts} pass {tokens}"


def limited_tokens(record: TurnRecord, strategy: Strategy) -> int:
    """Tokens of the request that count toward the limit of ``strategy``, its own: as it counts them."""
    return strategy.counted_tokens(record.tokens)


def over_limit_words(record: TurnRecord, strategy: Strategy) -> str:
    """What it means that a request is flagged as larger than its limit."""
    limit = limit_of(strategy)
    if limit is None:
        return ""
    return (
        f"Over its limit: {limited_tokens(record, strategy):,} tokens of {limit.counts}, {limit.tokens:,} allowed. "
        "The input is sent all the same."
    )
