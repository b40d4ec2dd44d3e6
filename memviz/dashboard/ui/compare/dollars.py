"""Compare, by dollars: what they come to over the turns."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from memviz.core.text.wording import SEMICOLON
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.cache_prefix import CachedSetting, cache_prefix
from memviz.dashboard.charts.cost.curve import cost_curve, frame_of, lines_above_finding
from memviz.dashboard.charts.cost.setting_cost import (
    SettingCost,
    Unit,
    View,
    cache_finding,
    cost_finding,
)
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.compare.cheapest import describe_cheapest
from memviz.dashboard.ui.compare.costs_table import draw_costs_table
from memviz.dashboard.ui.compare.dollars_explained import (
    cache_words,
    draw_against_the_window,
    draw_prices_and_rules,
)
from memviz.dashboard.ui.compare.dollars_in_total import draw_parts_table, draw_totals
from memviz.dashboard.ui.compare.playing import Readout, is_staged
from memviz.dashboard.ui.compare.reader import (
    draw_beside_reader,
    shared_axis,
    tell_audience_of_request,
)
from memviz.dashboard.ui.compare.selection import select_clicked
from memviz.dashboard.ui.controls.authorship import say_not_recorded, say_who_summarized
from memviz.dashboard.ui.controls.pictures import folded, picture, step_by_step, step_of
from memviz.dashboard.ui.controls.pricing import MORE, price_row
from memviz.dashboard.ui.shell.elements import (
    row,
    segments,
    show_caption,
    show_info,
    switch,
)
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, hides, put_away
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.prices import (
    basis_in_words,
    missing_prices_by_model,
    pause_effect_words,
    pause_words,
)
from memviz.metrics.cost.cache_breaks import find_cache_breaks
from memviz.metrics.requests.traffic import count_traffic
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

CHART_KEY = "costs-curve"
VIEW_KEY = "costs-view"
UNCACHED_KEY = "costs-uncached"
UNCACHED_HELP = noop(
    "Thin dotted lines: the same requests, if the provider had no prompt cache."
)
CACHE = noop("The cache")
"""The view of what the prompt cache held of each request; the words are those of links."""
VIEWS = (View.SO_FAR.value, View.EACH_STEP.value, CACHE)
_POINT_AT_A_LINE = {
    "turn": noop("Point at a line to see what a turn cost, and for what."),
    "request": noop("Point at a line to see what a request cost, and for what."),
}
WINDOW_KEY = "costs-context-window"
TURNS_KEY = "costs-turns"
PRICES_KEY = "costs-prices"


def draw_dollars_view(settings: Sequence[SettingRun], transcript: Transcript) -> None:
    """Show what every setting costs."""
    say_who_summarized(settings)
    say_not_recorded(settings)
    with put_away(Part.CONTROLS, "prices"):
        assumptions = price_row()
    costs = price_settings(settings, assumptions)
    say_what_is_unknown(costs)
    tell_audience_of_request(
        cost_finding(costs), [basis_in_words(assumptions, settings[0].run.counter.name)]
    )
    with st.container(key="costs-answered"):
        # In view with the picture; below lanes, which need the height, and by style.css in a low window.
        is_below = is_staged()
        if not is_below:
            _say_what_costs_least(costs, assumptions)
        draw_beside_reader(
            settings,
            transcript,
            partial(draw_costs, costs, assumptions),
            {CHART_KEY: shared_axis(settings)},
            draw_notes=partial(_draw_notes, costs, assumptions),
            draw_below=lambda _selection: draw_totals(costs),
            readout=Readout("dollars", assumptions),
        )
        if is_below:
            _say_what_costs_least(costs, assumptions)
    if not hides(Part.NUMBERS):
        draw_parts_table(costs)
        draw_details(costs, assumptions, transcript)


def price_settings(
    settings: Sequence[SettingRun], assumptions: PricingAssumptions
) -> list[SettingCost]:
    """Return what each setting costs on these terms."""
    costs = []
    for setting in settings:
        cost = assumptions.cost(count_traffic(setting.run))
        costs.append(SettingCost(setting, cost, cost.parts))
    return costs


def say_what_is_unknown(costs: Sequence[SettingCost]) -> None:
    """Name the prices that are needed and not known, and how to enter them."""
    missing = [price for setting_cost in costs for price in setting_cost.cost.missing]
    names = [plain(name) for name in missing_prices_by_model(missing)]
    if not names:
        return
    show_info(
        _(
            "Unknown: {models}. Where it is needed, only tokens are shown. Check the model's name, or enter what "
            "it costs under **{more}**.",
            models=_(SEMICOLON).join(names),
            more=_(MORE),
        )
    )


def draw_costs(costs: Sequence[SettingCost], assumptions: PricingAssumptions) -> None:
    """Draw the picture of cost: lines of dollars, or what the cache held of each request. A click on it moves the
    selection."""
    linked("shown", VIEW_KEY, VIEWS)
    linked("uncached", UNCACHED_KEY, [False, True])
    # Read before the controls are drawn: which of them there are depends on it.
    choice = _read_choice(costs)
    settings = [setting_cost.setting for setting_cost in costs]
    names = {view: _(view) for view in VIEWS}
    if step_of(settings) == "request":
        names[View.EACH_STEP.value] = _("Each request")
    with put_away(Part.CONTROLS, "costs-shown"), row(gap="xsmall"):
        segments(
            _("Shown"),
            VIEWS,
            default=View.SO_FAR.value,
            key=VIEW_KEY,
            format_func=names.__getitem__,
            label_visibility="collapsed",
            width="content",
        )
        if choice.unit is Unit.USD and not choice.is_cache:
            switch(
                _("Also without cache"), True, key=UNCACHED_KEY, help=_(UNCACHED_HELP)
            )
    on_click = partial(select_clicked, CHART_KEY, settings)
    if choice.is_cache:
        figure = cache_prefix(_find_breaks(costs, assumptions))
        finding = cache_finding(costs)
    else:
        figure = cost_curve(
            costs, choice.view, unit=choice.unit, uncached=choice.uncached
        )
        finding = cost_finding(costs)
    # A lane for each setting needs the height that the answer takes: style.css puts that below it.
    with st.container(key="costs-lanes" if choice.is_cache else "costs-lines"):
        picture(figure, CHART_KEY, finding, on_click)


def _find_breaks(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> list[CachedSetting]:
    settings = []
    for setting_cost in costs:
        breaks = find_cache_breaks(
            setting_cost.setting.run,
            setting_cost.cost,
            assumptions.cache,
            assumptions.pause_seconds,
        )
        settings.append(CachedSetting(setting_cost, breaks))
    return settings


class _Choice(NamedTuple):
    """The choice of what the picture shows."""

    view: View
    unit: Unit
    uncached: bool
    is_cache: bool


def _read_choice(costs: Sequence[SettingCost]) -> _Choice:
    has_prices = any(setting_cost.cost.total_usd is not None for setting_cost in costs)
    unit = Unit.USD if has_prices else Unit.TOKENS
    chosen = widget_value(VIEW_KEY) or View.SO_FAR.value
    is_cache = chosen == CACHE
    view = View.EACH_STEP if is_cache else View(chosen)
    uncached = widget_value(UNCACHED_KEY) is not False
    return _Choice(view, unit, uncached, is_cache)


def _draw_notes(costs: Sequence[SettingCost], assumptions: PricingAssumptions) -> None:
    choice = _read_choice(costs)
    if choice.is_cache:
        words = cache_words(costs, assumptions)
        st.caption("\n".join(f"- {plain(sentence)}" for sentence in words))
        return
    frame = frame_of(costs, choice.view, choice.unit, uncached=choice.uncached)
    above = lines_above_finding(frame, choice.unit)
    if above:
        show_caption(above)
    st.caption(
        _how_to_read(costs, uncached=choice.uncached and choice.unit is Unit.USD)
    )


def _say_what_costs_least(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> None:
    """Say which setting costs least, and what the pause and the cache have to do with it."""
    if hides(Part.NUMBERS):
        return
    cheapest = describe_cheapest(costs, assumptions)
    if assumptions.cache is not None and cheapest.mentions_pauses:
        main = assumptions.main
        pause = pause_effect_words(
            assumptions.cache,
            assumptions.pause_seconds,
            None if main is None else main.cache_read_share,
        )
    else:
        pause = pause_words(assumptions.cache, assumptions.pause_seconds)
    with st.container(key="costs-answer"):
        st.markdown(f"{cheapest.sentence} {pause}".strip())


def _how_to_read(costs: Sequence[SettingCost], *, uncached: bool) -> str:
    step = step_of([setting_cost.setting for setting_cost in costs])
    has_cached = any(setting_cost.cost.cached_tokens.any() for setting_cost in costs)
    has_summarizer = any(
        setting_cost.cost.traffic.summarizer_turns.size for setting_cost in costs
    )
    sentences = []
    if uncached and has_cached:
        sentences.append(_("Thin dotted: without the cache."))
    if has_summarizer:
        sentences.append(_("Violet band: the summarizer's part."))
    sentences.append(_(_POINT_AT_A_LINE[step]))
    return " ".join(sentences)


def draw_details(
    costs: Sequence[SettingCost],
    assumptions: PricingAssumptions,
    transcript: Transcript,
) -> None:
    """Show what explains the numbers, closed at first."""
    window = partial(draw_against_the_window, costs, assumptions)
    folded(
        _("When is the context window full?"),
        WINDOW_KEY,
        ":material/width_full:",
        window,
    )
    numbers = step_by_step([setting_cost.setting for setting_cost in costs])
    folded(
        numbers,
        TURNS_KEY,
        ":material/table:",
        partial(draw_costs_table, costs, transcript.title),
    )
    rules = partial(draw_prices_and_rules, assumptions)
    folded(
        _("Which prices and cache rules are these?"),
        PRICES_KEY,
        ":material/sell:",
        rules,
    )
