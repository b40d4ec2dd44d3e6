"""What the charts of tokens show, in one sentence each: their names for those who do not see them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10

from memviz.charts.palette import PART_ORDER, PART_TITLES
from memviz.charts.setting_run import SettingRun
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import name_of
from memviz.text.wording import listed, times

GROWTH = 1.4
"""A run grows if its last request is so many times the one in its middle, and about its largest."""


def finding(settings: Sequence[SettingRun]) -> str:
    """``Tokens sent per turn: Full buffer grows to 13,594 tokens; Summary buffer was summarized 13 times and stays
    below 2,000 tokens.`` Where a turn took several calls of the model: ``Tokens sent with each call of the
    model: …``"""
    parts = [_of_one(setting) for setting in settings if setting.run.requests]
    has_calls = any(setting.run.has_calls for setting in settings)
    what = (
        "Tokens sent with each call of the model"
        if has_calls
        else "Tokens sent per turn"
    )
    return f"{what}: {'; '.join(parts)}." if parts else f"{what}: no request yet."


def request_finding(record: TurnRecord) -> str:
    """``The request of turn 9 has 946 tokens: History 566, Summary 154, System prompt 120.``"""
    parts = sorted(record.tokens.items(), key=lambda part: -part[1])
    named = ", ".join(
        f"{PART_TITLES[part]} {tokens:,}" for part, tokens in parts if tokens
    )
    return f"The request of {record.name} has {record.total_tokens:,} tokens: {named}."


def parts_finding(run: Run) -> str:
    """``Of all tokens sent under Summary buffer, History is 55%, Summary 20% and Input 9%; the largest request, of turn
    37, has 1,745 tokens.``"""
    sent = int(run.columns.totals.sum())
    if not sent:
        return "Parts of every request: no request yet."
    totals = {part: int(run.columns.tokens[part].sum()) for part in PART_ORDER}
    order = sorted(
        (part for part in totals if totals[part]), key=lambda part: -totals[part]
    )
    shares = listed(f"{PART_TITLES[part]} {totals[part] / sent:.0%}" for part in order)
    largest = run.requests[int(run.columns.totals.argmax())]
    return (
        f"Of all tokens sent under {run.label}: {shares}; the largest request, of "
        f"{name_of(run, largest)}, has {largest.total_tokens:,} tokens."
    )


def _of_one(setting: SettingRun) -> str:
    run = setting.run
    count = sum(compaction.is_summarization for compaction in run.compactions)
    summarized = f"was summarized {times(count)} and " if count else ""
    cleared = sum(compaction.kind == "cleared" for compaction in run.compactions)
    summarized += f"had tool results cleared {times(cleared)} and " if cleared else ""
    return f"{setting.label} {summarized}{_course(run)}"


def _course(run: Run) -> str:
    sent = run.columns.totals.tolist()
    largest = max(sent)
    if (
        len(sent) > 2
        and sent[-1] > 0.9 * largest
        and sent[-1] > GROWTH * sent[len(sent) // 2]
    ):
        return f"grows to {sent[-1]:,} tokens"
    return f"stays below {_rounded_up(largest):,} tokens"


def _rounded_up(tokens: int) -> int:
    """The next number above ``tokens`` with two digits that are not zero."""
    step: int = 10 ** max(0, int(log10(max(tokens, 1))) - 1)
    return ceil((tokens + 1) / step) * step
