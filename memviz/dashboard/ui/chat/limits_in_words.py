"""What a setting limits, in sentences: how far the next summary is, and how much of a request counts."""

from __future__ import annotations

from memviz.core.memory import Memory
from memviz.core.text.wording import listed
from memviz.dashboard.charts.palette import PART_TITLES
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.limits import limit_of
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import Fill, Headroom


def next_summary(strategy: Strategy, memory: Memory, headroom: Headroom | None) -> str:
    """How far the next summary is: what is limited, how much of it there is, and what happens then. ``headroom`` is
    that of the chat, which knows of failures."""
    if idle := strategy.idle_because(memory):
        return f"This setting never summarizes, and nothing is cleared, because {idle}."
    if headroom is None:
        if strategy.headroom(memory) is None:
            return _unforeseen(strategy)
        return "A summary was declined or failed, and there is room again: the next one is written in a later turn."
    if headroom.unit == "turns":
        return _in_turns(strategy, headroom.amount)
    if not headroom.amount:
        return f"{_what(strategy)} with the next message."
    fill = strategy.fill(memory)
    if fill is None or fill.unit != headroom.unit:
        return f"{_what(strategy)} after {headroom}."
    # A stopped reply counts, though the memory takes it in only with what follows it.
    held = fill.limit + 1 - headroom.amount
    unit = " tokens" if fill.unit == "tokens" else ""
    words = f"{fill.counts.capitalize()}: {held:,} of {fill.limit:,}{unit}. {_what(strategy)} when there are more."
    return words + _summary_apart(strategy, memory, fill)


def _what(strategy: Strategy) -> str:
    return (
        "A summary is written"
        if strategy.writes_notes
        else "Older messages are cleared or shortened"
    )


def _unforeseen(strategy: Strategy) -> str:
    """A strategy whose forecast is no number."""
    if strategy.trigger is Trigger.NEVER:
        return "This setting never summarizes."
    if not strategy.writes_notes:
        return (
            "This setting never summarizes: its rule clears or shortens older messages."
        )
    return "When the next summary is written cannot be said beforehand."


def _in_turns(strategy: Strategy, turns: int) -> str:
    if strategy.trigger is Trigger.TURN:
        later = (
            f" After a failure the next try is in {turns} turns." if turns > 1 else ""
        )
        return "Each turn is summarized once it is complete." + later
    when = "with the next turn" if turns == 1 else f"in {turns} turns"
    return f"A summary is due, and will be written {when}."


def _summary_apart(strategy: Strategy, memory: Memory, fill: Fill) -> str:
    """That the summary counts in a request, though not here."""
    limit = limit_of(strategy)
    if (
        memory.summary is None
        or limit is None
        or "summary" not in limit.parts
        or "summary" in fill.counts.split()
    ):
        return ""
    return " The summary counts in the size of a request, but alone sets nothing off."


def request_size(strategy: Strategy, record: TurnRecord) -> tuple[str, str]:
    """How large a request was, and how much of it counts toward the limit of its ``strategy`` (empty for one without a
    token limit)."""
    size, limit = (
        f"Last request: {record.total_tokens:,} tokens",
        strategy.budget_tokens,
    )
    if limit is None:
        return size, ""
    parts = [
        part
        for part in record.tokens
        if strategy.counted_tokens({**dict.fromkeys(record.tokens, 0), part: 1})
    ]
    named = listed(PART_TITLES[part].lower() for part in parts)
    counts = strategy.counted_tokens(record.tokens)
    return (
        size,
        f"{counts:,} of them count toward the limit of {limit:,}: {named}. The rest does not count.",
    )
