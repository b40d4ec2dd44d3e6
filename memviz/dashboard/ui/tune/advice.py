"""The answer of a sweep, with what it rests on, the best setting of each strategy, and the way to the facts."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from memviz.core.text.wording import duration_words, listed
from memviz.core.translation import _, noop
from memviz.dashboard.charts.sweeps.measure_words import WORDS, shown_value
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import button, header, quiet_button, show_table
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import FACTS_VIEW, turn_to
from memviz.dashboard.ui.tune.next_values import add_values, edge_value_labels
from memviz.dashboard.ui.tune.state import tune_state
from memviz.models.names import in_words
from memviz.strategies.parameters import Parameter
from memviz.tuning.best_of_each import StrategyBest, find_main_axis
from memviz.tuning.constraints import Constraints
from memviz.tuning.grid import suggest_parameter_values
from memviz.tuning.grounds import Grounds
from memviz.tuning.recommendation import Recommendation, format_share, recommend
from memviz.tuning.results import Sweep


def recommendation(sweep: Sweep, constraints: Constraints) -> Recommendation:
    """Say which setting to take, why, and on what grounds."""
    best = recommend(sweep, constraints)
    headline = best.headline
    if headline and not sweep.is_complete:
        headline = _("So far: {headline}", headline=headline)
    why = f"{best.why} {_priced_words(sweep)}".strip()
    answer_box(headline, why, best.grounds, fits=best.setting is not None)
    return best


def _priced_words(sweep: Sweep) -> str:
    """Say whose prices and which pause the answer holds for: others may make another setting the cheapest."""
    main = sweep.assumptions.main
    if main is None or sweep.cost_measure != "usd":
        return ""
    return _(
        "Priced as {model}, with {pause} between turns.",
        model=in_words(main.model),
        pause=duration_words(sweep.assumptions.pause_seconds),
    )


def answer_box(headline: str, text: str, grounds: Grounds, *, fits: bool) -> None:
    """Draw an answer: green where there are facts enough to rely on it, blue on few, amber where nothing fits. It ends
    with the facts that it was measured on."""
    text = plain(f"{text} {grounds.sentence}")
    words = f"**{plain(headline)}** {text}" if headline else text
    if not fits:
        st.warning(words, icon=":material/help:")
    elif grounds.are_thin:
        st.info(words, icon=":material/lightbulb:")
    else:
        st.success(words, icon=":material/check_circle:")


def facts_button(conversations: Sequence[str]) -> None:
    """Draw the way to the facts that the answer was measured on: of several conversations to those of the one that
    other pages show, else of the first."""
    if quiet_button(_("Open the facts"), "tune-facts", ":material/checklist:"):
        compare_state().open_one_of(conversations)
        turn_to("facts", FACTS_VIEW, "lives")


EDGE_HELP = noop(
    "The best value lies at the edge of those that were tried. This adds the next one and measures it."
)
HELP = noop(
    "Of each strategy the cheapest setting that keeps what you ask for; where none does, the one that "
    "keeps most."
)


def best_table(
    sweep: Sweep, bests: Sequence[StrategyBest], constraints: Constraints
) -> None:
    """Draw one row a strategy, and the values that were tried further."""
    if len(bests) < 2:
        return
    header(_("Best of each strategy"), help=_(HELP))
    measures = ["retention", sweep.cost_measure, "peak_tokens"]
    rows = [_row(best, measures, constraints) for best in bests]
    show_table(rows, _("The best setting of each strategy"))
    further = edge_value_labels(sweep.settings)
    if further:
        st.caption(
            _(
                "Tried as well, because the best value lay at the edge: {values}.",
                values=plain(listed(further)),
            )
        )


def _row(
    best: StrategyBest, measures: list[str], constraints: Constraints
) -> dict[str, str]:
    label = plain(best.row["label"])
    if not best.fits:
        label = _(
            "{label} ({why})", label=label, why=missed_words(best.row, constraints)
        )
    row = {_("Setting"): label}
    for name in measures:
        row[_title(name)] = plain(shown_value(name, best.row[name]))
    return row


def missed_words(row: Mapping[str, Any], constraints: Constraints) -> str:
    """Return where a setting stays behind what is asked for: ``below 90%``, ``over 3,000 tokens``."""
    limit = constraints.max_peak_tokens
    if limit is not None and row["peak_tokens"] > limit:
        return _("over {limit:,} tokens", limit=limit)
    return _(
        "below {share}",
        share=format_share(constraints.min_retention, row["retention"]),
    )


def _title(measure: str) -> str:
    words = WORDS[measure]
    return words.title if words.is_money or words.is_share else words.axis_title


def edge_button(best: StrategyBest) -> None:
    """Draw the button that adds the next value to the grid and measures it, where measuring costs money; none where the
    best lies between others. What costs nothing is tried without being asked, see
    :func:`memviz.dashboard.ui.tune.next_values.add_edge_values`."""
    axis = find_main_axis(best.setting)
    if axis is not None and best.edge is not None:
        button(
            _("Try {value}", value=plain(axis.shown(best.edge.value))),
            f"tune-edge-{best.setting.id}",
            ":material/add:",
            add_values,
            best.setting.id,
            best.edge.parameter,
            [best.edge.value],
            help=_(EDGE_HELP),
        )


MAP_STEPS = 4
"""Values of a second parameter that are tried beside those of the first."""


def values_button(id: str, axis: Parameter, largest: Mapping[str, int]) -> None:
    """Draw the button that tries several values of a parameter of which only one was tried; none for a setting that is
    no part of the grid."""
    if (id, axis.name) not in tune_state().value_keys:
        return
    values = suggest_parameter_values(axis, MAP_STEPS, largest)
    button(
        _("Try {values} too", values=plain(listed(map(axis.shown, values)))),
        f"tune-values-of-{id}-{axis.name}",
        ":material/add:",
        add_values,
        id,
        axis.name,
        values,
    )
