"""Which of the settings in a report is best, as a sweep over them would say it."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.core.text.wording import counted
from memviz.dashboard.reporting.facts import ReportFacts
from memviz.dashboard.reporting.settings import Setting
from memviz.tuning.constraints import Constraints
from memviz.tuning.price_words import basis_in_words
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import asked_in_words
from memviz.tuning.results import as_sweep


def advice_sentences(
    settings: Sequence[Setting],
    facts: ReportFacts,
    assumptions: PricingAssumptions,
    asked: Constraints,
) -> tuple[str, ...]:
    """The recommendation and what it rests on, or why there is none. Compared are settings that replayed this
    conversation: one that answered for itself had another one."""
    pairs = [
        (setting.run, own.retained)
        for setting, own in zip(settings, facts.settings, strict=True)
    ]
    comparable = [
        (run, kept)
        for run, kept in pairs
        if run.requests and (kept is not None or not facts.found)
    ]
    if len(comparable) < 2:
        return (
            "There is no recommendation: it takes two settings or more over the same conversation.",
        )
    runs, kept = zip(*comparable, strict=True)
    best = as_sweep(runs, kept, facts.subject, assumptions).best(
        asked.min_retention, asked.max_peak_tokens
    )
    basis, number = (
        basis_in_words(assumptions, runs[0].counter.name),
        counted(len(runs), "setting"),
    )
    return (
        best.answer,
        *best.grounds.sentences,
        basis,
        f"Asked of {number}: {asked_in_words(asked)}.",
    )
