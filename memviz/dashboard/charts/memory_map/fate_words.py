"""The words of the fate map, and the life of one message.

The map has tooltips about a row, a column and a cell, one sentence, and a table. The life
is one row of it in large: a bar of fates for every setting, over the requests.
"""

from collections.abc import Container, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.text.wording import (
    COMMA,
    counted,
    listed,
    message_number,
    message_range,
    request_range,
    times,
    turn_range,
)
from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.palette import STEP_TITLES, SettingRun
from memviz.dashboard.charts.requests.tables import Requests, requests_table
from memviz.dashboard.words import shorten
from memviz.dashboard.words.requests import message_words, name_of
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import Grid
from memviz.metrics.memory_map.fate_map import (
    Span,
    build_fate_map,
    list_summary_versions,
)
from memviz.metrics.memory_map.stretches import STEPS
from memviz.metrics.requests.request_axis import (
    count_calls_in_turns,
    count_calls_so_far,
)

FIRST_WORDS_CHARS = 44
"""A tooltip has to fit into its map, of which three may stand side by side."""
CHARS_A_LINE = 50
NO_BREAK = "\u00a0"
FATE_WORDS = {
    Fate.VERBATIM: noop("word for word"),
    Fate.RECALLED: noop("recalled"),
    Fate.SHORTENED: noop("shortened"),
    Fate.CLEARED: noop("sent as a placeholder"),
    Fate.SUMMARIZED: noop("replaced by a summary"),
    Fate.OPAQUE: noop("in a block nobody can read"),
    Fate.DROPPED: noop("dropped"),
}
ALWAYS_SAID = (Fate.VERBATIM, Fate.DROPPED)
Places = NDArray[np.intp]


def row_words(run: Run, cells: Grid) -> dict[str, str]:
    """Return for the middle of each row, as the axis writes it: which messages it is, and the first words of a single
    one."""
    half = (cells.view.messages_per_cell - 1) / 2
    words = {}
    for row in cells.rows:
        if row.start < len(run.log):
            middle = message_number(row.start) + half
            words[f"{middle:.1f}"] = _row(run, row, is_single=not half)
    return words


def _row(run: Run, row: range, *, is_single: bool) -> str:
    first_turn = run.log.turn_number(row.start)
    if not is_single:
        stop = min(row.stop, len(run.log))
        turns = turn_range(first_turn, run.log.turn_number(stop - 1))
        return f"<b>{message_range(range(row.start, stop))}</b> ({turns})"
    message = run.log[row.start]
    head = _(
        "<b>message {number:,}</b> ({role}, turn {turn})",
        number=message_number(row.start),
        role=_(message.role),
        turn=first_turn,
    )
    # Of a long message the beginning is enough: spaces in a row become one.
    beginning = message_words(message).lstrip()[: 4 * FIRST_WORDS_CHARS]
    first_words = shorten(beginning, FIRST_WORDS_CHARS) or _("no text")
    return f"{head}<br><i>{escape_text(first_words)}</i>"


def column_words(run: Run, cells: Grid) -> dict[str, str]:
    """Return for the middle of each column, as the axis writes it: what its requests sent."""
    places = build_fate_map(run).places
    half = (cells.view.requests_per_cell - 1) / 2
    words = {}
    for column in cells.columns:
        is_inside = (places >= column.start) & (places < column.stop)
        requests = np.flatnonzero(is_inside)
        if len(requests):
            middle = f"{column.start + half:.1f}"
            words[middle] = _column(run, column, requests, is_single=not half)
    return words


def _column(run: Run, column: range, requests: Places, *, is_single: bool) -> str:
    last = int(requests[-1])
    record = run.requests[last]
    template = noop("{request}: {tokens} sent,<br>{sent}")
    requests_words = ""
    if not is_single:
        template = noop("{requests}, with {request}:<br>{tokens} sent,<br>{sent}")
        requests_words = _requests(run, column, requests)
    return _(
        template,
        requests=requests_words,
        request=name_of(run, record),
        tokens=counted(record.total_tokens, "token"),
        sent=_fates_words(build_fate_map(run).counts[last]),
    )


def _fates_words(counts: Sequence[int] | NDArray[np.int_]) -> str:
    """Return how many messages of each fate there are; ``counts`` by their codes."""
    counts_in_words = _counts_words(counts, ALWAYS_SAID)
    # A line ends behind a comma, and never between a number and its word.
    unbroken = [count.replace(" ", NO_BREAK) for count in counts_in_words]
    lines = wrap(_(COMMA).join(unbroken), CHARS_A_LINE)
    return "<br>".join(lines).replace(NO_BREAK, " ")


def _counts_words(
    counts: Sequence[int] | NDArray[np.int_], always: Container[Fate]
) -> list[str]:
    """Return ``7 dropped``, for each fate that occurs, or that is said ``always``."""
    counts_in_words = []
    for fate, words in FATE_WORDS.items():
        if counts[fate] or fate in always:
            counts_in_words.append(f"{counts[fate]:,} {_(words)}")
    return counts_in_words


def pending_words(run: Run) -> str:
    """Return what the request sends that nobody has answered yet, as the map says it of a column."""
    record = run.pending
    assert record is not None  # noqa: S101 - only such a request is drawn
    return _(
        "{request}, pending: it would send {tokens},<br>{sent}.<br>It counts nowhere.",
        request=record.name,
        tokens=counted(record.total_tokens, "token"),
        sent=_fates_words(np.bincount(run.fates_at(record), minlength=len(Fate))),
    )


def _requests(run: Run, column: range, numbers: Places) -> str:
    if not run.has_calls:
        return turn_range(column.start, column.stop - 1)
    turns = build_fate_map(run).turns
    columns = (turns, count_calls_so_far(turns), count_calls_in_turns(turns))
    first, last = np.stack(columns, axis=1)[numbers[[0, -1]]].tolist()
    return request_range(tuple(first), tuple(last))


def cell_words(
    run: Run, cells: Grid, code: int, rows: Places, columns: Places
) -> tuple[str, NDArray[Any] | None]:
    """Return the words of all cells of a code as a template, and the numbers [cells] or [cells x 2] that go into it."""
    step = STEPS[code]
    if not cells.view.in_full:
        percents = np.rint(100 * cells.shares[rows, columns]).astype(np.uint8)
        title = _(STEP_TITLES[code]).lower()
        return _("<b>{fate}</b> (%{{customdata}} % of this cell)", fate=title), percents
    if step.fate is not Fate.SUMMARIZED:
        return f"<b>{_(FATE_WORDS[step.fate])}</b>", None
    template = noop(
        "<b>replaced by a summary</b> (version %{customdata[1]}),<br>summarized %{customdata[0]} times"
    )
    if step.generation == 1:
        template = noop(
            "<b>replaced by a summary</b> (version %{customdata[1]}),<br>summarized once"
        )
    return _(template), _holders(run, cells, rows, columns)


def _holders(
    run: Run, cells: Grid, rows: Places, columns: Places
) -> NDArray[np.uint16]:
    """Return an array [cells x 2]: how often the content of each cell was summarized, and which summary holds it."""
    view = cells.view
    places = columns + view.requests.start
    request_of_cell = np.searchsorted(build_fate_map(run).places, places)
    requests = np.unique(request_of_cell)
    positions = slice(view.positions.start, view.positions.stop)
    # Read at once for all requests from the first to the last of them.
    generations = run.generations(slice(requests[0], requests[-1] + 1), positions)
    holders = np.zeros((len(rows), 2), np.uint16)
    holders[:, 0] = generations[request_of_cell - requests[0], rows]
    for request in requests:
        is_of_request = request_of_cell == request
        versions = list_summary_versions(run, request)
        holders[is_of_request, 1] = versions[rows[is_of_request] + view.positions.start]
    return holders


def span_words(span: Span) -> str:
    """Return what became of a message for a while, in a sentence."""
    template = noop("{when}: <b>{fate}</b>")
    if span.fate is Fate.SUMMARIZED:
        template = noop("{when}: <b>{fate}</b>, summarized {times}")
    return _(
        template,
        when=request_range(span.first, span.last),
        fate=_(FATE_WORDS[span.fate]),
        times=times(span.generation),
    )


def map_finding(setting: SettingRun) -> str:
    """Return what a map shows, in one sentence for those who do not see it."""
    fates = build_fate_map(setting.run)
    last = fates.counts[-1]
    counts_in_words = _counts_words(last, ())
    return _(
        "Of {messages}, the last request under {setting} has {fates}.",
        messages=counted(fates.shares(-1).messages, "message"),
        setting=setting.label,
        fates=listed(counts_in_words),
    )


def fates_table(settings: Sequence[SettingRun]) -> pd.DataFrame:
    """Return numbers of messages, one column for each fate that occurs under a setting."""
    return requests_table(settings, _fate_columns)


def _fate_columns(name: str, run: Run, shown: Requests) -> dict[str, list[int | None]]:
    fates = build_fate_map(run)
    calls = count_calls_so_far(fates.turns).tolist()
    requests = zip(fates.turns.tolist(), calls, strict=True)
    rows = dict(zip(requests, fates.counts.tolist(), strict=True))
    nowhere = [None] * len(Fate)
    columns = {}
    for fate, words in FATE_WORDS.items():
        if fates.counts[:, fate].any():
            counts = [rows.get(request, nowhere)[fate] for request in shown]
            columns[_("{name}: {words}", name=name, words=_(words))] = counts
    return columns
