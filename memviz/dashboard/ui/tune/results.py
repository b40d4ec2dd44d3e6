"""The picture of all settings, and which of them is looked at."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from memviz.core.text.wording import counted
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.sweeps.pareto import (
    cost_and_peak_chart,
    pareto_chart,
    pareto_finding,
)
from memviz.dashboard.ui.controls.pictures import as_shown, picture_pixels
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, hides, is_bare, speaker_notes
from memviz.dashboard.ui.shell.state import clicked_number, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.state import TuneState, tune_state
from memviz.strategies import strategies
from memviz.tuning.constraints import Constraints
from memviz.tuning.price_words import basis_in_words
from memviz.tuning.recommendation import Recommendation
from memviz.tuning.results import Sweep

CHART_KEY, CHOSEN_KEY = "tune-pareto", "tune-chosen"


def main_picture(
    sweep: Sweep, state: TuneState, constraints: Constraints, best: Recommendation
) -> None:
    """All settings, cost against what they keep, or against size where no facts are known. A click chooses one."""
    _look_at_linked(sweep, state)
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    recommended = number_of(sweep, best)
    options: dict[str, Any] = {
        "chosen": state.chosen,
        "recommended": recommended,
        "max_peak_tokens": constraints.max_peak_tokens,
        "over": constraints.over,
        "strategies": list(strategies()),
        "aside": sweep.by_setting(
            "worst" if constraints.over == "median" else "median"
        ),
        **({"title": ""} if is_bare() else {}),  # the page's own title says it
    }
    if table["retention"].notna().any():
        picture = pareto_chart(
            table,
            sweep.cost_measure,
            min_retention=constraints.min_retention,
            **options,
        )
        finding = pareto_finding(table, sweep.cost_measure)
    else:
        picture = cost_and_peak_chart(table, sweep.cost_measure, **options)
        finding = f"No facts are known, so cost stands against size. {best.answer}"
    speaker_notes([finding])
    st.plotly_chart(
        as_shown(picture),
        key=CHART_KEY,
        height=picture_pixels(picture.layout.height),
        config=CONFIG,
        selection_mode="points",
        on_select=partial(follow_click, CHART_KEY),
        alt=finding,
    )
    if hides(Part.NUMBERS):
        return
    settings = counted(len({place.setting for place in sweep.cells}), "setting")
    added = len(sweep.compared_conversations)
    over = (
        f" over {counted(added, 'conversation')}, whose costs are added"
        if added > 1
        else ""
    )
    basis = plain(basis_in_words(sweep.assumptions, sweep.counter))
    st.caption(f"{settings}{over}. Click a point to look at its setting. {basis}")


def _look_at_linked(sweep: Sweep, state: TuneState) -> None:
    """The setting that a link asks for; links hold the one that was clicked."""
    if linked("chosen", CHOSEN_KEY, range(len(sweep.settings))):
        state.chosen = widget_value(CHOSEN_KEY)
    set_widget(CHOSEN_KEY, state.chosen)


def follow_click(key: str) -> None:
    """The setting that was clicked on the chart of this key is looked at from now on."""
    number = clicked_number(key)
    if number is not None:
        tune_state().chosen = number if number >= 0 else None


def number_of(sweep: Sweep, best: Recommendation) -> int | None:
    """The number of the recommended setting."""
    return sweep.settings.index(best.setting) if best.setting is not None else None


def looked_at(sweep: Sweep, state: TuneState, best: Recommendation) -> int:
    """The setting that is looked at closely: the one that was clicked, else the recommended or nearest one."""
    measured = sorted({place.setting for place in sweep.cells})
    if state.chosen in measured:
        return state.chosen
    found = best.setting or best.nearest
    return sweep.settings.index(found) if found is not None else measured[0]
