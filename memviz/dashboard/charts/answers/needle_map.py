"""The map of one sentence in texts: a cell for each length of the text and place of the
sentence, coloured by the share of right answers."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from memviz.core.text.wording import COMMA, counted
from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.grammar import INVISIBLE, heading, heat, marks, picture
from memviz.dashboard.charts.text import escaped, label_lines

SCALE = "Cividis"
"""Even steps of lightness, the same for eyes without red or green cones; its bright end is the good one."""
WHITE_BELOW = 0.47
"""Share of right answers up to which white is read better on a cell than black."""
REPLY_CHARS = 90
"""Of an answer in a tooltip; the rest is in the record."""
MARGINS = {"l": 76, "r": 10, "t": 64, "b": 56}
_COLORBAR = {
    "thickness": 12,
    "outlinewidth": 0,
    "tickformat": ".0%",
    "tickvals": [0, 0.25, 0.5, 0.75, 1],
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


def by_cell(answers: Sequence[NeedleAnswer]) -> Mapping[Cell, list[NeedleAnswer]]:
    """The answers of each cell, in the order of the map: short texts first, and in a row the least depth."""
    cells: dict[Cell, list[NeedleAnswer]] = {}
    for one in sorted(answers, key=lambda one: (one.tokens, one.depth_percent)):
        cells.setdefault((one.tokens, one.depth_percent), []).append(one)
    return cells


def right_of(answers: Sequence[NeedleAnswer]) -> str:
    """The right ones among answers, as ``2/3``."""
    return f"{sum(one.is_right for one in answers)}/{len(answers)}"


def needle_map(answers: Sequence[NeedleAnswer], model: str) -> go.Figure:
    """Return the map of the answers of a model. Bright cells are good ones: every answer was right."""
    cells = by_cell(answers)
    lengths = sorted({tokens for tokens, _ in cells})
    depths = sorted({depth for _, depth in cells})
    shares = np.full((len(lengths), len(depths)), np.nan)
    for (tokens, depth), those in cells.items():
        at = lengths.index(tokens), depths.index(depth)
        shares[at] = np.mean([one.is_right for one in those])
    words = _("{model}: is one sentence found?", model=model)
    asked = max(map(len, cells.values()))
    note = _(
        "Each cell: how many of its {questions} were answered right",
        questions=counted(asked, "question"),
    )
    return picture(
        [heat(shares, 0, 1, SCALE, 2, colorbar=_COLORBAR), _points(cells)],
        over_turns=False,
        title=heading(f"{escaped(words)}<br><sup>{note}</sup>"),
        xaxis=_axis(_("Place of the sentence (% of the text in front of it)"), depths),
        yaxis=_axis(_("Length of the request (tokens)"), lengths),
        showlegend=False,
        margin=MARGINS,
        height=height_pixels.NEEDLES,
    )


def _axis(title: str, values: Sequence[int]) -> dict[str, object]:
    return {
        "automargin": True,
        "title": {"text": title},
        "showgrid": False,
        "zeroline": False,
        "tickmode": "array",
        "tickvals": list(range(len(values))),
        "ticktext": [f"{value:,}" for value in values],
        "range": [-0.5, len(values) - 0.5],
    }


def _points(cells: Mapping[Cell, list[NeedleAnswer]]) -> dict[str, object]:
    """Return an undrawn point on every cell, with its number and its tooltip."""
    lengths = sorted({tokens for tokens, _ in cells})
    depths = sorted({depth for _, depth in cells})
    colors = []
    for those in cells.values():
        share = sum(one.is_right for one in those) / len(those)
        colors.append("#FFFFFF" if share < WHITE_BELOW else "#000000")
    return marks(
        [depths.index(depth) for _, depth in cells],
        [lengths.index(tokens) for tokens, _ in cells],
        [right_of(those).partition("/")[0] for those in cells.values()],
        {"opacity": 0, "size": 1, "color": INVISIBLE},
        mode="text+markers",
        textposition="middle center",
        textfont={"color": colors},
        hovertext=[_tooltip(cell, those) for cell, those in cells.items()],
        name="answers",
    )


def _tooltip(cell: Cell, answers: Sequence[NeedleAnswer]) -> str:
    tokens, depth = cell
    right = sum(one.is_right for one in answers)
    lines = [
        _(
            "<b>{tokens:,} tokens, {depth} % of the text in front of the sentence</b>",
            tokens=tokens,
            depth=depth,
        ),
        _(
            "{right} of {answers} right",
            right=right,
            answers=counted(len(answers), "answer"),
        ),
    ]
    for one in answers:
        sign = "✓" if one.is_right else "✗"
        said = " ".join(one.reply.split())
        if len(said) > REPLY_CHARS:
            said = f"{said[:REPLY_CHARS]}…"
        lines.append(f"{sign} {escaped(one.question)}")
        lines += [f"   {escaped(line)}" for line in label_lines(said, 60)]
    return "<br>".join(lines)


def finding(answers: Sequence[NeedleAnswer], model: str) -> str:
    """Return what the map shows, in words."""
    right = sum(one.is_right for one in answers)
    rows = []
    for tokens in sorted({one.tokens for one in answers}):
        those = [one for one in answers if one.tokens == tokens]
        rows.append(
            _(
                "{right} at {tokens:,} tokens",
                right=right_of(those),
                tokens=tokens,
            )
        )
    return _(
        "{model} answered {right} of {count} questions right: {rows}.",
        model=model,
        right=right,
        count=len(answers),
        rows=_(COMMA).join(rows),
    )
