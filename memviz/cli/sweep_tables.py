"""A sweep as sentences and a table of a terminal. Imported where it is used: --help has to answer at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from memviz.charts.sweeps.measure_words import WORDS, inline, shown
from memviz.cli.output import on_one_line
from memviz.text.wording import counted
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
