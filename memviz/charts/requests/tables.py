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

TURN, CALL = "Turn", "Call"
Requests = Sequence[tuple[int, int]]
"""Requests by their turn and their call, both from 1."""


def shown_requests(runs: Sequence[Run]) -> Requests:
    """The requests that a table of these runs has a row for: those of any of them, bounded by :func:`bounded`. Where no
    turn took several calls, all turns up to the last have one."""
    if any(run.has_calls for run in runs):
        found = sorted({(record.turn, record.call) for run in runs for record in run.requests})
    else:
        last = max((record.turn for run in runs for record in run.requests[-1:]), default=0)
        found = [(turn, 1) for turn in range(1, last + 1)]
    return bounded(found)


def bounded(requests: Requests) -> Requests:
    """All of ``requests``, or of too many every so many and the last."""
    step = -(-len(requests) // MAX_POINTS)
    return sorted({*requests[::step], requests[-1]}) if requests else []


def request_columns(shown: Requests) -> dict[str, list[int]]:
    """The columns that say which request a row is: the turn, and the call where a turn took several."""
    calls = {CALL: [call for _, call in shown]} if any(call > 1 for _, call in shown) else {}
    return {TURN: [turn for turn, _ in shown], **calls}


def tokens_table(settings: Sequence[SettingRun]) -> pd.DataFrame:
    """Tokens of each request, one column a setting; it is said where messages were summarized or recalled for it, and
    where a chat was given another setting."""
    shown = shown_requests([setting.run for setting in settings])
    columns = {}
    for name, setting in zip(distinct_names([one.label for one in settings]), settings, strict=True):
        records = {(record.turn, record.call): record for record in setting.run.requests}
        begun = {(earlier.last_turn + 1, 1) for earlier in setting.run.earlier_settings}
        columns[name] = [_told(records[one], setting.run, begun) if one in records else "" for one in shown]
    return pd.DataFrame({**request_columns(shown), **columns})


def _told(record: TurnRecord, run: Run, begun: Container[tuple[int, int]]) -> str:
    happened = [
        *([f"from here on {run.strategy_at(record.turn).label}"] if (record.turn, record.call) in begun else []),
        *(["summarized"] if any(one.summary is not None for one in record.compactions) else []),
        *(["summarization failed"] if any(one.error is not None for one in record.compactions) else []),
        *(["recalled"] if record.parts.recalled else []),
    ]
    return f"{record.total_tokens:,}" + (f" ({', '.join(happened)})" if happened else "")


def parts_table(run: Run) -> pd.DataFrame:
    """Tokens of each part of every request; parts that are never sent are left out."""
    records = {(record.turn, record.call): record for record in run.requests}
    shown = [one for one in shown_requests([run]) if one in records]
    parts = [part for part in PART_ORDER if any(record.tokens.get(part) for record in run.requests)]
    columns = {PART_TITLES[part]: [records[one].tokens.get(part, 0) for one in shown] for part in parts}
    return pd.DataFrame({**request_columns(shown), **columns, "All": [records[one].total_tokens for one in shown]})
