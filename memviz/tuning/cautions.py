"""Warnings beside a recommended setting: it left nothing out, or a provider refuses requests of it.

Each function returns a list with one sentence, or an empty one, that
:mod:`~memviz.tuning.recommendation` and :mod:`~memviz.tuning.best_of_each` add to what they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memviz.core.text.wording import share_of
from memviz.core.translation import _, ngettext, noop
from memviz.strategies.base import Strategy, Trigger
from memviz.tuning.constraints import Constraints

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.cell import Cell
    from memviz.tuning.constraints import Over
    from memviz.tuning.grounds import Grounds


class MeasuredSweep(Protocol):
    """The part of a :class:`memviz.tuning.results.Sweep` that a recommendation reads."""

    @property
    def settings(self) -> tuple[Strategy, ...]:
        """All settings."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The titles of the conversations."""

    @property
    def grounds(self) -> Grounds:
        """The facts and the summaries that its figures rest on."""

    @property
    def cost_measure(self) -> str:
        """The column that is compared as the cost."""

    def by_setting(self, over: Over = "median") -> DataFrame:
        """Return one row a setting."""

    def cells_of(self, setting: int) -> list[Cell]:
        """Return the cells of the setting of this number (0-based)."""


def describe_idle(sweep: MeasuredSweep, setting: int) -> list[str]:
    """Return a sentence if setting ``setting`` (0-based) could have left something out of requests and never did."""
    strategy = sweep.settings[setting]
    cells = [cell for cell in sweep.cells_of(setting) if not cell.error]
    idle = sum(cell.sends_everything for cell in cells)
    if not idle or not strategy.main_parameter:
        return []
    here, among = _NEVER_CLEARED
    if strategy.trigger is Trigger.NEVER:
        here, among = _LEFT_NOTHING_OUT
    elif strategy.writes_notes:
        here, among = _NEVER_SUMMARIZED
    if len(sweep.subjects) == 1:
        return [_(here)]
    return [_(among, share=share_of(idle, len(sweep.subjects), "conversation"))]


_NEVER_CLEARED = (
    noop(
        "It never cleared or shortened anything here, so it did what the full buffer does."
    ),
    noop(
        "It never cleared or shortened anything in {share}, so it did what the full buffer does."
    ),
)
_LEFT_NOTHING_OUT = (
    noop("It left nothing out here, so it did what the full buffer does."),
    noop("It left nothing out in {share}, so it did what the full buffer does."),
)
_NEVER_SUMMARIZED = (
    noop("It never summarized here, so it did what the full buffer does."),
    noop("It never summarized in {share}, so it did what the full buffer does."),
)
"""In one conversation, and in some of several."""


def describe_refused(sweep: MeasuredSweep, setting: int) -> list[str]:
    """Return a sentence if a provider refuses requests of setting ``setting`` (0-based)."""
    cells = sweep.cells_of(setting)
    refused = sum(cell.refused_requests for cell in cells)
    requests = sum(len(cell.traffic.turns) for cell in cells)
    if not refused:
        return []
    sentence = ngettext(
        "But {share} holds a tool's result without its call, or a call without its result, which a provider refuses: a "
        "program that uses this setting has to leave such halves out, as Chat does.",
        "But {share} hold a tool's result without its call, or a call without its result, which a provider refuses: a "
        "program that uses this setting has to leave such halves out, as Chat does.",
        refused,
        share=share_of(refused, requests, "request"),
    )
    return [sentence]


def describe_left_out(table: DataFrame, constraints: Constraints) -> list[str]:
    """Return a sentence if settings of ``table`` were left out because a provider refuses requests of them."""
    left_out = int((table["refused"] > 0).sum())
    if constraints.allow_refused or not left_out:
        return []
    sentence = ngettext(
        "{number} setting is left out, for it sends requests that a provider refuses: a tool's result without its "
        "call, or a call without its result.",
        "{number} settings are left out, for they send requests that a provider refuses: a tool's result without its "
        "call, or a call without its result.",
        left_out,
        number=f"{left_out:,}",
    )
    return [sentence]
