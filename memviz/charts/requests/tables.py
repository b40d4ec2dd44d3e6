"""What the charts of requests show, as tables: for those who do not see them, and for exact numbers."""

from __future__ import annotations

from collections.abc import Container, Sequence

import pandas as pd

from memviz.charts.palette import PART_ORDER, PART_TITLES
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.charts.thinning import MAX_POINTS
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.text.wording import distinct_names

TURN = "Turn"


def shown_turns(last: int) -> list[int]:
    """The turns (1-based) that a table has a row for: all, or of too many every so many and the last."""
    step = -(-last // MAX_POINTS)
    return sorted({*range(1, last + 1, step), last}) if last else []


def tokens_table(settings: Sequence[SettingRun]) -> pd.DataFrame:
    """Tokens of each request, one column a setting; it is said where messages were summarized or recalled for it, and
    where a chat was given another setting."""
    last = max((record.turn for setting in settings for record in setting.run.turns[-1:]), default=0)
    turns = shown_turns(last)
    columns = {}
    for name, setting in zip(distinct_names([one.label for one in settings]), settings, strict=True):
        records = {record.turn: record for record in setting.run.turns}
        begun = {earlier.last_turn + 1 for earlier in setting.run.earlier_settings}
        columns[name] = [_told(records[turn], setting.run, begun) if turn in records else "" for turn in turns]
    return pd.DataFrame({TURN: turns, **columns})


def _told(record: TurnRecord, run: Run, begun: Container[int]) -> str:
    happened = [
        *([f"from here on {run.strategy_at(record.turn).label}"] if record.turn in begun else []),
        *(["summarized"] if any(one.summary is not None for one in record.compactions) else []),
        *(["summarization failed"] if any(one.error is not None for one in record.compactions) else []),
        *(["recalled"] if record.parts.recalled else []),
    ]
    return f"{record.total_tokens:,}" + (f" ({', '.join(happened)})" if happened else "")


def parts_table(run: Run) -> pd.DataFrame:
    """Tokens of each part of every request; parts that are never sent are left out."""
    records = {record.turn: record for record in run.turns}
    turns = [turn for turn in shown_turns(max(records, default=0)) if turn in records]
    parts = [part for part in PART_ORDER if any(record.tokens.get(part) for record in run.turns)]
    columns = {PART_TITLES[part]: [records[turn].tokens.get(part, 0) for turn in turns] for part in parts}
    return pd.DataFrame({TURN: turns, **columns, "All": [records[turn].total_tokens for turn in turns]})
