"""A map of answers to questions about one sentence: how many were right, by the length of the text and the place of the
sentence in it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from memviz.core.text.wording import COMMA, counted
from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text, label_lines
from memviz.dashboard.charts.grammar import (
    CELL_SCALE,
    UNDRAWN,
    WHITE_BELOW,
    Part,
    category_axis,
    heading,
    heat,
    marks,
    picture,
)
from memviz.dashboard.words import shorten

REPLY_CHARS = 91
"""The characters of an answer in a tooltip; the rest is in the record."""
MAP_MARGINS = {"l": 76, "r": 10, "t": 64, "b": 56}
_LAYOUT: Part = {
    "over_turns": False,
    "showlegend": False,
    "margin": MAP_MARGINS,
    "height": height_pixels.NEEDLES,
}
_COLORBAR = {
    "thickness": 12,
    "outlinewidth": 0,
    "tickformat": ".0%",
    "tickvals": [0, 0.25, 0.5, 0.75, 1],
}
_POINT: Part = {
    "mode": "text+markers",
    "textposition": "middle center",
    "name": "answers",
}


class NeedleAnswer(NamedTuple):
    """One answer: to a text of so many tokens (as its row is called), with so many percent of its sentences in front
    of the one that is asked for."""

    tokens: int
    depth_percent: int
    question: str
    reply: str
    is_right: bool


Cell = tuple[int, int]
"""A length in tokens and a depth in percent."""


def group_by_cell(answers: Sequence[NeedleAnswer]) -> Mapping[Cell, list[NeedleAnswer]]:
    """Return the answers of each cell, in the order of the map: short texts first, and in a row the least depth."""
    cells: dict[Cell, list[NeedleAnswer]] = {}
    for answer in answers:
        cells.setdefault((answer.tokens, answer.depth_percent), []).append(answer)
    return dict(sorted(cells.items()))


def right_share_words(answers: Sequence[NeedleAnswer]) -> str:
    """Return how many of the answers are right, as ``2/3``."""
    return f"{_number_right(answers)}/{len(answers)}"


def _number_right(answers: Sequence[NeedleAnswer]) -> int:
    return sum(answer.is_right for answer in answers)


def needle_map(answers: Sequence[NeedleAnswer], model: str) -> go.Figure:
    """Return the map of the answers of a model. Bright cells are good ones: every answer was right."""
    cells = group_by_cell(answers)
    lengths = sorted({tokens for tokens, _ in cells})
    depths = sorted({depth for _, depth in cells})
    shares = np.full((len(lengths), len(depths)), np.nan)
    for (tokens, depth), in_cell in cells.items():
        cell = lengths.index(tokens), depths.index(depth)
        shares[cell] = _number_right(in_cell) / len(in_cell)
    points = _points(cells, lengths, depths)
    words = _("{model}: is one sentence found?", model=model)
    most_questions = max(map(len, cells.values()))
    note = _(
        "Each cell: how many of its {questions} were answered right",
        questions=counted(most_questions, "question"),
    )
    return picture(
        [heat(shares, 0, 1, CELL_SCALE, 2, colorbar=_COLORBAR), points],
        title=heading(f"{escape_text(words)}<br><sup>{note}</sup>"),
        xaxis=_axis(_("Place of the sentence (% of the text in front of it)"), depths),
        yaxis=_axis(_("Length of the request (tokens)"), lengths),
        **_LAYOUT,
    )


def _axis(title: str, values: Sequence[int]) -> Part:
    names = [f"{value:,}" for value in values]
    return category_axis(names, automargin=True, title={"text": title}, showgrid=False)


def _points(
    cells: Mapping[Cell, list[NeedleAnswer]], lengths: list[int], depths: list[int]
) -> Part:
    """Return an undrawn point on every cell, with its number and its tooltip."""
    colors = []
    for in_cell in cells.values():
        share = _number_right(in_cell) / len(in_cell)
        colors.append("#FFFFFF" if share < WHITE_BELOW else "#000000")
    return marks(
        [depths.index(depth) for _, depth in cells],
        [lengths.index(tokens) for tokens, _ in cells],
        [str(_number_right(in_cell)) for in_cell in cells.values()],
        UNDRAWN,
        textfont={"color": colors},
        hovertext=[_tooltip(cell, in_cell) for cell, in_cell in cells.items()],
        **_POINT,
    )


def _tooltip(cell: Cell, answers: Sequence[NeedleAnswer]) -> str:
    tokens, depth = cell
    lines = [
        _(
            "<b>{tokens:,} tokens, {depth} % of the text in front of the sentence</b>",
            tokens=tokens,
            depth=depth,
        ),
        _(
            "{right} of {answers} right",
            right=_number_right(answers),
            answers=counted(answers, "answer"),
        ),
    ]
    for answer in answers:
        sign = "✓" if answer.is_right else "✗"
        reply = shorten(answer.reply, REPLY_CHARS)
        lines.append(f"{sign} {escape_text(answer.question)}")
        lines += [f"   {escape_text(line)}" for line in label_lines(reply, 60)]
    return "<br>".join(lines)


def needle_finding(answers: Sequence[NeedleAnswer], model: str) -> str:
    """Return what the map shows, in words."""
    right = _number_right(answers)
    rows = []
    for tokens in sorted({answer.tokens for answer in answers}):
        in_row = right_share_words(
            [answer for answer in answers if answer.tokens == tokens]
        )
        rows.append(_("{right} at {tokens:,} tokens", right=in_row, tokens=tokens))
    return _(
        "{model} answered {right} of {count} questions right: {rows}.",
        model=model,
        right=right,
        count=len(answers),
        rows=_(COMMA).join(rows),
    )
