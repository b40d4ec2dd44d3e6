"""A grid of the answers that a model gave to questions: which were right in each request."""

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text, label_lines
from memviz.dashboard.charts.grammar import (
    GREY,
    Part,
    category_axis,
    heading,
    marks,
    picture,
)
from memviz.dashboard.charts.palette import PART_COLORS

YES_COLOR = PART_COLORS["history"]
KEY = noop("Filled circle: right, or in the request. Cross: not.")
LABEL_CHARS = 30
TOOLTIP_CHARS = 60
GRID_MARGINS = {"l": 20, "r": 10, "t": 126, "b": 10}
_LAYOUT: Part = {"over_turns": False, "showlegend": False, "margin": GRID_MARGINS}
_MARK_PIXELS = 11


class GridCell(NamedTuple):
    """One mark: ``is_yes`` if the answer is right, or the fact is there; ``words`` say so in the tooltip."""

    is_yes: bool
    words: str


class GridRow(NamedTuple):
    """A question with a short name and one cell a column."""

    name: str
    question: str
    cells: tuple[GridCell, ...]


def answer_grid(
    title: str, columns: Sequence[str], rows: Sequence[GridRow]
) -> go.Figure:
    """Return the grid: filled circles are right answers, crosses wrong ones. Each column says how many are right."""
    rows_pixels = height_pixels.ANSWER_ROW * len(rows)
    return picture(
        [_marks(rows)],
        title=heading(f"{escape_text(title)}<br><sup>{_(KEY)}</sup>"),
        xaxis=_column_axis(columns, rows),
        yaxis=_question_axis(rows),
        height=rows_pixels + GRID_MARGINS["t"] + GRID_MARGINS["b"],
        **_LAYOUT,
    )


def _column_axis(columns: Sequence[str], rows: Sequence[GridRow]) -> Part:
    heads = []
    for name, right, questions in grid_counts(columns, rows):
        heads.append(f"{escape_text(name)}<br><b>{right} of {questions}</b>")
    return category_axis(heads, side="top", showgrid=False)


def _question_axis(rows: Sequence[GridRow]) -> Part:
    names = []
    for row in rows:
        lines = label_lines(row.name, LABEL_CHARS)
        names.append("<br>".join(map(escape_text, lines)))
    # The first question is on top.
    downwards = [len(rows) - 0.5, -0.5]
    title = {"text": _("Fact that is asked for"), "standoff": 12}
    return category_axis(names, automargin=True, range=downwards, title=title)


def grid_counts(
    columns: Sequence[str], rows: Sequence[GridRow]
) -> list[tuple[str, int, int]]:
    """Each column with its right cells and all."""
    counts = []
    for column, name in enumerate(columns):
        right = sum(row.cells[column].is_yes for row in rows)
        counts.append((name, right, len(rows)))
    return counts


def grid_finding(columns: Sequence[str], rows: Sequence[GridRow]) -> str:
    """Return what the grid shows, in words."""
    counts = []
    for name, right, questions in grid_counts(columns, rows):
        counts.append(
            _("{name}: {right} of {asked}", name=name, right=right, asked=questions)
        )
    return "; ".join(counts)


def _marks(rows: Sequence[GridRow]) -> dict[str, object]:
    x = []
    y = []
    words = []
    symbols = []
    colors = []
    for number, row in enumerate(rows):
        for column, cell in enumerate(row.cells):
            x.append(column)
            y.append(number)
            flat = " ".join(cell.words.split())
            lines = map(escape_text, label_lines(flat, TOOLTIP_CHARS))
            words.append("<br>".join([f"<b>{escape_text(row.question)}</b>", *lines]))
            symbols.append("circle" if cell.is_yes else "x-thin-open")
            colors.append(YES_COLOR if cell.is_yes else GREY)
    marker = {
        "size": _MARK_PIXELS,
        "symbol": symbols,
        "color": colors,
        "line": {"width": 2, "color": colors},
    }
    return marks(x, y, words, marker)
