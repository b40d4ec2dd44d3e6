"""The colour and the shape of each strategy on the charts of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memviz.dashboard.charts.palette import setting_color, setting_dash

if TYPE_CHECKING:
    from pandas import DataFrame

SHAPES = (
    "circle", "square", "triangle-up", "diamond", "star", "triangle-down", "cross", "pentagon", "hourglass",
    "hexagram", "bowtie", "star-square", "triangle-left",
)  # fmt: skip
"""As many as there are strategies: none is told by its colour alone, of which there are ten. Their number shares no
divisor with ten, so that with more strategies a shape that comes again has another colour. Each has an open form."""


@dataclass(frozen=True, slots=True)
class StrategyMark:
    """One strategy: its id, its title, and the number that decides its look."""

    id: str
    title: str
    index: int

    @property
    def color(self) -> str:
        """Its colour, as a token that the theme replaces."""
        return setting_color(self.index)

    @property
    def shape(self) -> str:
        """Its marker."""
        return SHAPES[self.index % len(SHAPES)]

    @property
    def dash(self) -> str:
        """Its line dash."""
        return setting_dash(self.index)


def strategy_marks(
    table: DataFrame, strategies: Sequence[str] = ()
) -> list[StrategyMark]:
    """The strategies of ``table`` (rows of ``Sweep.by_setting``). ``strategies`` are ids in the order that gives them
    their look, so that it stays when the table holds fewer; without it, and after it, they come as in the table."""
    titles = {
        row["strategy"]: title_of(row["label"])
        for row in table[["strategy", "label"]].to_dict("records")
    }
    order = list(dict.fromkeys([*strategies, *titles]))
    return [
        StrategyMark(id, titles[id], index)
        for index, id in enumerate(order)
        if id in titles
    ]


def title_of(label: str) -> str:
    """The strategy's title, which every label of a setting begins with."""
    return label.partition(" · ")[0]
