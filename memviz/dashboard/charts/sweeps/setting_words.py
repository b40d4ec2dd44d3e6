"""What the charts of a sweep say about one setting: sentences with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from memviz.core.text.wording import plural, share_of
from memviz.dashboard.charts.sweeps.measure_words import WORDS, percent, shown
from memviz.dashboard.charts.text import escaped
from memviz.tuning.recommendation import added_in_words, cost_in_words, share_in_words

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Over

LINE_CHARS = 62
"""A tooltip's line is about so long."""
Row = Mapping[str, Any]
_ALWAYS_SAID = ("retention", "usd", "usd_per_fact", "peak_tokens", "summarizations")
"""Measures that every tooltip has."""


def setting_tooltip(
    row: Row,
    aside: Row | None = None,
    over: Over = "median",
    more: tuple[str, ...] = (),
) -> str:
    """A tooltip about one row of ``Sweep.by_setting(over)``. ``aside`` is the same setting summed up the other way,
    and ``more`` are sentences that only this chart has to say."""
    sentences = [
        *_sentences(row, aside if row["conversations"] > 1 else None, over),
        *more,
    ]
    lines = [line for sentence in sentences for line in wrap(sentence, LINE_CHARS)]
    return "<br>".join([f"<b>{escaped(row['label'])}</b>", *map(escaped, lines)])


def _sentences(row: Row, aside: Row | None, over: Over) -> Iterator[str]:
    other = "worst conversation" if over == "median" else "median"

    def also(measure: str) -> str:
        """The same measure summed up the other way, where there are several conversations."""
        return (
            ""
            if aside is None
            else f" ({shown(measure, aside[measure])} in the {other})"
        )

    if _is_known(row["retention"]):
        kept = shown("retention", row["retention"])
        yield f"Keeps {kept} of the facts stated so far, on average over the requests{also('retention')}."
    if _is_known(row["usd"]):
        per_fact = shown("usd_per_fact", row["usd_per_fact"])
        each = (
            f", which is {per_fact} for each fact kept"
            if _is_known(row["usd_per_fact"])
            else ""
        )
        yield f"Costs {cost_in_words(row)}{added_in_words(row)}{each}."
    else:
        yield f"Takes {cost_in_words(row)}{added_in_words(row)}; no price is known."
    often, peak = row["summarizations"], shown("peak_tokens", row["peak_tokens"])
    yield f"The largest request has {peak} tokens{also('peak_tokens')}."
    yield f"{shown('summarizations', often)} {plural('summarization', often)}."
    if row.get("failed", 0):
        total = row["conversations"] + row["failed"]
        missing = share_of(row["failed"], total, "conversation")
        yield f"It could not be run over {missing} and is not compared."


def _is_known(number: float) -> bool:
    return number == number  # NaN is not equal to itself


def measure_words(row: Row, measure: str) -> tuple[str, ...]:
    """The number of ``measure`` as a sentence, if the tooltip does not have it anyway."""
    is_said = measure in _ALWAYS_SAID or (
        measure == "all_tokens" and not _is_known(row["usd"])
    )
    return (
        () if is_said else (f"{WORDS[measure].title}: {shown(measure, row[measure])}.",)
    )


def beaten_words(row: Row, winner: Row, measure: str) -> str:
    """Who beats this setting and by how much: ``Beaten by X: 12% cheaper, and keeps 57% of the facts instead of
    51%.``"""
    less = "cheaper" if WORDS[measure].is_money else "fewer tokens"
    costs = (
        f"{percent(1 - winner[measure] / row[measure])} {less}"
        if winner[measure] < row[measure]
        else "as cheap"
    )
    more, kept = winner["retention"], row["retention"]
    keeps = f"{share_in_words(more, kept)} of the facts instead of {share_in_words(kept, more)}"
    return f"Beaten by {winner['label']}: {costs}, and keeps {keeps if more > kept else 'as much'}."


def too_large_words(row: Row, max_peak_tokens: float) -> str:
    """That its largest request is over the limit asked for."""
    more = row["peak_tokens"] - max_peak_tokens
    return f"Its largest request is {shown('peak_tokens', more)} tokens over the limit of {max_peak_tokens:,.0f}."


def rows_by_setting(table: DataFrame | None) -> dict[int, dict[str, Any]]:
    """The rows of a table by the number of their setting."""
    rows = [] if table is None else table.to_dict("records")
    return {
        int(row["setting"]): {str(name): value for name, value in row.items()}
        for row in rows
    }
