"""What a setting limits, in sentences: how far the next summary is, and how much of a request counts."""

from __future__ import annotations

from memviz.charts.palette import PART_TITLES
from memviz.engine.records import TurnRecord
from memviz.memory import Memory
from memviz.strategies.base import Strategy
from memviz.text.wording import listed


def next_summary(strategy: Strategy, memory: Memory) -> str:
    """How far the next summary is: what is limited, how much of it there is, and what happens then."""
    headroom = strategy.headroom(memory)
    if headroom is None:
        return "This setting never summarizes."
    if headroom.unit == "turns":
        return "Each turn is summarized once it is complete."
    if not headroom.amount:
        return "A summary is written with the next message."
    if headroom.unit == "messages":
        limit, held = memory.pending + headroom.amount - 1, memory.pending
        return f"Messages not yet summarized: {held:,} of {limit:,}. A summary is written when there are more."
    limit = strategy.budget_tokens or memory.pending_tokens + headroom.amount - 1
    held = limit + 1 - headroom.amount
    what = "Messages not yet summarized" if held == memory.pending_tokens else "What counts toward the limit"
    return f"{what}: {held:,} of {limit:,} tokens. A summary is written when there are more."


def request_size(strategy: Strategy, record: TurnRecord) -> tuple[str, str]:
    """How large a request was, and how much of it counts toward the limit of its ``strategy`` (empty for one without a
    token limit)."""
    size, limit = f"Last request: {record.total_tokens:,} tokens", strategy.budget_tokens
    if limit is None:
        return size, ""
    parts = [part for part in record.tokens if strategy.counted_tokens({**dict.fromkeys(record.tokens, 0), part: 1})]
    named = listed(PART_TITLES[part].lower() for part in parts)
    counts = strategy.counted_tokens(record.tokens)
    return size, f"{counts:,} of them count toward the limit of {limit:,}: {named}. The rest does not count."
