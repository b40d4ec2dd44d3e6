"""The facts that each setting retained, in numbers: in all, and by their kinds."""

from collections.abc import Sequence
from math import isnan

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.charts.retention.survival_curve import half_life_words
from memviz.dashboard.ui.controls.pictures import places, step_of
from memviz.dashboard.ui.facts.lives.all_settings import known_at_the_end
from memviz.dashboard.ui.facts.retention_cache import survival_of
from memviz.dashboard.ui.shell.elements import show_table
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.retention.knowledge import FactState
from memviz.metrics.retention.survival import CategoryRow, make_category_table
from memviz.transcripts.base import RULE

NONE = "–"
_MEANS = {
    "turn": noop("Known, mean over the turns"),
    "request": noop("Known, mean over the requests"),
}
_TOKENS_A_FACT = {
    "turn": noop("Tokens sent per known fact and turn"),
    "request": noop("Tokens sent per known fact and request"),
}
_UPDATED = {
    noop("Updated: new value only"): "new_only",
    noop("Updated: new and outdated value"): "both",
    noop("Updated: outdated value only"): "stale_only",
    noop("Updated: neither"): "neither",
}
"""The rows on facts that were updated, each with the number of a :class:`CategoryRow`."""
NUMBER_PIXELS = 150
KNOWN_HELP = noop(
    "Facts that the last request holds, of all that were stated: in a message sent word for word, in "
    "the summary, or recalled."
)


def draw_key_numbers(results: Sequence[RetentionResult]) -> None:
    """Show what was known at the end, and how that came, one column a setting."""
    st.markdown(_("**Facts known at the end**"), help=_(KNOWN_HELP))
    for place, result in places(results, NUMBER_PIXELS):
        place.metric(
            result.setting.label,
            known_at_the_end(result),
            delta=None if result.retention.born[-1].any() else _("no fact was stated"),
            delta_color="off",
        )
    step = step_of([result.setting for result in results])
    columns = {}
    for result in results:
        columns[plain(result.setting.label)] = _numbers(result, step)
    show_table(columns, _("What each setting retained, one column a setting"))


def _numbers(result: RetentionResult, step: str) -> dict[str, str]:
    """Return the numbers of one setting by their names; those of rules and contradictions only where there are any."""
    retention = result.retention
    survival = survival_of(result.run, retention.probes)
    numbers = {
        _(_MEANS[step]): _share_words(retention.mean_share()),
        _("Half of the facts last"): half_life_words(survival),
        _(_TOKENS_A_FACT[step]): NONE,
    }
    # Each fact counts once for every request that holds it.
    facts_held = retention.retained.sum()
    if facts_held:
        tokens = count_token_use(result.run).sent_tokens / facts_held
        numbers[_(_TOKENS_A_FACT[step])] = f"{tokens:,.0f}"
    rules_share = retention.mean_share(RULE)
    if not isnan(rules_share):
        numbers[_("Rules kept")] = _share_words(rules_share)
    contradicted = (retention.state[-1] == FactState.CONTRADICTED).sum()
    if contradicted:
        numbers[_("Contradicted in the last request")] = f"{contradicted:,}"
    has_update = [bool(probe.stale) for probe in retention.probes]
    updates = retention.born[-1, has_update].sum()
    old_values = NONE
    if updates:
        outdated = retention.stale[-1].sum()
        old_values = _("{old} of {count}", old=outdated, count=updates)
    numbers[_("Old values still in the last request")] = old_values
    return numbers


def _share_words(share: float) -> str:
    return NONE if isnan(share) else f"{share:.0%}"


def draw_by_category(results: Sequence[RetentionResult]) -> None:
    """Draw a table of the kinds of facts that were lost."""
    columns = {}
    for result in results:
        rows = make_category_table(result.retention, result.run.log)
        columns[plain(result.setting.label)] = _cells(rows)
    show_table(columns, _("Facts known at the end by category, one column a setting"))
    st.caption(
        _(
            "Known at the last request, and the mean share over all requests. New and outdated values: what "
            "the last request holds of facts that were updated on the way."
        )
    )


def _cells(rows: Sequence[CategoryRow]) -> dict[str, str]:
    cells = {}
    for category_row in rows:
        name = _("All facts")
        if category_row.category is not None:
            name = _(category_row.category).capitalize()
        cells[name] = _("not stated yet")
        if category_row.born:
            cells[name] = _(
                "{known:,} of {born:,}",
                known=category_row.retained,
                born=category_row.born,
            )
            if category_row.mean_share is not None:
                cells[name] += f" · {category_row.mean_share:.0%}"
    updated = {_(name): getattr(rows[-1], field) for name, field in _UPDATED.items()}
    if any(updated.values()):
        cells |= {name: f"{count:,}" for name, count in updated.items()}
    return cells
