"""What a sweep found, where it was asked for: in the terminal, as JSON, as CSV, and as code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from typer import BadParameter, Exit

from memviz.cli.errors import FAILED, UnknownTargetError
from memviz.cli.output import STANDARD_STREAM, complain, console, write_json, write_text
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.cli.sweep_runner import Ended
    from memviz.tuning.constraints import Constraints


@dataclass(frozen=True)
class Outputs:
    """Where the results go. At most one of them is written to stdout, and then no table is."""

    json: bool
    csv: Path | None
    target: str | None
    target_out: Path | None
    all_settings: bool

    def __post_init__(self) -> None:
        from memviz.code_export import targets

        if self.target is not None and self.target not in targets():
            raise UnknownTargetError(self.target, targets())
        if self.target_out is not None and self.target is None:
            raise BadParameter("--out is the file for --code TARGET, which is missing.")
        if len(self.on_stdout) > 1:
            raise BadParameter(
                f"{' and '.join(self.on_stdout)} would both write to stdout. Give one of them a file."
            )

    @property
    def on_stdout(self) -> list[str]:
        """The options whose results are written to stdout."""
        code = self.target is not None and self.target_out in (None, STANDARD_STREAM)
        outputs = {
            "--json": self.json,
            "--csv -": self.csv == STANDARD_STREAM,
            "--code without --out": code,
        }
        return [option for option, is_wanted in outputs.items() if is_wanted]


def write_results(
    outputs: Outputs,
    ended: Ended,
    constraints: Constraints,
    counter: str,
    summarizer: str,
    files: Sequence[str],
) -> None:
    """Write all that was asked for; ``files`` are those that the conversations came from."""
    from memviz.cli.sweep_tables import print_sweep
    from memviz.dashboard.reporting.sweep_json import sweep_dict
    from memviz.tuning.recommendation import recommend

    sweep, kept = ended.sweep, len(ended.sweep.cells) - ended.measured
    best = recommend(sweep, constraints)
    if outputs.json:
        write_json(
            {
                **sweep_dict(sweep, constraints, best, counter, summarizer),
                "measured": ended.measured,
            }
        )
    elif outputs.on_stdout:
        complain(best.advice)
    else:
        print_sweep(
            console(), sweep, constraints, best, all_settings=outputs.all_settings
        )
        if kept:
            complain(
                f"{counted(kept, 'run')} of {len(sweep.cells):,} had been measured before."
            )
    if outputs.csv is not None:
        write_text(sweep.frame().to_csv(index=False), outputs.csv, *files)
    if outputs.target is not None:
        number = None if best.setting is None else sweep.settings.index(best.setting)
        _write_code(outputs, ended, number, constraints, counter, summarizer, files)


def _write_code(
    outputs: Outputs,
    ended: Ended,
    number: int | None,
    constraints: Constraints,
    counter: str,
    summarizer: str,
    files: Sequence[str],
) -> None:
    from memviz.code_export import targets
    from memviz.tuning.found_setting import setting_to_export

    setting = (
        None
        if number is None
        else setting_to_export(
            ended.sweep, number, constraints.over, counter, summarizer
        )
    )
    if setting is None:
        complain(
            "Error: there is no setting to export. Ask for less, or try other values."
        )
        raise Exit(FAILED)
    write_text(
        targets()[outputs.target or ""].write(setting), outputs.target_out, *files
    )
