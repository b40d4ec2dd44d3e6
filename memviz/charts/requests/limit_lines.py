"""The limits that strategies keep to, on a chart of the tokens of whole requests.

A limit counts some parts of a request only, so its line stands where a request would reach it: at the limit and what is
sent besides (:mod:`memviz.metrics.requests.limits`). It rises where a new summary is larger than the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memviz.charts.palette import setting_color
from memviz.charts.requests.panels import FONT_PIXELS, main_top
from memviz.charts.text import escaped
from memviz.charts.thinning import Texts
from memviz.metrics.requests.limits import (
    Ceiling,
    ceilings,
    limit_of,
    limit_rule,
    spells,
)
from memviz.metrics.requests.request_axis import name_of, request_turns

if TYPE_CHECKING:
    from memviz.charts.requests.tokens_per_turn import SettingRun
    from memviz.engine.run import Run
    from memviz.metrics.requests.request_axis import RequestAxis
    from memviz.strategies.base import Strategy


def budget_fits(run: Run, strategy: Strategy | None = None) -> bool:
    """Whether the limit is drawn, by default that of the setting in force: one far above everything sent would only
    squeeze the picture."""
    budget = (strategy or run.strategy).budget_tokens or 0
    return budget <= 3 * run.columns.largest


def limit_lines(
    setting: SettingRun, number: int, axis: RequestAxis
) -> list[dict[str, Any]]:
    """Traces: a thin dashed line for each limit of the setting, over the requests that it held for. They hide with
    their setting."""
    places = axis.places(request_turns(setting.run)).tolist()
    return [
        {
            "type": "scatter",
            "x": np.array(
                [places[int(ceiling.request)] + ceiling.request % 1 for ceiling in line]
            ),
            "y": np.array([ceiling.tokens for ceiling in line]),
            "mode": "lines",
            "line": {
                "width": 1.5,
                "dash": "5px,4px",
                "color": setting_color(setting.index),
            },
            "opacity": 0.8,
            "hovertemplate": _tooltips(setting, limit_rule(strategy), line),
            "name": f"{escaped(setting.label)} limit",
            "legendgroup": str(number),
            "showlegend": False,
            "visible": True if setting.shown else "legendonly",
        }
        for strategy, line in _drawn(setting.run)
    ]


def _drawn(run: Run) -> list[tuple[Strategy, list[Ceiling]]]:
    return run.once(_drawn, lambda: list(_fitting(run)))


def _fitting(run: Run) -> Iterator[tuple[Strategy, list[Ceiling]]]:
    for spell in spells(run):
        if budget_fits(run, spell.strategy) and (line := ceilings(run, spell)):
            yield spell.strategy, line


def _tooltips(
    setting: SettingRun, rule: str, line: Sequence[Ceiling]
) -> str | Sequence[str]:
    """Plotly fills in the turn and the tokens: of hundreds of texts that differ in nothing else one is sent."""
    head, run = f"<b>{escaped(setting.label)}</b><br>{escaped(rule)}<br>", setting.run
    size = "a request of %{y:,} tokens in all<extra></extra>"
    if not run.has_calls and not any(ceiling.request % 1 for ceiling in line):
        return f"{head}turn %{{x:,}}: {size}"

    def words(one: Ceiling) -> str:
        if one.request % 1:
            return f"{head}after turn {int(one.turn):,}: {size}"
        at = (
            name_of(run, run.requests[int(one.request)])
            if run.has_calls
            else "turn %{x:,}"
        )
        return f"{head}{at}: {size}"

    return Texts(line, words)


def limit_names(
    settings: Sequence[SettingRun], strip: frozenset[int]
) -> list[dict[str, Any]]:
    """The annotation that says what the dashed lines are, above the panel where it covers none of them: one rule in
    words, of several their values."""
    lines = dict.fromkeys(
        (setting_color(setting.index), strategy)
        for setting in settings
        if setting.shown
        for strategy, _ in _drawn(setting.run)
    )
    rules = {limit_rule(strategy) for _, strategy in lines}
    if not rules:
        return []
    dash = '<span style="color:{}"><b>- -</b></span> {}'
    if len(rules) == 1:
        text = (
            " ".join(dash.format(color, "") for color, _ in lines).replace("  ", " ")
            + rules.pop()
        )
    else:
        limits = [(color, limit_of(strategy)) for color, strategy in lines]
        values = dict.fromkeys(
            (color, f"{limit.tokens:,}{limit.share_words}")
            for color, limit in limits
            if limit
        )
        text = (
            "limits: "
            + " ".join(dash.format(color, tokens) for color, tokens in values)
            + " tokens"
        )
    return [
        {
            "text": text,
            "font": {"size": FONT_PIXELS},
            "showarrow": False,
            "xref": "paper",
            "x": 1,
            "xanchor": "right",
            "yref": "paper",
            "y": main_top(settings, strip, has_note=True),
            "yanchor": "bottom",
        }
    ]
