"""The sentences that the charts of a sweep say about one setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from memviz.core.text.wording import share_of
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.sweeps.measure_words import WORDS, percent, shown_value
from memviz.tuning.recommendation import (
    describe_cost_by_conversation,
    format_cost,
    format_share,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.constraints import Over
    from memviz.tuning.results import Sweep

LINE_CHARS = 62
"""A tooltip's line is about so long."""
Row = Mapping[str, Any]
_ALWAYS_SAID = ("retention", "usd", "usd_per_fact", "peak_tokens", "summarizations")
"""Measures that every tooltip has."""


@dataclass(frozen=True)
class SettingWords:
    """Writes the tooltips of one table of settings, that of ``Sweep.by_setting(over)``."""

    over: Over = "median"
    others: Mapping[int, Row] = field(default_factory=dict)
    """Rows of the table that is summed up the other way, by the numbers of their settings: of the worst conversations
    beside a table of medians."""

    @classmethod
    def of(cls, sweep: Sweep, over: Over) -> SettingWords:
        """Return the words for ``sweep.by_setting(over)``."""
        other: Over = "worst" if over == "median" else "median"
        return cls(over, rows_by_setting(sweep.by_setting(other)))

    def tooltip(self, row: Row, *more: str) -> str:
        """Return the tooltip of one row of the table. ``more`` are sentences that only this chart has to say."""
        lines = [f"<b>{escape_text(row['label'])}</b>"]
        for sentence in (*self._sentences(row), *more):
            lines += map(escape_text, wrap(sentence, LINE_CHARS))
        return "<br>".join(lines)

    def _other_value(self, row: Row, measure: str) -> str:
        """Return `` (50% in the worst conversation)``, or nothing where there is one conversation."""
        other_row = self.others.get(row["setting"])
        if other_row is None or row["conversations"] < 2:
            return ""
        template = noop(" ({value} in the median)")
        if self.over == "median":
            template = noop(" ({value} in the worst conversation)")
        return _(template, value=shown_value(measure, other_row[measure]))

    def _sentences(self, row: Row) -> Iterator[str]:
        if _is_known(row["retention"]):
            yield _(
                "Keeps {kept} of the facts stated so far, on average over the requests{aside}.",
                kept=shown_value("retention", row["retention"]),
                aside=self._other_value(row, "retention"),
            )
        cost = f"{format_cost(row)}{describe_cost_by_conversation(row)}"
        template = noop("Costs {cost}.")
        if not _is_known(row["usd"]):
            template = noop("Takes {cost}; no price is known.")
        elif _is_known(row["usd_per_fact"]):
            template = noop("Costs {cost}, which is {per_fact} for each fact kept.")
        per_fact = shown_value("usd_per_fact", row["usd_per_fact"])
        yield _(template, cost=cost, per_fact=per_fact)
        yield _(
            "The largest request has {peak} tokens{aside}.",
            peak=shown_value("peak_tokens", row["peak_tokens"]),
            aside=self._other_value(row, "peak_tokens"),
        )
        summarizations = row["summarizations"]
        yield ngettext(
            "{number} summarization.",
            "{number} summarizations.",
            summarizations,
            number=shown_value("summarizations", summarizations),
        )
        failed = row.get("failed", 0)
        if failed:
            yield _(
                "It could not be run over {missing} and is not compared.",
                missing=share_of(failed, row["conversations"] + failed, "conversation"),
            )


MEDIANS = SettingWords()
"""The words of a table of medians, without the worst conversations beside them."""


def _is_known(number: float) -> bool:
    return number == number  # NaN is not equal to itself


def measure_words(row: Row, measure: str) -> tuple[str, ...]:
    """Return ``Tokens a request: 1,200.``, or nothing if every tooltip has the number of ``measure`` anyway."""
    is_in_tooltip = measure in _ALWAYS_SAID
    if measure == "all_tokens":
        is_in_tooltip = not _is_known(row["usd"])
    if is_in_tooltip:
        return ()
    title = WORDS[measure].title
    return (
        _(
            "{measure}: {value}.",
            measure=title,
            value=shown_value(measure, row[measure]),
        ),
    )


def beaten_words(row: Row, winner: Row, measure: str) -> str:
    """Return which setting beats this one and by how much: ``Beaten by X: 12% cheaper, and keeps 57% of the facts
    instead of 51%.``"""
    costs = _("as cheap")
    if winner[measure] < row[measure]:
        template = noop("{share} fewer tokens")
        if WORDS[measure].is_money:
            template = noop("{share} cheaper")
        costs = _(template, share=percent(1 - winner[measure] / row[measure]))
    keeps = _("as much")
    winner_share = winner["retention"]
    own_share = row["retention"]
    if winner_share > own_share:
        keeps = _(
            "{share} of the facts instead of {instead}",
            share=format_share(winner_share, own_share),
            instead=format_share(own_share, winner_share),
        )
    return _(
        "Beaten by {winner}: {costs}, and keeps {keeps}.",
        winner=winner["label"],
        costs=costs,
        keeps=keeps,
    )


def too_large_words(row: Row, max_peak_tokens: float) -> str:
    """Return ``Its largest request is 500 tokens over the limit of 3,000.``"""
    return _(
        "Its largest request is {over} tokens over the limit of {limit}.",
        over=shown_value("peak_tokens", row["peak_tokens"] - max_peak_tokens),
        limit=f"{max_peak_tokens:,.0f}",
    )


def rows_by_setting(table: DataFrame) -> dict[int, dict[str, Any]]:
    """Return the rows of a table by the number of their setting."""
    rows = {}
    for row in table.to_dict("records"):
        rows[int(row["setting"])] = {str(name): row[name] for name in row}
    return rows
