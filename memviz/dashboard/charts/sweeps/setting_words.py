"""The sentences that charts of a sweep say about one setting, with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from memviz.core.text.wording import share_of
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.figure import escaped
from memviz.dashboard.charts.sweeps.measure_words import WORDS, percent, shown
from memviz.tuning.recommendation import added_in_words, cost_in_words, share_in_words

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.constraints import Over

LINE_CHARS = 62
"""A tooltip's line is about so long."""
Row = Mapping[str, Any]
_ALWAYS_SAID = ("retention", "usd", "usd_per_fact", "peak_tokens", "summarizations")
"""Measures that every tooltip has."""


@dataclass(frozen=True)
class SettingWords:
    """Writes the tooltips of one table of settings."""

    others: Mapping[int, Row]
    """The same settings summed up the other way, by their number."""
    over: Over

    @classmethod
    def of(cls, aside: DataFrame | None, over: Over) -> SettingWords:
        """The words beside a table that is summed up the other way."""
        return cls(rows_by_setting(aside), over)

    def tooltip(self, row: Row, *more: str) -> str:
        """A tooltip about one row of ``Sweep.by_setting(over)``. ``more`` are sentences that only this chart has to
        say."""
        aside = self.others.get(row["setting"]) if row["conversations"] > 1 else None
        lines = [f"<b>{escaped(row['label'])}</b>"]
        for sentence in (*self._sentences(row, aside), *more):
            lines += map(escaped, wrap(sentence, LINE_CHARS))
        return "<br>".join(lines)

    def _aside(self, measure: str, aside: Row | None) -> str:
        """A measure summed up the other way, where there are several conversations."""
        if aside is None:
            return ""
        value = shown(measure, aside[measure])
        if self.over == "median":
            return _(" ({value} in the worst conversation)", value=value)
        return _(" ({value} in the median)", value=value)

    def _sentences(self, row: Row, aside: Row | None) -> Iterator[str]:
        if _is_known(row["retention"]):
            yield _(
                "Keeps {kept} of the facts stated so far, on average over the requests{aside}.",
                kept=shown("retention", row["retention"]),
                aside=self._aside("retention", aside),
            )
        cost = f"{cost_in_words(row)}{added_in_words(row)}"
        if not _is_known(row["usd"]):
            yield _("Takes {cost}; no price is known.", cost=cost)
        elif _is_known(row["usd_per_fact"]):
            per_fact = shown("usd_per_fact", row["usd_per_fact"])
            yield _(
                "Costs {cost}, which is {per_fact} for each fact kept.",
                cost=cost,
                per_fact=per_fact,
            )
        else:
            yield _("Costs {cost}.", cost=cost)
        yield _(
            "The largest request has {peak} tokens{aside}.",
            peak=shown("peak_tokens", row["peak_tokens"]),
            aside=self._aside("peak_tokens", aside),
        )
        often = row["summarizations"]
        yield ngettext(
            "{number} summarization.",
            "{number} summarizations.",
            often,
            number=shown("summarizations", often),
        )
        failed = row.get("failed", 0)
        if failed:
            missing = share_of(failed, row["conversations"] + failed, "conversation")
            yield _(
                "It could not be run over {missing} and is not compared.",
                missing=missing,
            )


def _is_known(number: float) -> bool:
    return number == number  # NaN is not equal to itself


def measure_words(row: Row, measure: str) -> tuple[str, ...]:
    """Return the number of ``measure`` as a sentence, if the tooltip does not have it anyway."""
    is_said = measure in _ALWAYS_SAID
    if measure == "all_tokens":
        is_said = not _is_known(row["usd"])
    if is_said:
        return ()
    return (
        _(
            "{measure}: {value}.",
            measure=WORDS[measure].title,
            value=shown(measure, row[measure]),
        ),
    )


def beaten_words(row: Row, winner: Row, measure: str) -> str:
    """Return who beats this setting and by how much: ``Beaten by X: 12% cheaper, and keeps 57% of the facts instead of
    51%.``"""
    costs = _("as cheap")
    if winner[measure] < row[measure]:
        template = noop("{share} fewer tokens")
        if WORDS[measure].is_money:
            template = noop("{share} cheaper")
        costs = _(template, share=percent(1 - winner[measure] / row[measure]))
    keeps = _("as much")
    more = winner["retention"]
    kept = row["retention"]
    if more > kept:
        instead = share_in_words(kept, more)
        keeps = _(
            "{share} of the facts instead of {instead}",
            share=share_in_words(more, kept),
            instead=instead,
        )
    return _(
        "Beaten by {winner}: {costs}, and keeps {keeps}.",
        winner=winner["label"],
        costs=costs,
        keeps=keeps,
    )


def too_large_words(row: Row, max_peak_tokens: float) -> str:
    """Return that its largest request is over the limit asked for."""
    over = shown("peak_tokens", row["peak_tokens"] - max_peak_tokens)
    limit = f"{max_peak_tokens:,.0f}"
    return _(
        "Its largest request is {over} tokens over the limit of {limit}.",
        over=over,
        limit=limit,
    )


def rows_by_setting(table: DataFrame | None) -> dict[int, dict[str, Any]]:
    """Return the rows of a table by the number of their setting."""
    found: dict[int, dict[str, Any]] = {}
    if table is not None:
        for row in table.to_dict("records"):
            found[int(row["setting"])] = {str(name): row[name] for name in row}
    return found
