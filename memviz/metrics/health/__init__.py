"""Checks of the health of a run: problems of its setting, such as a summary that is larger than what it replaces.

Every check is a function that takes a run and returns a finding or ``None``. It reads the records of the run in linear
time, without any model. :func:`check_health` runs them all; ``memviz/dashboard/words/health.py`` makes warnings of the
findings, which pages, reports and the command line show.
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
"""The checks that need prices."""


def check_health(run: Run, prices: Prices | None = None) -> tuple[HealthFinding, ...]:
    """Return all findings about ``run``, the bad ones first, and of the same severity those about money last.

    If the setting of a chat was changed, only the requests under the current setting count. ``prices``, such as a
    :class:`memviz.PricingAssumptions`, are by default the list prices of the model that answered. A run without
    requests has no findings.
    """
    return run.once((check_health, prices), lambda: _find_all(run, prices))


def _find_all(run: Run, prices: Prices | None) -> tuple[HealthFinding, ...]:
    judged_run = run.under_this_setting
    if not judged_run.requests:
        return ()
    results = [check(judged_run) for check in CHECKS]
    results += [check(judged_run, prices) for check in PRICED_CHECKS]
    findings = filter(None, results)
    return tuple(sorted(findings, key=lambda finding: finding.severity != "bad"))
