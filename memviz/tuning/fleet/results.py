"""The results of a sweep over a fleet, as they lie in its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memviz.core.counters import Counter
from memviz.core.errors import ParameterError
from memviz.core.translation import _
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript
from memviz.transcripts.fleet.reading import MISSING_CONVERSATION, read_place
from memviz.transcripts.fleet.source import Fleet, Place
from memviz.tuning.fleet.batches import FleetPlan, hash_transcript
from memviz.tuning.fleet.folder import FleetFolder
from memviz.tuning.fleet.sweeping import FleetProgress, FleetSweeping
from memviz.tuning.fleet.tables import PLACE, TABLES
from memviz.tuning.measures import MEASURES
from memviz.tuning.pricing_assumptions import PricingAssumptions

if TYPE_CHECKING:
    from pandas import DataFrame

WORST = 20
LABELS = ["setting", "strategy", "label"]
"""The columns that name a setting."""
QUANTILES = {0.1: "p10", 0.25: "p25", 0.5: "median", 0.75: "p75", 0.9: "p90"}
"""The quantiles of a distribution, and their columns."""


@dataclass(frozen=True)
class FleetSweep:
    """The results of a sweep over a :class:`memviz.Fleet`, as tables of Parquet in a folder.

    DuckDB, pandas and others can read them as well. They hold numbers and hashes, no text of a conversation.
    """

    folder: Path
    """The folder with ``conversations/*.parquet``, ``failures/*.parquet``, ``settings/*.parquet``, and, if it was asked
    for, ``requests/*.parquet``."""
    fleet: Fleet = field(repr=False)
    settings: tuple[Strategy, ...] = field(repr=False)
    runs: int
    """The number of replays: of each conversation under each setting."""
    failures: int
    """The number of conversations that could not be read, and of settings that could not be run over one."""
    is_complete: bool
    """False if the sweep was stopped: the same call continues it."""

    def frame(self) -> DataFrame:
        """Return one row a conversation and setting, with the setting's label."""
        labels = self._frame("settings", LABELS)
        return self._frame("conversations").merge(labels, on="setting", how="left")

    def worst(self, measure: str, setting: int = 0, number: int = WORST) -> DataFrame:
        """Return the rows of the conversations for which a setting is worst, the worst first.

        With the measure ``"usd"`` these are the most expensive ones, with ``"retention"`` those of which it keeps the
        smallest share of the facts. Raises :class:`memviz.ParameterError` for an unknown measure.
        """
        _require_measure(measure)
        frame = self._frame("conversations")
        rows = frame[frame["setting"] == setting].dropna(subset=[measure])
        is_low = MEASURES[measure].worst == "min"
        rows = rows.sort_values(measure, ascending=is_low, kind="stable")
        return rows.head(number).reset_index(drop=True)

    def transcript(self, row: Mapping[str, Any]) -> Transcript:
        """Return the conversation of a row, read again from its file: ``swept.transcript(swept.worst("usd").iloc[0])``.

        Raises :class:`memviz.TranscriptError` where it is not there any more.
        """
        numbers = [int(row[name]) for name in PLACE]
        transcript = read_place(self.fleet, Place(*numbers))
        if hash_transcript(transcript) != row["conversation"]:
            # The file was written again since, and has another conversation at this place.
            raise MISSING_CONVERSATION.error()
        return transcript

    def by_setting(self) -> DataFrame:
        """Return one row a setting: number of conversations, mean tokens, mean share of facts kept, and total dollars.

        The dollars are unknown (NaN) if those of any conversation are.
        """
        from pandas import DataFrame

        columns = ["setting", "sent_tokens", "peak_tokens", "usd", "retention"]
        numbers = columns[1:]
        sums = DataFrame(columns=numbers, dtype=float)
        counts = DataFrame(columns=numbers, dtype=float)
        # Part by part, because all conversations at once may not fit into memory.
        for part in FleetFolder(self.folder).parts("conversations", columns):
            grouped = part.to_pandas().groupby("setting")
            sums = sums.add(grouped.sum(), fill_value=0)
            counts = counts.add(grouped.count(), fill_value=0)
        table = sums / counts
        # Every conversation has a number of tokens.
        table["conversations"] = counts["sent_tokens"].astype(int)
        is_priced = counts["usd"] == counts["sent_tokens"]
        table["usd"] = sums["usd"].where(is_priced)
        labels = self._frame("settings", LABELS)
        return labels.merge(table.reset_index(), on="setting")

    def distributions(self, measure: str) -> DataFrame:
        """Return one row a setting with the distribution of a measure, such as ``"sent_tokens"``, over conversations.

        The columns are ``mean``, ``p10``, ``p25``, ``median``, ``p75`` and ``p90`` (one conversation in ten has less
        than ``p10``), and ``conversations`` and ``usd`` as in :meth:`by_setting`. NaN where no conversation has the
        measure. Raises :class:`memviz.ParameterError` for an unknown measure.
        """
        _require_measure(measure)
        runs = self._frame("conversations", ["setting", measure])
        values = runs.groupby("setting")[measure]
        spread = (
            values.quantile(np.array(list(QUANTILES)))
            .unstack()
            .rename(columns=QUANTILES)
        )
        spread["mean"] = values.mean()
        totals = self.by_setting()[[*LABELS, "conversations", "usd"]]
        return totals.merge(spread.reset_index(), on="setting")

    def requests_frame(self) -> DataFrame:
        """Return one row a request; none where the sweep did not keep them."""
        return self._frame("requests")

    def failures_frame(self) -> DataFrame:
        """Return one row for everything that could not be read or run: its place, and a sentence."""
        return self._frame("failures")

    def _frame(self, table: str, columns: Sequence[str] | None = None) -> DataFrame:
        frame: DataFrame = FleetFolder(self.folder).read(table, columns).to_pandas()
        return frame


def _require_measure(measure: str) -> None:
    measures = [name for name in MEASURES if name in TABLES["conversations"]]
    if measure not in measures:
        raise ParameterError("measure", measure, ", ".join(measures))


def open_fleet(conversations: object) -> Fleet:
    """Return ``conversations``, a fleet or the address of one, as a fleet.

    Raises :class:`memviz.core.errors.ParameterError` for anything else.
    """
    if isinstance(conversations, Fleet):
        return conversations
    if isinstance(conversations, str | Path):
        return Fleet(conversations)
    raise ParameterError(
        "write", type(conversations).__name__, _("for a memviz.Fleet, or its address")
    )


def sweep_fleet(
    fleet: Fleet,
    settings: tuple[Strategy, ...],
    write: str | Path,
    *,
    retention: bool,
    requests: bool,
    progress: Callable[[FleetProgress], object] | None,
    counter: Counter,
    summarizer: Model | None,
    assumptions: PricingAssumptions,
    **at_work: Any,
) -> FleetSweep:
    """Return the results of every setting over the conversations of a fleet, written to the folder ``write``.

    The arguments are those of :func:`memviz.sweep`; ``at_work`` are fields of :class:`FleetSweeping`.
    """
    plan = FleetPlan(
        fleet, settings, counter, summarizer, assumptions, retention, requests
    )
    folder = FleetFolder(Path(write))
    sweeping = FleetSweeping(plan, folder, **at_work)
    done = FleetProgress(0, 0, 0)
    for done in sweeping:
        if progress is not None:
            progress(done)
    return FleetSweep(
        folder.path, fleet, settings, done.runs, done.failures, sweeping.is_complete
    )
