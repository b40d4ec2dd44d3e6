"""Which of several settings comes first: the cheapest that does what was asked for, else the nearest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memviz.tuning.constraints import Constraints

if TYPE_CHECKING:
    from pandas import DataFrame

SAME_COST = 1.000_001
"""Costs this close are equal; sums of floating point numbers are not exact."""
SAME_RUN = ("all_tokens", "peak_tokens", "retention", "hit_rate")
"""Settings that agree in all of these sent the same, as far as anybody can tell."""
Row = dict[str, Any]


def best_row(
    table: DataFrame,
    constraints: Constraints,
    measure: str,
    strategy_id: str | None = None,
) -> tuple[Row, bool] | None:
    """The best of the rows of :meth:`memviz.tuning.results.Sweep.by_setting`, of one strategy or of all, and whether it
    does what was asked for; ``None`` where each failed over a conversation, or sends what a provider refuses.
    ``measure`` is what costs are compared in."""
    ran = table[constraints.takes(table)]
    fits = constraints.fits(
        table
    )  # over all rows: one that met no fact does not fit where another had some
    if strategy_id is not None:
        ran = ran[ran["strategy"] == strategy_id]
    if ran.empty:
        return None
    fitting = ran[fits[ran.index]]
    return (
        (cheapest(fitting, measure), True)
        if len(fitting)
        else (nearest(ran, constraints, measure), False)
    )


def cheapest(table: DataFrame, measure: str) -> Row:
    """The cheapest row; of equal cost the one that retains most, then the one with the smallest peak."""
    cheap = table[table[measure] <= table[measure].min() * SAME_COST]
    return as_row(
        cheap.sort_values(
            ["retention", "peak_tokens", "setting"], ascending=[False, True, True]
        )
    )


def nearest(table: DataFrame, constraints: Constraints, measure: str) -> Row:
    """Of rows that do not do what was asked for the one that retains most within the largest request allowed, of equal
    ones the cheapest; where all are too large, the one with the smallest peak."""
    limit = constraints.max_peak_tokens
    within = table if limit is None else table[table["peak_tokens"] <= limit]
    if not len(within):
        return as_row(table.sort_values(["peak_tokens", "setting"]))
    return as_row(
        within.sort_values(
            ["retention", measure, "setting"], ascending=[False, True, True]
        )
    )


def did_the_same(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    """Whether two rows are of settings that sent the same. What is unknown of both counts as equal."""
    pairs = [(one[name], other[name]) for name in SAME_RUN]
    return all(
        mine == theirs or (mine != mine and theirs != theirs) for mine, theirs in pairs
    )


def as_row(table: DataFrame) -> Row:
    """The first row of a table."""
    return {str(name): value for name, value in table.iloc[0].to_dict().items()}
