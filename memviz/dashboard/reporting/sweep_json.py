"""A sweep as JSON: the measures, the terms, and the setting to take."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from memviz.strategies.base import Strategy
from memviz.tuning.best_of_each import StrategyBest, best_of_each
from memviz.tuning.constraints import Constraints
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recommendation import Recommendation
from memviz.tuning.results import Sweep

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pandas import DataFrame


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
    ``best_of_each`` (one a strategy). ``grounds`` is what the figures rest on.
    """
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    return {
        "counter": counter,
        "summarizer": summarizer,
        "terms": _terms(sweep.assumptions),
        "wanted": asdict(constraints),
        "conversations": list(sweep.subjects),
        "is_complete": sweep.is_complete,
        "stopped": sweep.stopped,
        "recommendation": _recommendation(sweep, best),
        "grounds": {**asdict(best.grounds), "sentences": list(best.grounds.sentences)},
        "best_of_each": [_best(one) for one in best_of_each(sweep, constraints)],
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


def _values(one: DataclassInstance | None) -> dict[str, Any] | None:
    return None if one is None else asdict(one)


def _recommendation(sweep: Sweep, best: Recommendation) -> dict[str, Any]:
    chosen = {
        "setting": best.setting,
        "runner_up": best.runner_up,
        "nearest": best.nearest,
    }
    found: dict[str, Any] = {}
    for role, one in chosen.items():
        found[role] = None if one is None else sweep.settings.index(one)
    if best.setting is not None:
        found |= _described(best.setting)
    return {
        **found,
        "reasons": list(best.reasons),
        "sentence": best.sentence,
        "advice": best.advice,
    }


def _best(one: StrategyBest) -> dict[str, Any]:
    """Return the best setting of a strategy, and the value to try where it lies at the edge of those that were
    tried."""
    return {
        "setting": one.row["setting"],
        **_described(one.setting),
        "fits": one.fits,
        "edge": _values(one.edge),
    }


def _described(setting: Strategy) -> dict[str, Any]:
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
    found = []
    for row in table.to_dict("records"):
        number = int(row["setting"])
        one = {"setting": number, **_described(sweep.settings[number])}
        for name, value in row.items():
            if name not in parameters:
                one[str(name)] = _plain(value)
        found.append(one)
    return found


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; NaN is ``None``."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and value != value else value
