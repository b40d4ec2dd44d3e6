"""``memviz sweep --write``: thousands of conversations, read as a stream, and what was measured as Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

from typer import BadParameter, Exit, Option

from memviz.cli.arguments import settings_to_try
from memviz.cli.errors import INTERRUPTED
from memviz.cli.options import MappingFile
from memviz.cli.output import complain, console, new_table, progress_of
from memviz.cli.sweep_options import Goal, Grid, Reading, Summarizing, Work
from memviz.cli.sweep_results import Outputs
from memviz.cli.sweep_runner import interrupts
from memviz.core.counters import counter as find_counter
from memviz.core.text.wording import counted, dollars

if TYPE_CHECKING:
    from memviz.models.base import Model
    from memviz.strategies.base import Strategy
    from memviz.transcripts.fleet.source import Fleet
    from memviz.tuning.fleet.results import FleetSweep
    from memviz.tuning.fleet.sweeping import FleetProgress
    from memviz.tuning.pricing_assumptions import PricingAssumptions


@dataclass(frozen=True)
class ToFolder:
    """The folder that a sweep over thousands of conversations writes, and which of them it takes."""

    folder: Annotated[
        Path | None,
        Option(
            "--write",
            metavar="FOLDER",
            help="Measure thousands of conversations, read as a stream from files, folders or addresses such as "
            "s3://logs/*.parquet, and write a row for each conversation and setting as Parquet. The same command goes "
            "on with a sweep that was ended.",
        ),
    ] = None
    mapping: MappingFile = None
    sample: Annotated[
        float,
        Option(
            "--sample",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="With --write: take this share of the conversations.",
        ),
    ] = 1.0
    seed: Annotated[
        int, Option("--seed", metavar="N", help="With --sample: which ones are taken.")
    ] = 0
    requests: Annotated[
        bool, Option("--requests", help="With --write: also a row for each request.")
    ] = False
    no_facts: Annotated[
        bool,
        Option(
            "--no-facts",
            help="With --write: look for no facts, which takes most of the time.",
        ),
    ] = False

    def check(
        self,
        goal: Goal,
        outputs: Outputs,
        work: Work,
        reading: Reading,
        summarizing: Summarizing,
        *,
        no_keep: bool,
    ) -> None:
        """Raise :class:`BadParameter` for an option that is not for this kind of sweep."""
        # Options that differ from their defaults were given.
        if self.folder is None:
            if self != ToFolder():
                raise BadParameter(
                    "--map, --sample, --seed, --requests and --no-facts are for a sweep over many conversations, with "
                    "--write FOLDER."
                )
            return
        if summarizing.is_paid:
            raise BadParameter(
                "What --write writes is summarized by the built-in model. Leave --summarizer out."
            )
        is_limited = work.seconds is not None or reading.number is not None or no_keep
        if goal != Goal() or outputs != Outputs() or is_limited:
            raise BadParameter(
                "A sweep that --write writes recommends nothing. Leave out --keep, --max-peak, --worst, "
                "--allow-refused, --all, --json, --csv, --code, --out, --seconds, --conversation and --no-keep."
            )

    def fleet(self, addresses: list[str], reading: Reading) -> Fleet:
        """Return the conversations behind these addresses. Raises :class:`memviz.TranscriptError` and
        :class:`memviz.ParameterError`."""
        from memviz.transcripts.fleet.source import Fleet

        return Fleet(
            addresses,
            reading.format,
            self.mapping,
            reading.user,
            self.sample,
            self.seed,
        )


def sweep_to_folder(
    path: Path,
    options: ToFolder,
    fleet: Fleet,
    grid: Grid,
    writer: Model,
    counter: str,
    assumptions: PricingAssumptions,
    executor: dict[str, Any],
) -> None:
    """Measure every conversation under every setting into the folder ``path``, or go on with that."""
    from memviz.tuning.fleet.results import sweep_fleet

    settings = _settings_named(grid)
    stop = Event()
    title = f"Measuring {counted(settings, 'setting')}"
    with interrupts(stop.set) as interrupted, progress_of(title) as bar:

        def show(progress: FleetProgress) -> None:
            bar(progress.runs, None, f"runs, {progress.failures:,} failed")

        swept = sweep_fleet(
            fleet,
            settings,
            path,
            retention=not options.no_facts,
            requests=options.requests,
            progress=show,
            counter=find_counter(counter),
            summarizer=writer,
            assumptions=assumptions,
            stop=stop,
            **executor,
        )
    _print_settings(swept)
    _say_what_was_written(swept)
    if interrupted.is_set() and not swept.is_complete:
        complain("Stopped by Ctrl-C. The same command goes on from here.")
        raise Exit(INTERRUPTED)


def _settings_named(grid: Grid) -> tuple[Strategy, ...]:
    """Return the settings to try. Raises :class:`BadParameter` where none is named."""

    if not grid.strategies:
        raise BadParameter(
            "Say which settings, for many conversations take long: -s window:window_size=10,20."
        )
    return settings_to_try(grid.strategies, grid.assignments or (), {})


def _say_what_was_written(swept: FleetSweep) -> None:
    if swept.failures:
        complain(
            f"Warning: {counted(swept.failures, 'failure')} of reading a conversation, or of running a setting over "
            f"one: {swept.folder / 'failures'}"
        )
    complain(f"Written: {swept.folder}, {counted(swept.runs, 'run')}.")


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
