"""The chart, the table and the words of a record of answers, for whoever shows a step of a lesson."""

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

import plotly.graph_objects as go

from memviz.dashboard.charts.answers.answer_grid import (
    GridCell,
    GridRow,
    answer_grid,
    grid_finding,
)
from memviz.dashboard.charts.answers.needle_map import (
    NeedleAnswer,
    by_cell,
    finding,
    needle_map,
    right_of,
)
from memviz.dashboard.lessons.asked_answers import (
    FACTS,
    NEEDLES,
    answers_of,
    record_of,
)
from memviz.transcripts.samples import sample

LARGE_MODEL = "Large model"
COLUMNS = ("In the request", LARGE_MODEL, "SmolLM2 135M", "SmolLM2, with a rule")
GRID_TITLE = "In the request, and used?"


class Table(NamedTuple):
    """The numbers of a chart: the heads of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def answers_chart(name: str) -> go.Figure:
    """Return the chart of a record of answers."""
    if name == NEEDLES:
        return needle_map(needle_answers(), model_of(name))
    return answer_grid(GRID_TITLE, COLUMNS, fact_rows())


def answers_finding(name: str) -> str:
    """Return what the chart shows, in words."""
    if name == NEEDLES:
        return finding(needle_answers(), model_of(name))
    return grid_finding(COLUMNS, fact_rows())


def answers_table(name: str) -> Table:
    """Return the numbers of the chart."""
    if name == NEEDLES:
        return _needle_table(needle_answers())
    rows = []
    for row in fact_rows():
        signs = ["✓" if cell.is_yes else "✗" for cell in row.cells]
        rows.append((row.name, *signs))
    return Table(("Fact", *COLUMNS), tuple(rows))


def answers_origin(name: str) -> str:
    """Return who answered, when and how."""
    about = record_of(name)["about"]
    day = date.fromisoformat(about["made_on"])
    return f"Answered by one small model, {about['model']}, on {day:%-d %B %Y}: {about['how']}"


def model_of(name: str) -> str:
    """The model that answered."""
    model: str = record_of(name)["about"]["model"]
    return model


def needle_answers() -> list[NeedleAnswer]:
    """The answers on sentences hidden in texts, as their chart takes them."""
    wordings = record_of(NEEDLES)["wordings"]
    found = []
    for answer in answers_of(NEEDLES):
        question = wordings[answer["wording"]]["question"]
        place = answer["tokens"], answer["depth"]
        found.append(NeedleAnswer(*place, question, answer["reply"], answer["right"]))
    return found


def _needle_table(answers: list[NeedleAnswer]) -> Table:
    depths = sorted({one.depth_percent for one in answers})
    rows: dict[int, list[str]] = {}
    for (tokens, _), those in by_cell(answers).items():
        rows.setdefault(tokens, []).append(right_of(those))
    heads = [f"{depth} %" for depth in depths]
    lines = [(f"{tokens:,}", *cells) for tokens, cells in rows.items()]
    return Table(("Tokens", *heads), tuple(lines))


def fact_rows() -> list[GridRow]:
    """The questions on facts, as their chart takes them."""
    probes = sample(record_of(FACTS)["conversation"]).probes
    rows = []
    for number, probe in enumerate(probes):
        plain, ruled = answers_of(FACTS, [("fact", number)])
        held = (
            "The request holds it."
            if plain["in_request"]
            else "It is not in the request."
        )
        cells = (
            GridCell(plain["in_request"], held),
            GridCell(plain["large_right"], plain["large_reply"]),
            _cell(plain),
            _cell(ruled),
        )
        rows.append(GridRow(probe.answers[0], probe.question, cells))
    return rows


def _cell(answer: Mapping[str, Any]) -> GridCell:
    return GridCell(answer["right"], answer["reply"])
