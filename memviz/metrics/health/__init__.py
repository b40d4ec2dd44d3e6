"""Warnings about a run, told from its records: exact numbers, why they matter and what to change.

Every check is a function from a run to a warning or ``None``, linear in the records and without any model.
"""

from collections.abc import Callable

from memviz.engine.run import Run
from memviz.metrics.health.budgets import (
    kept_above_trigger,
    large_summary,
    odd_counter,
    over_budget,
    thrash,
)
from memviz.metrics.health.contents import (
    assistant_first,
    failed_summarizations,
    larger_summaries,
    orphaned_tool_messages,
    unchanged_summaries,
)
from memviz.metrics.health.growth import dear_clearing, growth
from memviz.metrics.health.warning import HealthWarning, Prices, Severity

__all__ = [
    "CHECKS",
    "PRICED_CHECKS",
    "HealthWarning",
    "Prices",
    "Severity",
    "health_warnings",
]

CHECKS: tuple[Callable[[Run], HealthWarning | None], ...] = (
    failed_summarizations,
    orphaned_tool_messages,
    over_budget,
    thrash,
    kept_above_trigger,
    larger_summaries,
    unchanged_summaries,
    large_summary,
    assistant_first,
    odd_counter,
)
PRICED_CHECKS: tuple[Callable[[Run, Prices | None], HealthWarning | None], ...] = (
    dear_clearing,
    growth,
)
"""Those that speak of money."""


def health_warnings(
    run: Run, prices: Prices | None = None
) -> tuple[HealthWarning, ...]:
    """Return all warnings of ``run``, the bad ones first; none for a run without a request. Of a chat that was given
    another setting they are about that one, which can still be changed. What they say about cost holds under
    ``prices``, such as a :class:`memviz.PricingAssumptions`; by default under the list prices of the model that
    answered. Of the same severity, those that speak of money come last."""
    return run.once((health_warnings, prices), lambda: _found(run, prices))


def _found(run: Run, prices: Prices | None) -> tuple[HealthWarning, ...]:
    judged = run.under_this_setting
    if not judged.requests:
        return ()
    results = [check(judged) for check in CHECKS]
    results += [check(judged, prices) for check in PRICED_CHECKS]
    found = filter(None, results)
    return tuple(sorted(found, key=lambda warning: warning.severity != "bad"))
