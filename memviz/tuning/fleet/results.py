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
    """The results of a sweep over a :class:`memviz.Fleet`: tables of Parquet in a folder, which DuckDB, pandas and
    others read as well. They hold numbers and hashes, no text of a conversation."""

    folder: Path
    """It holds ``conversations/*.parquet``, ``failures/*.parquet``, ``settings/*.parquet``, and where that was asked
    for ``requests/*.parquet``."""
    fleet: Fleet = field(repr=False)
    settings: tuple[Strategy, ...] = field(repr=False)
    runs: int
    """Conversations that were replayed, each time a setting."""
    failures: int
    """Failures of reading a conversation, or of running a setting over one."""
    is_complete: bool
    """False where it was stopped: the same call goes on."""

    def frame(self) -> DataFrame:
        """Return one row a conversation and setting, with the setting's label."""
        labels = self._frame("settings", LABELS)
        return self._frame("conversations").merge(labels, on="setting", how="left")

    def worst(self, measure: str, setting: int = 0, number: int = WORST) -> DataFrame:
        """Return the rows of the conversations that a setting is worst for, the worst first: those that cost most
        (``measure="usd"``), or of which it keeps the smallest share of the facts (``"retention"``).

        Raises :class:`memviz.ParameterError` for what is no measure.
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
            # Another one has taken its place in a file that was written anew.
            raise MISSING_CONVERSATION.error()
        return transcript

    def by_setting(self) -> DataFrame:
        """Return one row a setting: the number of its conversations, means of tokens and facts kept, dollars added
        up. Dollars are unknown where those of any conversation are."""
        from pandas import DataFrame

        columns = ["setting", "sent_tokens", "peak_tokens", "usd", "retention"]
        numbers = columns[1:]
        sums = DataFrame(columns=numbers, dtype=float)
        counts = DataFrame(columns=numbers, dtype=float)
        # All conversations at once may be more than the memory has room for.
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
        """Return one row a setting: the number of its ``conversations`` and the ``usd`` of all, as in
        :meth:`by_setting`, and of a measure such as ``"sent_tokens"`` over them ``mean``, ``p10``, ``p25``, ``median``,
        ``p75`` and ``p90``: one conversation in ten has less than ``p10``. NaN where no conversation has the measure.

        Raises :class:`memviz.ParameterError` for what is no measure.
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
        """Return one row for whatever could not be read or run: its place, and a sentence."""
        return self._frame("failures")

    def _frame(self, table: str, columns: Sequence[str] | None = None) -> DataFrame:
        frame: DataFrame = FleetFolder(self.folder).read(table, columns).to_pandas()
        return frame


def _require_measure(measure: str) -> None:
    measures = [name for name in MEASURES if name in TABLES["conversations"]]
    if measure not in measures:
        raise ParameterError("measure", measure, ", ".join(measures))


def open_fleet(conversations: object) -> Fleet:
    """Return the fleet that conversations are, or whose address they are. Raises
    :class:`memviz.core.errors.ParameterError` for what is neither."""
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
