"""Which setting to take: the cheapest that does what was asked for, why, and which one comes next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memviz.strategies.base import Strategy
from memviz.text.wording import dollars, listed
from memviz.tuning.constraints import Constraints

SAME_RUN = ("all_tokens", "peak_tokens", "retention", "hit_rate")
"""Settings that agree in all of these sent the same, as far as anybody can tell."""

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Over, Sweep

SAME_COST = 1.000_001
"""Costs this close are equal; sums of floating point numbers are not exact."""


@dataclass(frozen=True)
class Recommendation:
    """The answer of a sweep. ``setting`` is ``None`` where no setting does what was asked for; ``reasons`` then say
    what failed and which setting (``nearest``) comes closest. ``row`` and ``runner_up_row`` hold the measures."""

    setting: Strategy | None
    reasons: tuple[str, ...]
    row: Mapping[str, Any] | None = None
    runner_up: Strategy | None = None
    runner_up_row: Mapping[str, Any] | None = None
    nearest: Strategy | None = None

    @property
    def sentence(self) -> str:
        """The reasons in one text."""
        return " ".join(self.reasons)


def recommend(sweep: Sweep, min_retention: float, max_peak_tokens: int | None, over: Over) -> Recommendation:
    """See :meth:`memviz.tuning.results.Sweep.best`. Where the sweep has no facts, only tokens and cost decide. A
    setting that could not be run over one of the conversations is never recommended."""
    table = sweep.by_setting(over)
    if table.empty:
        return Recommendation(None, ("Nothing was measured, so nothing can be recommended.",))
    has_facts, measure = bool(table["retention"].notna().any()), sweep.cost_measure
    fitting = table[Constraints(min_retention, max_peak_tokens, over).fits(table)]
    measured, table = len(table), table[table["failed"] == 0]
    if table.empty:
        return Recommendation(None, ("Every setting failed over at least one conversation.",))
    if not len(fitting):
        return _nothing_fits(sweep, table, min_retention, max_peak_tokens)
    first = _cheapest(fitting, measure)
    others = fitting[fitting["setting"] != first["setting"]]
    second = _cheapest(others, measure) if len(others) else None
    reasons = [_what_it_does(sweep, first, has_facts), _why_it(measured, len(fitting), measure)]
    if second is not None:
        reasons.append(_runner_up(first, second, measure, has_facts))
    if not has_facts:
        reasons.append("No facts are known, so what each setting forgets was not compared.")
    return Recommendation(
        sweep.settings[first["setting"]], tuple(reasons), first,
        None if second is None else sweep.settings[second["setting"]], second,
    )  # fmt: skip


def _cheapest(table: DataFrame, measure: str) -> dict[str, Any]:
    """The cheapest row; of equal cost the one that retains most, then the one with the smallest peak."""
    cheap = table[table[measure] <= table[measure].min() * SAME_COST]
    best = cheap.sort_values(["retention", "peak_tokens", "setting"], ascending=[False, True, True]).iloc[0]
    return {str(name): value for name, value in best.to_dict().items()}


def _what_it_does(sweep: Sweep, row: Mapping[str, Any], has_facts: bool) -> str:
    worst = sweep.by_setting("worst").set_index("setting").loc[row["setting"]]
    several = row["conversations"] > 1
    parts = []
    if has_facts:
        kept = f"keeps {share_in_words(row['retention'])} of the facts"
        parts.append(f"{kept} ({share_in_words(worst['retention'])} in the worst conversation)" if several else kept)
    peak = f"sends at most {row['peak_tokens']:,.0f} tokens in a request"
    parts.append(f"{peak} ({worst['peak_tokens']:,.0f} in the worst)" if several else peak)
    parts.append(f"costs {cost_in_words(row)}{' a conversation' if several else ''}")
    missing = len(sweep.subjects) - row["conversations"]
    measured = f" So far it was measured over {row['conversations']:,} of {len(sweep.subjects):,} conversations."
    return f"{row['label']} {listed(parts)}.{measured if missing else ''}"


def _why_it(all_settings: int, fitting: int, measure: str) -> str:
    if all_settings == 1:
        return "It is the only setting."
    if fitting == 1:
        return f"It is the only one of {all_settings:,} settings that does what you ask for."
    less = "cheapest" if measure == "usd" else "one with the fewest tokens"
    return f"It is the {less} of the {fitting:,} (out of {all_settings:,}) that do what you ask for."


def _runner_up(first: Mapping[str, Any], second: Mapping[str, Any], measure: str, has_facts: bool) -> str:
    if all(first[name] == second[name] for name in SAME_RUN):
        return f"{second['label']} did exactly the same here."
    cost, least = second[measure], first[measure]
    if cost <= least * SAME_COST:
        text = "the same cost"
    elif least and 0.001 <= cost / least - 1 <= 10:
        text = f"{cost / least - 1:.1%} more"
    else:
        text = cost_in_words(second)
    text = f"Next: {second['label']}, at {text}"
    return f"{text}, keeps {share_in_words(second['retention'])}." if has_facts else f"{text}."


def _nothing_fits(sweep: Sweep, table: DataFrame, min_retention: float, max_peak_tokens: int | None) -> Recommendation:
    within = table if max_peak_tokens is None else table[table["peak_tokens"] <= max_peak_tokens]
    if not len(within):
        nearest = table.sort_values(["peak_tokens", "setting"]).iloc[0].to_dict()
        reason = (
            f"No setting stays within {max_peak_tokens:,} tokens a request: the least is "
            f"{nearest['peak_tokens']:,.0f}, with {nearest['label']}. Allow larger requests, or try smaller limits."
        )
    else:
        nearest = within.sort_values(["retention", "setting"], ascending=[False, True]).iloc[0].to_dict()
        limit = "" if max_peak_tokens is None else f" within {max_peak_tokens:,} tokens a request"
        most = share_in_words(nearest["retention"], min_retention)
        reason = (
            f"No setting keeps {share_in_words(min_retention, nearest['retention'])} of the facts{limit}: the most is "
            f"{most}, with {nearest['label']}. Ask for less, allow larger requests, or try larger limits."
        )
    return Recommendation(None, (reason,), nearest=sweep.settings[nearest["setting"]])


def share_in_words(share: float, beside: float | None = None) -> str:
    """A share in percent, with as many digits (up to three) as it takes not to look like all, nothing or ``beside``."""
    if np.isnan(share):
        return "an unknown share"
    others = [other for other in (0.0, 1.0, beside) if other is not None and other != share]
    for digits in range(3):
        text = f"{share:.{digits}%}"
        if text not in [f"{other:.{digits}%}" for other in others]:
            return text
    return f"{share:.3%}"


def cost_in_words(row: Mapping[str, Any]) -> str:
    """Dollars, or tokens where the price is unknown."""
    return f"{row['all_tokens']:,.0f} tokens" if np.isnan(row["usd"]) else dollars(row["usd"])
