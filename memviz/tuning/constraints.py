"""Constraints: what a setting has to do, and which of several settings comes first: the cheapest that does it, else the
nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Over = Literal["median", "worst"]
"""Which of several conversations says how large a request is and how much is kept: the one in the middle, or the least
favourable. What adds up (money, tokens, calls) is added over all of them either way."""
ROUNDING = 1e-9
"""Shares this close are equal: they are means of floating point numbers."""
SAME_COST = 1.000_001
"""Costs this close are equal; sums of floating point numbers are not exact."""
SAME_RUN = ("all_tokens", "peak_tokens", "retention", "hit_rate")
"""Settings that agree in all of these sent the same, as far as anybody can tell."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Constraints:
    """Requests that hold at least ``min_retention`` (0 to 1) of the facts stated so far, and have at most
    ``max_peak_tokens`` tokens, in the middle one of all conversations or in the worst (``over``)."""

    min_retention: float = 0.9
    max_peak_tokens: int | None = None
    over: Over = "median"
    allow_refused: bool = False
    """Settings of which a provider would refuse requests count too."""

    @property
    def of_size(self) -> Constraints:
        """The same where no facts are known: only the size counts."""
        return replace(self, min_retention=0.0)

    def fits(self, table: DataFrame) -> Series[bool]:
        """Return which rows of :meth:`memviz.tuning.results.Sweep.by_setting` do what is asked. Where no setting has
        any facts, tokens alone decide. One that could not be run over a conversation does not."""
        fitting = self.takes(table)
        if table["retention"].notna().any():
            fitting &= table["retention"] >= self.min_retention - ROUNDING
        if self.max_peak_tokens is not None:
            fitting &= table["peak_tokens"] <= self.max_peak_tokens
        return fitting

    def takes(self, table: DataFrame) -> Series[bool]:
        """Return which rows can be recommended at all: those of settings that ran over every conversation, and of
        which a provider refuses no request, unless that is allowed."""
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
    """Return the best of the rows of :meth:`memviz.tuning.results.Sweep.by_setting`, of one strategy or of all, and
    true if it does what was asked for; ``None`` where each failed over a conversation, or sends what a provider
    refuses. ``measure`` is what costs are compared in."""
    takes = constraints.takes(table)
    # Over all rows: one that met no fact does not fit where another had some.
    fits = constraints.fits(table)
    if strategy_id is not None:
        is_of_strategy = table["strategy"] == strategy_id
        takes &= is_of_strategy
        fits &= is_of_strategy
    if fits.any():
        return find_cheapest_row(table[fits], measure), True
    if takes.any():
        return _find_nearest_row(table[takes], constraints, measure), False
    return None


def find_cheapest_row(table: DataFrame, measure: str) -> Row:
    """Return the cheapest row; of equal cost the one that retains most, then the one with the smallest peak."""
    cheap = table[table[measure] <= table[measure].min() * SAME_COST]
    return take_first_row(cheap, "-retention", "peak_tokens", "setting")


def _find_nearest_row(table: DataFrame, constraints: Constraints, measure: str) -> Row:
    """Return of rows that do not do what was asked for the one that retains most within the largest request allowed, of
    equal ones the cheapest; where all are too large, the one with the smallest peak."""
    within = table
    if constraints.max_peak_tokens is not None:
        within = table[table["peak_tokens"] <= constraints.max_peak_tokens]
    if within.empty:
        return take_first_row(table, "peak_tokens", "setting")
    return take_first_row(within, "-retention", measure, "setting")


def take_first_row(table: DataFrame, *columns: str) -> Row:
    """Return the row that comes first in the order of these columns; one named with a minus is ordered downwards."""
    names = [column.removeprefix("-") for column in columns]
    rises = [not column.startswith("-") for column in columns]
    row = table.sort_values(names, ascending=rises).iloc[0].to_dict()
    return {str(name): value for name, value in row.items()}


def is_same_run(row: Mapping[Any, Any], other_row: Mapping[Any, Any]) -> bool:
    """Return whether two rows are of settings that sent the same. What is unknown of both counts as equal."""
    for name in SAME_RUN:
        value = row[name]
        other_value = other_row[name]
        is_unknown = value != value and other_value != other_value
        if value != other_value and not is_unknown:
            return False
    return True
