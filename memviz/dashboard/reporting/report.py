"""The report: everything about some runs of one conversation in a single HTML file that needs no network."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

import plotly.graph_objects as go
from jinja2 import Template
from plotly.offline import get_plotlyjs
from plotly.utils import PlotlyJSONEncoder

from memviz.core.errors import MemvizError
from memviz.core.messages import clean_text
from memviz.core.text.wording import counted, distinct_names, dollars
from memviz.core.translation import _, language_now, ngettext, noop
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.memory_map.fate_map import draw_fate_map
from memviz.dashboard.charts.palette import STEP_COLORS, STEP_TITLES, setting_dash
from memviz.dashboard.charts.requests.composition import composition
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.summaries.marks import marks_of
from memviz.dashboard.charts.summaries.timeline import summary_timeline
from memviz.dashboard.charts.turn_axis import last_place
from memviz.dashboard.reporting.facts import (
    ReportFacts,
    advice_sentences,
    report_costs,
    report_facts,
)
from memviz.dashboard.reporting.printed_conversation import printed_talks
from memviz.dashboard.reporting.settings import Setting
from memviz.dashboard.reporting.themes import (
    DARK,
    LIGHT,
    THEMES,
    html_environment,
    template,
    themed,
)
from memviz.dashboard.stage.data import MEASURES, steps_around
from memviz.dashboard.stage.files import own_text, script
from memviz.dashboard.stage.predictions import asking_data
from memviz.dashboard.words import bundled_words
from memviz.dashboard.words.compactions import (
    outcome_words,
    reason_words,
    request_words,
    turn_words,
)
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import View
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.memory_map.stretches import STEPS
from memviz.metrics.requests.request_axis import make_axis
from memviz.metrics.summaries.events import count_request_sizes
from memviz.transcripts.base import Transcript
from memviz.tuning.constraints import Constraints
from memviz.tuning.pricing_assumptions import PricingAssumptions

TITLE_PIXELS = 34
"""The height of a chart's own title, which the headings of the report stand for."""
COUNTING = noop(
    "Tokens are counted on this machine, but for what a provider billed. Besides the text a request counts 3 tokens "
    "and the role for each message, 1 for a name, and 3 for the reply, as OpenAI's cookbook counts its chat format. "
    "Where the counter is not the tokenizer of the model (Claude, Gemini, Llama), every total is approximate. "
    "Content tokens are those of the text alone. Dollars are what the records hold; an unknown price stays unknown."
)
"""The paragraph on how everything in a report was counted."""
_FILTERS: dict[str, Callable[..., Any]] = {
    "number": "{:,}".format,
    "dollars": dollars,
    "bundled": bundled_words,
}
_FUNCTIONS = {
    "_": _,
    "ngettext": ngettext,
    "counted": counted,
    "setting_dash": setting_dash,
    "outcome_words": outcome_words,
    "turn_words": turn_words,
    "request_words": request_words,
    "reason_words": reason_words,
    "request_sizes": count_request_sizes,
}
"""The filters and functions of the report's template."""
Json = dict[str, Any]


def html_report(
    runs: Sequence[Run],
    transcript: Transcript,
    made_at: datetime | None = None,
    *,
    assumptions: PricingAssumptions | None = None,
    constraints: Constraints | None = None,
) -> str:
    """Return the report of ``runs`` of one conversation as the text of an HTML file, to be written as UTF-8.

    It is complete: a player of all requests, charts, the facts that each setting kept, costs, a recommendation, tables,
    summaries, the conversation and how all of it was made. Costs are worked out on ``assumptions`` (default: list
    prices of :data:`memviz.tuning.pricing_assumptions.DEFAULT_MODEL`), and recommended is what fits ``constraints``.
    Its policy lets a browser load nothing and run no script but its own three, known by their hashes. ``made_at`` is
    when it was made (default: now). Raises :class:`memviz.MemvizError` if there is no run.
    """
    if not runs:
        raise MemvizError(
            _(
                "A report needs at least one run. Replay the conversation under a setting first."
            )
        )
    terms = assumptions or PricingAssumptions.of()
    limits = constraints or Constraints()
    labels = distinct_names([run.label for run in runs])
    settings = []
    for index, (run, label) in enumerate(zip(runs, labels, strict=True)):
        settings.append(Setting(run, label, index, assumptions))
    # A setting that was never asked has nothing to draw; tables name it all the same.
    active = [setting for setting in settings if setting.run.requests]
    view = _whole_view(active) if active else None
    facts = report_facts(settings, transcript)
    has_calls = any(run.has_calls for run in runs)
    html = _template().render(
        transcript=transcript,
        settings=settings,
        active=active,
        view=view,
        legend=_legend(active),
        talks=printed_talks(transcript.messages, settings),
        facts=facts,
        costs=report_costs(settings, terms),
        advice=advice_sentences(settings, facts, terms, limits),
        charts=_chart_data(active, view),
        stage=_stage(active, transcript, facts, terms) if active else None,
        made_at=made_at or datetime.now(UTC),
        messages=max(len(run.log) for run in runs),
        turns=max(run.log.turn_count for run in runs),
        requests=max(len(run.requests) for run in runs),
        has_calls=has_calls,
        language=language_now(),
        counting=_(COUNTING),
        step="request" if has_calls else "turn",
    )
    return clean_text(html)


def _stage(
    settings: Sequence[Setting],
    transcript: Transcript,
    facts: ReportFacts,
    terms: PricingAssumptions,
) -> Json:
    """Return what the player of the report plays: all steps, or of a long conversation the first ones."""
    # The facts are of all settings, played are the active ones.
    retention_of_run = {
        id(setting_facts.run): setting_facts.retained
        for setting_facts in facts.settings
    }
    retentions = [retention_of_run[id(setting.run)] for setting in settings]
    runs = [setting.setting for setting in settings]
    axis = make_axis(setting.run for setting in settings)
    steps = steps_around(0, int(axis.lasts[-1]))
    data = asking_data(runs, transcript, retentions, terms, steps)
    return data | {"measures": MEASURES}


def _whole_view(settings: Sequence[Setting]) -> View:
    """Return the part of the conversation that maps show: every request and message of all settings."""
    requests = 0
    messages = 0
    for setting in settings:
        requests = max(requests, last_place(make_axis([setting.run])))
        messages = max(messages, len(setting.run.log))
    return View(range(1, requests + 1), range(messages))


class _Legend(NamedTuple):
    """The colours and signs of the maps, only those that occur, and what they mean."""

    fates: list[tuple[str, str]]
    marks: list[tuple[str, str, str]]


def _legend(settings: Sequence[Setting]) -> _Legend:
    """Return the legend; fates stand from what is sent whole to what is not sent at all."""
    codes: set[int] = set()
    compactions: list[Compaction] = []
    for setting in settings:
        codes.update(build_fate_map(setting.run).present)
        compactions += setting.run.compactions
    # The larger the number of a fate, the more of the message is sent.
    ordered_codes = sorted(codes, key=lambda code: (-STEPS[code].fate, code))
    fates = [(STEP_COLORS[code], _(STEP_TITLES[code])) for code in ordered_codes]
    marks = []
    for mark in marks_of(compactions):
        marks.append((mark.strong_color, mark.character, _(mark.name)))
    return _Legend(fates, marks)


def _chart_data(active: Sequence[Setting], view: View | None) -> Json:
    """Return what the script needs: ``charts`` by name, the ``templates`` of the themes, and Plotly's ``config``."""
    figures = {} if view is None else dict(_figures(active, view))
    return {
        "charts": {name: _in_both_themes(figures[name]) for name in figures},
        "templates": {name: template(theme) for name, theme in THEMES.items()},
        "config": {**CONFIG, "responsive": True},
    }


def _figures(active: Sequence[Setting], view: View) -> Iterator[tuple[str, go.Figure]]:
    """Yield the charts by their names. A heading of the page says what each is; what a map's own title adds is the mark
    of its setting."""
    yield "tokens", tokens_per_turn([setting.setting for setting in active])
    for setting in active:
        yield f"composition-{setting.index}", _without_title(composition(setting.run))
        yield f"map-{setting.index}", draw_fate_map(setting.setting, view)
        if setting.changes_notes:
            yield f"summary-{setting.index}", summary_timeline(setting.run)


def _without_title(figure: go.Figure) -> go.Figure:
    """Return the figure without its title and the room for it."""
    top = max(0, figure.layout.margin.t - TITLE_PIXELS)
    return figure.update_layout(
        title_text="", margin_t=top, height=figure.layout.height - TITLE_PIXELS
    )


def _in_both_themes(figure: go.Figure) -> Json:
    """Return the figure in light, and what is different in dark: ``[path, light, dark]`` each."""
    light = themed(figure, LIGHT)
    dark = themed(figure, DARK)
    for figure_data in (light, dark):
        del figure_data["layout"]["template"]  # the same for all charts
    changes = list(_differences(light, dark, []))
    return {"data": light["data"], "layout": light["layout"], "changes": changes}


def _differences(
    light: Any, dark: Any, path: list[str | int]
) -> Iterator[tuple[list[str | int], Any, Any]]:
    """Yield the values that differ, each with the way to it, such as ``["layout", "xaxis", "color"]``. Of a list of
    numbers or texts, which is data, only the whole can differ."""
    if isinstance(light, dict) and isinstance(dark, dict):
        for key in light:
            yield from _differences(light[key], dark[key], [*path, key])
    elif isinstance(light, list) and light and isinstance(light[0], dict):
        for place, (light_part, dark_part) in enumerate(zip(light, dark, strict=True)):
            yield from _differences(light_part, dark_part, [*path, place])
    elif light is not dark and light != dark:
        yield path, light, dark


@cache
def _template() -> Template:
    package = "memviz.dashboard.reporting"
    environment = html_environment(
        package,
        "report.css",
        [get_plotlyjs(), script(), own_text(package, "report.js")],
        images="data: blob:",
        filters=_FILTERS,
    )
    # Plotly's encoder knows numpy, and writes NaN as null.
    environment.policies["json.dumps_kwargs"] = {"cls": PlotlyJSONEncoder}
    environment.globals |= _FUNCTIONS
    return environment.get_template("report.html")
