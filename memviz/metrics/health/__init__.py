"""Findings about the health of a run, told from its records: exact numbers, which become warnings in
``memviz/dashboard/words/health.py``.

Every check is a function from a run to a finding or ``None``, linear in the records and without any model.
"""

from collections.abc import Callable

from memviz.engine.run import Run
from memviz.metrics.health.budgets import (
    find_kept_above_trigger,
    find_large_summaries,
    find_odd_counter,
    find_over_budget,
    find_thrash,
)
from memviz.metrics.health.contents import (
    find_assistant_first,
    find_failed_summarizations,
    find_larger_summaries,
    find_orphaned_tool_messages,
    find_unchanged_summaries,
)
from memviz.metrics.health.finding import HealthFinding, Prices, Severity
from memviz.metrics.health.growth import find_dear_clearing, find_growth
from memviz.metrics.health.lookups import (
    find_echoed_questions,
    find_missing_neighbours,
    find_repeated_turn,
)

__all__ = [
    "CHECKS",
    "PRICED_CHECKS",
    "HealthFinding",
    "Prices",
    "Severity",
    "check_health",
]

CHECKS: tuple[Callable[[Run], HealthFinding | None], ...] = (
    find_failed_summarizations,
    find_orphaned_tool_messages,
    find_over_budget,
    find_thrash,
    find_kept_above_trigger,
    find_larger_summaries,
    find_unchanged_summaries,
    find_large_summaries,
    find_assistant_first,
    find_echoed_questions,
    find_missing_neighbours,
    find_repeated_turn,
    find_odd_counter,
)
PRICED_CHECKS: tuple[Callable[[Run, Prices | None], HealthFinding | None], ...] = (
    find_dear_clearing,
    find_growth,
)
"""Checks that speak of money."""


def check_health(run: Run, prices: Prices | None = None) -> tuple[HealthFinding, ...]:
    """Return all findings about ``run``, the bad ones first; none for a run without a request. Of a chat that was given
    another setting they are about that one, which can still be changed. What they say about cost holds under
    ``prices``, such as a :class:`memviz.PricingAssumptions`; by default under the list prices of the model that
    answered. Of the same severity, those that speak of money come last."""
    return run.once((check_health, prices), lambda: _find_all(run, prices))


def _find_all(run: Run, prices: Prices | None) -> tuple[HealthFinding, ...]:
    judged_run = run.under_this_setting
    if not judged_run.requests:
        return ()
    results = [check(judged_run) for check in CHECKS]
    results += [check(judged_run, prices) for check in PRICED_CHECKS]
    findings = filter(None, results)
    return tuple(sorted(findings, key=lambda finding: finding.severity != "bad"))
