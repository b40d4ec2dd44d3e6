"""The recommendation of a sweep in words: the setting to take, the reasons, and the runner-up.

:func:`recommend` chooses the cheapest setting that meets the constraints (:mod:`~memviz.tuning.constraints`). Tune,
Compare, reports and the command line show its sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

from memviz.core.text.wording import dollars, share_of
from memviz.core.translation import _, ngettext, noop
from memviz.strategies.base import Strategy
from memviz.tuning.cautions import (
    MeasuredSweep,
    describe_idle,
    describe_left_out,
    describe_refused,
)
from memviz.tuning.constraints import (
    SAME_COST,
    Constraints,
    find_best_row,
    find_cheapest_row,
    is_same_run,
)
from memviz.tuning.grounds import Grounds

NOTHING_MEASURED = noop("Nothing was measured, so nothing can be recommended.")
ALL_FAILED = noop("Every setting failed over at least one conversation.")
NO_FACTS = noop("No facts are known, so what each setting forgets was not compared.")


@dataclass(frozen=True)
class Recommendation:
    """The setting that a sweep recommends, with the reasons."""

    setting: Strategy | None
    """``None`` where no setting meets the constraints."""
    reasons: tuple[str, ...]
    """Sentences; where no setting meets the constraints, they say which comes nearest."""
    row: Mapping[str, Any] | None = None
    """The row of ``setting`` in :meth:`memviz.tuning.results.Sweep.by_setting`."""
    runner_up: Strategy | None = None
    """The second-cheapest setting that meets the constraints."""
    runner_up_row: Mapping[str, Any] | None = None
    nearest: Strategy | None = None
    """The setting that comes nearest to the constraints where none meets them."""
    grounds: Grounds = field(default_factory=Grounds)

    @property
    def sentence(self) -> str:
        """The reasons in one text."""
        return " ".join(self.reasons)

    @property
    def headline(self) -> str:
        """The setting to take, said with as much confidence as its grounds allow; empty where none fits."""
        if self.setting is None:
            return ""
        return _("{verdict}.", verdict=word_verdict(self.setting.label, self.grounds))

    @property
    def why(self) -> str:
        """The text that follows the headline: what the setting does, and the reasons."""
        if self.setting is None:
            return self.sentence
        deeds = self.sentence.removeprefix(self.setting.label).strip()
        return _("It {deeds}", deeds=deeds)

    @property
    def answer(self) -> str:
        """The setting to take, and why."""
        return f"{self.headline} {self.why}".strip()

    @property
    def advice(self) -> str:
        """The answer, followed by the facts that it was measured on and by who wrote the summaries.

        For summaries of the built-in model it also says how far a recorded language model differs from it.
        """
        return " ".join([self.answer, *self.grounds.sentences])


def word_verdict(name: str, grounds: Grounds) -> str:
    """Return ``Take NAME``, or a weaker phrase where there are few facts or none."""
    if not grounds.facts:
        return _("By cost and size alone, {name} does best", name=name)
    if not grounds.are_thin:
        return _("Take {name}", name=name)
    return ngettext(
        "On this {number} fact, {name} does best",
        "On these {number} facts, {name} does best",
        grounds.facts,
        name=name,
    )


def recommend(sweep: MeasuredSweep, constraints: Constraints) -> Recommendation:
    """Return the recommendation of :meth:`memviz.tuning.results.Sweep.best`.

    Where the sweep has no facts, only tokens and cost decide. A setting that failed over a conversation is never
    recommended.
    """
    table = sweep.by_setting(constraints.over)
    if table.empty:
        return Recommendation(None, (_(NOTHING_MEASURED),))
    measure = sweep.cost_measure
    left_out = describe_left_out(table, constraints)
    row_and_fit = find_best_row(table, constraints, measure)
    if row_and_fit is None:
        return Recommendation(None, tuple(left_out) or (_(ALL_FAILED),))
    first, fits = row_and_fit
    if not fits:
        return _explain_that_none_fits(sweep, first, constraints, left_out)
    number = first["setting"]
    fitting = table[constraints.fits(table)]
    is_considered = constraints.admits(table) | (table["failed"] > 0)
    has_facts = bool(table["retention"].notna().any())
    asked = constraints if has_facts else constraints.without_retention
    reasons = [
        _describe_setting(sweep, first, has_facts),
        _explain_choice(int(is_considered.sum()), len(fitting), measure, asked),
        *describe_idle(sweep, number),
        *describe_refused(sweep, number),
        *left_out,
    ]
    best = Recommendation(sweep.settings[number], (), first, grounds=sweep.grounds)
    others = fitting[fitting["setting"] != number]
    if len(others):
        second = find_cheapest_row(others, measure)
        runner_up = sweep.settings[second["setting"]]
        best = replace(best, runner_up=runner_up, runner_up_row=second)
        reasons.append(_describe_runner_up(first, second, measure, has_facts))
    if not has_facts:
        reasons.append(_(NO_FACTS))
    return replace(best, reasons=tuple(reasons))


def _describe_setting(
    sweep: MeasuredSweep, row: Mapping[str, Any], has_facts: bool
) -> str:
    values: dict[str, Any] = {
        "label": row["label"],
        "share": format_share(row["retention"]),
        "peak": row["peak_tokens"],
        "cost": f"{format_cost(row)}{describe_cost_by_conversation(row)}",
    }
    template = _DOES if has_facts else _DOES_WITHOUT_FACTS
    if row["conversations"] > 1:
        template = _DOES_IN_SEVERAL if has_facts else _DOES_IN_SEVERAL_WITHOUT_FACTS
        worst = sweep.by_setting("worst").set_index("setting").loc[row["setting"]]
        values["worst_peak"] = worst["peak_tokens"]
        values["worst_share"] = format_share(worst["retention"])
    does = _(template, **values)
    conversations = len(sweep.subjects)
    if row["conversations"] == conversations:
        return does
    over = share_of(row["conversations"], conversations, "conversation")
    return f"{does} {_('So far it was measured over {share}.', share=over)}"


_DOES = noop(
    "{label} keeps {share} of the facts, sends at most {peak:,.0f} tokens in a request and costs {cost}."
)
_DOES_WITHOUT_FACTS = noop(
    "{label} sends at most {peak:,.0f} tokens in a request and costs {cost}."
)
_DOES_IN_SEVERAL = noop(
    "{label} keeps {share} of the facts ({worst_share} in the worst conversation), sends at most {peak:,.0f} tokens in "
    "a request ({worst_peak:,.0f} in the worst) and costs {cost}."
)
_DOES_IN_SEVERAL_WITHOUT_FACTS = noop(
    "{label} sends at most {peak:,.0f} tokens in a request ({worst_peak:,.0f} in the worst) and costs {cost}."
)


def _explain_choice(
    all_settings: int, fitting: int, measure: str, asked: Constraints
) -> str:
    if all_settings == 1:
        return _("It is the only setting.")
    if fitting == 1:
        return _(
            "It is the only one of {settings:,} settings that {does}.",
            settings=all_settings,
            does=describe_constraints(asked, is_one=True),
        )
    template = noop(
        "It is the cheapest of the {fitting:,} (out of {settings:,}) that {do}."
    )
    if measure != "usd":
        template = noop(
            "It is the one with the fewest tokens of the {fitting:,} (out of {settings:,}) that {do}."
        )
    return _(
        template, fitting=fitting, settings=all_settings, do=describe_constraints(asked)
    )


def describe_constraints(constraints: Constraints, *, is_one: bool = False) -> str:
    """Return the constraints as a predicate: ``keep 90% of the facts with at most 3,000 tokens in a request``.

    Its subject is several settings, or a single one (``is_one``): ``keeps 90% ...``.
    """
    number = 1 if is_one else 2
    limit = constraints.max_peak_tokens
    share = format_share(constraints.min_retention)
    if constraints.min_retention <= 0:
        if limit is None:
            return _("could be run")
        return ngettext(
            "stays within {tokens:,} tokens in a request",
            "stay within {tokens:,} tokens in a request",
            number,
            tokens=limit,
        )
    if limit is None:
        return ngettext(
            "keeps {share} of the facts",
            "keep {share} of the facts",
            number,
            share=share,
        )
    return ngettext(
        "keeps {share} of the facts with at most {tokens:,} tokens in a request",
        "keep {share} of the facts with at most {tokens:,} tokens in a request",
        number,
        share=share,
        tokens=limit,
    )


def _describe_runner_up(
    first: Mapping[str, Any], second: Mapping[str, Any], measure: str, has_facts: bool
) -> str:
    if is_same_run(first, second):
        return _("{label} did exactly the same here.", label=second["label"])
    cost = second[measure]
    least_cost = first[measure]
    price = format_cost(second)
    if cost <= least_cost * SAME_COST:
        price = _("the same cost")
    elif least_cost and 0.001 <= cost / least_cost - 1 <= 10:
        price = _("{share:.1%} more", share=cost / least_cost - 1)
    if not has_facts:
        return _("Next: {label}, at {cost}.", label=second["label"], cost=price)
    share = format_share(second["retention"])
    return _(
        "Next: {label}, at {cost}, keeps {share}.",
        label=second["label"],
        cost=price,
        share=share,
    )


def _explain_that_none_fits(
    sweep: MeasuredSweep,
    nearest: Mapping[str, Any],
    constraints: Constraints,
    left_out: Sequence[str],
) -> Recommendation:
    limit = constraints.max_peak_tokens
    if limit is not None and nearest["peak_tokens"] > limit:
        reason = _(
            "No setting stays within {tokens:,} tokens a request: the least is {least:,.0f}, with {label}. Allow "
            "larger requests, or try smaller limits.",
            tokens=limit,
            least=nearest["peak_tokens"],
            label=nearest["label"],
        )
    else:
        template = _NONE_KEEPS if limit is None else _NONE_KEEPS_WITHIN
        reason = _(
            template,
            share=format_share(constraints.min_retention, nearest["retention"]),
            tokens=limit,
            most=format_share(nearest["retention"], constraints.min_retention),
            label=nearest["label"],
        )
    return Recommendation(
        None,
        (reason, *left_out),
        nearest=sweep.settings[nearest["setting"]],
        grounds=sweep.grounds,
    )


_NONE_KEEPS = noop(
    "No setting keeps {share} of the facts: the most is {most}, with {label}. Ask for less, allow larger requests, or "
    "try larger limits."
)
_NONE_KEEPS_WITHIN = noop(
    "No setting keeps {share} of the facts within {tokens:,} tokens a request: the most is {most}, with {label}. Ask "
    "for less, allow larger requests, or try larger limits."
)


def format_share(share: float, beside: float | None = None) -> str:
    """Return a share in percent, with as few decimals as distinguish it from 0, from 1 and from ``beside`` (at most 3).

    0.5 -> 50%; 0.9996 -> 99.96%; 0.901 -> 90.1% beside 0.9
    """
    if isnan(share):
        return _("an unknown share")
    others = {0.0, 1.0, share if beside is None else beside} - {share}
    for digits in range(3):
        text = f"{share:.{digits}%}"
        if text not in {f"{other:.{digits}%}" for other in others}:
            return text
    return f"{share:.3%}"


def format_cost(row: Mapping[Any, Any]) -> str:
    """Return the cost of all conversations together in dollars, or in tokens where a price is unknown."""
    return _format_amount(row["usd"], row["all_tokens"])


def describe_cost_by_conversation(row: Mapping[Any, Any]) -> str:
    """Return a phrase, to follow the cost, on the cost of a single conversation; empty where there is only one.

    It is `` for 12 conversations together ($0.0017 each on average, from $0.0009 to $0.0031)``.
    """
    if row["conversations"] < 2:
        return ""
    mean, least, most = _format_costs_of_conversation(row)
    return _(
        " for {conversations:,} conversations together ({mean} each on average, from {least} to {most})",
        conversations=row["conversations"],
        mean=mean,
        least=least,
        most=most,
    )


def format_cost_range(row: Mapping[Any, Any]) -> str:
    """Return the mean and the range of the cost of a conversation: ``$0.0017 ($0.0009 to $0.0031)``."""
    mean, least, most = _format_costs_of_conversation(row)
    return _("{mean} ({least} to {most})", mean=mean, least=least, most=most)


def _format_costs_of_conversation(row: Mapping[Any, Any]) -> list[str]:
    """Return the mean, the least and the highest cost of a conversation."""
    return [
        _format_amount(row[f"usd_{name}"], row[f"all_tokens_{name}"])
        for name in ("mean", "least", "most")
    ]


def _format_amount(usd: float, tokens: float) -> str:
    if isnan(usd):
        return _("{tokens:,.0f} tokens", tokens=tokens)
    return dollars(usd)
