"""Constraints that a setting has to meet, and the choice of the best row of a sweep's table under them.

The best row is the cheapest one that meets the constraints, else the one that comes nearest. The recommendation of a
sweep (:mod:`~memviz.tuning.recommendation`) and the best of each strategy (:mod:`~memviz.tuning.best_of_each`) both
choose by this rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Over = Literal["median", "worst"]
"""The conversation, of several, whose largest request and retention count: the middle one, or the least favourable.

Money, tokens and calls are added over all conversations either way.
"""
ROUNDING = 1e-9
"""Shares that differ by no more than this are equal, because means of floating point numbers are not exact."""
SAME_COST = 1.000_001
"""Costs of no more than this ratio are equal, because sums of floating point numbers are not exact."""
SAME_RUN = ("all_tokens", "peak_tokens", "retention", "hit_rate")
"""Settings that agree in all of these measures are taken to have sent the same requests."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Constraints:
    """The constraints that a setting has to meet."""

    min_retention: float = 0.9
    """The least share (0 to 1) of the facts stated so far that a request holds on average."""
    max_peak_tokens: int | None = None
    """The most tokens of a request; ``None`` for no limit."""
    over: Over = "median"
    allow_refused: bool = False
    """True if settings count too of which a provider would refuse requests."""

    @property
    def without_retention(self) -> Constraints:
        """The same constraints for a sweep without facts, in which only the size counts."""
        return replace(self, min_retention=0.0)

    def fits(self, table: DataFrame) -> Series[bool]:
        """Return true for the rows of :meth:`memviz.tuning.results.Sweep.by_setting` that meet the constraints.

        Where no row has any facts, only tokens decide. Rows that :meth:`admits` rules out do not meet them.
        """
        fitting = self.admits(table)
        if table["retention"].notna().any():
            fitting &= table["retention"] >= self.min_retention - ROUNDING
        if self.max_peak_tokens is not None:
            fitting &= table["peak_tokens"] <= self.max_peak_tokens
        return fitting

    def admits(self, table: DataFrame) -> Series[bool]:
        """Return true for the rows that can be recommended at all.

        Their settings ran over every conversation, and no provider refuses their requests, unless that is allowed.
        """
        ran = table["failed"] == 0
        if self.allow_refused or "refused" not in table:
            return ran
        return ran & (table["refused"] == 0)


def find_best_row(
    table: DataFrame,
    constraints: Constraints,
    measure: str,
    strategy_id: str | None = None,
) -> tuple[Row, bool] | None:
    """Return the best row of a sweep's table, and true if it meets ``constraints``.

    Args:
        table: That of :meth:`memviz.tuning.results.Sweep.by_setting`.
        constraints: What the setting has to do.
        measure: The column that costs are compared by.
        strategy_id: The only strategy whose rows count; ``None`` for all.

    Returns:
        ``None`` where no row can be recommended at all (see :meth:`Constraints.admits`).
    """
    is_admitted = constraints.admits(table)
    # Judged over the whole table: whether there are facts depends on all rows.
    is_fitting = constraints.fits(table)
    if strategy_id is not None:
        is_of_strategy = table["strategy"] == strategy_id
        is_admitted &= is_of_strategy
        is_fitting &= is_of_strategy
    if is_fitting.any():
        return find_cheapest_row(table[is_fitting], measure), True
    if is_admitted.any():
        return _find_nearest_row(table[is_admitted], constraints, measure), False
    return None


def find_cheapest_row(table: DataFrame, measure: str) -> Row:
    """Return the cheapest row; of equal cost, the one that retains most, then the one with the smallest peak."""
    cheap = table[table[measure] <= table[measure].min() * SAME_COST]
    return take_first_row(cheap, "-retention", "peak_tokens", "setting")


def _find_nearest_row(table: DataFrame, constraints: Constraints, measure: str) -> Row:
    """Return the row that comes nearest to the constraints, of rows that do not meet them.

    It is the one that retains most within the largest request allowed, of equal ones the cheapest. Where all requests
    are too large, it is the row with the smallest peak.
    """
    within = table
    if constraints.max_peak_tokens is not None:
        within = table[table["peak_tokens"] <= constraints.max_peak_tokens]
    if within.empty:
        return take_first_row(table, "peak_tokens", "setting")
    return take_first_row(within, "-retention", measure, "setting")


def take_first_row(table: DataFrame, *columns: str) -> Row:
    """Return the row that comes first in the order of ``columns``; a minus before a name sorts downwards."""
    names = [column.removeprefix("-") for column in columns]
    rises = [not column.startswith("-") for column in columns]
    row = table.sort_values(names, ascending=rises).iloc[0].to_dict()
    return {str(name): value for name, value in row.items()}


def is_same_run(row: Mapping[Any, Any], other_row: Mapping[Any, Any]) -> bool:
    """Return whether two settings sent the same requests, as far as their rows tell."""
    for name in SAME_RUN:
        value = row[name]
        other_value = other_row[name]
        # Values that are unknown in both rows count as equal.
        are_unknown = isnan(value) and isnan(other_value)
        if value != other_value and not are_unknown:
            return False
    return True
