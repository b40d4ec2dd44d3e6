"""The sweep that a browser session asked for last: its subject, and how far it is."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.shell.state import clicked_number, of_session, widget_value
from memviz.models.budget import Budget
from memviz.models.names import OFFLINE
from memviz.storage.workspace import Workspace
from memviz.strategies.base import Strategy
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep

SECONDS_KEY = "tune-seconds"
"""The control of the time that a sweep may take."""


@dataclass(frozen=True)
class Asked:
    """The subject of a sweep: everything that decides what its cells hold."""

    conversations: tuple[tuple[str, object], ...]
    """Their ids, each with what tells that it was changed."""
    firsts: tuple[int | None, ...]
    """The number of messages of each that are replayed, if not all."""
    settings: tuple[Strategy, ...]
    counter: str
    summarizer: str = OFFLINE
    seconds: int | None = None
    """The time that it may take, if not as long as it takes."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the conversations."""
        return tuple(id for id, _stamp in self.conversations)

    @property
    def first(self) -> dict[str, int | None]:
        """The number of messages of each conversation that are replayed; ``None``: all."""
        return dict(zip(self.ids, self.firsts, strict=True))


def asked_for(
    workspace: Workspace,
    ids: Sequence[str],
    settings: Sequence[Strategy],
    study: CompareState,
) -> Asked:
    """The sweep of these settings over these conversations as they are now."""
    stamped = tuple((id, workspace.store.entry(id).updated_at) for id in ids)
    firsts = tuple(workspace.beginning(id, study.first_of(id)) for id in ids)
    return Asked(
        stamped,
        firsts,
        tuple(settings),
        study.counter,
        seconds=widget_value(SECONDS_KEY) or None,
    )


@dataclass
class TuneState:
    """The tune page of a browser session."""

    conversations: list[str] = field(default_factory=list)
    value_keys: dict[tuple[str, str], str] = field(default_factory=dict)
    """The keys of the controls of values, by strategy and parameter."""
    next_values: dict[str, list[Any]] = field(default_factory=dict)
    """Values to add to controls before they are drawn, by the control's key."""
    edge_values: set[tuple[str, int]] = field(default_factory=set)
    """The values that were added because the best one lay at the edge, each by the key of
    its control. A value is added once: after a visitor took it away it stays away."""
    asked: Hashable = None
    """The sweep that was asked for last."""
    work: BackgroundSweep | None = None
    """The thread that measures it."""
    budget: Budget | None = None
    """The budget that its summarizer is paid from."""
    made_with: Hashable = None
    """The summarizer with its key and address."""
    chosen: int | None = None
    """The number of the setting that is looked at."""
    go_on: bool = False
    """True if a stopped sweep was asked to go on."""
    _measured: Sweep | None = None
    """The sweep that was priced last, as it was measured."""
    _priced: Sweep | None = None

    def price(self, sweep: Sweep, assumptions: PricingAssumptions) -> Sweep:
        """Return the sweep on these terms; the one of the last time, with the tables that
        it made, where both are the same."""
        last = self._priced
        if (
            last is None
            or self._measured is not sweep
            or last.assumptions != assumptions
        ):
            last = sweep.priced(assumptions)
            self._measured = sweep
            self._priced = last
        return last

    def begin(
        self,
        asked: Hashable,
        work: BackgroundSweep,
        budget: Budget | None = None,
        made_with: Hashable = None,
    ) -> None:
        """Work on another sweep; the one before stops, and what it finished is kept."""
        if self.work is not None:
            self.work.cancel()
        self.asked = asked
        self.work = work
        self.budget = budget
        self.chosen = None
        self.made_with = made_with


def tune_state() -> TuneState:
    """The tune page's state."""
    return of_session("tune", TuneState)


def follow_click(key: str) -> None:
    """Look from now on at the setting that was clicked on the chart of this key."""
    number = clicked_number(key)
    if number is not None:
        tune_state().chosen = number if number >= 0 else None
