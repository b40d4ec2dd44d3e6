"""The pictures of a sweep: all settings, and one strategy over its parameter, with the value to take."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.parameter_line import parameter_line
from memviz.dashboard.charts.sweeps.pareto import pareto_chart, pareto_finding
from memviz.dashboard.charts.sweeps.setting_words import (
    SettingWords,
    beaten_words,
    rows_by_setting,
)
from memviz.dashboard.ui.controls.pictures import picture
from memviz.dashboard.ui.shell.elements import show_caption, show_info
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, hides, is_bare, speaker_notes
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.advice import answer_box, edge_button
from memviz.dashboard.ui.tune.state import follow_click, tune_state
from memviz.dashboard.ui.tune.two_parameters import Marks, map_of_two_parameters
from memviz.dashboard.words.prices import basis_in_words
from memviz.strategies import strategies
from memviz.tuning.best_of_each import StrategyAnswer, answer_for_strategy
from memviz.tuning.constraints import Constraints
from memviz.tuning.recommendation import Recommendation
from memviz.tuning.results import Sweep

CHART_KEY = "tune-pareto"
CHOSEN_KEY = "tune-chosen"


def main_picture(sweep: Sweep, constraints: Constraints, best: Recommendation) -> None:
    """Draw all settings, cost against what they keep, or against size where no facts are known. A click chooses one."""
    _look_at_linked(sweep)
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    options: dict[str, Any] = {
        "chosen": tune_state().chosen,
        "recommended": number_of(sweep, best),
        "min_retention": constraints.min_retention,
        "max_peak_tokens": constraints.max_peak_tokens,
        "writer": SettingWords.of(sweep, constraints.over),
        "strategies": list(strategies()),
    }
    if is_bare():
        options["title"] = ""  # the page's own title says it
    figure = pareto_chart(table, sweep.cost_measure, **options)
    finding = _(
        "No facts are known, so cost stands against size. {answer}", answer=best.answer
    )
    if table["retention"].notna().any():
        finding = pareto_finding(table, sweep.cost_measure)
    speaker_notes([finding])
    on_click = partial(follow_click, CHART_KEY)
    picture(figure, CHART_KEY, finding, on_click)
    if hides(Part.NUMBERS):
        return
    settings = counted({place.setting for place in sweep.cells}, "setting")
    conversations = len(sweep.compared_conversations)
    caption = _(
        _LOOKED_AT if conversations < 2 else _LOOKED_AT_SEVERAL,
        settings=settings,
        conversations=counted(conversations, "conversation"),
        basis=plain(basis_in_words(sweep.assumptions, sweep.counter)),
    )
    st.caption(caption)


_LOOKED_AT = noop("{settings}. Click a point to look at its setting. {basis}")
_LOOKED_AT_SEVERAL = noop(
    "{settings} over {conversations}, whose costs are added. Click a point to look at its setting. {basis}"
)


def _look_at_linked(sweep: Sweep) -> None:
    """Look at the setting that a link asks for; links hold the one that was clicked."""
    state = tune_state()
    if linked("chosen", CHOSEN_KEY, range(len(sweep.settings))):
        state.chosen = widget_value(CHOSEN_KEY)
    set_widget(CHOSEN_KEY, state.chosen)


def number_of(sweep: Sweep, best: Recommendation) -> int | None:
    """Return the number of the recommended setting; ``None`` where none is recommended."""
    if best.setting is None:
        return None
    return sweep.settings.index(best.setting)


def looked_at(sweep: Sweep, best: Recommendation) -> int:
    """Return the number of the setting that is looked at closely: the one that was clicked, else the recommended or
    nearest one."""
    state = tune_state()
    measured = sorted({place.setting for place in sweep.cells})
    if state.chosen in measured:
        return state.chosen
    setting = best.setting or best.nearest
    return sweep.settings.index(setting) if setting is not None else measured[0]


def one_strategy(
    sweep: Sweep,
    id: str,
    constraints: Constraints,
    chosen: int | None,
    head: DeltaGenerator,
    row: DeltaGenerator,
) -> int:
    """Draw the answer, in the place ``head``, its curve, and in ``row`` the value to try next. Returns the number of
    the setting to look at: the ``chosen`` one if it is of this strategy, else the best."""
    answer = answer_for_strategy(sweep, id, constraints)
    if answer is None:
        show_info(_("Fewer than two values of this strategy were measured so far."))
        return [setting.id for setting in sweep.settings].index(id)
    with head:
        sentences = " ".join(answer.sentences)
        answer_box(answer.headline, sentences, answer.grounds, fits=answer.best.fits)
    with row:
        edge_button(answer.best)
    best = int(answer.best.row["setting"])
    number = best
    if chosen is not None and sweep.settings[chosen].id == id:
        number = chosen
    recommended = best if answer.best.fits else None
    # One setting has one ring: that of the recommendation says more.
    marks = Marks(
        chosen=None if number == recommended else number,
        recommended=recommended,
        writer=SettingWords.of(sweep, constraints.over),
    )
    _draw_curves(answer, constraints, sweep.cost_measure, marks)
    if not hides(Part.NUMBERS):
        help = plain(_(answer.axis.help))
        st.caption(_("{help} Click a point to look at its setting.", help=help))
        show_caption(basis_in_words(sweep.assumptions, sweep.counter))
        map_of_two_parameters(sweep, id, constraints, number, marks)
    return number


def _draw_curves(
    answer: StrategyAnswer,
    constraints: Constraints,
    cost: str,
    marks: Marks,
) -> None:
    """Draw facts kept and cost over the parameter, and the largest request where it is limited, side by side: both are
    seen at once, also on a small screen."""
    measures = [cost]
    if answer.curve["retention"].notna().any():
        measures.insert(0, "retention")
    thresholds: dict[str, float] = {"retention": constraints.min_retention}
    if constraints.max_peak_tokens is not None:
        thresholds["peak_tokens"] = constraints.max_peak_tokens
        measures.append("peak_tokens")
    rows = rows_by_setting(answer.curve)
    beaten = {}
    for number, winner in answer.beaten_values.items():
        beaten[number] = beaten_words(rows[number], winner, cost)
    knee = None
    if answer.knee is not None:
        knee = float(answer.curve[answer.axis.name].iloc[answer.knee])
    places = st.columns(len(measures), gap="small")
    for place, measure in zip(places, measures, strict=True):
        key = f"tune-lines-{measure}"
        line = parameter_line(
            answer.curve,
            answer.axis,
            measure,
            strategies=list(strategies()),
            knee=knee,
            threshold=thresholds.get(measure),
            beaten=beaten,
            **marks._asdict(),
        )
        on_click = partial(follow_click, key)
        finding = _curve_finding(answer, measure)
        with place:
            picture(line, key, finding, on_click)


def _curve_finding(answer: StrategyAnswer, measure: str) -> str:
    """Return ``Facts kept: Take 8 messages. It keeps 92% of the facts.``"""
    words = f"{answer.headline} {answer.sentences[0]}"
    return _("{title}: {answer}", title=WORDS[measure].title, answer=words)
