"""The results of a sweep: its cells as a table with prices, summed up over conversations.

:class:`~memviz.tuning.sweeping.Sweeping` measures the cells and makes a :class:`Sweep` of them; pages, reports and the
command line read its tables, its Pareto front (:mod:`~memviz.tuning.pareto`) and its recommendation
(:mod:`~memviz.tuning.recommendation`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.notebook_output import NotebookOutput
from memviz.core.translation import ENGLISH, use_language
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.summaries.events import has_offline_summary
from memviz.models.names import OFFLINE
from memviz.strategies.base import Strategy
from memviz.tuning.cell import Cell, CellIndex, make_cell
from memviz.tuning.constraints import Constraints, Over
from memviz.tuning.grid import find_largest_sizes
from memviz.tuning.grounds import Grounds
from memviz.tuning.measures import COLUMNS, MEASURES, list_measures
from memviz.tuning.pareto import mark_front
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import Recommendation, recommend
from memviz.tuning.sweep_conversation import SweepConversation

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from pandas.api.typing import SeriesGroupBy


@dataclass(frozen=True, eq=False)
class Sweep(NotebookOutput):
    """The results of a sweep: all its cells, or those that were finished when it was stopped."""

    settings: tuple[Strategy, ...]
    subjects: tuple[str, ...]
    cells: Mapping[CellIndex, Cell] = field(repr=False)
    assumptions: PricingAssumptions = field(repr=False)
    stopped: str = ""
    """A sentence that says why the sweep was stopped early; empty where the user stopped it."""
    guessed_facts: tuple[int, ...] = ()
    """The number of facts of each conversation that memviz proposed."""
    unmeasured_results: tuple[int, ...] = ()
    """The number of tool results of each conversation in which no fact comes from one; 0 for any other."""
    summarizer: str = ""
    """The writer of the summaries; empty where it is not known."""
    counter: str = ""
    largest: Mapping[str, int] = field(default_factory=dict, repr=False)
    """The size of the largest conversation, by unit (see :func:`memviz.tuning.grid.find_largest_sizes`)."""
    system_prompts: tuple[str, ...] = field(default=(), repr=False)
    """The system prompt of each conversation; empty for one that has none."""
    _tables: dict[Over, DataFrame] = field(default_factory=dict, init=False, repr=False)

    @property
    def grounds(self) -> Grounds:
        """The facts and the summaries that the figures of this sweep are based on."""
        fact_counts: dict[int, int] = {}
        for index, cell in self.cells.items():
            # A setting that could not be run counted none.
            if not cell.error:
                fact_counts[index.subject] = cell.facts
        has_facts = [
            bool(fact_counts.get(index)) for index in range(len(self.subjects))
        ]
        guessed_count = sum(compress(self.guessed_facts, has_facts))
        is_summarized = any(cell.summarizations for cell in self.cells.values())
        return Grounds(
            guessed_count,
            sum(fact_counts.values()) - guessed_count,
            self.summarizer if is_summarized else "",
            sum(compress(self.unmeasured_results, has_facts)),
        )

    @property
    def is_complete(self) -> bool:
        """True where every setting was measured over every conversation."""
        return len(self.cells) == len(self.settings) * len(self.subjects)

    @property
    def left_out(self) -> tuple[Strategy, ...]:
        """The settings without any cell, because the sweep was stopped or its time was over."""
        measured = {index.setting for index in self.cells}
        return tuple(
            setting
            for number, setting in enumerate(self.settings)
            if number not in measured
        )

    @property
    def has_rules(self) -> bool:
        """True where any conversation states rules, so that ``rule_retention`` is known."""
        return any(cell.rule_retention >= 0 for cell in self.cells.values())

    def priced(self, assumptions: PricingAssumptions) -> Sweep:
        """Return this sweep with its cells priced by other ``assumptions``."""
        return replace(self, assumptions=assumptions)

    def cost(self, index: CellIndex) -> Cost:
        """Return the cost of each request of one cell."""
        return self.assumptions.cost(self.cells[index].traffic)

    @cached_property
    def _frame(self) -> DataFrame:
        from pandas import DataFrame

        rows = []
        for index in sorted(self.cells):
            row = self._setting_row(index.setting)
            row["conversation"] = self.subjects[index.subject]
            row |= list_measures(self.cells[index], self.cost(index))
            rows.append(row)
        columns = [*self._setting_columns, "conversation", *COLUMNS]
        return DataFrame(rows, columns=columns)

    def frame(self) -> DataFrame:
        """Return a table with one row a cell.

        The first columns name the cell: the number of its ``setting`` (0-based), ``strategy``, ``label`` (with
        parameters as in code), one column for each parameter of any strategy (empty where a strategy lacks it), and
        ``conversation``. Then come the measures. ``retention`` and ``hit_rate`` are shares (0 to 1), ``usd_per_fact``
        is dollars divided by the facts retained on average.

        US dollars are NaN where a price is unknown, and retention is NaN where the conversation has no facts. All
        measures are NaN in a row whose ``error`` says why the setting could not be run.
        """
        return self._frame.copy()

    def by_setting(
        self, over: Over = "median", *, allow_refused: bool = False
    ) -> DataFrame:
        """Return a table with one row a setting, summed up over :attr:`compared_conversations`.

        - Money, tokens and calls are sums over the conversations, because one pays for each of them. ``usd_mean``,
          ``usd_least`` and ``usd_most`` (and the same of ``all_tokens``) are those of a single conversation.
        - The cost per fact, the share read from the cache and the mean tokens of a request are those of all
          conversations together.
        - The retention and the largest request are those of the middle conversation, or of the worst (``over``).
        - ``facts`` and ``conversations`` are counts. ``failed`` counts the conversations that the setting could not be
          run over, ``refused`` the requests that a provider would refuse because a tool's call or result is missing.
        - ``front`` is true where no other setting is better (see :meth:`pareto`).

        A conversation without facts does not count for retention. A single unknown price makes the sum unknown.
        """
        if over not in self._tables:
            self._tables[over] = self._sum_up(over)
        table = self._tables[over].copy()
        # The cached table has the labels of the language that it was made in.
        table["label"] = [self.settings[number].label for number in table["setting"]]
        if allow_refused:
            constraints = Constraints(over=over, allow_refused=True)
            table["front"] = self._mark_front(table, constraints)
        return table

    @cached_property
    def compared_conversations(self) -> tuple[int, ...]:
        """The numbers (0-based) of the conversations over which settings are compared.

        In a sweep that was stopped early some settings have fewer cells than others, and their sums would look cheap.
        So these are the conversations that every setting with any cell has been measured over. Where there is none, it
        is the first of those that most settings were measured over.
        """
        started = {index.setting for index in self.cells}
        setting_counts = Counter(index.subject for index in self.cells)
        most_settings = max(setting_counts.values(), default=0)
        measured_most = [
            number
            for number in sorted(setting_counts)
            if setting_counts[number] == most_settings
        ]
        is_measured_by_all = most_settings == len(started)
        return tuple(measured_most if is_measured_by_all else measured_most[:1])

    def _sum_up(self, over: Over) -> DataFrame:
        compared = self.compared_conversations
        is_compared = [index.subject in compared for index in sorted(self.cells)]
        rows = self._frame[np.array(is_compared, bool)]
        is_measured = rows["error"] == ""
        frame = rows[is_measured]
        grouped = frame.groupby("setting", sort=True)
        with_facts = frame[frame["retention"].notna()].groupby("setting", sort=True)
        table = grouped.agg(dict.fromkeys(self._setting_columns[1:], "first"))
        for name, measure in MEASURES.items():
            if measure.is_added:
                table[name] = _sum_up_conversations(grouped[name], "sum")
        # These also show how far single conversations lie apart.
        for name in ("usd", "all_tokens"):
            table[f"{name}_mean"] = _sum_up_conversations(grouped[name], "mean")
            table[f"{name}_least"] = _sum_up_conversations(grouped[name], "min")
            table[f"{name}_most"] = _sum_up_conversations(grouped[name], "max")
        # These are not added up: they are those of one conversation.
        for name in ("peak_tokens", "retention", "rule_retention", "final_retention"):
            how = "median" if over == "median" else MEASURES[name].worst
            table[name] = grouped[name].agg(how)
        sent_tokens = grouped["sent_tokens"].sum()
        table["mean_tokens"] = sent_tokens / grouped["requests"].sum().clip(lower=1)
        table["hit_rate"] = grouped["cached_tokens"].sum() / sent_tokens.clip(lower=1)
        retained = with_facts["retained_facts"].sum()
        usd_per_fact = _sum_up_conversations(with_facts["usd"], "sum") / retained
        table["usd_per_fact"] = usd_per_fact.where(retained > 0)
        table["facts"] = grouped["facts"].sum()
        table["conversations"] = grouped.size()
        failed = rows[~is_measured].groupby("setting").size()
        table["failed"] = failed.reindex(table.index, fill_value=0)
        table["refused"] = table["refused_requests"]
        table["front"] = self._mark_front(table, Constraints(over=over))
        return table.reset_index()

    def _mark_front(
        self, table: DataFrame, constraints: Constraints
    ) -> NDArray[np.bool_]:
        comparable = table["retention"].where(constraints.admits(table))
        costs = table[self.cost_measure].to_numpy(float)
        return mark_front(costs, comparable.to_numpy(float))

    @cached_property
    def cost_measure(self) -> str:
        """The column that costs are compared by: ``usd``, or ``all_tokens`` where a price is unknown."""
        prices = self._frame.loc[self._frame["error"] == "", "usd"]
        return "usd" if len(prices) and prices.notna().all() else "all_tokens"

    def pareto(
        self, over: Over = "median", *, allow_refused: bool = False
    ) -> DataFrame:
        """Return the rows of :meth:`by_setting` that no other row beats, cheapest first.

        A setting beats another one if it costs less and retains as much, or retains more for the same cost. Settings
        that failed over a conversation are not compared, nor those of which a provider refuses requests, unless
        ``allow_refused``.
        """
        table = self.by_setting(over, allow_refused=allow_refused)
        return table[table["front"]].sort_values(self.cost_measure, ignore_index=True)

    def cells_of(self, setting: int) -> list[Cell]:
        """Return the cells of the setting of this number (0-based), one a conversation."""
        indices = [index for index in sorted(self.cells) if index.setting == setting]
        return [self.cells[index] for index in indices]

    def best(
        self,
        min_retention: float = 0.9,
        max_peak_tokens: int | None = None,
        over: Over = "median",
        *,
        allow_refused: bool = False,
    ) -> Recommendation:
        """Return the cheapest setting that meets the constraints, with the reasons and the runner-up.

        Its requests hold at least ``min_retention`` (0 to 1) of the facts stated so far and have at most
        ``max_peak_tokens`` tokens. Settings of which a provider refuses requests are left out, which the reasons say,
        unless ``allow_refused``.
        """
        constraints = Constraints(min_retention, max_peak_tokens, over, allow_refused)
        return recommend(self, constraints)

    @cached_property
    def _setting_columns(self) -> tuple[str, ...]:
        names = dict.fromkeys(("setting", "strategy", "label"))
        for number in range(len(self.settings)):
            names |= dict.fromkeys(self._setting_row(number))
        return tuple(names)

    def _setting_row(self, number: int) -> dict[str, Any]:
        setting = self.settings[number]
        row = name_setting(number, setting)
        for parameter in setting.parameters():
            if not parameter.live_only:
                row[parameter.name] = getattr(setting, parameter.name)
        return row


def name_setting(number: int, setting: Strategy) -> dict[str, Any]:
    """Return the columns that name a setting in a table: its number, its strategy, and its label as in code."""
    with use_language(ENGLISH):
        label = str(setting.code_label)
    return {"setting": number, "strategy": setting.id, "label": label}


def make_sweep(
    runs: Sequence[Run],
    retentions: Sequence[Retention | None],
    conversation: SweepConversation,
    assumptions: PricingAssumptions,
) -> Sweep:
    """Return a sweep made of finished ``runs`` (at least one) over one conversation.

    Reports use it to judge finished runs by the same rules and in the same words as Tune.
    ``retentions`` has an item for each run, ``None`` where its retention is not known.
    """
    cells = {}
    for number, (run, retention) in enumerate(zip(runs, retentions, strict=True)):
        cells[CellIndex(number, 0)] = make_cell(conversation, run, retention)
    counter = runs[0].counter
    return Sweep(
        tuple(run.strategy for run in runs),
        (conversation.title,),
        cells,
        assumptions,
        guessed_facts=(conversation.guessed_facts,),
        unmeasured_results=(conversation.unmeasured_results,),
        summarizer=OFFLINE if any(map(has_offline_summary, runs)) else "",
        counter=counter.name,
        largest=find_largest_sizes((conversation.log,), counter),
    )


def _sum_up_conversations(values: SeriesGroupBy[Any, Any], how: str) -> Series[Any]:
    """Return one value a setting by a function of pandas such as ``sum``; NaN where any conversation has NaN."""
    return values.agg(how).where(values.count() == values.size())
