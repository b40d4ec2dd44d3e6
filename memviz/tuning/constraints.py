"""What is asked of a setting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from memviz.tuning.results import Over

ROUNDING = 1e-9
"""Shares this close are equal: they are means of floating point numbers."""


@dataclass(frozen=True)
class Constraints:
    """Requests that hold at least ``min_retention`` (0 to 1) of the facts stated so far, and have at most
    ``max_peak_tokens`` tokens, in the middle one of all conversations or in the worst (``over``)."""

    min_retention: float = 0.9
    max_peak_tokens: int | None = None
    over: Over = "median"
    allow_refused: bool = False
    """Whether settings count of which a provider would refuse requests."""

    @property
    def of_size(self) -> Constraints:
        """The same where no facts are known: only the size counts."""
        return replace(self, min_retention=0.0)

    def fits(self, table: DataFrame) -> Series[bool]:
        """Which rows of :meth:`memviz.tuning.results.Sweep.by_setting` do what is asked. Where no setting has any
        facts, tokens alone decide. One that could not be run over a conversation does not."""
        keeps = table["retention"] >= self.min_retention - ROUNDING
        if not table["retention"].notna().any():
            keeps = ~keeps
        taken = self.takes(table)
        within = table["peak_tokens"] <= (
            float("inf") if self.max_peak_tokens is None else self.max_peak_tokens
        )
        return keeps & within & taken

    def takes(self, table: DataFrame) -> Series[bool]:
        """Which rows can be recommended at all: those of settings that ran over every conversation, and of which a
        provider refuses no request, unless that is allowed."""
        ran = table["failed"] == 0
        return (
            ran
            if self.allow_refused or "refused" not in table
            else ran & (table["refused"] == 0)
        )
