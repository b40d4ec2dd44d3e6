"""The report: everything about some runs of one conversation in a single HTML file that needs no network."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs
from plotly.utils import PlotlyJSONEncoder

from memviz.core.errors import MemvizError
from memviz.core.messages import clean_text
from memviz.core.text.language import lang_attribute
from memviz.core.text.wording import distinct_names, dollars
from memviz.dashboard.charts.palette import (
    STEP_COLORS,
    STEP_TITLES,
    SUMMARIZATION_LINE,
    setting_dash,
)
from memviz.dashboard.charts.summaries.marks import marks_of
from memviz.dashboard.charts.turn_axis import last_place
from memviz.dashboard.reporting.advice import advice_sentences
from memviz.dashboard.reporting.charts import chart_data
from memviz.dashboard.reporting.conversation_text import distinct_talks
from memviz.dashboard.reporting.costs import report_costs
from memviz.dashboard.reporting.facts import ReportFacts, report_facts
from memviz.dashboard.reporting.settings import Setting
from memviz.dashboard.reporting.themes import THEMES
from memviz.dashboard.stage.data import MEASURES, stage_data, steps_around
from memviz.dashboard.stage.files import script, style
from memviz.dashboard.stage.predictions import predictions
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import View
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.memory_map.steps import STEPS
from memviz.metrics.requests.request_axis import axis_of
from memviz.metrics.summaries.compaction_words import (
    reason_words,
    request_words,
    turn_words,
)
from memviz.metrics.summaries.request_sizes import request_sizes
from memviz.transcripts.base import Transcript
from memviz.tuning.constraints import Constraints
from memviz.tuning.pricing_assumptions import PricingAssumptions


def html_report(
    runs: Sequence[Run],
    transcript: Transcript,
    made_at: datetime | None = None,
    *,
    assumptions: PricingAssumptions | None = None,
    constraints: Constraints | None = None,
) -> str:
    """The report of ``runs`` of one conversation as the text of an HTML file, to be written as UTF-8.

    It is complete: a player of all requests, charts, the facts that each setting kept, costs, a recommendation, tables,
    summaries, the conversation and how all of it was made. Costs are worked out on ``assumptions`` (default: list
    prices of :data:`memviz.tuning.pricing_assumptions.DEFAULT_MODEL`), and recommended is what fits ``constraints``.
    Its policy lets a browser load nothing and run no script but its own three, known by their hashes. ``made_at`` is
    when it was made (default: now). Raises :class:`memviz.MemvizError` if there is no run.
    """
    if not runs:
        raise MemvizError(
            "A report needs at least one run. Replay the conversation under a setting first."
        )
    named = enumerate(
        zip(runs, distinct_names([run.label for run in runs]), strict=True)
    )
    settings = [
        Setting(run, label, index, assumptions) for index, (run, label) in named
    ]
    asked = [setting for setting in settings if setting.run.requests]
    view = _whole(asked) if asked else None
    has_calls = any(setting.run.has_calls for setting in settings)
    facts, terms = (
        report_facts(settings, transcript),
        assumptions or PricingAssumptions.of(),
    )
    html = (
        _environment()
        .get_template("report.html")
        .render(
            transcript=transcript,
            settings=settings,
            asked=asked,
            view=view,
            legend=_legend(asked),
            talks=distinct_talks(
                transcript.messages,
                [(setting.label, setting.run.log) for setting in settings],
            ),
            facts=facts,
            costs=report_costs(settings, terms),
            advice=advice_sentences(
                settings, facts, terms, constraints or Constraints()
            ),
            charts=chart_data(settings, view),
            stage=_stage(asked, transcript, facts, terms) if asked else None,
            version=memviz_version(),
            made_at=made_at or datetime.now(UTC),
            messages=max(len(setting.run.log) for setting in settings),
            turns=max(setting.run.log.turn_count for setting in settings),
            requests=max(len(setting.run.requests) for setting in settings),
            has_calls=has_calls,
            step="request" if has_calls else "turn",
        )
    )
    return clean_text(html)


def _stage(
    settings: Sequence[Setting],
    transcript: Transcript,
    facts: ReportFacts,
    terms: PricingAssumptions,
) -> dict[str, Any]:
    """What the player of the report plays: all steps, or of a long conversation the first ones."""
    retained, runs = (
        {id(one.run): one.retained for one in facts.settings},
        [setting.setting for setting in settings],
    )
    kept = [retained[id(setting.run)] for setting in settings]
    steps = steps_around(0, int(axis_of(setting.run for setting in settings).lasts[-1]))
    asked = predictions(runs, transcript, kept, terms, steps=steps)
    data = stage_data(
        runs,
        transcript,
        retentions=kept,
        assumptions=terms,
        steps=steps,
        questions=[question.as_data() for question in asked],
    )
    return data | {"measures": MEASURES}


def _whole(settings: Sequence[Setting]) -> View:
    """All requests and messages of all settings."""
    last = max(last_place(axis_of([setting.run])) for setting in settings)
    return View(
        range(1, last + 1), range(max(len(setting.run.log) for setting in settings))
    )


class _Legend(NamedTuple):
    """What colours and signs of the maps mean; only those that occur."""

    fates: list[tuple[str, str]]
    marks: list[tuple[str, str, str]]


def _legend(settings: Sequence[Setting]) -> _Legend:
    """Fates stand from what is sent whole to what is not sent at all."""
    found = {code for setting in settings for code in fate_map(setting.run).present}
    order = sorted(found, key=lambda code: (-STEPS[code].fate, code))
    compactions = [
        compaction for setting in settings for compaction in setting.run.compactions
    ]
    marks = [
        (
            SUMMARIZATION_LINE if mark.symbol == "diamond" else mark.color,
            mark.character,
            mark.name,
        )
        for mark in marks_of(compactions)
    ]
    return _Legend([(STEP_COLORS[code], STEP_TITLES[code]) for code in order], marks)


def memviz_version() -> str:
    """The version that is installed."""
    try:
        return version("memviz")
    except PackageNotFoundError:  # run from its source folder
        return "not installed"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("memviz.dashboard.reporting", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {
        "cls": PlotlyJSONEncoder
    }  # knows numpy; NaN is null
    environment.filters |= {
        "number": lambda number: f"{number:,}",
        "dollars": dollars,
        "lang": lambda text: Markup(lang_attribute(text)),  # noqa: S704 - none of the text is in it
    }
    scripts = {
        "plotly": get_plotlyjs(),
        "stage": script(),
        "drawing": _own("report.js"),
    }
    environment.globals |= {
        "style": Markup(f"{_own('report.css')}\n{style()}"),  # noqa: S704 - our own files
        "scripts": [Markup(script) for script in scripts.values()],  # noqa: S704 - our own and Plotly's
        "hashes": [script_hash(script) for script in scripts.values()],
        "themes": THEMES,
        "setting_dash": setting_dash,
        "turn_words": turn_words,
        "request_words": request_words,
        "reason_words": reason_words,
        "request_sizes": request_sizes,
    }
    return environment


def _own(name: str) -> str:
    return (
        files("memviz.dashboard.reporting").joinpath(name).read_text(encoding="utf-8")
    )


def script_hash(script: str) -> str:
    """What names a script in a Content-Security-Policy: of its text between the tags."""
    return "sha256-" + b64encode(hashlib.sha256(script.encode()).digest()).decode()
