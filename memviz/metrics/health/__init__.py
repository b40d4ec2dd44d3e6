"""Findings about the health of a run, told from its records: exact numbers, which become warnings in
``memviz/dashboard/words/health.py``.

Every check is a function from a run to a finding or ``None``, linear in the records and without any model.
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
from memviz.metrics.health.finding import HealthFinding, Prices, Severity
from memviz.metrics.health.growth import dear_clearing, growth
from memviz.metrics.health.lookups import (
    echoed_questions,
    missing_neighbours,
    repeated_turn,
)

__all__ = [
    "CHECKS",
    "PRICED_CHECKS",
    "HealthFinding",
    "Prices",
    "Severity",
    "health_findings",
]

CHECKS: tuple[Callable[[Run], HealthFinding | None], ...] = (
    failed_summarizations,
    orphaned_tool_messages,
    over_budget,
    thrash,
    kept_above_trigger,
    larger_summaries,
    unchanged_summaries,
    large_summary,
    assistant_first,
    echoed_questions,
    missing_neighbours,
    repeated_turn,
    odd_counter,
)
PRICED_CHECKS: tuple[Callable[[Run, Prices | None], HealthFinding | None], ...] = (
    dear_clearing,
    growth,
)
"""Checks that speak of money."""


def health_findings(
    run: Run, prices: Prices | None = None
) -> tuple[HealthFinding, ...]:
    """Return all findings about ``run``, the bad ones first; none for a run without a request. Of a chat that was given
    another setting they are about that one, which can still be changed. What they say about cost holds under
    ``prices``, such as a :class:`memviz.PricingAssumptions`; by default under the list prices of the model that
    answered. Of the same severity, those that speak of money come last."""
    return run.once((health_findings, prices), lambda: _find_all(run, prices))


def _find_all(run: Run, prices: Prices | None) -> tuple[HealthFinding, ...]:
    judged_run = run.under_this_setting
    if not judged_run.requests:
        return ()
    results = [check(judged_run) for check in CHECKS]
    results += [check(judged_run, prices) for check in PRICED_CHECKS]
    findings = filter(None, results)
    return tuple(sorted(findings, key=lambda finding: finding.severity != "bad"))
