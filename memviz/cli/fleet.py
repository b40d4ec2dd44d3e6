"""``memviz sweep --write``: thousands of conversations, read as a stream, and what was measured as Parquet."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import BadParameter, Context, Exit

from memviz.cli.errors import INTERRUPTED
from memviz.cli.output import complain, console, new_table, progress_of
from memviz.cli.sweep_runner import interrupts
from memviz.core.text.wording import counted, dollars

if TYPE_CHECKING:
    from memviz.models.base import Model
    from memviz.strategies.base import Strategy
    from memviz.transcripts.fleet.source import Fleet
    from memviz.tuning.fleet.results import FleetSweep
    from memviz.tuning.pricing_assumptions import PricingAssumptions

NOT_WRITTEN = (
    "keep",
    "max_peak",
    "worst",
    "allow_refused",
    "seconds",
    "number",
    "all",
    "json",
    "csv",
    "code",
    "out",
    "no_keep",
    "budget",
    "yes",
    "concurrency",
)
"""Options of ``memviz sweep`` that say nothing of a sweep to a folder."""
WRITTEN_ONLY = ("mapping", "sample", "seed", "requests", "no_facts")
"""Options that say something of a sweep to a folder alone."""


def check_options(context: Context, *, is_written: bool) -> None:
    """Raise :class:`BadParameter` for an option that was given and is not for this kind of sweep."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is None or source.name != "COMMANDLINE":
            continue
        option = parameter.opts[0]
        if is_written and parameter.name in NOT_WRITTEN:
            raise BadParameter(f"{option} is not for a sweep that --write writes.")
        if not is_written and parameter.name in WRITTEN_ONLY:
            raise BadParameter(
                f"{option} is for a sweep over many conversations, with --write FOLDER."
            )


def settings_named(
    strategies: list[str] | None, settings: list[str] | None
) -> tuple[Strategy, ...]:
    """Return the settings of a sweep to a folder. Raises :class:`BadParameter` where none is named."""
    from memviz.cli.arguments import settings_to_try

    if not strategies:
        raise BadParameter(
            "Say which settings, for many conversations take long: -s window:window_size=10,20."
        )
    return settings_to_try(strategies, settings or (), {})


def sweep_to_folder(
    fleet: Fleet,
    folder: Path,
    settings: tuple[Strategy, ...],
    writer: Model,
    counter: str,
    assumptions: PricingAssumptions,
    executor: dict[str, Any],
    *,
    has_facts: bool,
    has_requests: bool,
) -> None:
    """Measure every conversation under every setting into a folder, or go on with that."""
    from memviz.core.counters import counter as find_counter
    from memviz.tuning.fleet.batches import FleetPlan
    from memviz.tuning.fleet.folder import FleetFolder
    from memviz.tuning.fleet.results import FleetSweep
    from memviz.tuning.fleet.sweeping import FleetSweeping

    plan = FleetPlan(
        fleet,
        settings,
        find_counter(counter),
        writer,
        assumptions,
        has_facts,
        has_requests,
    )
    sweeping = FleetSweeping(plan, FleetFolder(folder), **executor)
    what = f"Measuring {counted(len(settings), 'setting')}"
    with interrupts(sweeping.stop.set) as interrupted, progress_of(what) as progress:
        for done in sweeping:
            if progress is not None:
                progress(done.runs, None, f"runs, {done.failures:,} failed")
    swept = FleetSweep(
        folder, fleet, settings, done.runs, done.failures, sweeping.is_complete
    )
    _print_settings(swept)
    if swept.failures:
        complain(
            f"Warning: {counted(swept.failures, 'conversation')} could not be read or run: {folder / 'failures'}"
        )
    complain(f"Written: {folder}, {counted(swept.runs, 'run')}.")
    if interrupted.is_set() and not swept.is_complete:
        complain("Stopped by Ctrl-C. The same command goes on from here.")
        raise Exit(INTERRUPTED)


def _print_settings(swept: FleetSweep) -> None:
    """Print one line a setting: means over its conversations."""
    columns = ("Conversations", "Tokens sent", "Largest request", "Cost", "Facts kept")
    table = new_table("Setting", *columns, right=columns, wrapped=("Setting",))
    for row in swept.by_setting().to_dict("records"):
        usd = row["usd"]
        retention = row["retention"]
        table.add_row(
            str(row["label"]),
            f"{row['conversations']:,}",
            f"{row['sent_tokens']:,.0f}",
            f"{row['peak_tokens']:,.0f}",
            "unknown" if isnan(usd) else dollars(usd),
            "-" if isnan(retention) else f"{retention:.0%}",
        )
    console().print(table)
