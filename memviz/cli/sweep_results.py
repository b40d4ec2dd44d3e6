"""What a sweep found, where it was asked for: in the terminal, as JSON, as CSV, and as code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from typer import BadParameter, Exit

from memviz.cli.errors import FAILED, UnknownTargetError
from memviz.cli.output import STANDARD_STREAM, complain, console, write_json, write_text
from memviz.text.wording import counted

if TYPE_CHECKING:
    from memviz.cli.sweep_runner import Ended
    from memviz.tuning.constraints import Constraints
from typing import TYPE_CHECKING, Any

from rich.table import Table

from memviz.charts.sweeps.measure_words import WORDS, inline, shown
from memviz.cli.output import on_one_line
from memviz.tuning.recommendation import share_in_words

if TYPE_CHECKING:
    from rich.console import Console

    from memviz.tuning.constraints import Constraints
    from memviz.tuning.recommendation import Recommendation
    from memviz.tuning.results import Sweep

MEASURES = ("retention", "usd", "peak_tokens", "all_tokens", "summarizations", "hit_rate")


def print_sweep(
    out: Console, sweep: Sweep, constraints: Constraints, best: Recommendation, *, all_settings: bool
) -> None:
    """The recommendation, then the settings that do what is wanted and those that no other one beats, the cheapest
    first; with ``all_settings`` every one."""
    out.print(on_one_line(advice(best)), style="bold")
    table = sweep.by_setting(constraints.over)
    if table.empty:
        return
    table = table.assign(fits=constraints.fits(table)).sort_values([sweep.cost_measure, "setting"], kind="stable")
    shown_rows = table if all_settings else table[table["fits"] | table["front"]]
    recommended = None if best.setting is None else sweep.settings.index(best.setting)
    out.print()
    out.print(_table(shown_rows.to_dict("records"), recommended))
    out.print()
    out.print(on_one_line(_what_is_shown(sweep, constraints, len(shown_rows), len(table))))


def advice(best: Recommendation) -> str:
    """The recommendation in a few sentences."""
    if best.setting is None:
        return best.sentence
    label = best.setting.label
    return f"Take {label}. It {best.sentence.removeprefix(label).strip()}"


def _table(rows: list[dict[Any, Any]], recommended: int | None) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    table.add_column("setting", no_wrap=True)
    for name in MEASURES:
        table.add_column(inline(WORDS[name].title), justify="right")
    table.add_column("")
    for row in rows:
        numbers = (shown(name, row[name]) for name in MEASURES)
        table.add_row(on_one_line(row["label"]), *numbers, _marks(row, recommended))
    return table


def _marks(row: dict[Any, Any], recommended: int | None) -> str:
    marks = ["take this one"] if row["setting"] == recommended else []
    marks += ["front"] if row["front"] else []
    marks += [] if row["fits"] else ["not what is asked"]
    marks += [f"failed over {counted(row['failed'], 'conversation')}"] if row["failed"] else []
    return ", ".join(marks)


def _what_is_shown(sweep: Sweep, constraints: Constraints, rows: int, settings: int) -> str:
    facts = sum({place.subject: cell.facts for place, cell in sweep.cells.items()}.values())
    which = "the middle" if constraints.over == "median" else "the worst"
    several = (
        f" Numbers are those of {which} of {len(sweep.subjects):,} conversations." if len(sweep.subjects) > 1 else ""
    )
    asked = f"Asked is to keep {share_in_words(constraints.min_retention)} of {counted(facts, 'fact')}"
    if constraints.max_peak_tokens is not None:
        asked += f", with at most {constraints.max_peak_tokens:,} tokens in a request"
    hidden = "" if rows == settings else " --all shows the others."
    return f"{rows:,} of {counted(settings, 'setting')}.{hidden} {asked}.{several}"


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
            raise BadParameter(f"{' and '.join(self.on_stdout)} would both write to stdout. Give one of them a file.")

    @property
    def on_stdout(self) -> list[str]:
        """The options whose results are written to stdout."""
        code = self.target is not None and self.target_out in (None, STANDARD_STREAM)
        outputs = {"--json": self.json, "--csv -": self.csv == STANDARD_STREAM, "--code without --out": code}
        return [option for option, is_wanted in outputs.items() if is_wanted]


def write_results(
    outputs: Outputs, ended: Ended, constraints: Constraints, counter: str, summarizer: str, files: Sequence[str]
) -> None:
    """Write all that was asked for; ``files`` are those that the conversations came from."""
    from memviz.cli.sweep_results import advice, print_sweep
    from memviz.reporting.sweep_json import sweep_dict

    sweep, kept = ended.sweep, len(ended.sweep.cells) - ended.measured
    best = sweep.best(constraints.min_retention, constraints.max_peak_tokens, constraints.over)
    if outputs.json:
        write_json({**sweep_dict(sweep, constraints, best, counter, summarizer), "measured": ended.measured})
    elif outputs.on_stdout:
        complain(advice(best))
    else:
        print_sweep(console(), sweep, constraints, best, all_settings=outputs.all_settings)
        if kept:
            complain(f"{counted(kept, 'run')} of {len(sweep.cells):,} had been measured before.")
    if outputs.csv is not None:
        write_text(sweep.frame().to_csv(index=False), outputs.csv, *files)
    if outputs.target is not None:
        number = None if best.setting is None else sweep.settings.index(best.setting)
        _write_code(outputs, ended, number, constraints, counter, summarizer, files)


def _write_code(
    outputs: Outputs, ended: Ended, number: int | None, constraints: Constraints, counter: str, summarizer: str,
    files: Sequence[str],
) -> None:  # fmt: skip
    from memviz.code_export import targets
    from memviz.tuning.found_setting import setting_to_export

    setting = None if number is None else setting_to_export(ended.sweep, number, constraints.over, counter, summarizer)
    if setting is None:
        complain("Error: there is no setting to export. Ask for less, or try other values.")
        raise Exit(FAILED)
    write_text(targets()[outputs.target or ""].write(setting), outputs.target_out, *files)
