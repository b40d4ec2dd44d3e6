"""What the charts of requests show, as tables: for those who do not see them, and for exact numbers."""

from __future__ import annotations

from collections.abc import Container, Sequence

import pandas as pd

from memviz.charts.palette import PART_ORDER, PART_TITLES
from memviz.charts.setting_run import SettingRun
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
        found = sorted({name for run in runs for name in _names(run)})
    else:
        last = max((int(run.columns.turns.max(initial=0)) for run in runs), default=0)
        found = [(turn, 1) for turn in range(1, last + 1)]
    return bounded(found)


def _names(run: Run) -> Requests:
    """The turn and the call of every request."""
    return [*zip(run.columns.turns.tolist(), run.columns.calls.tolist(), strict=True)]


def bounded(requests: Requests) -> Requests:
    """All of ``requests``, or of too many every so many and the last."""
    step = -(-len(requests) // MAX_POINTS)
    return sorted({*requests[::step], requests[-1]}) if requests else []


def request_columns(shown: Requests) -> dict[str, list[int]]:
    """The columns that say which request a row is: the turn, and the call where a turn took several."""
    calls = (
        {CALL: [call for _, call in shown]}
        if any(call > 1 for _, call in shown)
        else {}
    )
    return {TURN: [turn for turn, _ in shown], **calls}


def tokens_table(settings: Sequence[SettingRun]) -> pd.DataFrame:
    """Tokens of each request, one column a setting; it is said where messages were summarized or recalled for it, and
    where a chat was given another setting."""
    shown = shown_requests([setting.run for setting in settings])
    columns = {}
    for name, setting in zip(
        distinct_names([one.label for one in settings]), settings, strict=True
    ):
        numbers = {one: number for number, one in enumerate(_names(setting.run))}
        requests = setting.run.requests
        begun = {(earlier.last_turn + 1, 1) for earlier in setting.run.earlier_settings}
        columns[name] = [
            _told(requests[numbers[one]], setting.run, begun) if one in numbers else ""
            for one in shown
        ]
    return pd.DataFrame({**request_columns(shown), **columns})


_RULED = {"cleared": "tool results cleared", "shortened": "messages shortened"}


def _told(record: TurnRecord, run: Run, begun: Container[tuple[int, int]]) -> str:
    happened = [
        *(
            [f"from here on {run.strategy_at(record.turn).label}"]
            if (record.turn, record.call) in begun
            else []
        ),
        *(
            ["summarized"]
            if any(one.summary is not None for one in record.compactions)
            else []
        ),
        *(
            ["summarization failed"]
            if any(one.error is not None for one in record.compactions)
            else []
        ),
        *(
            words
            for kind, words in _RULED.items()
            if any(one.kind == kind for one in record.compactions)
        ),
        *(["recalled"] if record.parts.recalled else []),
    ]
    return f"{record.total_tokens:,}" + (
        f" ({', '.join(happened)})" if happened else ""
    )


def parts_table(run: Run) -> pd.DataFrame:
    """Tokens of each part of every request; parts that are never sent are left out."""
    numbers = {one: number for number, one in enumerate(_names(run))}
    shown = [one for one in shown_requests([run]) if one in numbers]
    rows, tokens = [numbers[one] for one in shown], run.columns.tokens
    columns = {
        PART_TITLES[part]: tokens[part][rows].tolist()
        for part in PART_ORDER
        if tokens[part].any()
    }
    return pd.DataFrame(
        {**request_columns(shown), **columns, "All": run.columns.totals[rows].tolist()}
    )
