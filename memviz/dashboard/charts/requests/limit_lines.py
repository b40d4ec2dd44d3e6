"""The limits that strategies keep to, on a chart of the tokens of whole requests.

A limit counts some parts of a request only, so its line stands where a request would reach it: at the limit and what is
sent besides (:mod:`memviz.metrics.requests.limits`). It rises where a new summary is larger than the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memviz.dashboard.charts.grammar import Part, note, path, stroke
from memviz.dashboard.charts.palette import setting_color
from memviz.dashboard.charts.requests.panels import Panels, PlacedSetting
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.charts.text import escaped
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.words.requests import limit_rule, limit_value, name_of
from memviz.engine.run import Run
from memviz.metrics.requests.limits import (
    Ceiling,
    ceilings,
    limit_of,
    spells,
)

if TYPE_CHECKING:
    from memviz.strategies.base import Strategy

FITS_UP_TO = 3
_DASH = '<span style="color:{}"><b>- -</b></span>'


def budget_fits(run: Run, strategy: Strategy | None = None) -> bool:
    """Return whether the limit is drawn, by default that of the setting in force: one far above everything sent would
    only squeeze the picture."""
    budget = (strategy or run.strategy).budget_tokens or 0
    return budget <= FITS_UP_TO * run.columns.largest


def limit_lines(one: PlacedSetting) -> list[Part]:
    """Return a thin dashed line for each limit of the setting, over the requests that it held for. They hide with
    their setting."""
    setting = one.setting
    places = one.places
    look = stroke(1.5, "5px,4px", setting_color(setting.index))
    found = []
    for strategy, line in _drawn(setting.run):
        x = [int(places[int(at.request)]) + at.request % 1 for at in line]
        tokens = [at.tokens for at in line]
        template = _tooltips(setting, limit_rule(strategy), line)
        trace = path(
            np.array(x),
            np.array(tokens),
            look,
            opacity=0.8,
            hovertemplate=template,
            name=f"{escaped(setting.label)} limit",
            **one.beside_its_line,
        )
        del trace["hoverinfo"]  # the template says it
        found.append(trace)
    return found


def _drawn(run: Run) -> list[tuple[Strategy, list[Ceiling]]]:
    def find() -> list[tuple[Strategy, list[Ceiling]]]:
        found = []
        for spell in spells(run):
            line = ceilings(run, spell) if budget_fits(run, spell.strategy) else []
            if line:
                found.append((spell.strategy, line))
        return found

    return run.once(_drawn, find)


def _tooltips(
    setting: SettingRun, rule: str, line: Sequence[Ceiling]
) -> str | Sequence[str]:
    """Return what Plotly fills the turn and the tokens into: of hundreds of texts that differ in nothing else one is
    sent."""
    run = setting.run
    head = f"<b>{escaped(setting.label)}</b><br>{escaped(rule)}<br>"
    size = "a request of %{y:,} tokens in all<extra></extra>"
    any_turn = "turn %{x:,}"
    if not run.has_calls and not any(at.request % 1 for at in line):
        return f"{head}{any_turn}: {size}"

    def words(at: Ceiling) -> str:
        if at.request % 1:
            return f"{head}after turn {int(at.turn):,}: {size}"
        if not run.has_calls:
            return f"{head}{any_turn}: {size}"
        return f"{head}{name_of(run, run.requests[int(at.request)])}: {size}"

    return Texts(line, words)


def limit_names(panels: Panels) -> list[Part]:
    """Return the note that says what the dashed lines are, above the panel where it covers none of them: one rule in
    words, of several their values."""
    lines: dict[tuple[str, Strategy], None] = {}
    for setting in panels.settings:
        if setting.shown:
            color = setting_color(setting.index)
            lines |= {(color, strategy): None for strategy, _ in _drawn(setting.run)}
    rules = {limit_rule(strategy) for _, strategy in lines}
    if not rules:
        return []
    if len(rules) == 1:
        dashes = [_DASH.format(color) for color, _ in lines]
        text = " ".join([*dashes, *rules])
    else:
        values = []
        for color, strategy in lines:
            limit = limit_of(strategy)
            if limit:
                dash = _DASH.format(color)
                values.append(f"{dash} {limit_value(limit)}")
        text = f"limits: {' '.join(dict.fromkeys(values))} tokens"
    top = panels.main_top(has_note=True)
    return [note(text, 1, top, xref="paper", xanchor="right", yref="paper")]
