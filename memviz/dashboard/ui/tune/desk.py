"""The beginning of a sweep from the page: with a summarizer that costs nothing, or out of a budget."""

from functools import partial
from typing import Any, NamedTuple

from memviz.core.translation import _
from memviz.dashboard.ui.controls.cluster import server_cluster
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.spending import noted_replies, noted_sweeps, spending
from memviz.dashboard.ui.controls.vectors import vectors_asked
from memviz.dashboard.ui.shell.elements import errors_shown
from memviz.dashboard.ui.tune.state import Asked, TuneState
from memviz.models.base import Model
from memviz.models.budget import Budget
from memviz.storage.workspace import Workspace
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.executors import DEFAULT_CONCURRENCY
from memviz.tuning.paid import make_paid_summarizer
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.sweeping import Sweeping


class Desk(NamedTuple):
    """All that it takes to begin a sweep, but what is swept."""

    workspace: Workspace
    state: TuneState
    summarizer: ModelChoice
    assumptions: PricingAssumptions


def begin_free(desk: Desk, asked: Asked) -> None:
    """Begin a sweep whose summarizer costs nothing: on the cluster of this server, where it has one. Raises
    :class:`memviz.core.errors.BusyError` where as much is at work as may be."""
    replays = desk.workspace.replays
    replays.expect_room()
    player = desk.workspace.recordings.player(asked.summarizer)
    make = partial(_sweeping, desk, asked, player, cluster=server_cluster())
    sweep = BackgroundSweep(make)
    replays.note_sweep(sweep)
    desk.state.begin(asked, sweep)


def begin_paid(desk: Desk, paid: Asked, budget_usd: float) -> None:
    """Begin a sweep with a summarizer that costs money, at most the budget."""
    with errors_shown(_("Choose another summarizer, or the built-in model.")):
        budget = Budget(budget_usd, within=spending())
        writer = make_paid_summarizer(
            paid.summarizer,
            budget,
            desk.workspace.answers_folder,
            notes=noted_replies(),
            **desk.summarizer.options,
        )
    make = partial(
        _sweeping, desk, paid, writer, executor="threads", workers=DEFAULT_CONCURRENCY
    )
    noted = noted_sweeps()
    for id in paid.ids:
        for setting in paid.settings:
            noted[id, setting, paid.counter] = None
    # What a paid summarizer notes is compared as well.
    look_up = budget.expect_open
    with vectors_asked(desk.workspace, paid.settings, look_up, budget):
        work = BackgroundSweep(make, on_cancel=budget.close)
    desk.state.begin(paid, work, budget, desk.summarizer)


def _sweeping(desk: Desk, asked: Asked, writer: Model, **how: Any) -> Sweeping:
    return desk.workspace.sweeping(
        asked.ids,
        asked.settings,
        counter=asked.counter,
        first=asked.first,
        summarizer=writer,
        assumptions=desk.assumptions,
        seconds=asked.seconds,
        **how,
    )
