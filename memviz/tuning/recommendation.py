"""Which setting to take: the cheapest that does what was asked for, why, and which one comes next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from memviz.core.text.wording import counted, dollars, listed, share_of
from memviz.strategies.base import Strategy, Trigger
from memviz.tuning.choice import SAME_COST, best_row, cheapest, did_the_same
from memviz.tuning.constraints import Constraints
from memviz.tuning.grounds import Grounds

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Sweep


@dataclass(frozen=True)
class Recommendation:
    """The answer of a sweep. ``setting`` is ``None`` where no setting does what was asked for; ``reasons`` then say
    what failed and which setting (``nearest``) comes closest. ``row`` and ``runner_up_row`` hold the measures.
    ``grounds`` is what all of it rests on."""

    setting: Strategy | None
    reasons: tuple[str, ...]
    row: Mapping[str, Any] | None = None
    runner_up: Strategy | None = None
    runner_up_row: Mapping[str, Any] | None = None
    nearest: Strategy | None = None
    grounds: Grounds = field(default_factory=Grounds)

    @property
    def sentence(self) -> str:
        """The reasons in one text."""
        return " ".join(self.reasons)

    @property
    def headline(self) -> str:
        """Which setting to take, said with no more confidence than its grounds give; empty where none fits."""
        return (
            ""
            if self.setting is None
            else f"{verdict(self.setting.code_label, self.grounds)}."
        )

    @property
    def why(self) -> str:
        """What follows the headline: what the setting does, and the reasons."""
        if self.setting is None:
            return self.sentence
        return f"It {self.sentence.removeprefix(self.setting.code_label).strip()}"

    @property
    def answer(self) -> str:
        """Which setting to take, and why."""
        return f"{self.headline} {self.why}".strip()

    @property
    def advice(self) -> str:
        """All of it: the answer, the facts that it was measured on, and whose summaries it rests on, with how far a
        recorded language model differs from the stand-in, in facts and dollars."""
        return " ".join([self.answer, *self.grounds.sentences])


def verdict(name: str, grounds: Grounds) -> str:
    """``Take NAME``, or as much as few facts allow to say."""
    if not grounds.facts:
        return f"By cost and size alone, {name} does best"
    if not grounds.are_thin:
        return f"Take {name}"
    return f"On {'this 1 fact' if grounds.facts == 1 else f'these {grounds.facts} facts'}, {name} does best"


def recommend(sweep: Sweep, constraints: Constraints) -> Recommendation:
    """See :meth:`memviz.tuning.results.Sweep.best`. Where the sweep has no facts, only tokens and cost decide. A
    setting that could not be run over one of the conversations is never recommended."""
    table = sweep.by_setting(constraints.over)
    if table.empty:
        return Recommendation(
            None, ("Nothing was measured, so nothing can be recommended.",)
        )
    has_facts, measure = bool(table["retention"].notna().any()), sweep.cost_measure
    left_out = left_out_in_words(table, constraints)
    considered = int((constraints.takes(table) | (table["failed"] > 0)).sum())
    found = best_row(table, constraints, measure)
    if found is None:
        return Recommendation(
            None,
            tuple(left_out)
            or ("Every setting failed over at least one conversation.",),
        )
    first, fits = found
    if not fits:
        nothing = _nothing_fits(sweep, first, constraints)
        return replace(nothing, reasons=(*nothing.reasons, *left_out))
    fitting = table[constraints.fits(table)]
    others = fitting[fitting["setting"] != first["setting"]]
    second = cheapest(others, measure) if len(others) else None
    asked = constraints if has_facts else constraints.of_size
    reasons = [
        _what_it_does(sweep, first, has_facts),
        _why_it(considered, len(fitting), measure, asked),
    ]
    reasons += [
        *idle_in_words(sweep, first["setting"]),
        *refused_in_words(sweep, first["setting"]),
    ]
    reasons += left_out
    if second is not None:
        reasons.append(_runner_up(first, second, measure, has_facts))
    if not has_facts:
        reasons.append(
            "No facts are known, so what each setting forgets was not compared."
        )
    return Recommendation(
        sweep.settings[first["setting"]],
        tuple(reasons),
        first,
        None if second is None else sweep.settings[second["setting"]],
        second,
        grounds=sweep.grounds,
    )


def _what_it_does(sweep: Sweep, row: Mapping[str, Any], has_facts: bool) -> str:
    worst = sweep.by_setting("worst").set_index("setting").loc[row["setting"]]
    several = row["conversations"] > 1
    parts = []
    if has_facts:
        kept = f"keeps {share_in_words(row['retention'])} of the facts"
        parts.append(
            f"{kept} ({share_in_words(worst['retention'])} in the worst conversation)"
            if several
            else kept
        )
    peak = f"sends at most {row['peak_tokens']:,.0f} tokens in a request"
    parts.append(
        f"{peak} ({worst['peak_tokens']:,.0f} in the worst)" if several else peak
    )
    parts.append(f"costs {cost_in_words(row)}{added_in_words(row)}")
    missing = len(sweep.subjects) - row["conversations"]
    over = share_of(row["conversations"], len(sweep.subjects), "conversation")
    measured = f" So far it was measured over {over}."
    return f"{row['label']} {listed(parts)}.{measured if missing else ''}"


def idle_in_words(sweep: Sweep, setting: int) -> list[str]:
    """A sentence where the setting of this number (0-based) could leave something out and never did; else none."""
    strategy, cells = (
        sweep.settings[setting],
        [cell for cell in sweep.cells_of(setting) if not cell.error],
    )
    idle = sum(cell.sends_everything for cell in cells)
    if not idle or not strategy.main_parameter:
        return []
    acts = "left nothing out"
    if strategy.trigger is not Trigger.NEVER:
        acts = (
            "never summarized"
            if strategy.writes_notes
            else "never cleared or shortened anything"
        )
    where = (
        "here"
        if len(sweep.subjects) == 1
        else f"in {share_of(idle, len(sweep.subjects), 'conversation')}"
    )
    return [f"It {acts} {where}, so it did what the full buffer does."]


def refused_in_words(sweep: Sweep, setting: int) -> list[str]:
    """A sentence where the setting of this number (0-based) sends requests that a provider refuses; else none."""
    cells = sweep.cells_of(setting)
    refused, requests = (
        sum(cell.refused_requests for cell in cells),
        sum(len(cell.traffic.turns) for cell in cells),
    )
    if not refused:
        return []
    hold = "holds" if refused == 1 else "hold"
    return [
        f"But {share_of(refused, requests, 'request')} {hold} a tool's result without its call, or a call without its "
        "result, which a provider refuses: a program that uses this setting has to leave such halves out, as Chat does."
    ]


def left_out_in_words(table: DataFrame, asked: Constraints) -> list[str]:
    """A sentence on how many settings were left out because a provider refuses what they send; none if none was."""
    left_out = int((table["refused"] > 0).sum())
    if asked.allow_refused or not left_out:
        return []
    are_left_out = (
        "is left out, for it sends" if left_out == 1 else "are left out, for they send"
    )
    return [
        f"{counted(left_out, 'setting')} {are_left_out} requests that a provider refuses: a tool's result without its "
        "call, or a call without its result."
    ]


def _why_it(all_settings: int, fitting: int, measure: str, asked: Constraints) -> str:
    if all_settings == 1:
        return "It is the only setting."
    if fitting == 1:
        return f"It is the only one of {all_settings:,} settings that {asked_in_words(asked, 'keeps', 'stays')}."
    less = "cheapest" if measure == "usd" else "one with the fewest tokens"
    return f"It is the {less} of the {fitting:,} (out of {all_settings:,}) that {asked_in_words(asked)}."


def asked_in_words(asked: Constraints, keep: str = "keep", stay: str = "stay") -> str:
    """``keep 90% of the facts with at most 3,000 tokens in a request``: what a setting has to do."""
    limit = (
        ""
        if asked.max_peak_tokens is None
        else f"at most {asked.max_peak_tokens:,} tokens in a request"
    )
    if asked.min_retention <= 0:
        return (
            f"{stay} within {limit.removeprefix('at most ')}"
            if limit
            else "could be run"
        )
    kept = f"{keep} {share_in_words(asked.min_retention)} of the facts"
    return f"{kept} with {limit}" if limit else kept


def _runner_up(
    first: Mapping[str, Any], second: Mapping[str, Any], measure: str, has_facts: bool
) -> str:
    if did_the_same(first, second):
        return f"{second['label']} did exactly the same here."
    cost, least = second[measure], first[measure]
    if cost <= least * SAME_COST:
        text = "the same cost"
    elif least and 0.001 <= cost / least - 1 <= 10:
        text = f"{cost / least - 1:.1%} more"
    else:
        text = cost_in_words(second)
    text = f"Next: {second['label']}, at {text}"
    return (
        f"{text}, keeps {share_in_words(second['retention'])}."
        if has_facts
        else f"{text}."
    )


def _nothing_fits(
    sweep: Sweep, nearest: Mapping[str, Any], asked: Constraints
) -> Recommendation:
    limit = asked.max_peak_tokens
    if limit is not None and nearest["peak_tokens"] > limit:
        reason = (
            f"No setting stays within {limit:,} tokens a request: the least is "
            f"{nearest['peak_tokens']:,.0f}, with {nearest['label']}. Allow larger requests, or try smaller limits."
        )
    else:
        within = "" if limit is None else f" within {limit:,} tokens a request"
        most = share_in_words(nearest["retention"], asked.min_retention)
        reason = (
            f"No setting keeps {share_in_words(asked.min_retention, nearest['retention'])} of the facts{within}: the "
            f"most is {most}, with {nearest['label']}. Ask for less, allow larger requests, or try larger limits."
        )
    return Recommendation(
        None,
        (reason,),
        nearest=sweep.settings[nearest["setting"]],
        grounds=sweep.grounds,
    )


def share_in_words(share: float, beside: float | None = None) -> str:
    """A share in percent, with as many digits (up to three) as it takes not to look like all, nothing or ``beside``."""
    if np.isnan(share):
        return "an unknown share"
    others = [
        other for other in (0.0, 1.0, beside) if other is not None and other != share
    ]
    for digits in range(3):
        text = f"{share:.{digits}%}"
        if text not in [f"{other:.{digits}%}" for other in others]:
            return text
    return f"{share:.3%}"


def cost_in_words(row: Mapping[Any, Any]) -> str:
    """Dollars, or tokens where the price is unknown: of all conversations together."""
    return (
        f"{row['all_tokens']:,.0f} tokens"
        if np.isnan(row["usd"])
        else dollars(row["usd"])
    )


def added_in_words(row: Mapping[Any, Any]) -> str:
    """What was added to the cost of a row of :meth:`memviz.tuning.results.Sweep.by_setting`, and how far single
    conversations lie apart; empty where there is one conversation alone."""
    if row["conversations"] < 2:
        return ""
    mean, least, most = _of_one_conversation(row)
    together = f" for {row['conversations']:,} conversations together"
    return f"{together} ({mean} each on average, from {least} to {most})"


def spread_in_words(row: Mapping[Any, Any]) -> str:
    """What one conversation of a row costs: ``$0.0017 ($0.0009 to $0.0031)``."""
    mean, least, most = _of_one_conversation(row)
    return f"{mean} ({least} to {most})"


def _of_one_conversation(row: Mapping[Any, Any]) -> list[str]:
    """The mean, the least and the most that a conversation costs."""
    if np.isnan(row["usd"]):
        return [
            f"{row[f'all_tokens_{name}']:,.0f} tokens"
            for name in ("mean", "least", "most")
        ]
    return [dollars(row[f"usd_{name}"]) for name in ("mean", "least", "most")]
