"""The measures of the cells of a sweep: how they are compared and summed up, and their values for one cell.

The tables of a :class:`~memviz.tuning.results.Sweep` and of a fleet are made of them. Their words for people are in
``memviz/dashboard/charts/sweeps/measure_words.py``.
"""

from __future__ import annotations

from math import nan
from typing import Any, Literal, NamedTuple

from memviz.metrics.cost.cost import Cost
from memviz.metrics.requests.traffic import Traffic
from memviz.tuning.cell import Cell


class Measure(NamedTuple):
    """The rule by which a measure of cells is summed up over the conversations of a sweep."""

    worst: Literal["min", "max"]
    """The less favourable end: the most of a cost, the least of what is retained."""
    is_added: bool = False
    """True where the values of several conversations are added, for one pays for each of them."""


_PAID = Measure("max", is_added=True)
_SIZE = Measure("max")
_SHARE = Measure("min")
MEASURES = {
    "usd": _PAID, "uncached_usd": _PAID, "main_usd": _PAID, "summarizer_usd": _PAID, "usd_per_fact": _SIZE,
    "all_tokens": _PAID, "sent_tokens": _PAID, "mean_tokens": _SIZE, "peak_tokens": _SIZE, "summarizer_tokens": _PAID,
    "summarizations": _PAID, "failed_summarizations": _PAID, "over_budget_requests": _PAID,
    "orphaned_requests": _PAID, "refused_requests": _PAID,
    "hit_rate": _SHARE, "retention": _SHARE, "rule_retention": _SHARE, "final_retention": _SHARE, "seconds": _PAID,
}  # fmt: skip
"""The measures that settings are compared by, in the order in which pages offer them."""
COLUMNS = (
    "requests", "facts", "retention", "rule_retention", "final_retention", "usd", "uncached_usd", "main_usd",
    "summarizer_usd", "usd_per_fact", "retained_facts", "hit_rate", "cached_tokens", "all_tokens", "sent_tokens",
    "mean_tokens", "peak_tokens", "peak_turn", "reply_tokens", "summarizer_tokens",
    "summarizations", "failed_summarizations", "over_budget_requests",
    "orphaned_requests", "refused_requests", "seconds", "error",
)  # fmt: skip
"""The columns that :func:`list_measures` fills in :meth:`memviz.tuning.results.Sweep.frame`, in their order."""


def list_measures(cell: Cell, cost: Cost) -> dict[str, Any]:
    """Return the values of one row of :meth:`memviz.tuning.results.Sweep.frame`, by column.

    A cell that could not be run has only its facts, its seconds and its error.
    """
    if cell.error:
        return {"facts": cell.facts, "seconds": cell.seconds, "error": cell.error}
    usd = _nan_if_unknown(cost.total_usd)
    retained_facts = cell.retention * cell.facts
    return _list_token_measures(cell.traffic, cost) | {
        "facts": cell.facts,
        "retention": cell.retention,
        "rule_retention": cell.rule_retention,
        "final_retention": cell.final_retention,
        "retained_facts": retained_facts,
        "usd": usd,
        "uncached_usd": _nan_if_unknown(cost.uncached_total_usd),
        "main_usd": _nan_if_unknown(cost.main_usd),
        "summarizer_usd": _nan_if_unknown(cost.summarizer_usd),
        "usd_per_fact": usd / retained_facts if retained_facts > 0 else nan,
        "summarizations": cell.summarizations,
        "failed_summarizations": cell.failed_summarizations,
        "over_budget_requests": cell.over_budget_requests,
        "orphaned_requests": cell.orphaned_requests,
        "refused_requests": cell.refused_requests,
        "seconds": cell.seconds,
        "error": "",
    }


def _list_token_measures(traffic: Traffic, cost: Cost) -> dict[str, float]:
    request_tokens = traffic.input_tokens
    sent_tokens = int(request_tokens.sum())
    summarizer_tokens = int(traffic.summarizer_input_tokens.sum())
    summarizer_tokens += int(traffic.summarizer_output_tokens.sum())
    largest = int(request_tokens.argmax()) if len(request_tokens) else None
    return {
        "requests": len(request_tokens),
        "sent_tokens": sent_tokens,
        "mean_tokens": sent_tokens / max(1, len(request_tokens)),
        "peak_tokens": 0 if largest is None else int(request_tokens[largest]),
        "peak_turn": 0 if largest is None else int(traffic.turns[largest]),
        "cached_tokens": int(cost.cached_tokens.sum()),
        "hit_rate": cost.hit_rate,
        "reply_tokens": int(traffic.output_tokens.sum()),
        "summarizer_tokens": summarizer_tokens,
        "all_tokens": sent_tokens + summarizer_tokens,
    }


def _nan_if_unknown(usd: float | None) -> float:
    return nan if usd is None else usd
