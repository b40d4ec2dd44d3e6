"""The charts of requests for those who do not see them: a sentence, and tables of exact numbers."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log10
from operator import itemgetter

import pandas as pd

from memviz.core.division import ceil_div
from memviz.core.text.wording import (
    COMMA,
    SEMICOLON,
    counted,
    distinct_names,
    listed,
    times,
)
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import PART_ORDER, PART_TITLES, SettingRun
from memviz.dashboard.charts.thinning import MAX_POINTS
from memviz.dashboard.words.requests import name_of
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run

TURN = noop("Turn")
CALL = noop("Call")
Requests = Sequence[tuple[int, int]]
"""Requests by their turn and their call, both from 1."""
GROWTH = 1.4
"""A run grows if its last request is so many times the one in its middle, and about its largest."""
_RULED = {
    "cleared": noop("tool results cleared"),
    "shortened": noop("messages shortened"),
}


def shown_requests(runs: Sequence[Run]) -> Requests:
    """Return the requests that a table of these runs has a row for: those of any of them, bounded by :func:`bounded`.
    Where no turn took several calls, all turns up to the last have one."""
    if any(run.has_calls for run in runs):
        names: set[tuple[int, int]] = set()
        for run in runs:
            names.update(_names(run))
        return thin_rows(sorted(names))
    last = max((int(run.columns.turns.max(initial=0)) for run in runs), default=0)
    return thin_rows([(turn, 1) for turn in range(1, last + 1)])


def _names(run: Run) -> Requests:
    """Return the turn and the call of every request."""
    turns = run.columns.turns.tolist()
    calls = run.columns.calls.tolist()
    return list(zip(turns, calls, strict=True))


def thin_rows(requests: Requests) -> Requests:
    """Return all of ``requests``, or of too many every so many and the last."""
    step = ceil_div(len(requests), MAX_POINTS)
    return sorted({*requests[::step], requests[-1]}) if requests else []


def request_columns(shown: Requests) -> dict[str, list[int]]:
    """Return the columns that say which request a row is: the turn, and the call where a turn took several."""
    columns = {_(TURN): [turn for turn, _ in shown]}
    calls = [call for _, call in shown]
    if max(calls, default=1) > 1:
        columns[_(CALL)] = calls
    return columns


def requests_table(
    settings: Sequence[SettingRun],
    columns_of: Callable[[str, Run, Requests], Mapping[str, Sequence[object]]],
) -> pd.DataFrame:
    """Return a table with a row a request. ``columns_of`` gives the columns of a setting: of its name, which is told
    apart from all others, of its run, and of the requests that have a row."""
    requests_shown = shown_requests([setting.run for setting in settings])
    columns: dict[str, Sequence[object]] = {**request_columns(requests_shown)}
    names = distinct_names([setting.label for setting in settings])
    for name, setting in zip(names, settings, strict=True):
        columns |= columns_of(name, setting.run, requests_shown)
    return pd.DataFrame(columns)


def tokens_table(settings: Sequence[SettingRun]) -> pd.DataFrame:
    """Return the tokens of each request, one column a setting; it is said where messages were summarized or recalled
    for it, and where a chat was given another setting."""
    return requests_table(settings, _tokens_column)


def _tokens_column(name: str, run: Run, shown: Requests) -> dict[str, list[str]]:
    records = dict(zip(_names(run), run.requests, strict=True))
    cells = []
    for request in shown:
        record = records.get(request)
        # Other settings may have taken calls that this one did not.
        cells.append("" if record is None else _cell_words(record, run))
    return {name: cells}


def _cell_words(record: TurnRecord, run: Run) -> str:
    """Return the tokens of a request and what happened before it: ``1,085 (summarized, recalled)``."""
    events = []
    first_turns = {setting.last_turn + 1 for setting in run.earlier_settings}
    if record.call == 1 and record.turn in first_turns:
        setting = run.strategy_at(record.turn).label
        events.append(_("from here on {setting}", setting=setting))
    compactions = record.compactions
    if any(compaction.summary is not None for compaction in compactions):
        events.append(_("summarized"))
    if any(compaction.error is not None for compaction in compactions):
        events.append(_("summarization failed"))
    kinds = {compaction.kind for compaction in compactions}
    events += [_(words) for kind, words in _RULED.items() if kind in kinds]
    if record.parts.recalled:
        events.append(_("recalled"))
    tokens = f"{record.total_tokens:,}"
    if not events:
        return tokens
    return _("{tokens} ({happened})", tokens=tokens, happened=_(COMMA).join(events))


def parts_table(run: Run) -> pd.DataFrame:
    """Return the tokens of each part of every request; parts that are never sent are left out."""
    number_of = {name: number for number, name in enumerate(_names(run))}
    names = [name for name in shown_requests([run]) if name in number_of]
    numbers = [number_of[name] for name in names]
    columns = request_columns(names)
    for part in PART_ORDER:
        tokens = run.columns.tokens[part]
        if tokens.any():
            columns[_(PART_TITLES[part])] = tokens[numbers].tolist()
    columns[_("All")] = run.columns.totals[numbers].tolist()
    return pd.DataFrame(columns)


def tokens_finding(settings: Sequence[SettingRun]) -> str:
    """Return ``Tokens sent per turn: Full buffer grows to 13,594 tokens; Summary buffer was summarized 13 times and
    stays below 2,000 tokens.`` Where a turn took several calls of the model: ``Tokens sent with each call of the
    model: …``"""
    template = noop("Tokens sent per turn: {settings}.")
    if any(setting.run.has_calls for setting in settings):
        template = noop("Tokens sent with each call of the model: {settings}.")
    parts = [_finding_of(setting) for setting in settings if setting.run.requests]
    return _(template, settings=_(SEMICOLON).join(parts) or _("no request yet"))


def _finding_of(setting: SettingRun) -> str:
    run = setting.run
    summarizations = sum(event.is_summarization for event in run.compactions)
    clearings = sum(event.kind == "cleared" for event in run.compactions)
    sizes = run.columns.totals.tolist()
    largest = max(sizes)
    last = sizes[-1]
    middle = sizes[len(sizes) // 2]
    # It grows if the end is about the largest of all, and much larger than the middle.
    grows = len(sizes) > 2 and last > 0.9 * largest and last > GROWTH * middle
    template = _FINDINGS[grows, summarizations > 0, clearings > 0]
    return _(
        template,
        setting=setting.label,
        summarized=times(summarizations),
        cleared=times(clearings),
        tokens=last if grows else _round_up(largest),
    )


_FINDINGS = {
    (True, False, False): noop("{setting} grows to {tokens:,} tokens"),
    (True, True, False): noop(
        "{setting} was summarized {summarized} and grows to {tokens:,} tokens"
    ),
    (True, False, True): noop(
        "{setting} had tool results cleared {cleared} and grows to {tokens:,} tokens"
    ),
    (True, True, True): noop(
        "{setting} was summarized {summarized} and had tool results cleared {cleared} and grows to {tokens:,} tokens"
    ),
    (False, False, False): noop("{setting} stays below {tokens:,} tokens"),
    (False, True, False): noop(
        "{setting} was summarized {summarized} and stays below {tokens:,} tokens"
    ),
    (False, False, True): noop(
        "{setting} had tool results cleared {cleared} and stays below {tokens:,} tokens"
    ),
    (False, True, True): noop(
        "{setting} was summarized {summarized} and had tool results cleared {cleared} and stays below {tokens:,} tokens"
    ),
}
"""The sentences on the requests of a setting, by whether they grow, were summarized, had tool results cleared."""


def _round_up(tokens: int) -> int:
    """Return the next number above ``tokens`` with two digits that are not zero: 1,800 for 1,745."""
    power = int(log10(max(tokens, 1)))
    step: int = 10 ** max(0, power - 1)
    return ceil((tokens + 1) / step) * step


def request_finding(record: TurnRecord) -> str:
    """Return ``The request of turn 9 has 946 tokens: History 566, Summary 154, System prompt 120.``"""
    parts = _largest_first(record.tokens)
    sizes = [f"{_(PART_TITLES[part])} {tokens:,}" for part, tokens in parts]
    return _(
        "The request of {request} has {tokens}: {parts}.",
        request=record.name,
        tokens=counted(record.total_tokens, "token"),
        parts=_(COMMA).join(sizes),
    )


def _largest_first(tokens: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the parts that have tokens, with these, the largest first."""
    parts = [(part, number) for part, number in tokens.items() if number]
    return sorted(parts, key=itemgetter(1), reverse=True)


def parts_finding(run: Run) -> str:
    """Return ``Of all tokens sent under Summary buffer, History is 55%, Summary 20% and Input 9%; the largest request,
    of turn 37, has 1,745 tokens.``"""
    sent_tokens = int(run.columns.totals.sum())
    if not sent_tokens:
        return _("Parts of every request: no request yet.")
    totals = {part: int(run.columns.tokens[part].sum()) for part in PART_ORDER}
    shares = []
    for part, tokens in _largest_first(totals):
        shares.append(f"{_(PART_TITLES[part])} {tokens / sent_tokens:.0%}")
    largest = run.requests[int(run.columns.totals.argmax())]
    return _(
        "Of all tokens sent under {setting}: {parts}; the largest request, of {request}, has {tokens}.",
        setting=run.label,
        parts=listed(shares),
        request=name_of(run, largest),
        tokens=counted(largest.total_tokens, "token"),
    )
