"""What the tooltips of the fate map say about a row, a column and a cell."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.charts.palette import STEP_TITLES
from memviz.charts.setting_run import SettingRun
from memviz.charts.text import escaped
from memviz.context import Fate
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import Grid
from memviz.metrics.memory_map.fate_map import Span, fate_map, summary_versions
from memviz.metrics.memory_map.steps import STEPS
from memviz.metrics.requests.message_words import message_words
from memviz.metrics.requests.request_axis import calls_in_turns, calls_of, name_of
from memviz.text.wording import (
    counted,
    listed,
    message_number,
    message_range,
    request_range,
    times,
    turn_range,
)

FIRST_WORDS_CHARS = 44
"""A tooltip has to fit into its map, of which three may stand side by side."""
CHARS_A_LINE, NO_BREAK = 50, "\u00a0"
FATE_WORDS = {
    Fate.VERBATIM: "word for word",
    Fate.RECALLED: "recalled",
    Fate.SHORTENED: "shortened",
    Fate.CLEARED: "sent as a placeholder",
    Fate.SUMMARIZED: "replaced by a summary",
    Fate.DROPPED: "dropped",
}
Places = NDArray[np.intp]


def row_words(run: Run, cells: Grid) -> dict[str, str]:
    """For the middle of each row, as the axis writes it: which messages it is, and the first words of a single one."""
    there = (row for row in _whole(cells.rows) if row.start < len(run.log))
    return {
        f"{(message_number(row.start) + row.stop) / 2:.1f}": _row(run, row)
        for row in there
    }


def _whole(cells: tuple[range, ...]) -> tuple[range, ...]:
    """The ranges of cells, the last one as wide as the others: that is where its middle is drawn."""
    return tuple(range(cell.start, cell.start + len(cells[0])) for cell in cells)


def _row(run: Run, row: range) -> str:
    last = min(row.stop, len(run.log)) - 1
    first_turn, last_turn = run.log.turn_number(row.start), run.log.turn_number(last)
    if len(row) > 1:
        return f"<b>{message_range(range(row.start, last + 1))}</b> ({turn_range(first_turn, last_turn)})"
    message = run.log[row.start]
    words = escaped(_first(message_words(message)))
    return f"<b>message {message_number(row.start):,}</b> ({message.role}, turn {first_turn})<br><i>{words}</i>"


def _first(text: str) -> str:
    flat = " ".join(text[: 4 * FIRST_WORDS_CHARS].split())
    if not flat:
        return "no text" if not text.strip() else "…"
    return (
        flat if len(flat) <= FIRST_WORDS_CHARS else flat[: FIRST_WORDS_CHARS - 1] + "…"
    )


def column_words(run: Run, cells: Grid) -> dict[str, str]:
    """For the middle of each column, as the axis writes it: what its requests sent."""
    size = cells.view.requests_per_cell
    fates = fate_map(run)
    words = {}
    for first, column in zip(_whole(cells.columns), cells.columns, strict=True):
        requests = np.flatnonzero(
            (fates.places >= column.start) & (fates.places < column.stop)
        )
        if len(requests):
            words[f"{(first.start + first.stop - 1) / 2:.1f}"] = _column(
                run, column, requests, size
            )
    return words


def _column(run: Run, column: range, requests: Places, size: int) -> str:
    last = int(requests[-1])
    record, counts = run.requests[last], fate_map(run).counts[last]
    sent = _sent(counts)
    if size == 1:
        return f"{name_of(run, record)}: {record.total_tokens:,} tokens sent,<br>{sent}"
    last_of = f"{_requests(run, column, requests)}, with {name_of(run, record)}:"
    return f"{last_of}<br>{record.total_tokens:,} tokens sent,<br>{sent}"


def _sent(counts: Sequence[int] | NDArray[np.int_]) -> str:
    """How many messages of each fate there are; ``counts`` by their codes."""
    told = [fate for fate in FATE_WORDS if counts[fate] or fate in ALWAYS_SAID]
    together = [
        f"{counts[fate]:,} {FATE_WORDS[fate]}".replace(" ", NO_BREAK) for fate in told
    ]
    return "<br>".join(wrap(", ".join(together), CHARS_A_LINE)).replace(NO_BREAK, " ")


def pending_words(run: Run, record: TurnRecord) -> str:
    """The same for the request that nobody has answered yet."""
    sent = _sent(np.bincount(run.fates_at(record), minlength=len(Fate)))
    return f"{record.name}, pending: it would send {record.total_tokens:,} tokens,<br>{sent}.<br>It counts nowhere."


def _requests(run: Run, column: range, numbers: Places) -> str:
    if not run.has_calls:
        return turn_range(column.start, column.stop - 1)
    turns = fate_map(run).turns
    calls, of = calls_of(turns), calls_in_turns(turns)
    first, last = (
        (int(turns[at]), int(calls[at]), int(of[at]))
        for at in numbers[[0, -1]].tolist()
    )
    return request_range(first, last)


ALWAYS_SAID = (Fate.VERBATIM, Fate.DROPPED)


def cell_words(
    run: Run, cells: Grid, code: int, rows: Places, columns: Places
) -> tuple[str, NDArray[Any] | None]:
    """The words of all cells of a code as a template, and the numbers [cells] or [cells x 2] that go into it."""
    step = STEPS[code]
    if not cells.view.in_full:
        percents = np.rint(100 * cells.shares[rows, columns]).astype(np.uint8)
        return (
            f"<b>{STEP_TITLES[code].lower()}</b> (%{{customdata}} % of this cell)",
            percents,
        )
    if step.fate is not Fate.SUMMARIZED:
        return f"<b>{FATE_WORDS[step.fate]}</b>", None
    often = "once" if step.generation == 1 else "%{customdata[0]} times"
    return (
        f"<b>replaced by a summary</b> (version %{{customdata[1]}}),<br>summarized {often}",
        _holders(run, cells, rows, columns),
    )


def _holders(
    run: Run, cells: Grid, rows: Places, columns: Places
) -> NDArray[np.uint16]:
    """Of each cell, how often its content was summarized and which summary holds it."""
    requests = np.searchsorted(
        fate_map(run).places, columns + cells.view.requests.start
    )
    asked = np.unique(requests)
    view = cells.view.positions
    generations = run.generations(
        slice(asked[0], asked[-1] + 1), slice(view.start, view.stop)
    )
    held = np.zeros((len(rows), 2), np.uint16)
    held[:, 0] = generations[requests - asked[0], rows]
    for request in asked:
        there = requests == request
        held[there, 1] = summary_versions(run, request)[rows[there] + view.start]
    return held


def span_words(span: Span) -> str:
    """What became of a message for a while, in a sentence."""
    requests = request_range(span.first, span.last)
    if span.fate is not Fate.SUMMARIZED:
        return f"{requests}: <b>{FATE_WORDS[span.fate]}</b>"
    return (
        f"{requests}: <b>replaced by a summary</b>, summarized {times(span.generation)}"
    )


def map_finding(setting: SettingRun) -> str:
    """What a map shows, in one sentence for those who do not see it."""
    fates = fate_map(setting.run)
    counts = {fate: int(fates.counts[-1, fate]) for fate in FATE_WORDS}
    told = [f"{count:,} {FATE_WORDS[fate]}" for fate, count in counts.items() if count]
    messages = counted(fates.shares(-1).messages, "message")
    return f"Of {messages}, the last request under {setting.label} has {listed(told)}."


def life_finding(settings: Sequence[SettingRun], position: int) -> str:
    """What became of one message in the end, under every setting."""
    lives = [
        (setting.label, fate_map(setting.run).life(position)) for setting in settings
    ]
    told = [f"{label} {FATE_WORDS[life[-1].fate]}" for label, life in lives if life]
    return f"Message {message_number(position):,} at the last request: {listed(told) or 'never sent'}."
