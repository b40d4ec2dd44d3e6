"""A sweep as JSON: what was measured, on which terms, and which setting to take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    from pandas import DataFrame


def sweep_dict(
    sweep: Sweep,
    constraints: Constraints,
    best: Recommendation,
    counter: str,
    summarizer: str,
) -> dict[str, Any]:
    """All of a sweep as values that JSON knows; what is unknown is ``None``.

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
        "model": None if assumptions.main is None else asdict(assumptions.main),
        "summarizer": None
        if assumptions.summarizer is None
        else asdict(assumptions.summarizer),
        "cache": None if assumptions.cache is None else asdict(assumptions.cache),
        "pause_seconds": assumptions.pause_seconds,
    }


def _recommendation(sweep: Sweep, best: Recommendation) -> dict[str, Any]:
    chosen = {
        "setting": best.setting,
        "runner_up": best.runner_up,
        "nearest": best.nearest,
    }
    own = {} if best.setting is None else _described(best.setting)
    numbers = {
        role: None if one is None else sweep.settings.index(one)
        for role, one in chosen.items()
    }
    return {
        **numbers,
        **own,
        "reasons": list(best.reasons),
        "sentence": best.sentence,
        "advice": best.advice,
    }


def _best(one: StrategyBest) -> dict[str, Any]:
    """The best setting of a strategy, and the value to try where it lies at the edge of those that were tried."""
    edge = None if one.edge is None else asdict(one.edge)
    return {
        "setting": one.row["setting"],
        **_described(one.setting),
        "fits": one.fits,
        "edge": edge,
    }


def _described(setting: Strategy) -> dict[str, Any]:
    return {
        "strategy": setting.id,
        "label": setting.code_label,
        "parameters": setting.model_dump(),
    }


def _rows(sweep: Sweep, table: DataFrame) -> list[dict[str, Any]]:
    """The rows, with a setting's own parameters in the place of one column for those of all strategies."""
    names = {name for setting in sweep.settings for name in type(setting).model_fields}
    rows = (
        {str(name): value for name, value in row.items()}
        for row in table.to_dict("records")
    )
    return [_row(sweep.settings[int(row["setting"])], row, names) for row in rows]


def _row(
    setting: Strategy, row: Mapping[str, Any], parameters: Iterable[str]
) -> dict[str, Any]:
    measures = {
        name: _plain(value) for name, value in row.items() if name not in parameters
    }
    return {"setting": measures.pop("setting"), **_described(setting), **measures}


def _plain(value: Any) -> Any:
    """A value as JSON has it; NaN is ``None``."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and value != value else value
