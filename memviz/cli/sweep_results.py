"""The results of a sweep: a table, JSON, CSV and code, each written where it was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Exit, Option

from memviz.cli.arguments import target_named
from memviz.cli.errors import FAILED
from memviz.cli.options import AsJson
from memviz.cli.output import STANDARD_STREAM, complain, console, write_json, write_text
from memviz.cli.sweep_options import Summarizing
from memviz.cli.sweep_runner import Ended
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.tuning.constraints import Constraints


@dataclass(frozen=True)
class Outputs:
    """The places where results go. At most one of them is written to stdout, and then no table is."""

    all_settings: Annotated[
        bool, Option("--all", help="Show every setting, not only those worth taking.")
    ] = False
    json: AsJson = False
    csv: Annotated[
        Path | None,
        Option(
            "--csv",
            metavar="OUT",
            help="Write a row for each setting and conversation as CSV; - is stdout.",
        ),
    ] = None
    target: Annotated[
        str | None,
        Option(
            "--code",
            metavar="TARGET",
            help="Export the recommended setting to code: memory_yaml, memviz_code, "
            "llamaindex, langchain_middleware, openai_agents or plain_python, or the beginning of one.",
        ),
    ] = None
    target_out: Annotated[
        Path | None,
        Option(
            "--out", "-o", metavar="OUT", help="The file for --code. [default: stdout]"
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.target is not None:
            target_named(self.target)
        if self.target_out is not None and self.target is None:
            raise BadParameter("--out is the file for --code TARGET, which is missing.")
        if len(self.on_stdout) > 1:
            raise BadParameter(
                f"{' and '.join(self.on_stdout)} would both write to stdout. Give one of them a file."
            )

    @property
    def on_stdout(self) -> list[str]:
        """The options whose results are written to stdout."""
        options = []
        if self.json:
            options.append("--json")
        if self.csv == STANDARD_STREAM:
            options.append("--csv -")
        if self.target is not None and self.target_out in (None, STANDARD_STREAM):
            options.append("--code without --out")
        return options


def write_results(
    outputs: Outputs,
    ended: Ended,
    constraints: "Constraints",
    summarizing: Summarizing,
    files: Sequence[str],
) -> None:
    """Write all that was asked for. ``files`` are those that the conversations came from."""
    from memviz.cli.tables import print_sweep
    from memviz.dashboard.reporting.sweep_json import sweep_dict
    from memviz.tuning.recommendation import recommend

    sweep = ended.sweep
    best = recommend(sweep, constraints)
    if outputs.json:
        fields = sweep_dict(
            sweep, constraints, best, summarizing.counter, summarizing.name
        )
        write_json({**fields, "measured": ended.measured})
    elif outputs.on_stdout:
        complain(best.advice)
    else:
        print_sweep(
            console(), sweep, constraints, best, all_settings=outputs.all_settings
        )
        before = len(sweep.cells) - ended.measured
        if before:
            complain(
                f"{counted(before, 'run')} of {len(sweep.cells):,} had been measured before."
            )
    if outputs.csv is not None:
        write_text(sweep.frame().to_csv(index=False), outputs.csv, *files)
    if outputs.target is not None:
        number = None
        if best.setting is not None:
            number = sweep.settings.index(best.setting)
        text = _write_code(outputs.target, ended, number, constraints, summarizing)
        write_text(text, outputs.target_out, *files)


def _write_code(
    target: str,
    ended: Ended,
    number: int | None,
    constraints: "Constraints",
    summarizing: Summarizing,
) -> str:
    """Return the setting of this number as code; where there is none, the command ends."""
    from memviz.dashboard.reporting.sweep_json import setting_to_export

    setting = None
    if number is not None:
        setting = setting_to_export(
            ended.sweep,
            number,
            constraints.over,
            summarizing.counter,
            summarizing.name,
        )
    if setting is None:
        complain(
            "Error: No setting is recommended, so there is no code to write. Ask for less, or try other values."
        )
        raise Exit(FAILED)
    return target_named(target).write(setting)


def say_what_failed(ended: Ended) -> None:
    """Tell what failed, and end with the exit code of all of it."""
    cells = ended.sweep.cells.values()
    errors = [(str(cell.strategy.code_label), cell.error) for cell in cells]
    for label, error in dict.fromkeys(errors):
        if error:
            complain(f"Warning: {label} could not be run: {error}")
    failed = sum(cell.failed_summarizations for cell in cells)
    if failed:
        complain(
            f"Error: {counted(failed, 'summarization')} failed. Runs with failures are not kept: try again."
        )
    if ended.code or failed:
        raise Exit(ended.code or FAILED)
