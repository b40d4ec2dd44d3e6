"""A sweep as sentences and a table of a terminal. Imported where it is used: --help has to answer at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from memviz.cli.output import on_one_line
from memviz.core.text.wording import counted
from memviz.dashboard.charts.sweeps.measure_words import WORDS, inline, shown
from memviz.tuning.best_of_each import StrategyBest, best_of_each
from memviz.tuning.price_words import basis_in_words
from memviz.tuning.recommendation import share_in_words, spread_in_words

if TYPE_CHECKING:
    from rich.console import Console

    from memviz.tuning.constraints import Constraints
    from memviz.tuning.recommendation import Recommendation
    from memviz.tuning.results import Sweep

EACH = "a conversation's cost on average (least to most)"
MEASURES = (
    "retention",
    "usd",
    "peak_tokens",
    "all_tokens",
    "summarizations",
    "hit_rate",
)


def print_sweep(
    out: Console,
    sweep: Sweep,
    constraints: Constraints,
    best: Recommendation,
    *,
    all_settings: bool,
) -> None:
    """The recommendation with what it rests on, the best of each strategy, then the settings that do what is wanted
    and those that no other one beats, the cheapest first; with ``all_settings`` every one."""
    out.print(on_one_line(best.answer), style="bold")
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    if table.empty:
        return
    for sentence in (
        *best.grounds.sentences,
        basis_in_words(sweep.assumptions, sweep.counter),
    ):
        out.print(on_one_line(sentence))
    out.print()
    out.print(_best_of_each(best_of_each(sweep, constraints)))
    table = table.assign(fits=constraints.fits(table)).sort_values(
        [sweep.cost_measure, "setting"], kind="stable"
    )
    shown_rows = table if all_settings else table[table["fits"] | table["front"]]
    recommended = None if best.setting is None else sweep.settings.index(best.setting)
    out.print()
    out.print(_table(shown_rows.to_dict("records"), recommended))
    out.print()
    out.print(
        on_one_line(_what_is_shown(sweep, constraints, len(shown_rows), len(table)))
    )


def _best_of_each(found: Sequence[StrategyBest]) -> Table:
    table = _empty_table("best of each strategy", MEASURES[:3])
    for one in found:
        marks = [] if one.fits else ["not what is asked"]
        marks += [one.edge.words] if one.edge else []
        table.add_row(*_numbers(one.row, MEASURES[:3]), ", ".join(marks))
    return table


def _table(rows: list[dict[Any, Any]], recommended: int | None) -> Table:
    """One row a setting; of several conversations the cost of a single one stands in a column of its own."""
    several = any(row["conversations"] > 1 for row in rows)
    table = _empty_table("setting", MEASURES, [EACH] if several else [])
    for row in rows:
        each = [spread_in_words(row)] if several else []
        table.add_row(*_numbers(row, MEASURES), *each, _marks(row, recommended))
    return table


def _empty_table(
    first: str, measures: Sequence[str], more: Sequence[str] = ()
) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    table.add_column(first, no_wrap=True)
    for title in (*(inline(WORDS[name].title) for name in measures), *more):
        table.add_column(title, justify="right")
    table.add_column("")
    return table


def _numbers(row: Mapping[Any, Any], measures: Sequence[str]) -> list[str]:
    return [on_one_line(row["label"]), *(shown(name, row[name]) for name in measures)]


def _marks(row: dict[Any, Any], recommended: int | None) -> str:
    marks = ["recommended"] if row["setting"] == recommended else []
    marks += ["front"] if row["front"] else []
    marks += [] if row["fits"] else ["not what is asked"]
    marks += [f"{counted(row['refused'], 'request')} refused"] if row["refused"] else []
    marks += (
        [f"failed over {counted(row['failed'], 'conversation')}"]
        if row["failed"]
        else []
    )
    return ", ".join(marks)


def _what_is_shown(
    sweep: Sweep, constraints: Constraints, rows: int, settings: int
) -> str:
    facts = sum(
        {place.subject: cell.facts for place, cell in sweep.cells.items()}.values()
    )
    which = "the middle" if constraints.over == "median" else "the worst"
    compared = len(sweep.compared_conversations)
    several = (
        (
            f" Cost, tokens and summarizations of {compared:,} conversations are added; the facts kept and the largest "
            f"request are those of {which} one."
        )
        if compared > 1
        else ""
    )
    asked = f"Asked is to keep {share_in_words(constraints.min_retention)} of {counted(facts, 'fact')}"
    if constraints.max_peak_tokens is not None:
        asked += f", with at most {constraints.max_peak_tokens:,} tokens in a request"
    hidden = "" if rows == settings else " --all shows the others."
    return f"{rows:,} of {counted(settings, 'setting')}.{hidden} {asked}.{several}"
