"""A sweep as JSON: the measures, the terms, and the setting to take, which can be exported to
code with a line on where it was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from memviz.code_export.base import Setting
from memviz.core.text.wording import counted
from memviz.core.translation import ENGLISH, use_language
from memviz.dashboard.words.prices import whose
from memviz.models.names import DEFAULT_MODEL
from memviz.strategies.base import Strategy
from memviz.tuning.best_of_each import StrategyBest, find_best_of_each
from memviz.tuning.constraints import Constraints, Over
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import Recommendation, format_cost, format_share
from memviz.tuning.results import Sweep

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pandas import DataFrame


def setting_to_export(
    sweep: Sweep, number: int, over: Over, counter: str, summarizer: str
) -> Setting | None:
    """Return setting ``number`` (0-based) of a sweep that was made with this counter and this summarizer; ``None`` as
    long as it was not measured. The models whose prices counted are those that the exported code asks, so that the cost
    in its header is its own. With several conversations the system prompt is that of the first. Code is English."""
    with use_language(ENGLISH):
        return _setting_to_export(sweep, number, over, counter, summarizer)


def _setting_to_export(
    sweep: Sweep, number: int, over: Over, counter: str, summarizer: str
) -> Setting | None:
    table = sweep.by_setting(over).set_index("setting")
    if number not in table.index:
        return None
    row = {str(name): value for name, value in table.loc[number].items()}
    sentences = (
        _result_words(sweep, row),
        sweep.grounds.about_results,
        _refused_words(row),
        _whose_prompt(sweep),
    )
    prices = sweep.assumptions
    system_prompt = None
    if sweep.system_prompts:
        system_prompt = sweep.system_prompts[0] or None
    return Setting(
        sweep.settings[number],
        counter=counter,
        summarizer=summarizer,
        model=prices.main.model if prices.main else DEFAULT_MODEL,
        summarizer_model=prices.summarizer.model if prices.summarizer else "",
        system_prompt=system_prompt,
        found=" ".join(filter(None, sentences)),
        # Where no pair was broken, leaving broken ones out changes nothing of what was measured, and is safe elsewhere.
        repair_tool_pairs=not row["refused"],
    )


def _result_words(sweep: Sweep, row: Mapping[str, Any]) -> str:
    """Return ``80% of the facts kept, at most 1,500 tokens a request, $0.02 at the prices of ...; measured over 2
    conversations on 12 facts.``"""
    cost = format_cost(row)
    if row["conversations"] > 1:
        cost += " in all"
    if not isnan(row["usd"]):
        cost += f" at the prices {_whose_prices(sweep)}"
    results = f"at most {row['peak_tokens']:,.0f} tokens a request, {cost}"
    if not isnan(row["retention"]):
        results = f"{format_share(row['retention'])} of the facts kept, {results}"
    basis = counted(row["conversations"], "conversation")
    if sweep.grounds.facts:
        basis += f" on {sweep.grounds.facts_in_words}"
    return f"{results}; measured over {basis}."


def _refused_words(row: Mapping[str, Any]) -> str:
    """Return a sentence where a provider refuses requests, which the exported code sends as they were measured."""
    if not row["refused"]:
        return ""
    return (
        f"A provider refuses {int(row['refused']):,} of its requests, for a tool's result "
        "without its call or a call without its result: switch REPAIR_TOOL_PAIRS on to leave such halves out."
    )


def _whose_prices(sweep: Sweep) -> str:
    main = sweep.assumptions.main
    summarizer = sweep.assumptions.summarizer
    prices = "" if main is None else whose(main)
    if summarizer is not None and summarizer != main and sweep.grounds.summarizer:
        prices += f", and for summaries {whose(summarizer)}"
    return prices


def _whose_prompt(sweep: Sweep) -> str:
    """Return a sentence where the conversations have different system prompts, for only one can be exported."""
    others = len(set(sweep.system_prompts))
    if others < 2:
        return ""
    return f"They have {others:,} different system prompts; the one here is that of the first, {sweep.subjects[0]!r}."


def sweep_dict(
    sweep: Sweep,
    constraints: Constraints,
    best: Recommendation,
    counter: str,
    summarizer: str,
) -> dict[str, Any]:
    """Return all of a sweep as values that JSON knows; what is unknown is ``None``.

    ``cells`` are the rows of :meth:`memviz.tuning.results.Sweep.frame`, ``settings`` those of ``by_setting`` with
    whether each does what is ``wanted``. Both name a setting by its number (0-based); so do ``recommendation`` and
    ``find_best_of_each`` (one a strategy). ``grounds`` is what the figures rest on.
    """
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    sentences = list(best.grounds.sentences)
    return {
        "counter": counter,
        "summarizer": summarizer,
        "terms": _terms(sweep.assumptions),
        "wanted": asdict(constraints),
        "conversations": list(sweep.subjects),
        "is_complete": sweep.is_complete,
        "stopped": sweep.stopped,
        "recommendation": _recommendation(sweep, best),
        "grounds": {**asdict(best.grounds), "sentences": sentences},
        "best_of_each": list(map(_best, find_best_of_each(sweep, constraints))),
        "settings": _rows(sweep, table.assign(fits=constraints.fits(table))),
        "cells": _rows(sweep, sweep.frame()),
    }


def _terms(assumptions: PricingAssumptions) -> dict[str, Any]:
    return {
        "model": _values(assumptions.main),
        "summarizer": _values(assumptions.summarizer),
        "cache": _values(assumptions.cache),
        "pause_seconds": assumptions.pause_seconds,
    }


def _values(record: DataclassInstance | None) -> dict[str, Any] | None:
    return None if record is None else asdict(record)


def _recommendation(sweep: Sweep, best: Recommendation) -> dict[str, Any]:
    by_role = {
        "setting": best.setting,
        "runner_up": best.runner_up,
        "nearest": best.nearest,
    }
    values = {}
    for role, setting in by_role.items():
        values[role] = None if setting is None else sweep.settings.index(setting)
    if best.setting is not None:
        values |= _describe_setting(best.setting)
    return {
        **values,
        "reasons": list(best.reasons),
        "sentence": best.sentence,
        "advice": best.advice,
    }


def _best(best: StrategyBest) -> dict[str, Any]:
    """Return the best setting of a strategy, and the value to try where it lies at the edge of those that were
    tried."""
    return {
        "setting": best.row["setting"],
        **_describe_setting(best.setting),
        "fits": best.fits,
        "edge": _values(best.edge),
    }


def _describe_setting(setting: Strategy) -> dict[str, Any]:
    return {
        "strategy": setting.id,
        "label": setting.code_label,
        "parameters": setting.model_dump(),
    }


def _rows(sweep: Sweep, table: DataFrame) -> list[dict[str, Any]]:
    """Return the rows, with a setting's own parameters in the place of one column for those of all strategies."""
    parameters = {"setting"}
    for setting in sweep.settings:
        parameters.update(type(setting).model_fields)
    rows = []
    for row in table.to_dict("records"):
        number = int(row["setting"])
        values = {"setting": number, **_describe_setting(sweep.settings[number])}
        for name, value in row.items():
            if name not in parameters:
                values[str(name)] = _json_value(value)
        rows.append(values)
    return rows


def _json_value(value: Any) -> Any:
    """Return a value as JSON has it; NaN is ``None``."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and isnan(value):
        return None
    return value
