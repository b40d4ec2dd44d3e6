"""What a sweep found: cells, priced, side by side, and summed up over conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from memviz.metrics.cost.cost import Cost
from memviz.strategies.base import Strategy
from memviz.tuning.cell import Cell
from memviz.tuning.constraints import Constraints
from memviz.tuning.grounds import Grounds
from memviz.tuning.jobs import CellIndex
from memviz.tuning.pareto import on_front
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import Recommendation, recommend

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from pandas.api.typing import SeriesGroupBy

Over = Literal["median", "worst"]
"""Which of several conversations says how large a request is and how much is kept: the one in the middle, or the least
favourable. What adds up (money, tokens, calls) is added over all of them either way."""

MEASURES = {
    "usd": "max", "uncached_usd": "max", "main_usd": "max", "summarizer_usd": "max", "usd_per_fact": "max",
    "all_tokens": "max", "sent_tokens": "max", "mean_tokens": "max", "peak_tokens": "max", "summarizer_tokens": "max",
    "summarizations": "max", "failed_summarizations": "max", "over_budget_requests": "max",
    "orphaned_requests": "max", "refused_requests": "max",
    "hit_rate": "min", "retention": "min", "final_retention": "min", "seconds": "max",
}  # fmt: skip
"""What is measured of a cell, and which end of it is the less favourable."""
ADDED = (
    "usd", "uncached_usd", "main_usd", "summarizer_usd", "all_tokens", "sent_tokens", "summarizer_tokens",
    "summarizations", "failed_summarizations", "over_budget_requests", "orphaned_requests",
    "refused_requests", "seconds",
)  # fmt: skip
"""Measures that are added over several conversations: one pays for each of them."""
SPREAD = ("usd", "all_tokens")
"""Measures of which a single conversation's mean, least and most stand beside the sum."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The cells of a sweep by setting and conversation. All of them, or those that were finished when it was ended
    (``stopped`` says why, if it was not the user).

    ``guessed_facts`` says of each conversation how many of its facts memviz proposed, ``summarizer`` who wrote the
    summaries (empty: not known), ``largest`` how large the largest conversation is, by unit (see
    :func:`memviz.tuning.grid.largest_sizes`).
    """

    settings: tuple[Strategy, ...]
    subjects: tuple[str, ...]
    cells: Mapping[CellIndex, Cell] = field(repr=False)
    assumptions: PricingAssumptions = field(repr=False)
    stopped: str = ""
    guessed_facts: tuple[int, ...] = ()
    unmeasured_results: tuple[int, ...] = ()
    """For each conversation its tool results where no fact comes from one; else 0."""
    summarizer: str = ""
    counter: str = ""
    largest: Mapping[str, int] = field(default_factory=dict, repr=False)
    system_prompts: tuple[str, ...] = field(default=(), repr=False)
    """The system prompt of each conversation; empty for one that has none."""

    @property
    def grounds(self) -> Grounds:
        """What its figures rest on."""
        facts = {place.subject: cell.facts for place, cell in self.cells.items()}
        guessed = sum(
            number
            for subject, number in enumerate(self.guessed_facts)
            if facts.get(subject)
        )
        wrote = any(cell.summarizations for cell in self.cells.values())
        unmeasured = sum(
            number
            for subject, number in enumerate(self.unmeasured_results)
            if facts.get(subject)
        )
        return Grounds(
            guessed,
            sum(facts.values()) - guessed,
            self.summarizer if wrote else "",
            unmeasured,
        )

    @property
    def is_complete(self) -> bool:
        """Whether every cell is there."""
        return len(self.cells) == len(self.settings) * len(self.subjects)

    def priced(self, assumptions: PricingAssumptions) -> Sweep:
        """The same cells on other terms."""
        return replace(self, assumptions=assumptions)

    def cost(self, place: CellIndex) -> Cost:
        """What one cell costs, request by request."""
        return self.assumptions.cost(self.cells[place].traffic)

    @cached_property
    def _frame(self) -> DataFrame:
        from pandas import DataFrame

        places = sorted(self.cells)
        rows = [
            {**self._setting_row(place), **_row(self.cells[place], self.cost(place))}
            for place in places
        ]
        return DataFrame(
            rows, columns=[*self._setting_columns, "conversation", *_COLUMNS]
        )

    def frame(self) -> DataFrame:
        """One row a cell: the number of its ``setting`` (0-based), ``strategy``, ``label`` (with parameters as they are
        typed into code), one column a parameter of any strategy (empty where it has none of this name),
        ``conversation``, then the measures. US dollars are NaN where a price is unknown, retention where no fact is
        ever asked for, and everything where ``error`` says why there is nothing; ``retention`` and ``hit_rate`` are
        shares (0 to 1), ``usd_per_fact`` is dollars by facts retained on average."""
        return self._frame.copy()

    def by_setting(
        self, over: Over = "median", *, allow_refused: bool = False
    ) -> DataFrame:
        """One row a setting, with the measures summed up over the conversations that are compared (see
        :attr:`compared_conversations`).

        Money, tokens and calls are added, for one pays for every conversation; ``usd_mean``, ``usd_least`` and
        ``usd_most`` (and the same of ``all_tokens``) say what one of them takes. The cost per fact, the share read from
        the cache and the tokens of a request are those of all conversations together. How much is kept, and the
        largest request, are those of the conversation in the middle or of the worst one (``over``).

        Beside them ``facts`` and ``conversations``, their numbers; ``failed``, the conversations that the setting could
        not be run over; ``refused``, how many requests of all a provider would refuse, for a tool's result without its
        call or a call without its result; and ``front``, whether no other setting is better (see :meth:`pareto`). A
        conversation without facts says nothing about retention; one whose price is unknown makes the price of all
        unknown.
        """
        if over not in self._tables:
            self._tables[over] = self._summed_up(over)
        table = self._tables[over].copy()
        if allow_refused:
            table["front"] = self._on_front(
                table, Constraints(over=over, allow_refused=True)
            )
        return table

    @cached_property
    def compared_conversations(self) -> tuple[int, ...]:
        """The numbers (0-based) of the conversations that settings are compared over: those that every setting which
        was measured at all was measured over, so that sums of a sweep that was ended early compare like with like.
        Where there is none, the conversation that most settings were measured over."""
        started = {place.setting for place in self.cells}
        measured = Counter(place.subject for place in self.cells)
        shared = tuple(
            sorted(
                subject
                for subject, settings in measured.items()
                if settings == len(started)
            )
        )
        if shared or not measured:
            return shared
        return (min(measured, key=lambda subject: (-measured[subject], subject)),)

    @cached_property
    def _tables(self) -> dict[Over, DataFrame]:
        return {}

    def _summed_up(self, over: Over) -> DataFrame:
        compared = set(self.compared_conversations)
        is_compared = np.array(
            [place.subject in compared for place in sorted(self.cells)], dtype=bool
        )
        rows = self._frame[is_compared]
        frame = rows[rows["error"] == ""]
        grouped = frame.groupby("setting", sort=True)
        table = grouped.agg(dict.fromkeys(self._setting_columns[1:], "first"))
        for name in ADDED:
            table[name] = grouped[name].agg("sum").where(_all_known(grouped[name]))
        for name in SPREAD:
            for column, how in {"mean": "mean", "least": "min", "most": "max"}.items():
                table[f"{name}_{column}"] = (
                    grouped[name].agg(how).where(_all_known(grouped[name]))
                )
        with_facts = frame[frame["retention"].notna()].groupby("setting", sort=True)
        for name, worst in MEASURES.items():
            if name in _OF_ONE_CONVERSATION:
                values = (with_facts if name in _ASKED else grouped)[name]
                table[name] = values.agg("median" if over == "median" else worst).where(
                    _all_known(values)
                )
        table["mean_tokens"] = grouped["sent_tokens"].sum() / grouped[
            "requests"
        ].sum().clip(lower=1)
        table["hit_rate"] = grouped["cached_tokens"].sum() / grouped[
            "sent_tokens"
        ].sum().clip(lower=1)
        retained = with_facts["retained_facts"].sum()
        table["usd_per_fact"] = (with_facts["usd"].sum() / retained).where(
            (retained > 0) & _all_known(with_facts["usd"])
        )
        table["facts"] = grouped["facts"].sum()
        table["conversations"] = grouped.size()
        failed = rows[rows["error"] != ""].groupby("setting").size()
        table["failed"] = failed.reindex(table.index, fill_value=0)
        table["refused"] = table["refused_requests"]
        table["front"] = self._on_front(table, Constraints(over=over))
        return table.reset_index()

    def _on_front(self, table: DataFrame, asked: Constraints) -> NDArray[np.bool_]:
        comparable = table["retention"].where(asked.takes(table))
        return on_front(
            table[self.cost_measure].to_numpy(float), comparable.to_numpy(float)
        )

    @property
    def cost_measure(self) -> str:
        """What is compared as the cost: ``usd``, or ``all_tokens`` where a price is unknown."""
        known = self._frame.loc[self._frame["error"] == "", "usd"]
        return "usd" if len(known) and known.notna().all() else "all_tokens"

    def pareto(
        self, over: Over = "median", *, allow_refused: bool = False
    ) -> DataFrame:
        """The settings that no other one beats: none costs less and retains as much, none retains more for as much.
        What could not be run over every conversation is not compared, nor, unless ``allow_refused``, what sends
        requests that a provider refuses. Rows of :meth:`by_setting`, cheapest first."""
        table = self.by_setting(over, allow_refused=allow_refused)
        return table[table["front"]].sort_values(self.cost_measure, ignore_index=True)

    def cells_of(self, setting: int) -> list[Cell]:
        """The cells of the setting of this number (0-based), one a conversation."""
        return [
            self.cells[place]
            for place in sorted(self.cells)
            if place.setting == setting
        ]

    def best(
        self,
        min_retention: float = 0.9,
        max_peak_tokens: int | None = None,
        over: Over = "median",
        *,
        allow_refused: bool = False,
    ) -> Recommendation:
        """The cheapest setting whose requests hold at least ``min_retention`` (0 to 1) of the facts stated so far and
        have at most ``max_peak_tokens`` tokens, with the reasons and the runner-up. One that sends requests that a
        provider refuses is left out, and that is said, unless ``allow_refused``."""
        return recommend(
            self, Constraints(min_retention, max_peak_tokens, over, allow_refused)
        )

    @cached_property
    def _setting_columns(self) -> tuple[str, ...]:
        names = dict.fromkeys(
            p.name
            for setting in self.settings
            for p in setting.parameters()
            if not p.live_only
        )
        return ("setting", "strategy", "label", *names)

    def _setting_row(self, place: CellIndex) -> dict[str, Any]:
        setting = self.settings[place.setting]
        own = {
            p.name: getattr(setting, p.name)
            for p in setting.parameters()
            if not p.live_only
        }
        return {
            "setting": place.setting,
            "strategy": setting.id,
            "label": setting.code_label,
            **own,
            "conversation": self.subjects[place.subject],
        }


_ASKED = ("retention", "final_retention")
_OF_ONE_CONVERSATION = ("peak_tokens", *_ASKED)
"""Measures of which the conversation in the middle counts, or the worst; the later ones only a conversation with facts
has."""


def _all_known(values: SeriesGroupBy[Any, Any]) -> Series[bool]:
    """Where no conversation's value is unknown: else the sum is unknown as well."""
    return values.count() == values.size()


_COLUMNS = (
    "requests", "facts", "retention", "final_retention", "usd", "uncached_usd", "main_usd", "summarizer_usd",
    "usd_per_fact", "retained_facts", "hit_rate", "cached_tokens", "all_tokens", "sent_tokens", "mean_tokens",
    "peak_tokens", "peak_turn", "reply_tokens",
    "summarizer_tokens", "summarizations", "failed_summarizations", "over_budget_requests",
    "orphaned_requests", "refused_requests", "seconds", "error",
)  # fmt: skip


def _row(cell: Cell, cost: Cost) -> dict[str, Any]:
    if cell.error:  # nothing was sent: not at no cost, but at none that is known
        return {"facts": cell.facts, "seconds": cell.seconds, "error": cell.error}
    sent, traffic = cell.traffic.input_tokens, cell.traffic
    summarizer = int(
        traffic.summarizer_input_tokens.sum() + traffic.summarizer_output_tokens.sum()
    )
    usd = np.nan if cost.total_usd is None else cost.total_usd
    retained = cell.retention * cell.facts
    return {
        "requests": len(sent),
        "facts": cell.facts,
        "retention": cell.retention,
        "final_retention": cell.final_retention,
        "usd": usd,
        "uncached_usd": np.nan
        if cost.uncached_total_usd is None
        else cost.uncached_total_usd,
        "main_usd": np.nan if cost.main_usd is None else cost.main_usd,
        "summarizer_usd": np.nan
        if cost.summarizer_usd is None
        else cost.summarizer_usd,
        "usd_per_fact": usd / retained if retained > 0 else np.nan,
        "retained_facts": retained,
        "hit_rate": cost.hit_rate,
        "cached_tokens": int(cost.cached_tokens.sum()),
        "all_tokens": int(sent.sum()) + summarizer,
        "sent_tokens": int(sent.sum()),
        "mean_tokens": float(sent.mean()) if sent.size else 0.0,
        "peak_tokens": int(sent.max(initial=0)),
        "peak_turn": int(traffic.turns[sent.argmax()]) if sent.size else 0,
        "reply_tokens": int(traffic.output_tokens.sum()),
        "summarizer_tokens": summarizer,
        "summarizations": cell.summarizations,
        "failed_summarizations": cell.failed_summarizations,
        "over_budget_requests": cell.over_budget_requests,
        "orphaned_requests": cell.orphaned_requests,
        "refused_requests": cell.refused_requests,
        "seconds": cell.seconds,
        "error": cell.error,
    }
